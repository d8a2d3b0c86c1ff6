import {
  type BotOperation,
  type Capability,
  digestOf,
  isBotOperation,
  isDestructive,
  type OutputOf,
} from '@bailiff/core';
import { type Database, type RowOf, sql } from '@bailiff/prisma';
import {
  ACTION,
  type Action,
  type ActionError,
  type ActionRecord,
  actionFrom,
  parseAction,
} from '#src/calls/actions.ts';
import { liveCapabilities } from '#src/calls/admission.ts';
import { capabilityOf } from '#src/calls/authorize.ts';
import { hadEndedBefore, NOBODY_CAME, type Outcome, settle } from '#src/calls/settle.ts';
import { inTransaction } from '#src/database/transaction.ts';
import { DEADLINES } from '#src/engine.ts';
import { flawOfSystemAction } from './system-actions.ts';

/** An action that this worker has claimed. No other worker may perform it. */
export type ClaimedAction<N extends BotOperation = BotOperation> = Action<N> & {
  /** Milliseconds, by the database's clock, that are left to perform it. */
  readonly remainingMs: number;
};

/** How one operation reaches Discord or the game server. */
export interface Performer<N extends BotOperation = BotOperation> {
  /** Performs it, once. Never repeats anything that may have happened. `signal` fires at the deadline. */
  perform(action: ClaimedAction<N>, signal: AbortSignal): Promise<Outcome<OutputOf<N>>>;
  /** Only checks whether it happened, for an action whose worker died or never got an answer. */
  verify(action: Action<N>, signal: AbortSignal): Promise<Outcome<OutputOf<N>>>;
}

/** A performer for each operation of the bot. The compiler checks that none is missing. */
export type Performers = { readonly [N in BotOperation]: Performer<N> };

