import { forbidden, notFound } from '@bailiff/engine/calls/action-errors';
import {
  dropMeasure,
  dropPlannedMeasure,
  type MeasureKey,
  measureOf,
  planMeasure,
  takeMeasure,
} from '@bailiff/engine/guilds/measures';
import type { Performer } from '@bailiff/engine/worker/perform-action';
import { type APIChannel, AuditLogEvent, ChannelType, RESTJSONErrorCodes as Code, Routes } from 'discord.js';
import { DiscordFailure } from '#src/discord-api.ts';
import { performerOf, Refusal } from './carry-out.ts';
import { auditReasonFor, changeEntry, readChannel } from './channel-settings.ts';
import type { PerformerDeps } from './deps.ts';
import { missingPermissions } from './members.ts';

/**
 * Sets a channel's slowmode. With a length, what stood before comes back when it is over, unless somebody else has
 * changed it by then.
 */
export function setSlowmode(deps: PerformerDeps): Performer<'channels.slowmode'> {
  return performerOf(deps, (action) => {
    const { id: actionId, guildId, input, actor } = action;
    const { channel_id: channelId, slowmode_seconds: seconds, duration_minutes: minutes, reason } = input;
    const key: MeasureKey = { guildId, kind: 'slowmode', subjectId: channelId };
    const after = { seconds };
    const route = Routes.channel(channelId);
    const isEnd = actor.source === 'system';
    const isSet = async (signal: AbortSignal) =>
      slowmodeOf(await deps.api.get<APIChannel>(route, { signal })) === seconds;
    return {
      check: async (signal) => {
        const place = { guildId, channelId, signal };
        const channel = await readChannel(deps, place, 'ViewChannel', 'ManageChannels');
        if (channel instanceof Refusal) return channel;
        // The end of one that was set before the channel became one for announcements finds nothing to do.
        if (channel.type === ChannelType.GuildAnnouncement && !isEnd)
          return new Refusal(forbidden('THREAD_OR_CATEGORY'));
        const now = slowmodeOf(channel);
        const measure = await measureOf(deps.db, key);
        const stands = measure !== null && measure.after.seconds === now;
        const auditReason = await auditReasonFor(deps, action, reason);
        // What somebody else has set since is left when the time of a slowmode is over.
        return { now, stands, isChange: now !== seconds && (stands || !isEnd), auditReason };
      },
      send: async ({ now, stands, isChange, auditReason }, signal) => {
        if (minutes !== undefined && !stands) {
          await planMeasure(deps.db, key, { actionId, before: { seconds: now }, after });
        }
        if (isChange) {
          const body = { rate_limit_per_user: seconds };
          const made = await deps.api.send('PATCH', route, { signal, reason: auditReason, body });
          requireSet(made as APIChannel, seconds);
        }
        return { seconds: isChange ? seconds : now };
      },
      look: async (_seen, signal) => {
        const entry = await changeEntry(
          deps,
          action,
          { events: [AuditLogEvent.ChannelUpdate], id: channelId },
          signal,
        );
        if (entry === 'absent') return null;
        if (entry !== 'unreadable') return { seconds };
        return (await isSet(signal)) ? { seconds } : null;
      },
      seemsDone: (_seen, signal) => isSet(signal),
      withdraw: (tx) => dropPlannedMeasure(tx, actionId),
      refusal: ({ code }) => {
        if (code === Code.UnknownChannel) return notFound('channel', channelId);
        if (code === Code.CannotExecuteActionOnThisChannelType) return forbidden('THREAD_OR_CATEGORY');
        return code === Code.MissingPermissions ? missingPermissions(['ManageChannels']) : null;
      },
      record: async (made, tx) => {
        if (minutes === undefined) await dropMeasure(tx, key, actionId);
        const taken = minutes === undefined ? null : await takeMeasure(tx, key, { actionId, after }, minutes);
        const expires_at = taken?.expiresAt?.toISOString() ?? null;
        return {
          slowmode: { channel_id: channelId, seconds: taken?.after.seconds ?? made.seconds, expires_at },
        };
      },
    };
  });
}

/** Discord takes a slowmode for a channel that can have none, and sets nothing. @throws DiscordFailure */
function requireSet(made: APIChannel, seconds: number): void {
  if (slowmodeOf(made) === seconds) return;
  throw new DiscordFailure('refused', `Discord set no slowmode in channel ${made.id}`, {
    status: 400,
    code: Code.CannotExecuteActionOnThisChannelType,
  });
}

function slowmodeOf(channel: APIChannel): number {
  return ('rate_limit_per_user' in channel && channel.rate_limit_per_user) || 0;
}
