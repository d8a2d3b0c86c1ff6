import type { BotOperation, OutputOf } from '@bailiff/core';
import type { Action, ActionError, ActionRecord } from '@bailiff/engine/calls/actions';
import type { Outcome, SettledAtOnce } from '@bailiff/engine/calls/settle';
import type { Transaction } from '@bailiff/engine/database/transaction';
import type { ClaimedAction, Performed, Performer } from '@bailiff/engine/worker/perform-action';
import { type Database, sql } from '@bailiff/prisma';
import { DiscordFailure } from '#src/discord-api.ts';
import { discordFailed, usualRefusal } from '#src/discord-errors.ts';
import type { Logger } from '#src/log.ts';

/** Why an effect is refused. */
export class Refusal {
  readonly error: ActionError;

  constructor(error: ActionError) {
    this.error = error;
  }
}

/**
 * One effect at Discord: its checks, the single request that makes it, and how to recognise it afterwards. `Seen` is
 * what the checks found and later steps need. `Made` is what the record needs about the effect.
 */
export interface Effect<N extends BotOperation, Seen, Made extends object | true> {
  /**
   * Checks whether it is allowed. Nothing has happened yet.
   *
   * @param mirrored see {@link ClaimedAction.hierarchy}
   */
  check(signal: AbortSignal, mirrored: ClaimedAction['hierarchy']): Promise<Seen | Refusal>;
  /**
   * Sends the user a message about what is going to happen to them. Called once, after all checks have passed. When
   * `signal` fires, the effect does not wait for the message any longer.
   */
  announce?(seen: Seen, signal: AbortSignal): Promise<void>;
  /**
   * Called before the announcement, so that nobody is told of what will be refused.
   *
   * @throws DiscordFailure if Discord's limits are known to keep the request from being sent within this time
   */
  checkLimits?(withinMs: number): void;
  /** Withdraws the announcement, in the transaction that records that the effect certainly was not made. */
  withdraw?(tx: Transaction): Promise<void>;
  /** Sends the request, once. */
  send(seen: Seen, signal: AbortSignal): Promise<Made>;
  /**
   * Checks whether it happened. Null if it is certain that it did not; `unclear` if Discord shows neither. `seen` is null
   * if the process that ran the checks has died; then what the record needs is read again.
   */
  look(seen: Seen | null, signal: AbortSignal): Promise<Made | 'unclear' | null>;
  /**
   * Whether what stands at Discord looks as if it had happened. Asked where only the audit log says that it did not: its
   * entry may be on the way. Absent where `look` asks what stands.
   */
  seemsDone?(seen: Seen, signal: AbortSignal): Promise<boolean>;
  /** Called once when nobody will find out any more whether it happened. */
  giveUp?(signal: AbortSignal): Promise<void>;
  /** What Discord's refusal of the request, or of a read before it, means here. Null: the usual meaning. */
  refusal?(failure: DiscordFailure): ActionError | null;
  /** Writes the rows of the effect. Returns the body of the operation's answer. */
  record(made: Made, tx: Transaction): Promise<OutputOf<N>>;
  /** Sends the statement that does the same and ends the action too. Null if none does. */
  settle?(made: Made): SettledAtOnce['settle'] | null;
}

/** Time of an action that is reserved to check whether an unanswered request took effect. */
const LOOK_MS = 1_500;
/** Nothing is begun with less time left than this. */
const LEAST_MS = 500;
/** After this time, no request of an action can still arrive. */
const ARRIVED_AFTER_SECONDS = 60;
/** For so long Discord is asked again whether it happened, while nothing shows it: the audit log may become readable. */
const GIVEN_UP_AFTER_SECONDS = 3_600;
/** Discord's own servers reported a failure. 502 and 504 come from a gateway that stopped waiting for them. */
export function isAnsweredByDiscord({ status }: DiscordFailure): boolean {
  return status === 500 || status === 503;
}

/** A performer of an operation with one effect at Discord. */
export function performerOf<N extends BotOperation, Seen, Made extends object | true>(
  { db, log }: { db: Database; log: Logger },
  effectOf: (action: Action<N>) => Effect<N, Seen, Made>,
): Performer<N> {
  return {
    perform: async (action, signal) => {
      const effect = effectOf(action);
      return withdrawIfFailed(effect, await carryOut(log, action, signal, effect));
    },
    verify: async (action, signal, isLast) => {
      const effect = effectOf(action);
      return withdrawIfFailed(effect, await verifyEffect(db, action, signal, isLast, effect));
    },
  };
}

/** Tells the operator which request of an action failed, and why. */
export function logFailure(
  log: Logger,
  { id, requestId, guildId }: ActionRecord,
  failure: DiscordFailure,
  what: string,
): void {
  log.warn({ err: failure, action_id: id, request_id: requestId, guild_id: guildId }, what);
}

type OutcomeOf<N extends BotOperation> = Performed<OutputOf<N>>;

function withdrawIfFailed<N extends BotOperation>(
  { withdraw }: Pick<Effect<N, never, never>, 'withdraw'>,
  outcome: OutcomeOf<N>,
): OutcomeOf<N> {
  return outcome.state === 'failed' && withdraw !== undefined ? { ...outcome, write: withdraw } : outcome;
}

/**
 * Carries out an effect: checks, one request, and a check afterwards if the answer was lost. A destructive request is
 * never repeated (decisions: Errors).
 */