/** The part of a logger that performing needs. */
export interface Log {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const CLAIMED = {
  ...ACTION,
  remaining_ms: sql.numeric,
  token_usable: sql.bool,
  token_capabilities: sql.arrayOf(sql.text).orNull,
  window_open: sql.bool,
  owner_id: sql.text,
  granted: sql.arrayOf(sql.text),
};
type ClaimedRow = RowOf<typeof CLAIMED>;

/** How long after the caller's answer a silent worker counts as dead, in milliseconds. */
const LEASE_GRACE_MS = 2_000;

/**
 * Claims an action, checks its record, performs it and settles it. Does nothing if the action was cancelled, is too
 * late or belongs to another worker, or while the mirror of its guild is not trusted. Never throws for an action that
 * fails.
 */
export async function performAction(
  db: Database,
  performers: Performers,
  actionId: string,
  log: Log,
): Promise<void> {
  const row = await claim(db, actionId);
  if (row === null) {
    log.info({ action_id: actionId }, 'action is not to be performed any more, or not yet');
    return;
  }
  const record = actionFrom(row);
  await settleWithRetries(db, record, await outcomeOf(db, performers, record, row, log), log);
}

/** Performs an action, unless a check refuses it. */
async function outcomeOf(
  db: Database,
  performers: Performers,
  record: ActionRecord,
  row: ClaimedRow,
  log: Log,
): Promise<Outcome> {
  const action = soundAction(record);
  if (action === null) return { state: 'failed', error: UNSOUND_RECORD };
  const error =
    action.actor.source === 'system' ? await flawOfSystemAction(db, action) : permissionLost(action, row);
  if (error !== null) return { state: 'failed', error };
  return attempt(performers, action, Math.floor(Number(row.remaining_ms)), log);
}

const claimAction = sql.statement({
  parameters: [sql.text, sql.float, sql.numeric],
  columns: CLAIMED,
  text: `WITH claimed AS (
        UPDATE actions SET state = 'running', claimed_at = clock_timestamp(),
          lease_expires_at = clock_timestamp() + make_interval(secs => $2)
        WHERE id = $1 AND state = 'pending' AND claim_by > clock_timestamp()
          -- What a person may do is known only while the mirror is trusted (waiting-actions.ts).
          AND (actor_source = 'system'
            OR EXISTS (SELECT FROM live_guilds g WHERE g.id = actions.guild_id AND g.mirror_fresh))
        RETURNING *)
      SELECT ${sql.names(ACTION, 'a')}, $3 - extract(epoch FROM clock_timestamp() - a.created_at) * 1000 AS remaining_ms,
        t.id IS NOT NULL AND t.revoked_at IS NULL AND t.guild_id = a.guild_id AND t.issuer_id = a.actor_user_id
          AS token_usable,
        t.capabilities AS token_capabilities,
        EXISTS (SELECT FROM windows w WHERE w.id = a.window_id AND w.token_id = a.token_id AND w.guild_id = a.guild_id
          -- One for this call only was closed when it admitted the call.
          AND window_is_open(w.opened_at, w.expires_at, CASE WHEN w.digest IS NULL THEN w.closed_at END)
          AND (w.digest IS NULL OR w.digest = a.digest)) AS window_open,
        g.owner_id, (SELECT capabilities FROM granted_to(a.guild_id, a.actor_user_id)) AS granted
      FROM claimed a
      JOIN guilds g ON g.id = a.guild_id
      LEFT JOIN tokens t ON t.id = a.token_id`,
});

/** Claims an action if its caller still waits. Nobody else can claim or cancel it then. */
function claim(db: Database, actionId: string): Promise<ClaimedRow | null> {
  const leaseSeconds = (DEADLINES.performMs + LEASE_GRACE_MS) / 1000;
  return claimAction.first(db.pool, [actionId, leaseSeconds, DEADLINES.performMs]);
}

/**
 * The bot's own check of the actor. The process that wrote the record is reachable from the internet, this one is not.
 * The record's claims are checked again against the database.
 */
function permissionLost(action: Action<BotOperation>, row: ClaimedRow): ActionError | null {
  const needed = capabilityOf(action.operation);
  const live = liveCapabilities(row.owner_id, action.actor.userId, row.granted);
  if (needed !== null && !live.includes(needed)) return capabilityLost(needed);
  if (action.actor.source !== 'token') return null;
  if (!row.token_usable)
    return { code: 'TOKEN_REVOKED', message: 'The token was revoked before this was done.' };
  if (needed !== null && !row.token_capabilities?.includes(needed)) return capabilityLost(needed);
  if (isDestructive(action.operation, action.input) && !row.window_open) {
    return { code: 'RE_AUTH_REQUIRED', message: 'The window was closed before this was done.' };
  }
  return null;
}

/** The action of a consistent record. Null if a person wrote or changed the record by hand. */
function soundAction(record: ActionRecord): Action<BotOperation> | null {
  const action = botAction(record);
  return action !== null && digestOf(action.operation, action.guildId, action.input) === action.digest
    ? action
    : null;
}

function botAction({ operation, ...record }: ActionRecord): Action<BotOperation> | null {
  return isBotOperation(operation) ? parseAction({ ...record, operation }) : null;
}

const UNSOUND_RECORD: ActionError = {
  code: 'INTERNAL_ERROR',
  message: 'The record of this action does not hold together; nothing was done.',
};

function capabilityLost(missing: Capability): ActionError {
  const message = `The capability ${missing} was withdrawn before this was done.`;
  return { code: 'CAPABILITY_DENIED', message, details: { missing: [missing] } };
}

async function attempt<N extends BotOperation>(
  performers: Performers,
  action: Action<N>,
  remainingMs: number,
  log: Log,
): Promise<Outcome> {
  try {
    const claimed = { ...action, remainingMs };
    return await performers[action.operation].perform(claimed, AbortSignal.timeout(remainingMs));
  } catch (error) {
    log.error({ action_id: action.id, request_id: action.requestId, err: error }, 'performer threw');
    return unknownOutcome(action);
  }
}

/** It is not known yet whether it happened. `recoverActions` will find out. */
function unknownOutcome(action: ActionRecord): Outcome {
  return {
    state: 'unknown',
    error: {
      code: 'UPSTREAM_UNAVAILABLE',
      status: 502,
      message: `It is not known yet whether this happened. GET /actions/${action.id} tells how it ended.`,
      details: { upstream: 'discord', outcome: 'unknown', action_id: action.id },
    },
  };
}

const SETTLE_ATTEMPTS = 3;

/** Records what was done. Retries if the database was unavailable, and otherwise leaves it to `recoverActions`. */
async function settleWithRetries(
  db: Database,
  action: ActionRecord,
  outcome: Outcome,
  log: Log,
): Promise<void> {
  for (let tried = 1; tried <= SETTLE_ATTEMPTS; tried += 1) {
    try {
      await settleAction(db, action.id, outcome);
      return;
    } catch (error) {
      log.error(
        { action_id: action.id, request_id: action.requestId, tried, err: error },
        'could not settle',
      );
      await new Promise((resolve) => setTimeout(resolve, 250 * tried));
    }
  }
}

/** Settles in a transaction of its own. False, with nothing written, if the action had already ended. */
export async function settleAction(db: Database, actionId: string, outcome: Outcome): Promise<boolean> {
  try {
    await inTransaction(db, async (tx, commitBehind) => {
      commitBehind((await settle(tx, actionId, outcome)).settled);
    });
    return true;
  } catch (error) {
    if (hadEndedBefore(error)) return false;
    throw error;
  }
}

/** How an action ended, by a check where it takes effect. */
async function verify(performers: Performers, record: ActionRecord): Promise<Outcome> {
  const action = botAction(record);
  return action === null ? unknownOutcome(record) : look(performers, action);
}

function look<N extends BotOperation>(performers: Performers, action: Action<N>): Promise<Outcome> {
  return performers[action.operation].verify(action, AbortSignal.timeout(VERIFY_MS));
}

const RECOVER_AT_ONCE = 50;
const VERIFY_MS = 5_000;

/** Longer than any caller waits for an action to be claimed. */
const ABANDONED_SECONDS = 10;

const cancelOld = sql.command({
  parameters: [sql.jsonb<ActionError>(), sql.float, sql.bigint],
  text: `SELECT settle_action(id, 'cancelled', NULL, $1) FROM actions
    WHERE state = 'pending' AND claim_by < clock_timestamp() - make_interval(secs => $2) LIMIT $3`,
});

/** Cancels actions that no worker claimed and no caller can cancel any more, because its process died. */
async function cancelAbandoned(db: Database): Promise<void> {
  await cancelOld.run(db.pool, [NOBODY_CAME, ABANDONED_SECONDS, RECOVER_AT_ONCE]);
}

const unsettledActions = sql.statement({
  parameters: [sql.bigint],
  columns: ACTION,
  text: `UPDATE actions SET looked_at = clock_timestamp() WHERE id = ANY (ARRAY(
      SELECT id FROM actions
      WHERE (state = 'running' AND lease_expires_at < clock_timestamp()
          OR state = 'unknown' AND settled_at > clock_timestamp() - interval '1 day')
        AND looked_at IS DISTINCT FROM 'infinity'
      ORDER BY looked_at NULLS FIRST, id LIMIT $1 FOR UPDATE SKIP LOCKED))
    RETURNING ${sql.names(ACTION)}`,
});

const leaveUnknown = sql.command({
  parameters: [sql.text, sql.jsonb<ActionError>()],
  text: "UPDATE actions SET looked_at = 'infinity', error = $2 WHERE id = $1 AND state = 'unknown'",
});

/**
 * How many actions were settled. Cancels abandoned actions. Then looks at those that dead workers left running and at
 * those of the last day with an unknown outcome: the one that it looked at longest ago comes first. It only looks and
 * never performs an action again.
 */
export async function recoverActions(db: Database, performers: Performers, log: Log): Promise<number> {
  await cancelAbandoned(db);
  const rows = await unsettledActions.all(db.pool, [RECOVER_AT_ONCE]);
  let settled = 0;
  for (const row of rows) {
    const action = actionFrom(row);
    try {
      const outcome = await verify(performers, action);
      const isNews = outcome.state !== 'unknown' || action.state !== 'unknown';
      if (isNews && (await settleAction(db, action.id, outcome))) {
        settled += 1;
        log.info({ action_id: action.id, state: outcome.state }, 'recovered an action');
      }
      if (outcome.state === 'unknown' && outcome.isFinal) {
        await leaveUnknown.run(db.pool, [action.id, outcome.error]);
      }
    } catch (error) {
      log.error({ action_id: action.id, err: error }, 'could not find out how an action ended');
    }
  }
  return settled;
}
