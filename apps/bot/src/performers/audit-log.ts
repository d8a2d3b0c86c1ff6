import { actionIdInReason, auditLogReason } from '@bailiff/core';
import type { Action } from '@bailiff/engine/calls/actions';
import {
  type AuditLogEvent,
  RESTJSONErrorCodes as Code,
  type RESTGetAPIAuditLogResult,
  Routes,
} from 'discord.js';
import { DiscordFailure } from '#src/discord-api.ts';
import type { PerformerDeps } from './deps.ts';

/** The reason the guild's audit log shows, with the action's id in it. */
export function reasonOf(action: Action, name: string, reason: string | null): string {
  return auditLogReason({ reason, actor: { source: action.actor.source, name }, actionId: action.id });
}

/**
 * Whether the bot's own entries of the guild's audit log have one of this action about this user; null where the bot may
 * not read the log. Other people's entries do not count: anybody can write a reason that looks like ours.
 */
export async function isInAuditLog(
  { api, botUserId }: PerformerDeps,
  action: Action,
  effect: { readonly event: AuditLogEvent; readonly targetId: string },
  signal: AbortSignal,
): Promise<boolean | null> {
  try {
    const log = await api.get<RESTGetAPIAuditLogResult>(Routes.guildAuditLog(action.guildId), {
      signal,
      query: { user_id: botUserId, limit: '100' },
    });
    return log.audit_log_entries.some(
      ({ user_id, target_id, action_type, reason }) =>
        user_id === botUserId &&
        target_id === effect.targetId &&
        action_type === effect.event &&
        actionIdInReason(reason ?? '') === action.id,
    );
  } catch (error) {
    if (error instanceof DiscordFailure && error.code === Code.MissingPermissions) return null;
    throw error;
  }
}
