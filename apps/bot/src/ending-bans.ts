import { ApiError, actionIdInReason } from '@bailiff/core';
import type { ActionError } from '@bailiff/engine/calls/actions';
import { newRequestId } from '@bailiff/engine/calls/request-id';
import { performWrite } from '@bailiff/engine/calls/write-call';
import { inTransaction } from '@bailiff/engine/database/transaction';
import type { Engine } from '@bailiff/engine/engine';
import { sayError, translator } from '@bailiff/messages';
import { CaseKind, type RowOf, sql } from '@bailiff/prisma';
import { catchUpWithCase } from './by-hand.ts';
import { DiscordFailure } from './discord-api.ts';
import { usualRefusal } from './discord-errors.ts';
import { leaveAsItIs } from './foreign.ts';
import { tellGuild } from './guild-notice.ts';
import { ownReason } from './own-reasons.ts';
import { findBan } from './performers/bans.ts';
import { depsIn, type PerformerDeps } from './performers/deps.ts';

const OVERDUE = {
  guild_id: sql.text,
  user_id: sql.text,
  case_number: sql.int,
  kind: sql.oneOf({ CaseKind }),
  contested: sql.bool,
  /** Whether a lifting whose answer was lost is still looked for. Null if there is none. */
  lift_is_looked_for: sql.bool.orNull,
  overdue_seconds: sql.float,
  was_refused: sql.bool,
};

const overdueBan = sql.statement({
  parameters: [sql.text],
  columns: OVERDUE,
  text: `SELECT guild_id, user_id, case_number, kind,
      extract(epoch FROM clock_timestamp() - expires_at)::float8 AS overdue_seconds,
      end_failed_at IS NOT NULL AS was_refused,
      EXISTS (SELECT FROM actions a WHERE a.guild_id = c.guild_id AND a.target_id = c.user_id
        AND a.operation IN ('bans.add', 'bans.soft', 'bans.change', 'bans.lift') AND a.state IN ('pending', 'running')) AS contested,
      (SELECT bool_or(a.looked_at IS DISTINCT FROM 'infinity') FROM actions a
        WHERE a.guild_id = c.guild_id AND a.target_id = c.user_id AND a.operation = 'bans.lift'
          AND a.state = 'unknown' AND a.created_at > c.issued_at) AS lift_is_looked_for
    FROM cases c WHERE id = $1 AND kind IN ('ban', 'softban')
      AND case_is_overdue(ended_at, expires_at - interval '1 second')
      AND guild_id IN (SELECT g.id FROM guilds g WHERE g.left_at IS NULL)`,
});

const endAsLiftedByHand = sql.command({
  parameters: [sql.text, sql.text, sql.text],
  text: `UPDATE cases SET ended_at = clock_timestamp(), ended_by = $2, end_reason = $3
    WHERE id = $1 AND ended_at IS NULL`,
});

// They are told of anew if they cannot be lifted either, and none of them asks for the others again.
const endOthers = sql.command({
  parameters: [sql.text],
  text: `WITH others AS (UPDATE cases SET end_failed_at = NULL
      WHERE guild_id = $1 AND kind IN ('ban', 'softban') AND end_failed_at IS NOT NULL
        AND case_is_overdue(ended_at, expires_at) RETURNING id)
    SELECT graphile_worker.add_job('end_ban', json_build_object('case_id', id), job_key => 'end_ban:' || id)
    FROM others`,
});

interface EndingDeps {
  readonly engine: Engine;
  readonly deps: PerformerDeps;
}

/** A ban that nobody could lift for so long is told to the moderators, whatever the reason. */
const TOLD_AFTER_SECONDS = 3600;

/**
 * Lifts an expired ban or a softban, as an action of the system with the same checks, record and performer as any
 * other. A ban that may be somebody else's is left. If the guild must do something first, it is told, and the hourly
 * job tries one of its bans again: with that one, all others end. Throws if the queue should try again sooner.
 */
