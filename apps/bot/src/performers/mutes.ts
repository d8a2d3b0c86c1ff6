import { setTimeout as delay } from 'node:timers/promises';
import { notFound } from '@bailiff/engine/calls/action-errors';
import { muteWire } from '@bailiff/engine/cases/cases';
import type { Performer } from '@bailiff/engine/worker/perform-action';
import { type RowOf, sql } from '@bailiff/prisma';
import { type APIGuildMember, AuditLogEvent, RESTJSONErrorCodes as Code, Routes } from 'discord.js';
import { type AuditEntry, timeOf } from '#src/audit-entries.ts';
import { catchUpWithCase } from '#src/by-hand.ts';
import { DiscordFailure } from '#src/discord-api.ts';
import { leaveAsItIs } from '#src/foreign.ts';
import { CLOCK_TOLERANCE_MS, LONGEST_TIMEOUT_SECONDS, renewMuteLater } from '#src/jobs.ts';
import { auditLogEntryOf, type LoggedEffect } from './audit-log.ts';
import { depsIn, type PerformerDeps } from './deps.ts';
import { findMember } from './members.ts';
import { type FoundSanction, liftPerformer, sanctionPerformer } from './sanctions.ts';

/**
 * Mutes are Discord timeouts. A job renews a mute that is longer than Discord's longest timeout (decisions:
 * Operations).
 */
export function addMute(deps: PerformerDeps): Performer<'mutes.add'> {
  return sanctionPerformer(deps, (action) => {
    const { guildId } = action;
    const { user_id: userId, duration_minutes: durationMinutes, reason } = action.input;
    const seconds = Math.min(durationMinutes * 60, LONGEST_TIMEOUT_SECONDS);
    let timeoutUntil: string | null = null;
    return {
      permission: 'ModerateMembers',
      kind: 'mute',
      userId,
      reason,
      durationMinutes,
      membersOnly: true,
      send: async (auditReason, signal) => {
        timeoutUntil = await timeoutIn(deps, seconds);
        return deps.api.send('PATCH', Routes.guildMember(guildId, userId), {
          signal,
          reason: auditReason,
          body: { communication_disabled_until: timeoutUntil },
        });
      },
      look: async (signal) => {
        const entry = await auditLogEntryOf(deps, action, memberUpdate(userId), signal);
        if (entry === 'absent') return 'not_made';
        const member = await findMember(deps, guildId, userId, signal);
        const standing = member?.communication_disabled_until ?? '';
        if (entry === 'unreadable') {
          const wanted = new Date(action.createdAt.getTime() + seconds * 1000);
          if (!isSameEnd(standing, wanted)) return 'unclear';
          timeoutUntil ??= standing;
          return 'stands';
        }
        timeoutUntil ??= timeoutSetBy(entry);
        // Who left keeps the mute. Otherwise somebody may have changed the timeout since.
        const isChanged =
          member !== null && (timeoutUntil === null || !isSameEnd(standing, new Date(timeoutUntil)));
        return isChanged ? 'undone' : 'stands';
      },
      answer: (row) => ({ mute: muteWire(row) }),
      recordMore: async (row, tx) => {
        if (timeoutUntil !== null) await noteTimeout.run(tx, [row.id, new Date(timeoutUntil)]);
        if (durationMinutes * 60 > LONGEST_TIMEOUT_SECONDS) await renewMuteLater(tx, row.id);
      },
    };
  });
}

export const noteTimeout = sql.command({
  parameters: [sql.text, sql.timestamptz],
  text: 'UPDATE cases SET timeout_until = $2 WHERE id = $1',
});

/** Whether a timeout at Discord ends when it should, as far as clocks agree. */
export function isSameEnd(standing: string, wanted: Date): boolean {
  return Math.abs(Date.parse(standing) - wanted.getTime()) < CLOCK_TOLERANCE_MS;
}

/** The member whose mute is lifted. Null if they left. */
interface MutedMember {
  readonly member: APIGuildMember | null;
  /** Minutes left of their timeout. 0 without one. */
  readonly minutesLeft: number;
}

export function liftMute(deps: PerformerDeps): Performer<'mutes.lift'> {
  return liftPerformer<'mutes.lift', MutedMember>(deps, (action) => {
    const { guildId } = action;
    const { userId, reason } = action.input;
    const readMember = async (signal: AbortSignal): Promise<MutedMember> => {
      const member = await findMember(deps, guildId, userId, signal);
      const until = member?.communication_disabled_until ?? null;
      return { member, minutesLeft: until === null ? 0 : minutesBetween(Date.now(), Date.parse(until)) };
    };
    return {
      permission: 'ModerateMembers',
      kind: 'mute',
      userId,
      reason,
      read: readMember,
      memberOf: ({ member }) => member,
      obstacle: async ({ minutesLeft }) => {
        const isMuted = minutesLeft > 0 || (await hasMuteCase(deps, guildId, userId));
        return isMuted ? null : notFound('mute', userId);
      },
      send: async ({ member, minutesLeft }, auditReason, signal) => {
        // A user who left has no timeout. Because the case ends, the timeout is not restored when they rejoin.
        if (member !== null) {
          await deps.api.send('PATCH', Routes.guildMember(guildId, userId), {
            signal,
            reason: auditReason,
            body: { communication_disabled_until: null },
          });
        }
        return muteOf(minutesLeft);
      },
      look: async (target, signal) => {
        const entry = await auditLogEntryOf(deps, action, memberUpdate(userId), signal);
        if (entry === 'absent') return null;
        if (entry !== 'unreadable') return muteOf(target?.minutesLeft ?? minutesTakenOff(entry));
        // Somebody else may have taken it off, or put another one on.
        const standing = (await readMember(signal)).member?.communication_disabled_until ?? null;
        const before = target?.member?.communication_disabled_until ?? null;
        return before !== null && standing === before ? null : 'unclear';
      },
      isGone: async (signal) => (await readMember(signal)).minutesLeft === 0,
      record: (row) => ({ mute: muteWire(row) }),
    };
  });
}

