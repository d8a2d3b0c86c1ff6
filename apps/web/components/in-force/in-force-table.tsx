import type { GuildView } from '@bailiff/engine/guilds/guilds';
import { knownThings } from '@bailiff/engine/guilds/known-names';
import type { ReactNode } from 'react';
import { Person } from '#components/members/person.tsx';
import { Badge } from '#components/ui/badge.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { Cell, Row, Table, TableHead } from '#components/ui/table.tsx';
import { Written } from '#components/ui/written.tsx';
import type { Standing } from '#src/in-force.ts';
import { messagesFor } from '#src/messages.ts';
import { type People, peopleOf } from '#src/people.ts';
import { runtime } from '#src/runtime.ts';
import { EndNow } from './end-now.tsx';

/** Something that is in force, with what its own columns show. */
export interface StandingRow extends Standing {
  readonly cells: readonly ReactNode[];
}

/** A table of what is in force: columns of its kind, when it ends, who set it and why, and a button that ends it now. */
export async function InForceTable({
  caption,
  columns,
  rows,
  people,
}: {
  caption: string;
  columns: readonly string[];
  rows: readonly StandingRow[];
  people: People;
}) {
  const t = await messagesFor('inForce');
  return (
    <Table caption={caption} cards>
      <TableHead columns={[...columns, t('ends'), t('by'), t('since'), t('reason')]} buttons={t('end')} />
      <tbody>
        {rows.map(({ key, cells, until, isOverdue, by, since, reason, end }) => (
          <Row key={key}>
            {columns.map((label, index) => (
              <Cell key={label} label={label} className="wrap-anywhere">
                {cells[index]}
              </Cell>
            ))}
            <Cell label={t('ends')}>
              {until === null ? (
                <span className="text-ink-soft">{t('open')}</span>
              ) : (
                <>
                  {isOverdue ? <Badge tone="warn">{t('overdue')}</Badge> : null} <RelativeTime iso={until} />
                </>
              )}
            </Cell>
            <Cell label={t('by')}>
              <Person id={by} people={people} />
            </Cell>
            <Cell label={t('since')} className="text-ink-soft">
              <RelativeTime iso={since} />
            </Cell>
            <Cell label={t('reason')} className="wrap-anywhere sm:max-w-80">
              {reason === null ? (
                <span className="text-ink-soft">{t('noReason')}</span>
              ) : (
                <Written text={reason} />
              )}
            </Cell>
            <Cell className="sm:text-right">
              <EndNow
                guildId={people.guildId}
                call={end.call}
                words={{
                  button: t('end'),
                  label: t('endOne', { what: end.title }),
                  title: end.title,
                  hint: isOverdue ? `${t('overdueHint')} ${t('endHint')}` : t('endHint'),
                  reason: t('reasonOptional'),
                  done: end.done,
                  left: end.left,
                }}
              />
            </Cell>
          </Row>
        ))}
      </tbody>
    </Table>
  );
}

/** The name of a channel or role; its id if nobody knows the name. */
export function Named({ id, names }: { id: string; names: Readonly<Record<string, string>> }) {
  const name = names[id];
  return name === undefined ? <span className="font-mono text-xs">{id}</span> : <Written text={name} />;
}

/** The names of the people, channels and roles of what is in force, by id. */
export async function namesInForce(
  guild: GuildView,
  ids: { readonly people: readonly string[]; readonly things: readonly string[] },
): Promise<{ people: People; names: Readonly<Record<string, string>> }> {
  const [people, things] = await Promise.all([
    peopleOf(guild, ids.people),
    knownThings(runtime().db, guild.id, ids.things),
  ]);
  const named = things.flatMap((thing) => ('name' in thing ? [[thing.id, thing.name] as const] : []));
  return { people, names: { ...people.names, ...Object.fromEntries(named) } };
}
