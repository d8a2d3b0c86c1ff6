import { listApprovals, listAuditLog, listTokens, memberNames } from '@bailiff/engine';
import { ChevronRight } from 'lucide-react';
import type { Metadata } from 'next';
import Link from 'next/link';
import { AuditTable, peopleIn } from '../../../components/audit-table.tsx';
import { EmptyState, PageHeader, Panel } from '../../../components/ui/panel.tsx';
import { requireGuild } from '../../../src/pages.ts';
import { runtime } from '../../../src/runtime.ts';

export const metadata: Metadata = { title: 'Overview' };

const ROWS = 10;
const EXPIRES_SOON_MS = 7 * 24 * 60 * 60 * 1000;

export default async function OverviewPage({ params }: { params: Promise<{ guildId: string }> }) {
  const { session, guild } = await requireGuild(params);
  const { db } = runtime();
  const mayReadAudit = guild.capabilities.includes('audit.read');
  const [entries, attention] = await Promise.all([
    mayReadAudit ? listAuditLog(db, guild.id, { reads: false, limit: ROWS }) : [],
    guild.isOwner ? attentionOf(guild, session.userId) : [],
  ]);
  const names = { ...(await memberNames(db, guild.id, peopleIn(entries))), [guild.id]: guild.name };
  return (
    <>
      <PageHeader title="Overview">What needs you in {guild.name}, and what happened last.</PageHeader>
      {guild.isOwner ? (
        <section aria-labelledby="attention" className="mb-6">
          <h2 id="attention" className="mb-2 font-semibold">
            Needs attention
          </h2>
          {attention.length === 0 ? (
            <Panel className="text-ink-soft px-3.5 py-3">Nothing waits for you.</Panel>
          ) : (
            <ul className="grid gap-2 lg:grid-cols-2">
              {attention.map(({ text, detail, href }) => (
                <li key={href + text}>
                  <Link
                    href={href}
                    className="border-line bg-surface hover:border-line-strong flex items-center gap-3 rounded-lg border px-3.5 py-3 no-underline"
                  >
                    <span className="min-w-0 flex-1">
                      <span className="block font-medium">{text}</span>
                      <span className="text-ink-soft block">{detail}</span>
                    </span>
                    <ChevronRight aria-hidden size={16} className="text-ink-soft" />
                  </Link>
                </li>
              ))}
            </ul>
          )}
        </section>
      ) : null}
      <section aria-labelledby="latest">
        <div className="mb-2 flex items-baseline justify-between gap-3">
          <h2 id="latest" className="font-semibold">
            Latest
          </h2>
          <Link href={`/guilds/${guild.id}/audit`} className="text-accent">
            Whole audit log
          </Link>
        </div>
        <Panel>
          {entries.length === 0 ? (
            <EmptyState title={mayReadAudit ? 'Nothing happened yet' : 'The audit log is not open to you'}>
              {mayReadAudit
                ? 'Each action from chat, the dashboard and tokens appears here.'
                : 'The owner can grant your role audit.read in the settings.'}
            </EmptyState>
          ) : (
            <AuditTable
              caption={`The last ${ROWS} entries of the audit log`}
              entries={entries}
              names={names}
            />
          )}
        </Panel>
      </section>
    </>
  );
}

interface Attention {
  text: string;
  detail: string;
  href: string;
}

async function attentionOf(
  guild: { id: string; grantsConfirmedAt: Date | null },
  userId: string,
): Promise<Attention[]> {
  const { db } = runtime();
  const base = `/guilds/${guild.id}`;
  const [approvals, tokens] = await Promise.all([
    listApprovals(db, userId, guild.id),
    listTokens(db, userId, guild.id),
  ]);
  const pending = approvals.filter(({ state }) => state === 'pending');
  const live = tokens.filter(({ state }) => state === 'active');
  const open = live.filter(({ window }) => window !== null);
  const toRotate = live.filter(({ rotationRequiredAt }) => rotationRequiredAt !== null);
  const expiring = live.filter(
    ({ expiresAt }) => expiresAt !== null && expiresAt.getTime() - Date.now() < EXPIRES_SOON_MS,
  );
  const named = (list: readonly { name: string }[]) => [...new Set(list.map(({ name }) => name))].join(', ');
  return [
    ...(guild.grantsConfirmedAt === null
      ? [
          {
            text: 'Confirm what your roles may do',
            detail: 'Until then only you can moderate through Bailiff.',
            href: `${base}/settings`,
          },
        ]
      : []),
    ...some(pending, (n) => ({
      text: `${counted(n, 'call waits', 'calls wait')} for your approval`,
      detail: `From ${named(pending.map(({ token }) => token))}.`,
      href: `${base}/approvals`,
    })),
    ...some(open, (n) => ({
      text: `${counted(n, 'window is', 'windows are')} open`,
      detail: `For ${named(open)}. Close what nobody needs.`,
      href: `${base}/approvals`,
    })),
    ...some(toRotate, (n) => ({
      text: `${counted(n, 'token', 'tokens')} to rotate`,
      detail: `${named(toRotate)}: older than 180 days.`,
      href: `${base}/tokens`,
    })),
    ...some(expiring, (n) => ({
      text: `${counted(n, 'token expires', 'tokens expire')} within a week`,
      detail: `${named(expiring)}.`,
      href: `${base}/tokens`,
    })),
  ];
}

function some<Item>(list: readonly Item[], say: (count: number) => Attention): Attention[] {
  return list.length === 0 ? [] : [say(list.length)];
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
