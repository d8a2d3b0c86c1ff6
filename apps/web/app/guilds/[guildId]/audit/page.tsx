import { listAuditLog, memberNames } from '@bailiff/engine';
import type { Metadata } from 'next';
import Link from 'next/link';
import { AuditTable, peopleIn } from '../../../../components/audit-table.tsx';
import { buttonClass } from '../../../../components/ui/button.tsx';
import { EmptyState, PageHeader, Panel } from '../../../../components/ui/panel.tsx';
import { requireGuild } from '../../../../src/pages.ts';
import { runtime } from '../../../../src/runtime.ts';

export const metadata: Metadata = { title: 'Audit log' };

const ROWS = 50;

interface Props {
  params: Promise<{ guildId: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function AuditPage({ params, searchParams }: Props) {
  const { guild } = await requireGuild(params);
  const query = await searchParams;
  const reads = query.reads === 'shown';
  const before =
    typeof query.before === 'string' && /^aud_[0-9a-f]{32}$/.test(query.before) ? query.before : undefined;
  if (!guild.capabilities.includes('audit.read')) {
    return (
      <>
        <PageHeader title="Audit log" />
        <Panel>
          <EmptyState title="The audit log is not open to you">
            The owner can grant your role audit.read in the settings.
          </EmptyState>
        </Panel>
      </>
    );
  }
  const { db } = runtime();
  const found = await listAuditLog(db, guild.id, { reads, before, limit: ROWS + 1 });
  const entries = found.slice(0, ROWS);
  const names = { ...(await memberNames(db, guild.id, peopleIn(entries))), [guild.id]: guild.name };
  const here = `/guilds/${guild.id}/audit`;
  const oldest = found.length > ROWS ? entries.at(-1)?.id : undefined;
  return (
    <>
      <PageHeader
        title="Audit log"
        actions={
          <Link href={reads ? here : `${here}?reads=shown`} className={buttonClass()}>
            {reads ? 'Hide reads' : 'Show reads'}
          </Link>
        }
      >
        Every action from every source, newest first. Nobody can change or delete it.
      </PageHeader>
      <Panel>
        {entries.length === 0 ? (
          <EmptyState title="Nothing here">
            {before === undefined ? 'Nothing happened in this guild yet.' : 'There is nothing older.'}
          </EmptyState>
        ) : (
          <AuditTable
            caption={reads ? 'Audit log with reads' : 'Audit log'}
            entries={entries}
            names={names}
          />
        )}
      </Panel>
      <nav aria-label="Pages of the audit log" className="mt-4 flex gap-2">
        {before === undefined ? null : (
          <Link href={reads ? `${here}?reads=shown` : here} className={buttonClass()}>
            Newest
          </Link>
        )}
        {oldest === undefined ? null : (
          <Link href={`${here}?${reads ? 'reads=shown&' : ''}before=${oldest}`} className={buttonClass()}>
            Older
          </Link>
        )}
      </nav>
    </>
  );
}
