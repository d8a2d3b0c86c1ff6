import { actionIdInReason, auditLogReason } from '@bailiff/core';
import type { ActionRecord } from '@bailiff/engine/calls/actions';
import { AuditLogEvent, RESTJSONErrorCodes as Code, type RESTGetAPIAuditLogResult, Routes } from 'discord.js';
import { type AuditEntry, auditEntryOf } from '#src/audit-entries.ts';
import { DiscordFailure } from '#src/discord-api.ts';
import type { PerformerDeps } from './deps.ts';

/** The reason for the guild's audit log, with the action's id in it. */
export function reasonOf(action: ActionRecord, name: string, reason: string | null): string {
  return auditLogReason({ reason, actor: { source: action.actor.source, name }, actionId: action.id });
}

/** An entry of the audit log: what happened, and to which user, channel or role. */
export interface LoggedEffect {
  readonly event: AuditLogEvent;
  readonly targetId: string;
}

/** Used if the audit log has no entry, or the bot may not read it. */
export type EntryNotFound = 'absent' | 'unreadable';

/**
 * The bot's own entry about an action in the guild's audit log. Other people's entries do not count, because anybody
 * can write a reason that looks like ours.
 */
export async function auditLogEntryOf(
  deps: PerformerDeps,
  action: ActionRecord,
  effect: LoggedEffect,
  signal: AbortSignal,
): Promise<AuditEntry | EntryNotFound> {
  // Discord gives the latest hundred. Without the target, a busy guild's would soon be all about others.
  const query = {
    user_id: deps.botUserId,
    action_type: String(effect.event),
    target_id: effect.targetId,
  };
  const entries = await readAuditLog(deps, action.guildId, query, signal);
  if (entries === null) return 'unreadable';
  const entry = entries.find(
    ({ user_id, target_id, action_type, reason }) =>
      user_id === deps.botUserId &&
      target_id === effect.targetId &&
      action_type === effect.event &&
      actionIdInReason(reason ?? '') === action.id,
  );
  return entry ?? 'absent';
}

/** The reason of a user's latest ban. Null if none was given, or the audit log does not have it. */
export async function reasonOfLatestBan(
  deps: PerformerDeps,
  guildId: string,
  userId: string,
  signal: AbortSignal,
): Promise<string | null> {
  const entries = await readAuditLog(deps, guildId, { target_id: userId }, signal);
  return entries?.find(({ action_type }) => action_type === AuditLogEvent.MemberBanAdd)?.reason ?? null;
}

/** The latest entry of this kind about a target that fits. */
export async function latestEntry(
  deps: PerformerDeps,
  guildId: string,
  { event, targetId }: LoggedEffect,
  signal: AbortSignal,
  fits: (entry: AuditEntry) => boolean,
): Promise<AuditEntry | EntryNotFound> {
  const entries = await readAuditLog(
    deps,
    guildId,
    { action_type: String(event), target_id: targetId },
    signal,
  );
  if (entries === null) return 'unreadable';
  return (
    entries.find((entry) => entry.target_id === targetId && entry.action_type === event && fits(entry)) ??
    'absent'
  );
}

/** The latest hundred matching entries, newest first. Null if the bot may not read the log. */
async function readAuditLog(
  { api, log }: PerformerDeps,
  guildId: string,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<readonly AuditEntry[] | null> {
  try {
    const { audit_log_entries } = await api.get<RESTGetAPIAuditLogResult>(Routes.guildAuditLog(guildId), {
      signal,
      query: { ...query, limit: '100' },
    });
    return audit_log_entries.flatMap((entry) => auditEntryOf(log, guildId, entry) ?? []);
  } catch (error) {
    if (error instanceof DiscordFailure && error.code === Code.MissingPermissions) return null;
    throw error;
  }
}
