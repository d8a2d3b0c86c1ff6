import {
  BookOpen,
  ChartColumn,
  Flag,
  Gavel,
  KeyRound,
  LayoutDashboard,
  Lock,
  type LucideIcon,
  Scale,
  ScrollText,
  Server,
  Settings,
  ShieldCheck,
  ShieldQuestion,
  Ticket,
  Users,
} from 'lucide-react';
import type { GuildPageName } from '#src/guild-pages.ts';
import { messagesFor } from '#src/messages.ts';

const ICONS: Readonly<Record<GuildPageName, LucideIcon>> = {
  overview: LayoutDashboard,
  cases: Gavel,
  members: Users,
  inForce: Lock,
  tickets: Ticket,
  appeals: Scale,
  reports: Flag,
  servers: Server,
  audit: ScrollText,
  moderators: ChartColumn,
  settings: Settings,
  tokens: KeyRound,
  approvals: ShieldQuestion,
  guard: ShieldCheck,
  apiReference: BookOpen,
};

/**
 * The name of a page in the navigation of a guild, and how many items wait there. It is rendered on the server, so that
 * browsers need no script for the icons.
 */
export async function GuildNavText({ page, waiting }: { page: GuildPageName; waiting: number }) {
  const t = await messagesFor('shell');
  const Icon = ICONS[page];
  return (
    <>
      <Icon aria-hidden size={16} className="shrink-0" />
      {t(page)}
      {waiting === 0 ? null : (
        <span className="bg-accent-solid ml-auto rounded-full px-1.5 text-xs text-white">
          <span aria-hidden>{waiting}</span>
          <span className="sr-only">{t('waiting', { count: waiting })}</span>
        </span>
      )}
    </>
  );
}
