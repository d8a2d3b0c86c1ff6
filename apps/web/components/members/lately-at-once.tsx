import type { Capability } from '@bailiff/core';
import { recentMasses } from '@bailiff/engine/cases/people-lists';
import type { GuildView } from '@bailiff/engine/guilds/guilds';
import { EndNow } from '#components/in-force/end-now.tsx';
import { Messages } from '#components/messages.tsx';
import { Badge } from '#components/ui/badge.tsx';
import { Panel, Section } from '#components/ui/panel.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { Cell, Row, Table, TableHead } from '#components/ui/table.tsx';
import { Written } from '#components/ui/written.tsx';
import { messagesFor } from '#src/messages.ts';
import { peopleOf } from '#src/people.ts';
import { runtime } from '#src/runtime.ts';
import { Person } from './person.tsx';

const KINDS = [
  { kind: 'ban', needs: 'bans.write', undo: 'bans.undo', done: 'banned', title: 'undoBans' },
  { kind: 'mute', needs: 'mutes.write', undo: 'mutes.undo', done: 'muted', title: 'undoMutes' },
] as const satisfies readonly { needs: Capability; [key: string]: string }[];

const MOST = 5;

/** The latest actions on several people at once that the reader may undo; nothing if there are none. */
export async function LatelyAtOnce({ guild }: { guild: GuildView }) {
  const masses = await massesOf(guild);
  if (masses.length === 0) return null;
  const t = await messagesFor('many');
  const inForce = await messagesFor('inForce');
  const people = await peopleOf(
    guild,
    masses.map(({ by }) => by),
  );
  return (
    <Section title={t('lately')} lead={t('latelyLead')}>
      <Panel>
        <Messages>
          <Table caption={t('lately')} cards>
            <TableHead
              columns={[t('what'), inForce('by'), inForce('since'), inForce('reason')]}
              buttons={t('undoButton')}
            />
            <tbody>
              {masses.map(({ id, people: count, by, created_at, reason, undoing, undo, done, title }) => (
                <Row key={id}>
                  <Cell label={t('what')}>{t(done, { count })}</Cell>
                  <Cell label={inForce('by')}>
                    <Person id={by} people={people} />
                  </Cell>
                  <Cell label={inForce('since')} className="text-ink-soft">
                    <RelativeTime iso={created_at.toISOString()} />
                  </Cell>
                  <Cell label={inForce('reason')} className="wrap-anywhere sm:max-w-80">
                    <Written text={reason ?? ''} />
                  </Cell>
                  <Cell className="sm:text-right">
                    {undoing === 'done' ? (
                      <Badge tone="off">{t('undone')}</Badge>
                    ) : (
                      <EndNow
                        guildId={guild.id}
                        call={{ operation: undo, input: { massId: id } }}
                        words={{
                          button: t('undoButton'),
                          label: t('undoOne', { what: t(done, { count }) }),
                          title: t(title),
                          hint: t('undoHint'),
                          reason: inForce('reasonOptional'),
                          done: t('undoing'),
                        }}
                      />
                    )}
                  </Cell>
                </Row>
              ))}
            </tbody>
          </Table>
        </Messages>
      </Panel>
    </Section>
  );
}

async function massesOf({ id, capabilities }: GuildView) {
  const lists = await Promise.all(
    KINDS.filter(({ needs }) => capabilities.includes(needs)).map(async (words) =>
      (await recentMasses(runtime().db, id, words.kind)).map((mass) => ({ ...mass, ...words })),
    ),
  );
  return lists
    .flat()
    .toSorted((a, b) => b.created_at.getTime() - a.created_at.getTime())
    .slice(0, MOST);
}
