import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { isSpared } from '@bailiff/core';
import { forbidden } from '@bailiff/engine/calls/action-errors';
import type { ActionError } from '@bailiff/engine/calls/actions';
import { isOutcomeOpen } from '@bailiff/engine/cases/by-hand';
import { inTransaction } from '@bailiff/engine/database/transaction';
import { sayError, translator } from '@bailiff/messages';
import { type Queryable, type RowOf, sql } from '@bailiff/prisma';
import { RESTJSONErrorCodes as Code, Routes } from 'discord.js';
import { catchUpWithCase } from './by-hand.ts';
import { DiscordFailure } from './discord-api.ts';
import { usualRefusal } from './discord-errors.ts';
import { leaveAsItIs } from './foreign.ts';
import { tellGuild } from './guild-notice.ts';
import { LONGEST_TIMEOUT_SECONDS, renewMuteLater } from './jobs.ts';
import { depsIn, type PerformerDeps } from './performers/deps.ts';
import {
  findMember,
  missingPermissions,
  permissionsOf,
  readBotHierarchy,
  refusalOf,
} from './performers/members.ts';
import { isSameEnd, noteTimeout, timeoutIn } from './performers/mutes.ts';

/** Most mutes of one guild that are tried again in an hour. */
const MOST_OF_GUILD = 200;

// By chance, so that those that Discord refuses for long keep no place from the others.
const addLapsing = sql.command({
  parameters: [sql.bigint],
  text: `SELECT graphile_worker.add_job('renew_mute', json_build_object('case_id', lapsing.id),
      job_key => 'renew_mute:' || lapsing.id)
    FROM guilds g CROSS JOIN LATERAL (
      SELECT c.id FROM cases c
      WHERE c.guild_id = g.id AND c.kind = 'mute' AND case_is_in_force(c.ended_at, c.expires_at)
        AND case_is_enforced(c.id, c.import_id) AND (c.end_failed_at IS NOT NULL
          OR coalesce(c.timeout_until, c.renewing_until) <
            least(clock_timestamp() + interval '23 hours', c.expires_at - interval '1 minute'))
      ORDER BY random() LIMIT $1) AS lapsing
    WHERE g.left_at IS NULL`,
});

/**
 * Queues the renewal of mutes that Discord refused, and of those whose timeout is about to lapse an hour after its own
 * job was due: the queue gives a job up that has failed too often.
 */
export async function renewLapsingMutes(db: Queryable): Promise<void> {
  await addLapsing.run(db, [MOST_OF_GUILD]);
}

/**
 * Times out a muted member again, for as long as the mute lasts or Discord allows, and schedules the next renewal.
 * Takes the timeout off that is left of a mute that is over. Does nothing if the member is gone. If the guild must do
 * something first, it is told, and the hourly job tries again. Throws if the queue should try again sooner.
 */
export async function renewMute(deps: PerformerDeps, caseId: string, signal: AbortSignal): Promise<void> {
  // A person may have removed it by hand while the bot was away.
  const isLogRead = await catchUpWithCase(deps, caseId, signal);
  const mute = await activeMuteById.first(deps.db.pool, [caseId]);
  if (mute === null) return takeOffLeftOver(deps, caseId, signal);
  const { guild_id: guildId, user_id: userId, timeout_until, renewing_until, is_forgotten } = mute;
  if (!isLogRead) {
    const member = await findMember(depsIn(deps, guildId), guildId, userId, signal);
    if (member === null) return noteGone(deps, caseId);
    const standing = member.communication_disabled_until ?? '';
    // Nobody could take off a timeout that lapsed while its person was gone. A renewal since then whose answer was lost
    // most likely had no effect.
    const hasComeBackSince =
      timeout_until !== null && Date.parse(member.joined_at ?? '') > timeout_until.getTime();
    const stands = Date.parse(standing) > Date.now();
    const isLapsed = (is_forgotten || hasComeBackSince) && !stands;
    if (!isLapsed && !isSameEnd(standing, timeout_until, renewing_until)) {
      // What Bailiff is doing to them has perhaps changed the timeout, and was not on record when that was read.
      await untilNothingRuns(deps, mute, signal);
      await requireOutcome(deps, mute);
      const now = await activeMuteById.first(deps.db.pool, [caseId]);
      const ends = [now?.timeout_until, now?.renewing_until];
      const isUnchanged = isDeepStrictEqual(ends, [timeout_until, renewing_until]);
      return isUnchanged
        ? leaveAsItIs(deps, 'mute', { guildId, caseId, stands })
        : renewMute(deps, caseId, signal);
    }
    if (!isLapsed) await noteStanding.run(deps.db.pool, [caseId, new Date(standing)]);
  }
  await timeOutAgain(deps, mute, signal);
}

