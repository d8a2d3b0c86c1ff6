import type { InputOf } from '@bailiff/core';
import { notFound } from '@bailiff/engine/calls/action-errors';
import type { Action } from '@bailiff/engine/calls/actions';
import { muteWire, only } from '@bailiff/engine/cases/cases';
import type { Performer } from '@bailiff/engine/worker/perform-action';
import { type APIGuildMember, AuditLogEvent, RESTJSONErrorCodes as Code, Routes } from 'discord.js';
import { catchUpWithCase } from '#src/by-hand.ts';
import { DiscordFailure } from '#src/discord-api.ts';
import { CLOCK_TOLERANCE_MS, LONGEST_TIMEOUT_SECONDS, renewMuteLater } from '#src/jobs.ts';
import { isInAuditLog } from './audit-log.ts';
import type { Sight } from './carry-out.ts';
import { depsIn, type PerformerDeps } from './deps.ts';
import { findMember } from './members.ts';
import { recordLift, recordSanction, sanctionPerformer } from './sanctions.ts';

/** Mutes are Discord timeouts; one longer than Discord's longest is renewed by a job (decisions: Operations). */
export function addMute(deps: PerformerDeps): Performer {
  return sanctionPerformer(deps, (action) => {
    const { guildId } = action;
    const {
      user_id: userId,
      duration_minutes: durationMinutes,
      reason,
    } = action.input as InputOf<'mutes.add'>;
    const seconds = Math.min(durationMinutes * 60, LONGEST_TIMEOUT_SECONDS);
    const notAMember = notFound('member', userId);
    return {
      permission: 'ModerateMembers',
      userId,
      reason,
      readTarget: (signal) => findMember(deps, guildId, userId, signal),
      obstacle: (target) => (target === null ? notAMember : null),
      send: async (auditReason, signal) =>
        deps.api.send('PATCH', Routes.guildMember(guildId, userId), {
          signal,
          reason: auditReason,
          body: { communication_disabled_until: await timeoutIn(deps, seconds) },
        }),
      look: async (signal) => {
        const bySay = await wasDoneByAuditLog(deps, action, userId, signal);
        if (bySay !== null) return bySay;
        const member = await findMember(deps, guildId, userId, signal);
        const endsAtMs = Date.parse(member?.communication_disabled_until ?? '');
        const wantedMs = action.createdAt.getTime() + seconds * 1000;
        return Math.abs(endsAtMs - wantedMs) < CLOCK_TOLERANCE_MS ? 'there' : 'not_there';
      },
      refusal: (failure) => (failure.code === Code.UnknownMember ? notAMember : null),
      record: async (tx) => {
        const row = await recordSanction(tx, action, { kind: 'mute', userId, reason, durationMinutes });
        if (durationMinutes * 60 > LONGEST_TIMEOUT_SECONDS) await renewMuteLater(tx, row.id);
        return { mute: muteWire(row) };
      },
    };
  });
}

export function liftMute(deps: PerformerDeps): Performer {
  return sanctionPerformer(deps, (action) => {
    const { guildId } = action;
    const { userId, reason } = action.input as InputOf<'mutes.lift'>;
    let isMember = true;
    let timedOutUntil: string | null = null;
    return {
      permission: 'ModerateMembers',
      userId,
      reason: reason ?? null,
      readTarget: (signal) => findMember(deps, guildId, userId, signal),
      obstacle: async (target) => {
        isMember = target !== null;
        timedOutUntil = runningTimeout(target);
        const isMuted = timedOutUntil !== null || (await hasMuteCase(deps, guildId, userId));
        return isMuted ? null : notFound('mute of user', userId);
      },
      send: async (auditReason, signal) => {
        // Somebody who left has no timeout; the end of the case keeps it from coming back when they rejoin.
        if (!isMember) return;
        await deps.api.send('PATCH', Routes.guildMember(guildId, userId), {
          signal,
          reason: auditReason,
          body: { communication_disabled_until: null },
        });
      },
      look: async (signal) => {
        const member = await findMember(deps, guildId, userId, signal);
        timedOutUntil = runningTimeout(member);
        if (timedOutUntil !== null) return 'not_there';
        return (await wasDoneByAuditLog(deps, action, userId, signal)) ?? 'there';
      },
      record: async (tx) => {
        const leftMs = timedOutUntil === null ? 0 : Date.parse(timedOutUntil) - Date.now();
        const found = { reason: null, durationMinutes: Math.max(1, Math.ceil(leftMs / 60_000)) };
        const row = await recordLift(tx, deps, action, { kind: 'mute', userId, reason }, found);
        return { mute: muteWire(row) };
      },
    };
  });
}

