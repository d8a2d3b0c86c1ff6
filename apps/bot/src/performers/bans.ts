import { actionIdInReason, type InputOf } from '@bailiff/core';
import { notFound } from '@bailiff/engine/calls/action-errors';
import { banWire } from '@bailiff/engine/cases/cases';
import type { Performer } from '@bailiff/engine/worker/perform-action';
import { type APIBan, AuditLogEvent, RESTJSONErrorCodes as Code, Routes } from 'discord.js';
import { DiscordFailure } from '#src/discord-api.ts';
import { endBanAt, withdrawAnnouncementSoon } from '#src/jobs.ts';
import { announceBan } from '#src/target-notices.ts';
import { isInAuditLog } from './audit-log.ts';
import type { PerformerDeps } from './deps.ts';
import { findMember } from './members.ts';
import { recordLift, recordSanction, sanctionPerformer } from './sanctions.ts';

export function addBan(deps: PerformerDeps): Performer {
  return sanctionPerformer(deps, (action) => {
    const { guildId } = action;
    const input = action.input as InputOf<'bans.add'>;
    const { user_id: userId, delete_message_seconds } = input;
    return {
      permission: 'BanMembers',
      userId,
      reason: input.reason,
      readTarget: (signal) => findMember(deps, guildId, userId, signal),
      announce: (target) => announceBan(deps, action, target !== null),
      withdraw: (tx) => withdrawAnnouncementSoon(tx, action.id),
      send: (reason, signal) =>
        deps.api.send('PUT', Routes.guildBan(guildId, userId), {
          signal,
          reason,
          body: delete_message_seconds === undefined ? {} : { delete_message_seconds },
        }),
      look: async (signal) => {
        const ban = await findBan(deps, guildId, userId, signal);
        return ban !== null && actionIdInReason(ban.reason ?? '') === action.id ? 'there' : 'not_there';
      },
      record: async (tx) => {
        const { reason, duration_minutes: durationMinutes } = input;
        const row = await recordSanction(tx, action, { kind: 'ban', userId, reason, durationMinutes });
        if (row.expires_at !== null) await endBanAt(tx, row);
        return { ban: banWire(row) };
      },
    };
  });
}

export function liftBan(deps: PerformerDeps): Performer {
  return sanctionPerformer(deps, (action) => {
    const { guildId } = action;
    const { userId, reason } = action.input as InputOf<'bans.lift'>;
    const notBanned = notFound('ban of user', userId);
    let ban: APIBan | null = null;
    return {
      permission: 'BanMembers',
      userId,
      reason: reason ?? null,
      readTarget: async (signal) => {
        ban = await findBan(deps, guildId, userId, signal);
        // Who is banned is no member.
        return null;
      },
      obstacle: () => (ban === null ? notBanned : null),
      send: (auditReason, signal) =>
        deps.api.send('DELETE', Routes.guildBan(guildId, userId), { signal, reason: auditReason }),
      look: async (signal) => {
        if ((await findBan(deps, guildId, userId, signal)) !== null) return 'not_there';
        // Not banned: by this action, or by somebody else's hand before or after.
        const lifting = { event: AuditLogEvent.MemberBanRemove, targetId: userId };
        const isOurs = await isInAuditLog(deps, action, lifting, signal);
        return isOurs === false ? 'not_there' : 'there';
      },
      refusal: (failure) => (failure.code === Code.UnknownBan ? notBanned : null),
      record: async (tx) => {
        const found = { reason: ban?.reason ?? null };
        const row = await recordLift(tx, deps, action, { kind: 'ban', userId, reason }, found);
        return { ban: banWire(row) };
      },
    };
  });
}

/** The user's ban as Discord has it, or null. */
async function findBan(
  { api }: PerformerDeps,
  guildId: string,
  userId: string,
  signal: AbortSignal,
): Promise<APIBan | null> {
  return api.get<APIBan>(Routes.guildBan(guildId, userId), { signal }).catch((error: unknown) => {
    if (error instanceof DiscordFailure && error.code === Code.UnknownBan) return null;
    throw error;
  });
}