// What a renewal whose answer was lost has done. Another one may be lost as well, and two ends are on record at most.
const noteStanding = sql.command({
  parameters: [sql.text, sql.timestamptz],
  text: 'UPDATE cases SET timeout_until = $2 WHERE id = $1 AND renewing_until IS NOT NULL',
});

// Before it is asked for: if the answer is lost, the timeout may have this end or the one before.
const noteRenewal = sql.command({
  parameters: [sql.text, sql.timestamptz],
  text: 'UPDATE cases SET renewing_until = $2 WHERE id = $1',
});

// Once it is certain that the timeout does not have this end.
const takeBackRenewal = sql.command({
  parameters: [sql.text, sql.timestamptz, sql.timestamptz.orNull],
  text: 'UPDATE cases SET renewing_until = $3 WHERE id = $1 AND renewing_until = $2',
});

/** Puts the timeout of a mute in place of the one that stands, and then of the mute that took its place meanwhile. */
async function timeOutAgain(
  deps: PerformerDeps,
  mute: RowOf<typeof MUTE>,
  signal: AbortSignal,
): Promise<void> {
  const { id: caseId, guild_id: guildId, user_id: userId, left_seconds } = mute;
  const { api } = depsIn(deps, guildId);
  const route = Routes.guildMember(guildId, userId);
  const reason = `The mute ${caseId} goes on`;
  await requireOutcome(deps, mute);
  const until = await timeoutIn(deps, Math.min(left_seconds, LONGEST_TIMEOUT_SECONDS));
  try {
    await noteRenewal.run(deps.db.pool, [caseId, new Date(until)]);
    await api.send('PATCH', route, { signal, reason, body: { communication_disabled_until: until } });
    await noteTimeout.run(deps.db.pool, [caseId, new Date(until)]);
  } catch (error) {
    if (!(error instanceof DiscordFailure)) throw error;
    if (error.kind !== 'unclear')
      await takeBackRenewal.run(deps.db.pool, [caseId, new Date(until), mute.renewing_until]);
    if (error.code === Code.UnknownMember) return noteGone(deps, caseId);
    const refusal = usualRefusal(error);
    if (refusal.code !== 'FORBIDDEN') throw error;
    const isUnclear = error.code === Code.MissingPermissions;
    return tellNotRenewed(deps, mute, isUnclear ? await whatIsMissing(deps, mute, signal) : refusal);
  }
  await untilNothingRuns(deps, mute, signal);
  await requireOutcome(deps, mute);
  const since = await activeMuteOfUser.first(deps.db.pool, [guildId, userId]);
  if (since === null) {
    // It was lifted at the same moment, so the new timeout is removed again.
    await api.send('PATCH', route, { signal, reason, body: { communication_disabled_until: null } });
  } else if (since.id !== caseId || since.expires_at.getTime() !== mute.expires_at.getTime()) {
    // It was replaced or got another end at the same moment.
    await timeOutAgain(deps, since, signal);
  } else if (left_seconds > LONGEST_TIMEOUT_SECONDS) {
    await renewMuteLater(deps.db.pool, caseId);
  }
}

