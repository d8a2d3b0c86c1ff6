import {
  type BotOperation,
  type Capability,
  digestOf,
  isBotOperation,
  isDestructive,
  OPERATION_NAMES,
} from '@bailiff/core';
import { type Database, type RowOf, sql } from '@bailiff/prisma';
import { ACTION, type Action, type ActionError, type ActionRecord, parseAction } from '#src/calls/actions.ts';
import { liveCapabilities } from '#src/calls/admission.ts';
import { capabilityOf } from '#src/calls/authorize.ts';
import { DEADLINES } from '#src/engine.ts';
import type { MirroredHierarchy } from '#src/guilds/hierarchy.ts';
import { MOST_OF_GUILD, PLACE_OPERATIONS, SLOW_OPERATIONS } from './lanes.ts';

/** What the actor of an action may do at this moment. */
const RIGHTS = {
  token_usable: sql.bool,
  token_capabilities: sql.arrayOf(sql.text).orNull,
  owner_id: sql.text,
  granted: sql.arrayOf(sql.text),
  has_left: sql.bool,
  rights_known: sql.bool,
};

/**
 * The SQL condition that it can be decided whether an action `a` that has begun may go on. What a person may do is known
 * only while the mirror of the guild `g`, a row of `live_guilds`, is trusted. No mirror is needed for what the system
 * does, for what somebody has stopped, and where the bot has left: nobody may do anything there.
 */
export const rightsKnown = (a: string, g: string) =>
  `(${a}.actor_source = 'system' OR ${a}.stopped_by IS NOT NULL OR ${g}.left_at IS NOT NULL OR ${g}.mirror_fresh)`;

/** A claimed action, and what its actor may do at this moment. */
export const CLAIMED = { ...ACTION, ...RIGHTS, remaining_ms: sql.numeric, window_open: sql.bool };
export type ClaimedRow = RowOf<typeof CLAIMED>;

/** How long after the caller's answer a silent worker counts as dead, in milliseconds. */
const LEASE_GRACE_MS = 2_000;

/** Selects this of the row of `claimed`, and what its actor may do at this moment. */
const withRights = (columns: string) =>
  `SELECT ${columns},
        t.id IS NOT NULL AND t.revoked_at IS NULL AND t.guild_id = a.guild_id AND t.issuer_id = a.actor_user_id
          AS token_usable,
        t.capabilities AS token_capabilities,
        g.owner_id, (SELECT capabilities FROM granted_to(a.guild_id, a.actor_user_id)) AS granted,
        g.left_at IS NOT NULL AS has_left, ${rightsKnown('a', 'g')} AS rights_known
      FROM claimed a
      JOIN live_guilds g ON g.id = a.guild_id
      LEFT JOIN tokens t ON t.id = a.token_id`;

/** Selects the row of `claimed`, and what its actor may do at this moment. */
export const withPermissions = (deadlineMs: string, more = '') =>
  withRights(`${sql.names(ACTION, 'a')}${more},
        ${deadlineMs} - extract(epoch FROM clock_timestamp() - a.created_at) * 1000 AS remaining_ms,
        EXISTS (SELECT FROM windows w WHERE w.id = a.window_id AND w.token_id = a.token_id AND w.guild_id = a.guild_id
          -- One for this call only was closed when it admitted the call.
          AND window_is_open(w.opened_at, w.expires_at, CASE WHEN w.digest IS NULL THEN w.closed_at END)
          AND (w.digest IS NULL OR w.digest = a.digest)) AS window_open`);

/** What decides whether an action that has begun may go on. */
export const STANDING = { ...RIGHTS, stopped_by: sql.text.orNull };
/** Selects that of the row of `claimed`. */
export const withStanding = withRights('a.stopped_by');

const TAKEN_UP = { ...CLAIMED, hierarchy: sql.jsonb<MirroredHierarchy>().orNull };
export type TakenUpRow = RowOf<typeof TAKEN_UP>;

// With what the checks of an action on a person need: a ban has one round trip less than if they asked for it.
const claimAction = sql.statement({
  parameters: [
    sql.text,
    sql.float,
    sql.numeric,
    sql.text,
    sql.arrayOf(sql.text),
    sql.int,
    sql.arrayOf(sql.text),
    sql.arrayOf(sql.text),
  ],
  columns: TAKEN_UP,
  text: `WITH claimed AS (
        UPDATE actions SET state = 'running', claimed_at = clock_timestamp(), worker = $4,
          lease_expires_at = clock_timestamp() + make_interval(secs => $2)
        WHERE id = $1 AND state = 'pending' AND claim_by > clock_timestamp()
          -- Those of a newer release are for its bot.
          AND operation = ANY ($8)
          -- What a person may do is known only while the mirror is trusted (waiting-actions.ts). With EXISTS, a plan from
          -- when there were few guilds would read them all.
          AND (actor_source = 'system'
            OR (SELECT mirror_fresh FROM live_guilds g WHERE g.id = actions.guild_id))
          AND person_is_free(guild_id, target_type, target_id)
          AND place_is_free(guild_id, target_id, operation, $7)
          AND (actor_source = 'system' OR guild_has_turn(guild_id, operation = ANY ($5), $5, $6))
        RETURNING *)
      ${withPermissions(
        '$3',
        `, CASE WHEN a.target_type = 'user'
          THEN (SELECT hierarchy FROM hierarchy_of(a.guild_id, a.actor_user_id)) END AS hierarchy`,
      )}`,
});

