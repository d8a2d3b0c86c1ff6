import { forbidden } from '@bailiff/engine/calls/action-errors';
import type { Action, ActionError } from '@bailiff/engine/calls/actions';
import type { Outcome } from '@bailiff/engine/calls/settle';
import type { Transaction } from '@bailiff/engine/database/transaction';
import type { ClaimedAction, Performer } from '@bailiff/engine/worker/perform-action';
import type { Database } from '@bailiff/prisma';
import { RESTJSONErrorCodes as Code } from 'discord.js';
import { DiscordFailure } from '#src/discord-api.ts';

/** What is seen at Discord of an action's effect. */
export type Sight = 'there' | 'not_there';

/** One effect at Discord: its checks, the one request that makes it, and how it is recognised afterwards. */
export interface Effect {
  /** Looks whether it may be done; nothing has happened yet. Returns why not, or null. */
  check(signal: AbortSignal): Promise<ActionError | null>;
  /** Says what is about to be done, to whom it is done; called once, when nothing speaks against it any more. */
  announce?(): Promise<void>;
  /** Sees to it that this is taken back, in the transaction that records that it certainly was not done. */
  withdraw?(tx: Transaction): Promise<void>;
  /** The request. Sent once. */
  send(signal: AbortSignal): Promise<unknown>;
  /** Looks whether it happened. */
  look(signal: AbortSignal): Promise<Sight>;
  /** What Discord's refusal, of the request or of what is asked before, means here; null for the usual meaning. */
  refusal?(failure: DiscordFailure): ActionError | null;
  readonly done: Extract<Outcome, { state: 'done' }>;
}

/** Kept of an action's time for looking whether a request that got no answer was carried out. */
const LOOK_MS = 1_500;
/** With less time than this nothing is begun. */
const LEAST_MS = 500;
/** So long after an action was made, a request of it that is still under way somewhere can no longer arrive. */
const ARRIVED_AFTER_SECONDS = 60;
/** Discord's own servers said that they failed; 502 and 504 come from a gateway that gave up waiting for them. */
export function isAnsweredByDiscord({ status }: DiscordFailure): boolean {
  return status === 500 || status === 503;
}

/** A performer of operations that have one effect at Discord each. */
export function performerOf({ db }: { db: Database }, effectOf: (action: Action) => Effect): Performer {
  return {
    perform: async (action, signal) => {
      const effect = effectOf(action);
      return withdrawIfFailed(effect, await carryOut(action, signal, effect));
    },
    verify: async (action, signal) => {
      const effect = effectOf(action);
      return withdrawIfFailed(effect, await verifyEffect(db, action, signal, effect));
    },
  };
}

function withdrawIfFailed({ withdraw }: Effect, outcome: Outcome): Outcome {
  return outcome.state === 'failed' && withdraw !== undefined ? { ...outcome, write: withdraw } : outcome;
}

/**
 * Carries out an effect: checks, one request, and a look where its answer was lost. A destructive request is never
 * repeated (decisions: Errors).
 */
async function carryOut(action: ClaimedAction, signal: AbortSignal, effect: Effect): Promise<Outcome> {
  const startedAt = performance.now();
  const leftMs = () => action.remainingMs - (performance.now() - startedAt);
  const forSending = AbortSignal.any([
    signal,
    AbortSignal.timeout(Math.max(0, action.remainingMs - LOOK_MS)),
  ]);
  try {
    const flaw = await effect.check(forSending);
    if (flaw !== null) return { state: 'failed', error: flaw };
    await effect.announce?.();
  } catch (error) {
    if (!(error instanceof DiscordFailure)) throw error;
    return { state: 'failed', error: effect.refusal?.(error) ?? usualRefusal(error) };
  }
  if (leftMs() < LOOK_MS + LEAST_MS) {
    return {
      state: 'failed',
      error: discordFailed('Discord was too slow to check whether this may be done.'),
    };
  }
  try {
    await effect.send(forSending);
    return effect.done;
  } catch (error) {
    if (!(error instanceof DiscordFailure)) throw error;
    if (error.kind !== 'unclear') {
      return { state: 'failed', error: effect.refusal?.(error) ?? usualRefusal(error) };
    }
    const sight = await effect.look(signal).catch(() => 'unclear' as const);
    if (sight === 'there') return effect.done;
    if (sight === 'not_there' && isAnsweredByDiscord(error)) {
      return { state: 'failed', error: discordFailed(`${error.message}. It did not happen.`) };
    }
    return outcomeUnknown(action);
  }
}

/** Finds out how an action ended whose worker died or got no answer. Only looks. */
async function verifyEffect(
  db: Database,
  action: Action,
  signal: AbortSignal,
  effect: Pick<Effect, 'look' | 'done'>,
): Promise<Outcome> {
  const sight = await effect.look(signal).catch((error: unknown) => {
    if (error instanceof DiscordFailure) return 'unclear' as const;
    throw error;
  });
  if (sight === 'there') return effect.done;
  if (sight === 'not_there' && (await isSettledByTime(db, action.id))) {
    return { state: 'failed', error: discordFailed('It was looked for at Discord and had not happened.') };
  }
  return outcomeUnknown(action);
}

/** Whether an action is so old that no request of it can still be under way, by the database's clock. */
async function isSettledByTime(db: Database, actionId: string): Promise<boolean> {
  const { rows } = await db.pool.query<{ old: boolean }>(
    'SELECT created_at < clock_timestamp() - make_interval(secs => $2) AS old FROM actions WHERE id = $1',
    [actionId, ARRIVED_AFTER_SECONDS],
  );
  return rows[0]?.old === true;
}

export function outcomeUnknown(action: Action): Outcome {
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

/** Discord did not do its part, and nothing happened. */
export function discordFailed(message: string): ActionError {
  return {
    code: 'UPSTREAM_UNAVAILABLE',
    status: 502,
    message,
    details: { upstream: 'discord', outcome: 'not_performed' },
  };
}

/** What a failed request means where nothing more particular is known: certainly nothing was done. */
export function usualRefusal(failure: DiscordFailure): ActionError {
  switch (failure.code) {
    case Code.MissingPermissions:
    case Code.MissingAccess:
      return forbidden('BOT_MISSING_PERMISSION');
    case Code.UnknownUser:
      return { code: 'NOT_FOUND', message: 'Discord knows no user with this id.' };
    case Code.UnknownMember:
      return { code: 'NOT_FOUND', message: 'This user is not a member of the guild.' };
    default:
      return discordFailed(`${failure.message}. Nothing was done.`);
  }
}