// Only what an action of Bailiff has ended, or what has run out: of any other nobody knows whether its end was ours.
const overMuteById = sql.statement({
  parameters: [sql.text],
  columns: {
    id: sql.text,
    guild_id: sql.text,
    user_id: sql.text,
    timeout_until: sql.timestamptz.neverNull,
    renewing_until: sql.timestamptz.orNull,
  },
  text: `SELECT id, guild_id, user_id, coalesce(timeout_until, expires_at) AS timeout_until, renewing_until
    FROM cases c
    WHERE id = $1 AND kind = 'mute' AND NOT case_is_in_force(ended_at, expires_at)
      AND (ended_at IS NULL OR end_action_id IS NOT NULL)
      AND greatest(coalesce(timeout_until, expires_at), renewing_until) > clock_timestamp() AND case_is_enforced(id, import_id)
      AND NOT EXISTS (SELECT FROM cases later WHERE later.guild_id = c.guild_id AND later.user_id = c.user_id
        AND later.kind = 'mute' AND later.issued_at > c.issued_at AND case_is_enforced(later.id, later.import_id))`,
});

/**
 * Takes off the timeout of a mute that ended while its person was gone: Discord keeps it for when they come back. What
 * has another end is somebody else's.
 */
async function takeOffLeftOver(deps: PerformerDeps, caseId: string, signal: AbortSignal): Promise<void> {
  const over = await overMuteById.first(deps.db.pool, [caseId]);
  if (over === null) return;
  const { guild_id: guildId, user_id: userId, timeout_until, renewing_until } = over;
  await requireOutcome(deps, over);
  const own = depsIn(deps, guildId);
  const member = await findMember(own, guildId, userId, signal);
  if (!isSameEnd(member?.communication_disabled_until ?? '', timeout_until, renewing_until)) return;
  try {
    await own.api.send('PATCH', Routes.guildMember(guildId, userId), {
      signal,
      reason: `The mute ${caseId} has ended`,
      body: { communication_disabled_until: null },
    });
    deps.log.info({ case_id: caseId, guild_id: guildId }, 'a timeout that was left of a mute was taken off');
  } catch (error) {
    if (!(error instanceof DiscordFailure)) throw error;
    if (error.code === Code.UnknownMember) return;
    const { code, message: problem } = usualRefusal(error);
    if (code !== 'FORBIDDEN') throw error;
    deps.log.warn({ case_id: caseId, guild_id: guildId, problem }, 'a timeout could not be taken off');
    return;
  }
  // Somebody may have muted them anew at the same moment.
  await untilNothingRuns(deps, over, signal);
  const since = await activeMuteOfUser.first(deps.db.pool, [guildId, userId]);
  if (since !== null) await timeOutAgain(deps, since, signal);
}

// What an action of Bailiff gave has no timeout on record only by this; what was given by hand ends with its case.
const forgetTimeout = sql.command({
  parameters: [sql.text],
  text: `UPDATE cases SET end_failed_at = NULL,
      timeout_until = CASE WHEN timeout_until > clock_timestamp() THEN timeout_until END,
      renewing_until = CASE WHEN renewing_until > clock_timestamp() THEN renewing_until END
    WHERE id = $1`,
});

/** Who is gone is timed out again when they come back, and not looked for each hour once their timeout has lapsed. */
async function noteGone({ db }: PerformerDeps, caseId: string): Promise<void> {
  await forgetTimeout.run(db.pool, [caseId]);
}

/** Why Discord lets the bot not time out a member: it answers the same whatever is missing. */
async function whatIsMissing(
  deps: PerformerDeps,
  { guild_id: guildId, user_id: userId }: RowOf<typeof MUTE>,
  signal: AbortSignal,
): Promise<ActionError> {
  const own = depsIn(deps, guildId);
  const [hierarchy, member] = await Promise.all([
    readBotHierarchy(own, guildId, signal),
    findMember(own, guildId, userId, signal),
  ]);
  const user = { userId, roleIds: member?.roles ?? null };
  const refusal = refusalOf(deps, hierarchy, { actor: { userId: deps.botUserId } }, user, 'ModerateMembers');
  if (refusal !== null) return refusal;
  const isAdmin = isSpared('mutes.add', permissionsOf(hierarchy, user.roleIds));
  return isAdmin ? forbidden('TARGET_IS_ADMIN') : missingPermissions(['ModerateMembers']);
}

