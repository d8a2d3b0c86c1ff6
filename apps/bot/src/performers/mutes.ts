import { isDestructive } from '@bailiff/core';
import { forbidden, notFound } from '@bailiff/engine/calls/action-errors';
import { muteWire } from '@bailiff/engine/cases/cases';
import type { Performer } from '@bailiff/engine/worker/perform-action';
import { sql } from '@bailiff/prisma';
import { type APIGuildMember, AuditLogEvent, Routes } from 'discord.js';
import { type AuditEntry, timeOf } from '#src/audit-entries.ts';
import { CLOCK_TOLERANCE_MS, LONGEST_TIMEOUT_SECONDS, renewMuteLater } from '#src/jobs.ts';
import { auditLogEntryOf, type LoggedEffect } from './audit-log.ts';
import type { PerformerDeps } from './deps.ts';
import { findMember } from './members.ts';
import { type FoundSanction, hasCase, liftPerformer, sanctionPerformer } from './sanctions.ts';

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
      obstacle: async (member) => {
        // A shorter mute lifts the longer one, and lifting is destructive: a token needs a window for it (spec §4).
        if (action.actor.source !== 'token' || isDestructive(action.operation, action.input)) return null;
        const standing = member?.communication_disabled_until ?? null;
        return (await isMutedLonger(deps, { guildId, userId, seconds, standing }))
          ? forbidden('MUTED_LONGER')
          : null;
      },
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
      seemsDone: async (signal) => {
        const member = await findMember(deps, guildId, userId, signal);
        return (
          member === null || isSameEnd(member.communication_disabled_until ?? '', new Date(timeoutUntil ?? 0))
        );
      },
      answer: (row) => ({ mute: muteWire(row) }),
      recordMore: async (row, tx) => {
        if (timeoutUntil !== null) await noteTimeout.run(tx, [row.id, new Date(timeoutUntil)]);
        if (durationMinutes * 60 > LONGEST_TIMEOUT_SECONDS) await renewMuteLater(tx, row.id);
      },
    };
  });
}

const mutedLonger = sql.command({
  parameters: [sql.text, sql.text, sql.float, sql.timestamptz.orNull],
  text: `SELECT FROM (SELECT clock_timestamp() + make_interval(secs => $3)) AS given (until)
    WHERE $4 > until OR EXISTS (SELECT FROM cases
      WHERE guild_id = $1 AND user_id = $2 AND kind = 'mute' AND ended_at IS NULL AND expires_at > until
        AND case_is_enforced(id, import_id))`,
});

/** Whether a member's timeout, or a mute on record, ends later than one of so many seconds that begins now. */
async function isMutedLonger(
  { db }: PerformerDeps,
  of: { guildId: string; userId: string; seconds: number; standing: string | null },
): Promise<boolean> {
  const standing = of.standing === null ? null : new Date(of.standing);
  return (await mutedLonger.run(db.pool, [of.guildId, of.userId, of.seconds, standing])) === 1;
}

// Whatever kept the bot from renewing it before is over.
export const noteTimeout = sql.command({
  parameters: [sql.text, sql.timestamptz],
  text: 'UPDATE cases SET timeout_until = $2, renewing_until = NULL, end_failed_at = NULL WHERE id = $1',
});

/** Whether a timeout at Discord ends when it should, or at one of several such times, as far as clocks agree. */
export function isSameEnd(standing: string, ...wanted: (Date | null)[]): boolean {
  return wanted.some(
    (end) => end !== null && Math.abs(Date.parse(standing) - end.getTime()) < CLOCK_TOLERANCE_MS,
  );
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
        const isMuted = minutesLeft > 0 || (await hasCase(deps, { guildId, kind: 'mute', userId }));
        return isMuted ? null : notFound('mute', userId);
      },
      send: async ({ member, minutesLeft }, auditReason, signal) => {
        // Discord changes nobody who left, and keeps their timeout: it is taken off when they rejoin.
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
      seemsDone: async ({ member }, signal) => {
        const standing = (await readMember(signal)).member?.communication_disabled_until;
        return standing !== member?.communication_disabled_until;
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
