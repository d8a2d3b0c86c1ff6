import { actionIdInReason } from '@bailiff/core';
import { forbidden, notFound } from '@bailiff/engine/calls/action-errors';
import type { Action } from '@bailiff/engine/calls/actions';
import { banWire } from '@bailiff/engine/cases/cases';
import type { Performer } from '@bailiff/engine/worker/perform-action';
import { type APIBan, AuditLogEvent, RESTJSONErrorCodes as Code, Routes } from 'discord.js';
import { DiscordFailure } from '#src/discord-api.ts';
import { auditLogEntryOf, reasonOfLatestBan } from './audit-log.ts';
import type { PerformerDeps } from './deps.ts';
import { hasCase, liftPerformer, type NewSanction, onRecord, sanctionPerformer } from './sanctions.ts';

export function addBan(deps: PerformerDeps): Performer<'bans.add'> {
  return sanctionPerformer(deps, (action) => ({
    ...banning(deps, action),
    kind: 'ban',
    durationMinutes: action.input.duration_minutes,
    answer: (row) => ({ ban: banWire(row) }),
  }));
}

/** A ban whose time is over at once, so that it is lifted as every expired ban is, whatever happens to this process. */
export function softBan(deps: PerformerDeps): Performer<'bans.soft'> {
  return sanctionPerformer(deps, (action) => {
    const { guildId, input } = action;
    return {
      ...banning(deps, action),
      kind: 'softban',
      durationMinutes: 0,
      // Whoever banned them, that ban would be lifted.
      obstacle: async (_member, signal) =>
        (await findBan(deps, guildId, input.user_id, signal)) === null ? null : forbidden('ALREADY_BANNED'),
      answer: (row) => ({ softban: onRecord(row, input.reason) }),
    };
  });
}

/** What a ban and a softban have in common. */
function banning(deps: PerformerDeps, action: Action<'bans.add' | 'bans.soft'>) {
  const { id: actionId, guildId, input } = action;
  const { user_id: userId, reason, delete_message_seconds } = input;
  const route = Routes.guildBan(guildId, userId);
  return {
    permission: 'BanMembers',
    userId,
    reason,
    membersOnly: false,
    checkLimits: (withinMs: number) => deps.api.checkLimits('PUT', route, withinMs),
    send: (auditReason: string, signal: AbortSignal) =>
      deps.api.send('PUT', route, {
        signal,
        reason: auditReason,
        body: delete_message_seconds === undefined ? {} : { delete_message_seconds },
      }),
    look: async (signal: AbortSignal) => {
      const ban = await findBan(deps, guildId, userId, signal);
      if (ban !== null && actionIdInReason(ban.reason ?? '') === actionId) return 'stands';
      // Somebody may have lifted it since.
      const banning = { event: AuditLogEvent.MemberBanAdd, targetId: userId };
      const entry = await auditLogEntryOf(deps, action, banning, signal);
      return entry === 'absent' ? 'not_made' : entry === 'unreadable' ? 'unclear' : 'undone';
    },
  } satisfies Partial<NewSanction<'bans.add'>>;
}

export function liftBan(deps: PerformerDeps): Performer<'bans.lift'> {
  return liftPerformer(deps, (action) => {
    const { guildId } = action;
    const { userId, reason } = action.input;
    const notBanned = notFound('ban', userId);
    return {
      permission: 'BanMembers',
      kind: 'ban',
      userId,
      reason,
      read: (signal) => findBan(deps, guildId, userId, signal),
      // A banned user is not a member.
      memberOf: () => null,
      // An imported ban need not stand at Discord. A case whose time is over is left to its job (endBan), which says
      // that the ban was lifted elsewhere.
      obstacle: async (ban) =>
        ban !== null || (await hasCase(deps, { guildId, kind: 'ban', userId })) ? null : notBanned,
      send: async (ban, auditReason, signal) => {
        if (ban === null) return { reason: null };
        const route = Routes.guildBan(guildId, userId);
        await deps.api.send('DELETE', route, { signal, reason: auditReason });
        return { reason: ban.reason };
      },
      look: async (ban, signal) => {
        const lifting = { event: AuditLogEvent.MemberBanRemove, targetId: userId };
        const entry = await auditLogEntryOf(deps, action, lifting, signal);
        if (entry === 'absent') return null;
        if (entry === 'unreadable') {
          // Somebody else may have lifted it, or banned them again.
          const standing = await findBan(deps, guildId, userId, signal);
          return ban !== null && standing?.reason === ban.reason ? null : 'unclear';
        }
        const wasFor = ban === null ? await reasonOfLatestBan(deps, guildId, userId, signal) : ban.reason;
        return { reason: wasFor };
      },
      seemsDone: async (_ban, signal) => (await findBan(deps, guildId, userId, signal)) === null,
      isGone: async (signal) => (await findBan(deps, guildId, userId, signal)) === null,
      refusal: (failure) => (failure.code === Code.UnknownBan ? notBanned : null),
      record: (row) => ({ ban: banWire(row) }),
    };
  });
}

/** The user's ban as Discord has it, or null. */
export async function findBan(
  { api }: Pick<PerformerDeps, 'api'>,
  guildId: string,
  userId: string,
  signal: AbortSignal,
): Promise<APIBan | null> {
  return api.get<APIBan>(Routes.guildBan(guildId, userId), { signal }).catch((error: unknown) => {
    if (error instanceof DiscordFailure && error.code === Code.UnknownBan) return null;
    throw error;
  });
}
