import { showUnseen } from '@bailiff/core';
import type { ConsoleRun, RunSanction } from '@bailiff/engine/servers/server-console';
import { CALL_STATES, SOURCES } from '#components/cases/case-labels.ts';
import { Person } from '#components/members/person.tsx';
import { Badge } from '#components/ui/badge.tsx';
import { Link } from '#components/ui/link.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { currentLocale, messagesFor } from '#src/messages.ts';
import type { People } from '#src/people.ts';
import { sayFailure } from '#src/say-failure.ts';

/** What was sent to a server: by whom, when and from where, and the server's answers. */
export async function ConsoleHistory({ runs, people }: { runs: readonly ConsoleRun[]; people: People }) {
  const t = await messagesFor('servers');
  const cases = await messagesFor('cases');
  return (
    <ol aria-label={t('history')}>
      {runs.map((run) => (
        <li key={run.actionId} className="border-line border-b px-4 py-3 last:border-b-0">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            {run.sanction === null ? (
              <code className="font-mono font-medium break-all">
                <span aria-hidden className="text-ink-soft select-none">
                  &gt;{' '}
                </span>
                {run.command}
              </code>
            ) : (
              <Sanction sanction={run.sanction} people={people} />
            )}
            <Badge tone={CALL_STATES[run.state].tone}>{t(CALL_STATES[run.state].word)}</Badge>
          </div>
          <p className="text-ink-soft text-xs">
            <Person id={run.userId} people={people} />
            {', '}
            {run.source === 'token'
              ? cases('sourceToken', { token: run.tokenName ?? '' })
              : cases(SOURCES[run.source])}
            {', '}
            <RelativeTime iso={run.at.toISOString()} />
            {run.durationMs === null ? null : `, ${t('tookMs', { ms: String(run.durationMs) })}`}
          </p>
          <Answer run={run} />
        </li>
      ))}
    </ol>
  );
}

async function Sanction({ sanction, people }: { sanction: RunSanction; people: People }) {
  const t = await messagesFor('servers');
  const { does, userId, inGameId, caseNumber } = sanction;
  return (
    <span className="font-medium wrap-anywhere">
      {t.rich('sanction', {
        does,
        player: () => <code className="font-mono">{showUnseen(inGameId ?? '')}</code>,
        person: () => <Person id={userId} people={people} />,
        case: () => (
          <Link
            href={`/guilds/${people.guildId}/cases/${caseNumber}`}
            className="text-accent underline decoration-accent/40 underline-offset-2"
          >
            #{caseNumber}
          </Link>
        ),
      })}
    </span>
  );
}

async function Answer({ run }: { run: ConsoleRun }) {
  const t = await messagesFor('servers');
  if (run.error !== null) {
    return <p className="text-danger mt-1 wrap-anywhere">{sayFailure(await currentLocale(), run.error)}</p>;
  }
  if (run.output === null) {
    return run.state === 'done' ? <p className="text-ink-soft mt-1 italic">{t('outputGone')}</p> : null;
  }
  if (run.output.trim() === '') return <p className="text-ink-soft mt-1 italic">{t('outputEmpty')}</p>;
  return (
    <>
      <pre className="bg-canvas border-line mt-2 max-h-80 overflow-y-auto rounded border p-2.5 font-mono text-xs whitespace-pre-wrap wrap-anywhere">
        {visible(run.output)}
      </pre>
      {run.truncated ? (
        <p className="text-ink-soft mt-1 text-xs">{t('outputCut', { bytes: run.outputBytes ?? 0 })}</p>
      ) : null}
    </>
  );
}

/** The text without the colour codes of games and terminals. */
function visible(output: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  return showUnseen(output.replace(/\r|\u00a7[0-9a-fk-orx]|\u001b\[[0-9;]*m/gi, ''), '\n\t');
}