const noteNotRenewed = sql.statement({
  parameters: [sql.text],
  columns: { case_number: sql.int },
  text: `UPDATE cases SET end_failed_at = clock_timestamp()
    WHERE id = $1 AND ended_at IS NULL AND end_failed_at IS NULL RETURNING case_number`,
});

/** Tells the moderators once that a mute is in force and cannot be kept up. */
async function tellNotRenewed(
  { db, log }: PerformerDeps,
  { id: caseId, guild_id: guildId, user_id }: RowOf<typeof MUTE>,
  refusal: ActionError,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const noted = await noteNotRenewed.first(tx, [caseId]);
    if (noted === null) return;
    log.warn(
      { case_id: caseId, guild_id: guildId, problem: refusal.message },
      'a timeout could not be renewed',
    );
    await tellGuild(tx, { guildId, about: caseId }, (language) =>
      translator(language, 'notices')('log.notRenewed', {
        number: String(noted.case_number),
        user: `<@${user_id}>`,
        problem: sayError(translator(language, 'errors'), refusal),
      }),
    );
  });
}

const LOOK_AGAIN_MS = 100;

const runningOnPerson = sql.statement({
  parameters: [sql.text, sql.text],
  columns: { id: sql.text },
  text: `SELECT id FROM actions WHERE guild_id = $1 AND target_id = $2 AND state = 'running' LIMIT 1`,
});

/**
 * Waits until nothing is being done to a muted person. What is has perhaps changed the timeout at Discord already, and
 * is on record only when it ends.
 *
 * @throws what `signal` is aborted with
 */
async function untilNothingRuns(
  { db }: PerformerDeps,
  { guild_id: guildId, user_id: userId }: MutedPerson,
  signal: AbortSignal,
): Promise<void> {
  while ((await runningOnPerson.first(db.pool, [guildId, userId])) !== null)
    await delay(LOOK_AGAIN_MS, undefined, { signal });
}

/** @throws while it is being found out whether the mute was lifted or changed: it may stand only on record */
async function requireOutcome(
  { db }: PerformerDeps,
  { id, guild_id: guildId, user_id: userId }: MutedPerson,
): Promise<void> {
  if (await isOutcomeOpen(db.pool, { guildId, userId, operation: 'mutes.lift' }))
    throw new Error(`It is not known yet whether the mute ${id} stands.`);
}

const MUTE = {
  id: sql.text,
  guild_id: sql.text,
  user_id: sql.text,
  left_seconds: sql.float,
  timeout_until: sql.timestamptz.orNull,
  renewing_until: sql.timestamptz.orNull,
  is_forgotten: sql.bool,
  expires_at: sql.timestamptz.neverNull,
};

type MutedPerson = Pick<RowOf<typeof MUTE>, 'id' | 'guild_id' | 'user_id'>;

const ACTIVE_MUTE = `SELECT id, guild_id, user_id, timeout_until, renewing_until, expires_at,
    timeout_until IS NULL AND action_id IS NOT NULL AS is_forgotten,
    extract(epoch FROM expires_at - clock_timestamp())::float8 AS left_seconds
  FROM cases
  WHERE kind = 'mute' AND case_is_in_force(ended_at, expires_at) AND case_is_enforced(id, import_id)`;

const activeMuteById = sql.statement({
  parameters: [sql.text],
  columns: MUTE,
  text: `${ACTIVE_MUTE} AND id = $1`,
});

const activeMuteOfUser = sql.statement({
  parameters: [sql.text, sql.text],
  columns: MUTE,
  text: `${ACTIVE_MUTE} AND guild_id = $1 AND user_id = $2 ORDER BY issued_at DESC LIMIT 1`,
});