/** A mute that was never on record. Its duration is at least a minute, also if it is unknown. */
function muteOf(minutes: number): FoundSanction {
  return { reason: null, durationMinutes: Math.max(1, minutes) };
}

function timeoutChange({ changes }: AuditEntry) {
  return changes?.find(({ key }) => key === 'communication_disabled_until');
}

/** The end of the timeout that an audit log entry set. */
export function timeoutSetBy(entry: AuditEntry): string | null {
  const change = timeoutChange(entry);
  return typeof change?.new_value === 'string' ? change.new_value : null;
}

/** Minutes left of the timeout that an audit log entry removed. */
function minutesTakenOff(entry: AuditEntry): number {
  const change = timeoutChange(entry);
  const until = typeof change?.old_value === 'string' ? Date.parse(change.old_value) : 0;
  return minutesBetween(timeOf(entry.id), until);
}

/** Minutes between two times, rounded up. 0 if the end is past. */
function minutesBetween(fromMs: number, toMs: number): number {
  return Math.max(0, Math.ceil((toMs - fromMs) / 60_000));
}

export function memberUpdate(userId: string): LoggedEffect {
  return { event: AuditLogEvent.MemberUpdate, targetId: userId };
}

/**
 * Times out a muted member again, for as long as the mute lasts or Discord allows, and schedules the next renewal. Does
 * nothing if the mute has ended or the member is gone.
 */
export async function renewMute(deps: PerformerDeps, caseId: string, signal: AbortSignal): Promise<void> {
  // A person may have removed it by hand while the bot was away.
  const isLogRead = await catchUpWithCase(deps, caseId, signal);
  const mute = await activeMuteById.first(deps.db.pool, [caseId]);
  if (mute === null) return;
  const { guild_id: guildId, user_id: userId, timeout_until } = mute;
  if (!isLogRead) {
    const member = await findMember(depsIn(deps, guildId), guildId, userId, signal);
    if (member === null) return;
    const isOurs =
      timeout_until !== null && isSameEnd(member.communication_disabled_until ?? '', timeout_until);
    if (!isOurs) return leaveAsItIs(deps, 'mute', { guildId, caseId });
  }
  await timeOutAgain(deps, mute, signal);
}

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
  try {
    const until = await timeoutIn(deps, Math.min(left_seconds, LONGEST_TIMEOUT_SECONDS));
    await api.send('PATCH', route, { signal, reason, body: { communication_disabled_until: until } });
    await noteTimeout.run(deps.db.pool, [caseId, new Date(until)]);
  } catch (error) {
    if (error instanceof DiscordFailure && error.code === Code.UnknownMember) return;
    throw error;
  }
  await untilNothingRuns(deps, mute, signal);
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
  { guild_id: guildId, user_id: userId }: RowOf<typeof MUTE>,
  signal: AbortSignal,
): Promise<void> {
  while ((await runningOnPerson.first(db.pool, [guildId, userId])) !== null)
    await delay(LOOK_AGAIN_MS, undefined, { signal });
}

const MUTE = {
  id: sql.text,
  guild_id: sql.text,
  user_id: sql.text,
  left_seconds: sql.float,
  timeout_until: sql.timestamptz.orNull,
  expires_at: sql.timestamptz.neverNull,
};

const ACTIVE_MUTE = `SELECT id, guild_id, user_id, timeout_until, expires_at,
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

const muteCaseOfUser = sql.command({
  parameters: [sql.text, sql.text],
  text: `SELECT FROM cases WHERE guild_id = $1 AND user_id = $2 AND kind = 'mute'
    AND case_is_in_force(ended_at, expires_at) LIMIT 1`,
});

async function hasMuteCase({ db }: PerformerDeps, guildId: string, userId: string): Promise<boolean> {
  return (await muteCaseOfUser.run(db.pool, [guildId, userId])) === 1;
}

const secondsFromNow = sql.statement({
  parameters: [sql.float],
  columns: { until: sql.timestamptz },
  text: 'SELECT clock_timestamp() + make_interval(secs => $1) AS until',
});

/** The end of a timeout that begins now, by the database's clock. */
export async function timeoutIn({ db }: PerformerDeps, seconds: number): Promise<string> {
  const { until } = await secondsFromNow.only(db.pool, [seconds]);
  return until.toISOString();
}