/**
 * Gives a muted member their timeout (again), for as long as the mute lasts or Discord allows, and sees to the next
 * renewal. Does nothing for a mute that has ended or whose member is not there.
 */
export async function renewMute(deps: PerformerDeps, caseId: string, signal: AbortSignal): Promise<void> {
  // Somebody may have taken it off by hand while nobody listened.
  await catchUpWithCase(deps, caseId, signal);
  const mute = await activeMute(deps, caseId);
  if (mute === null) return;
  const { guild_id: guildId, user_id: userId, left_seconds } = mute;
  const { api } = depsIn(deps, guildId);
  const route = Routes.guildMember(guildId, userId);
  const reason = `The mute ${caseId} goes on`;
  try {
    const until = await timeoutIn(deps, Math.min(left_seconds, LONGEST_TIMEOUT_SECONDS));
    await api.send('PATCH', route, { signal, reason, body: { communication_disabled_until: until } });
  } catch (error) {
    if (error instanceof DiscordFailure && error.code === Code.UnknownMember) return;
    throw error;
  }
  if ((await activeMute(deps, caseId)) === null) {
    // It was lifted at the same moment: what was just given is taken back.
    await api.send('PATCH', route, { signal, reason, body: { communication_disabled_until: null } });
  } else if (left_seconds > LONGEST_TIMEOUT_SECONDS) {
    await renewMuteLater(deps.db.pool, caseId);
  }
}

async function activeMute(
  { db }: PerformerDeps,
  caseId: string,
): Promise<{ guild_id: string; user_id: string; left_seconds: number } | null> {
  const { rows } = await db.pool.query<{ guild_id: string; user_id: string; left_seconds: number }>(
    `SELECT guild_id, user_id, extract(epoch FROM expires_at - clock_timestamp())::float8 AS left_seconds
     FROM cases WHERE id = $1 AND kind = 'mute' AND case_is_in_force(ended_at, expires_at)`,
    [caseId],
  );
  return rows[0] ?? null;
}

async function hasMuteCase({ db }: PerformerDeps, guildId: string, userId: string): Promise<boolean> {
  const { rowCount } = await db.pool.query(
    `SELECT FROM cases WHERE guild_id = $1 AND user_id = $2 AND kind = 'mute'
       AND case_is_in_force(ended_at, expires_at) LIMIT 1`,
    [guildId, userId],
  );
  return rowCount === 1;
}

/** The end of a timeout that begins now, by the database's clock. */
async function timeoutIn({ db }: PerformerDeps, seconds: number): Promise<string> {
  const { rows } = await db.pool.query<{ until: Date }>(
    'SELECT clock_timestamp() + make_interval(secs => $1) AS until',
    [seconds],
  );
  return only(rows).until.toISOString();
}

function runningTimeout(member: APIGuildMember | null): string | null {
  const until = member?.communication_disabled_until ?? null;
  return until !== null && Date.parse(until) > Date.now() ? until : null;
}

/** Whether the guild's audit log has the action's change of the member; null where the bot may not read it. */
async function wasDoneByAuditLog(
  deps: PerformerDeps,
  action: Action,
  userId: string,
  signal: AbortSignal,
): Promise<Sight | null> {
  const isOurs = await isInAuditLog(
    deps,
    action,
    { event: AuditLogEvent.MemberUpdate, targetId: userId },
    signal,
  );
  return isOurs === null ? null : isOurs ? 'there' : 'not_there';
}