// Not whether others are in its way still: they may have ended since the claim failed because of them.
const canBeClaimed = sql.command({
  parameters: [sql.text, sql.arrayOf(sql.text)],
  text: `SELECT FROM actions WHERE id = $1 AND state = 'pending' AND claim_by > clock_timestamp()
    AND operation = ANY ($2)
    AND (actor_source = 'system'
      OR (SELECT mirror_fresh FROM live_guilds g WHERE g.id = actions.guild_id))`,
});

/** How long until a claim is tried again while another process does something to the same person or place, or for the guild. */
const TRY_AGAIN_MS = 50;

/**
 * Claims an action if its caller still waits. Nobody else can claim or cancel it then. Waits while something else is
 * being done to the same person or place, and while other processes run all that the guild may.
 */
export async function claim(db: Database, actionId: string, worker: string): Promise<TakenUpRow | null> {
  const leaseSeconds = (DEADLINES.performMs + LEASE_GRACE_MS) / 1000;
  for (;;) {
    const askedAt = performance.now();
    const claimed = await claimAction.first(db.pool, [
      actionId,
      leaseSeconds,
      DEADLINES.performMs,
      worker,
      SLOW_OPERATIONS,
      MOST_OF_GUILD,
      PLACE_OPERATIONS,
      OPERATION_NAMES,
    ]);
    if (claimed !== null) {
      // A process that stood still before it read the answer may be taken for dead by now.
      const remainingMs = Number(claimed.remaining_ms) - (performance.now() - askedAt);
      return { ...claimed, remaining_ms: String(remainingMs) };
    }
    if ((await canBeClaimed.run(db.pool, [actionId, OPERATION_NAMES])) === 0) return null;
    await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS));
  }
}

/**
 * The bot's own check of the actor. The process that wrote the record is reachable from the internet, this one is not.
 * The record's claims are checked again against the database.
 */
export function permissionLost(action: Action<BotOperation>, row: ClaimedRow): ActionError | null {
  const lost = rightLost(action, row);
  if (lost !== null || action.actor.source !== 'token') return lost;
  if (isDestructive(action.operation, action.input) && !row.window_open) {
    return { code: 'RE_AUTH_REQUIRED', message: 'The window was closed before this was done.' };
  }
  return null;
}

/** As {@link permissionLost}, for an action that has begun: its window may be over by now. */
export function rightLost(
  action: Pick<ActionRecord, 'operation' | 'actor'>,
  row: RowOf<typeof RIGHTS>,
): ActionError | null {
  if (row.has_left) return HAS_LEFT;
  const needed = capabilityOf(action.operation);
  const live = liveCapabilities(row.owner_id, action.actor.userId, row.granted);
  if (needed !== null && !live.includes(needed)) return capabilityLost(needed);
  if (action.actor.source !== 'token') return null;
  if (!row.token_usable)
    return { code: 'TOKEN_REVOKED', message: 'The token was revoked before this was done.' };
  if (needed !== null && !row.token_capabilities?.includes(needed)) return capabilityLost(needed);
  return null;
}

/** The action of a consistent record. Null if a person wrote or changed the record by hand. */
export function soundAction(record: ActionRecord): Action<BotOperation> | null {
  const action = botAction(record);
  return action !== null && digestOf(action.operation, action.guildId, action.input) === action.digest
    ? action
    : null;
}

export function botAction({ operation, ...record }: ActionRecord): Action<BotOperation> | null {
  return isBotOperation(operation) ? parseAction({ ...record, operation }) : null;
}

export const UNSOUND_RECORD: ActionError = {
  code: 'INTERNAL_ERROR',
  message: 'The record of this action does not hold together; nothing was done.',
};

const HAS_LEFT: ActionError = {
  code: 'UPSTREAM_UNAVAILABLE',
  message: 'The bot left this guild before this was done. Ask an admin to add it again, then try again.',
  details: { upstream: 'bot', outcome: 'not_performed', guild_state: 'left' },
};

function capabilityLost(missing: Capability): ActionError {
  const message = `The capability ${missing} was withdrawn before this was done.`;
  return { code: 'CAPABILITY_DENIED', message, details: { missing: [missing] } };
}
