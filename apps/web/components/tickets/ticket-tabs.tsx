import { TICKET_STATUSES } from '@bailiff/core';
import { TabLinks } from '#components/ui/tabs.tsx';
import { messagesFor } from '#src/messages.ts';
import { addressWith } from '#src/page-query.ts';

/** The parts of the list of tickets. */
export const TICKET_PARTS = [...TICKET_STATUSES, 'all'] as const;

/** The tabs of a guild's tickets: those in each state, and their statistics. */
export async function TicketTabs({
  guildId,
  current,
  counts,
  given = {},
}: {
  guildId: string;
  current: (typeof TICKET_PARTS)[number] | 'statistics';
  /** How many are waiting and how many are claimed. */
  counts: Readonly<Record<'open' | 'claimed', number>>;
  /** What the list is narrowed to, which it stays in every state. */
  given?: Readonly<Record<string, string | undefined>>;
}) {
  const t = await messagesFor('tickets');
  const list = `/guilds/${guildId}/tickets`;
  return (
    <TabLinks
      label={t('parts')}
      items={[
        ...TICKET_PARTS.map((part) => ({
          href: addressWith(list, { ...given, status: part === 'open' ? undefined : part }),
          label: t(part),
          current: part === current,
          ...(part === 'open' || part === 'claimed' ? { count: counts[part] } : {}),
        })),
        { href: `${list}/statistics`, label: t('statistics'), current: current === 'statistics' },
      ]}
    />
  );
}
