import type { DiscordPermission } from '@bailiff/core';
import { forbidden } from '@bailiff/engine/calls/action-errors';
import type { ActionRecord } from '@bailiff/engine/calls/actions';
import { type APIChannel, type AuditLogEvent, ChannelType } from 'discord.js';
import { requireAccess } from '#src/channel-access.ts';
import { auditLogEntryOf, reasonOf } from './audit-log.ts';
import { Refusal } from './carry-out.ts';
import type { PerformerDeps } from './deps.ts';
import { actorName } from './members.ts';

/** The kinds of channels in which people write, and which have settings of their own, as threads have not. */
const WITH_SETTINGS: readonly ChannelType[] = [
  ChannelType.GuildText,
  ChannelType.GuildAnnouncement,
  ChannelType.GuildVoice,
  ChannelType.GuildStageVoice,
  ChannelType.GuildForum,
  ChannelType.GuildMedia,
];

/** A channel whose settings the bot may change, or why not. @throws DiscordFailure */
export async function readChannel(
  deps: PerformerDeps,
  place: { guildId: string; channelId: string; signal: AbortSignal },
  ...needed: readonly DiscordPermission[]
): Promise<APIChannel | Refusal> {
  const found = await requireAccess(deps, place, ...needed);
  if ('refusal' in found) return new Refusal(found.refusal);
  const { channel } = found.access;
  return WITH_SETTINGS.includes(channel.type) ? channel : new Refusal(forbidden('THREAD_OR_CATEGORY'));
}

/** The reason for the guild's audit log, in the name of the action's actor. */
export async function auditReasonFor(
  deps: PerformerDeps,
  action: ActionRecord,
  reason: string | undefined,
): Promise<string> {
  return reasonOf(action, await actorName(deps, action), reason ?? null);
}

type Found = Awaited<ReturnType<typeof auditLogEntryOf>>;

/** The bot's own entry about a change of a channel or role, of one of these kinds. */
export async function changeEntry(
  deps: PerformerDeps,
  action: ActionRecord,
  { events, id }: { readonly events: readonly AuditLogEvent[]; readonly id: string },
  signal: AbortSignal,
): Promise<Found> {
  let found: Found = 'absent';
  for (const event of events) {
    found = await auditLogEntryOf(deps, action, { event, targetId: id }, signal);
    if (found !== 'absent') break;
  }
  return found;
}
