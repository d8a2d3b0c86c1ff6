import { LONG_OPERATIONS, type LongOperation } from '@bailiff/core';
import { type RunningAction, runningActions } from '@bailiff/engine/desk/running-actions';
import type { GuildView } from '@bailiff/engine/guilds/guilds';
import type { Translator } from '@bailiff/messages';
import { Live } from '#components/live.tsx';
import { Person } from '#components/members/person.tsx';
import { Messages } from '#components/messages.tsx';
import { Panel, Section } from '#components/ui/panel.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { messagesFor } from '#src/messages.ts';
import { type People, peopleOf } from '#src/people.ts';
import { runtime } from '#src/runtime.ts';
import { StopAction } from './stop-action.tsx';

type Words = Translator<'running'>;

const BAR =
  'bg-raised h-2 w-full appearance-none overflow-hidden rounded-full [&::-moz-progress-bar]:bg-accent ' +
  '[&::-webkit-progress-bar]:bg-raised [&::-webkit-progress-value]:bg-accent';

const PROGRESS = {
  'messages.purge': (t, { progress: { done, of } }) =>
    of === null || done === 0 ? t('purgeBegins') : t('purge', { done, of }),
  'tickets.close': (t, { progress }) => t('transcript', { count: progress.done }),
  'bans.preview': (t) => t('previewing'),
  'bans.many': ofPeople,
  'bans.undo': ofPeople,
  'mutes.preview': (t) => t('previewing'),
  'mutes.many': ofPeople,
  'mutes.undo': ofPeople,
} satisfies Record<LongOperation, (t: Words, action: RunningAction) => string>;

function ofPeople(t: Words, { progress: { done, of } }: RunningAction): string {
  return t('people', { done, of: of ?? 0 });
}

/** The long actions that the reader may stop, with their progress: all of the guild, or some of them. */
export async function RunningActions({
  guild,
  userId,
  about,
  of = LONG_OPERATIONS,
}: {
  guild: GuildView;
  userId: string;
  /** The id of a channel or ticket. */
  about?: string;
  /** Only these operations. */
  of?: readonly LongOperation[];
}) {
  const { id, capabilities } = guild;
  const all = await runningActions(runtime().db, { id, capabilities, userId });
  const running = all.filter(
    ({ targetId, operation }) => of.includes(operation) && (about === undefined || targetId === about),
  );
  const t = await messagesFor('running');
  // While nothing runs, the end of other actions is no news here.
  const live = <Live guildId={id} kinds={running.length === 0 ? ['progress'] : ['action', 'progress']} />;
  if (running.length === 0) return live;
  const people = await peopleOf(
    guild,
    running.flatMap(({ actorUserId, stoppedBy }) => [actorUserId, stoppedBy]),
  );
  return (
    <Section title={t('title')} lead={t('lead')}>
      <Panel>
        <ul className="divide-line divide-y">
          {running.map((action) => (
            <li key={action.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-3.5 py-3">
              <RunningRow guildId={id} action={action} people={people} />
            </li>
          ))}
        </ul>
      </Panel>
      {live}
    </Section>
  );
}

async function RunningRow({
  guildId,
  action,
  people,
}: {
  guildId: string;
  action: RunningAction;
  people: People;
}) {
  const t = await messagesFor('running');
  const operations = await messagesFor('operations');
  const { operation, progress, stoppedBy, tokenName } = action;
  const what = [operations(`${operation}.name`), placeOf(t, action)].filter(Boolean).join(', ');
  const told = PROGRESS[operation](t, action);
  return (
    <>
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-medium wrap-anywhere">{what}</p>
        <p className="text-ink-soft">
          {t('by')} <Person id={action.actorUserId} people={people} />
          {tokenName === null ? null : ` (${t('withToken', { name: tokenName })})`}{' '}
          <RelativeTime iso={action.since.toISOString()} />
        </p>
      </div>
      <div className="min-w-0 flex-1 basis-48">
        <p className="tabular-nums">{told}</p>
        {progress.of === null || progress.done === 0 ? null : (
          <progress
            className={BAR}
            aria-label={what}
            aria-valuetext={told}
            value={progress.done}
            max={progress.of}
          />
        )}
      </div>
      {stoppedBy === null ? (
        <Messages namespaces={['running']}>
          <StopAction guildId={guildId} actionId={action.id} what={what} />
        </Messages>
      ) : (
        <p className="text-warn">
          {t('stopping')} <Person id={stoppedBy} people={people} />
        </p>
      )}
    </>
  );
}

function placeOf(t: Words, { channelName, ticketNumber }: RunningAction): string {
  if (channelName !== null) return `#${channelName}`;
  return ticketNumber === null ? '' : t('ticket', { number: String(ticketNumber) });
}