export async function endBan(
  { engine, deps }: EndingDeps,
  caseId: string,
  signal: AbortSignal,
): Promise<void> {
  if ((await overdueBan.first(deps.db.pool, [caseId])) === null) return;
  // A person may have lifted it by hand, and banned the user again, while the bot was away.
  const isLogRead = await catchUpWithCase(deps, caseId, signal);
  const ban = await overdueBan.first(deps.db.pool, [caseId]);
  if (ban === null) return;
  if (ban.contested) throw new Error(`Somebody is acting on the ban ${caseId} at this moment.`);
  try {
    if (isLogRead || (await isOurs(deps, ban, caseId, signal))) await lift({ engine, deps }, caseId, ban);
    else await leaveAsItIs(deps, 'ban', { guildId: ban.guild_id, caseId, stands: true });
  } catch (error) {
    const failure = failureOf(error);
    if (failure === null) throw error;
    if (failure.code !== 'NOT_FOUND') {
      const waitsForGuild = failure.code === 'FORBIDDEN';
      if (waitsForGuild || ban.overdue_seconds > TOLD_AFTER_SECONDS) {
        await tellNotEnded(deps, caseId, ban, failure);
      }
      if (!waitsForGuild) throw error;
      return;
    }
    if (ban.lift_is_looked_for === true)
      throw new Error(`It is still looked for whether Bailiff lifted the ban ${caseId} itself.`);
    // A person lifted it by hand. Only the record is left to update.
    const reason = await ownReason(
      deps,
      ban.guild_id,
      ban.lift_is_looked_for === null ? 'liftedOutside' : 'gone',
    );
    await endAsLiftedByHand.run(deps.db.pool, [caseId, deps.botUserId, reason]);
  }
  if (ban.was_refused) await endOthers.run(deps.db.pool, [ban.guild_id]);
}

async function lift(
  { engine, deps }: EndingDeps,
  caseId: string,
  { guild_id: guildId, user_id: userId, kind }: RowOf<typeof OVERDUE>,
): Promise<void> {
  await performWrite(engine, {
    operation: 'bans.lift',
    guildId,
    input: {
      userId,
      reason: await ownReason(deps, guildId, kind === 'softban' ? 'softbanLifted' : 'banExpired'),
    },
    actor: { source: 'system', userId: deps.botUserId },
    requestId: newRequestId(),
    address: null,
  });
  deps.log.info({ case_id: caseId, guild_id: guildId }, 'ban has ended');
}

const banBy = sql.command({
  parameters: [sql.text, sql.text],
  text: `WITH RECURSIVE replaced AS (
      SELECT guild_id, user_id, action_id FROM cases WHERE id = $1
      UNION
      SELECT c.guild_id, c.user_id, c.action_id FROM cases c JOIN replaced r
        ON c.guild_id = r.guild_id AND c.user_id = r.user_id AND c.end_action_id = r.action_id)
    SELECT FROM replaced WHERE action_id = $2 LIMIT 1`,
});

/**
 * Whether no ban stands or the one that stands names the action of the case, or of one that it replaced: Discord changes
 * nothing about who is banned already. Who made it stands only in the audit log.
 */
async function isOurs(
  deps: PerformerDeps,
  { guild_id, user_id }: RowOf<typeof OVERDUE>,
  caseId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const standing = await findBan(depsIn(deps, guild_id), guild_id, user_id, signal);
  if (standing === null) return true;
  const actionId = actionIdInReason(standing.reason ?? '');
  return actionId !== null && (await banBy.run(deps.db.pool, [caseId, actionId])) === 1;
}

function failureOf(error: unknown): Pick<ActionError, 'code' | 'message' | 'details'> | null {
  if (error instanceof ApiError) return error;
  return error instanceof DiscordFailure && error.kind === 'refused' ? usualRefusal(error) : null;
}

const noteNotEnded = sql.command({
  parameters: [sql.text],
  text: 'UPDATE cases SET end_failed_at = clock_timestamp() WHERE id = $1 AND ended_at IS NULL AND end_failed_at IS NULL',
});

/** Tells the moderators once that a ban has run out and stands. The dashboard shows it while it does. */
async function tellNotEnded(
  { db, log }: PerformerDeps,
  caseId: string,
  { guild_id: guildId, user_id, case_number }: RowOf<typeof OVERDUE>,
  failure: Pick<ActionError, 'code' | 'message' | 'details'>,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    if ((await noteNotEnded.run(tx, [caseId])) === 0) return;
    log.warn(
      { case_id: caseId, guild_id: guildId, code: failure.code },
      'an expired ban could not be lifted',
    );
    await tellGuild(tx, { guildId, about: caseId }, (language) =>
      translator(language, 'notices')('log.notLifted', {
        number: String(case_number),
        user: `<@${user_id}>`,
        problem: sayError(translator(language, 'errors'), failure as ActionError),
      }),
    );
  });
}
