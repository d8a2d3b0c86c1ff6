import type { Capability } from '@bailiff/core';
import type { TicketRow } from '@bailiff/engine/tickets/tickets';
import { Person } from '#components/members/person.tsx';
import { Messages } from '#components/messages.tsx';
import { Badge } from '#components/ui/badge.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { Cell, Row, RowLink, Table, TableHead } from '#components/ui/table.tsx';
import { Written } from '#components/ui/written.tsx';
import { messagesFor } from '#src/messages.ts';
import type { People } from '#src/people.ts';
import { ClaimTicket } from './ticket-actions.tsx';
import { STATUS_LABELS } from './ticket-labels.ts';

/** The reader, for the actions they may take on a ticket. */
export interface TicketReader {
  readonly userId: string;
  readonly isOwner: boolean;
  readonly capabilities: readonly Capability[];
}

/** A table of tickets; without a `reader` it has no buttons. */
export async function TicketTable({
  caption,
  rows,
  people,
  reader,
}: {
  caption: string;
  rows: readonly TicketRow[];
  people: People;
  reader?: TicketReader;
}) {
  const t = await messagesFor('tickets');
  return (
    <Messages namespaces={['tickets']}>
      <Table caption={caption} cards>
        <TableHead
          columns={[t('ticket'), t('subject'), t('state'), t('openedBy'), t('opened')]}
          buttons={reader === undefined ? undefined : t('claim')}
        />
        <tbody>
          {rows.map((row) => (
            <Row key={row.id}>
              <Cell label={t('ticket')} className="tabular-nums">
                <RowLink href={`/guilds/${people.guildId}/tickets/${row.number}`}>#{row.number}</RowLink>
              </Cell>
              <Cell label={t('subject')} className="wrap-anywhere sm:max-w-96">
                <span className="line-clamp-2">
                  <Written text={row.subject} />
                </span>
              </Cell>
              <Cell label={t('state')}>
                <Badge tone={STATUS_LABELS[row.status].tone}>{t(STATUS_LABELS[row.status].word)}</Badge>
                <TicketHandler
                  id={row.status === 'closed' ? row.closed_by : row.claimed_by}
                  people={people}
                />
              </Cell>
              <Cell label={t('openedBy')}>
                <Person id={row.opened_by} people={people} />
              </Cell>
              <Cell label={t('opened')} className="text-ink-soft">
                <RelativeTime iso={row.opened_at.toISOString()} />
              </Cell>
              {reader === undefined ? null : (
                <Cell className="sm:text-right">
                  <ClaimTicket guildId={people.guildId} size="small" {...claimable(row, reader)} />
                </Cell>
              )}
            </Row>
          ))}
        </tbody>
      </Table>
    </Messages>
  );
}

/** The properties of a ticket's buttons for this reader. */
export function claimable(row: TicketRow, { userId, isOwner, capabilities }: TicketReader) {
  return {
    ticketId: row.id,
    number: row.number,
    status: row.status,
    mayRelease: isOwner || row.claimed_by === userId,
    mayWrite: capabilities.includes('tickets.write'),
  };
}

async function TicketHandler({ id, people }: { id: string | null; people: People }) {
  if (id === null) return null;
  const t = await messagesFor('tickets');
  return (
    <span className="text-ink-soft block text-xs">
      {t.rich('by', { person: () => <Person id={id} people={people} /> })}
    </span>
  );
}