async function carryOut<N extends BotOperation, Seen, Made extends object | true>(
  log: Logger,
  action: ClaimedAction<N>,
  signal: AbortSignal,
  effect: Effect<N, Seen, Made>,
): Promise<OutcomeOf<N>> {
  const startedAt = performance.now();
  const leftMs = () => action.remainingMs - (performance.now() - startedAt);
  const forSending = AbortSignal.any([
    signal,
    AbortSignal.timeout(Math.max(0, action.remainingMs - LOOK_MS)),
  ]);
  const refused = (failure: DiscordFailure): OutcomeOf<N> => {
    logFailure(log, action, failure, 'an action was not performed');
    return { state: 'failed', error: effect.refusal?.(failure) ?? usualRefusal(failure) };
  };
  let seen: Seen;
  try {
    const checked = await effect.check(forSending, action.hierarchy);
    if (checked instanceof Refusal) return { state: 'failed', error: checked.error };
    seen = checked;
    // Nobody is told of what there is no time for.
    const spareMs = Math.floor(leftMs() - LOOK_MS - LEAST_MS);
    if (spareMs < 0) {
      const error = discordFailed('Discord was too slow to check whether this may be done.');
      return { state: 'failed', error };
    }
    effect.checkLimits?.(spareMs);
    await effect.announce?.(seen, AbortSignal.timeout(spareMs));
    // A process that stood still gets here before its timers fire, and others may take it for dead by now.
    if (leftMs() <= LOOK_MS)
      return {
        state: 'failed',
        error: discordFailed('The bot had no time left to do this. Nothing was done; try again.'),
      };
  } catch (error) {
    if (!(error instanceof DiscordFailure)) throw error;
    return refused(error);
  }
  try {
    return doneWith(effect, await effect.send(seen, forSending));
  } catch (error) {
    if (!(error instanceof DiscordFailure)) throw error;
    if (error.kind !== 'unclear') {
      return refused(error);
    }
    logFailure(log, action, error, 'an action has no certain answer; looking whether it happened');
    const found = await effect.look(seen, signal).catch(() => 'unclear' as const);
    if (found === 'unclear') return outcomeUnknown(action);
    if (found !== null) return doneWith(effect, found);
    const mayHaveHappened =
      !isAnsweredByDiscord(error) || (await effect.seemsDone?.(seen, signal).catch(() => true)) === true;
    if (mayHaveHappened) return outcomeUnknown(action);
    return { state: 'failed', error: discordFailed(`${error.message}. It did not happen.`) };
  }
}

function doneWith<N extends BotOperation, Made extends object | true>(
  effect: Pick<Effect<N, never, Made>, 'record' | 'settle'>,
  made: Made,
): OutcomeOf<N> {
  const settle = effect.settle?.(made) ?? null;
  if (settle !== null) return { state: 'done', settle };
  return { state: 'done', write: (tx) => effect.record(made, tx) };
}

/** Finds out how an action ended if its worker died or got no answer. It only looks. */
async function verifyEffect<N extends BotOperation, Seen, Made extends object | true>(
  db: Database,
  action: Action<N>,
  signal: AbortSignal,
  isLast: boolean,
  effect: Effect<N, Seen, Made>,
): Promise<OutcomeOf<N>> {
  const found = await effect.look(null, signal).catch((error: unknown) => {
    if (error instanceof DiscordFailure) return 'unanswered' as const;
    throw error;
  });
  if (found === 'unanswered') {
    if (!isLast) return outcomeUnknown(action);
    await effect.giveUp?.(signal);
    return neverKnown(action, 'for a day nothing showed whether it happened: Discord did not say.');
  }
  if (found !== null && found !== 'unclear') return doneWith(effect, found);
  const nothingShows = found === 'unclear';
  const enoughSeconds = nothingShows ? GIVEN_UP_AFTER_SECONDS : ARRIVED_AFTER_SECONDS;
  if (!(await isOlderThan(db, action.id, enoughSeconds))) return outcomeUnknown(action);
  if (!nothingShows) {
    return { state: 'failed', error: discordFailed('It was looked for at Discord and had not happened.') };
  }
  await effect.giveUp?.(signal);
  return neverKnown(
    action,
    'for an hour nothing showed whether it happened: the bot may not read where Discord would show it.',
  );
}

/** Discord shows neither that it happened nor that it did not. */
function neverKnown(action: ActionRecord, why: string): Extract<Outcome, { state: 'unknown' }> {
  const { error } = outcomeUnknown(action);
  const message = `Discord's answer was lost, and ${why}`;
  return { state: 'unknown', isFinal: true, error: { ...error, message } };
}

const olderThan = sql.statement({
  parameters: [sql.text, sql.float],
  columns: { is_old: sql.bool },
  text: 'SELECT created_at < clock_timestamp() - make_interval(secs => $2) AS is_old FROM actions WHERE id = $1',
});

async function isOlderThan(db: Database, actionId: string, seconds: number): Promise<boolean> {
  const action = await olderThan.first(db.pool, [actionId, seconds]);
  return action?.is_old === true;
}

const unknownForLong = sql.statement({
  parameters: [sql.text],
  columns: { is_settled: sql.bool },
  text: `SELECT coalesce(settled_at < clock_timestamp() - make_interval(secs => ${ARRIVED_AFTER_SECONDS}), false)
      AS is_settled FROM actions WHERE id = $1`,
});

/**
 * Whether a long action has been unknown for so long that none of its requests can still arrive, by the database's clock.
 * How old it is says nothing: the latest may have been sent just now.
 */
export async function isSettledByTime(db: Database, actionId: string): Promise<boolean> {
  return (await unknownForLong.first(db.pool, [actionId]))?.is_settled === true;
}

export function outcomeUnknown(action: ActionRecord): Extract<Outcome, { state: 'unknown' }> {
  return {
    state: 'unknown',
    error: {
      code: 'UPSTREAM_UNAVAILABLE',
      status: 502,
      message: `Discord gave no certain answer. GET /actions/${action.id} tells how it ended.`,
      details: { upstream: 'discord', outcome: 'unknown', action_id: action.id },
    },
  };
}
