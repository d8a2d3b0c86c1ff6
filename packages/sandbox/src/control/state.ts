import { AuditLogEvent } from 'discord-api-types/v10';
import type { AddressBans } from '#src/address-bans.ts';
import { Crowd } from '#src/crowd.ts';
import type { Faults } from '#src/faults.ts';
import type { Gateway } from '#src/gateway/gateway.ts';
import type { Channel, Guild, Member } from '#src/model.ts';
import { byRank } from '#src/permissions.ts';
import type { RateLimits } from '#src/rate-limits.ts';
import type { RequestLog } from '#src/request-log.ts';
import { newestFirst } from '#src/rest/messages.ts';
import { snowflakeTime } from '#src/snowflake.ts';
import type { World } from '#src/world.ts';
import { interactionPayload } from './interactions.ts';

export interface StateSources {
  readonly world: World;
  readonly gateway: Gateway;
  readonly faults: Faults;
  readonly log: RequestLog;
  readonly violations: readonly string[];
  readonly rateLimits: RateLimits;
  readonly bans: AddressBans;
}

export type SandboxState = ReturnType<typeof readState>;

/**
 * The whole state of the sandbox, for scripts and assertions. Channels show their newest `messageCount` messages,
 * oldest first.
 */
export function readState({ world, gateway, faults, log, violations }: StateSources, messageCount: number) {
  return {
    /** Grows with every change. */
    change: world.changes,
    people: { ...world.people },
    channels: { ...world.channelNames },
    guilds: [...world.guilds.values()].map((guild) => guildState(world, guild, messageCount)),
    dms: [...world.dms.values()].map((channel) => ({
      ...messagesState(channel, messageCount),
      id: channel.id,
      user_id: channel.recipientId,
      username: world.users.get(channel.recipientId ?? '')?.username ?? null,
    })),
    commands: [...world.commands.values()],
    interactions: [...world.interactions.values()].map((each) => interactionPayload(world, each)),
    entitlements: [...world.entitlements.values()],
    gateway: gateway.state(),
    faults: faults.list(),
    requests: { total: log.total, invalid: log.invalid },
    server_commands: [...world.serverCommands],
    violations: [...violations],
  };
}

function messagesState(channel: Channel, messageCount: number) {
  return {
    message_count: channel.messages.size,
    messages: newestFirst(channel).slice(0, messageCount).toReversed(),
  };
}

/** Those of a large guild who did something. */
export function shownMembers({ members }: Guild): Member[] {
  return members instanceof Crowd ? members.kept() : [...members.values()];
}

function guildState(world: World, guild: Guild, messageCount: number) {
  return {
    id: guild.id,
    name: guild.name,
    owner_id: guild.ownerId,
    unavailable: guild.unavailable,
    bot_is_member: guild.members.has(world.bot.id),
    roles: [...guild.roles.values()].toSorted(byRank).toReversed(),
    members: shownMembers(guild).map((member) => ({
      user_id: member.user.id,
      username: member.user.username,
      display_name: member.nick ?? member.user.globalName ?? member.user.username,
      bot: member.user.bot,
      nick: member.nick,
      role_ids: [...member.roleIds],
      roles: member.roleIds.map((id) => guild.roles.get(id)?.name ?? id),
      joined_at: member.joinedAt,
      communication_disabled_until: member.timeoutUntil,
      accepts_dms: member.user.acceptsDms,
    })),
    channels: [...guild.channels.values()].map((channel) => ({
      id: channel.id,
      name: channel.name,
      type: channel.type,
      topic: channel.topic,
      parent_id: channel.parentId,
      slowmode: channel.rateLimitPerUser,
      overwrites: channel.overwrites.map((overwrite) => ({ ...overwrite })),
      ...messagesState(channel, messageCount),
    })),
    bans: [...guild.bans.values()].map((ban) => ({
      user_id: ban.user.id,
      username: ban.user.username,
      reason: ban.reason,
      banned_by: ban.bannedBy,
    })),
    audit_log: guild.auditLog.map((entry) => ({
      ...entry,
      reason: entry.reason ?? null,
      action: AuditLogEvent[entry.action_type],
      at: new Date(snowflakeTime(entry.id)).toISOString(),
    })),
  };
}
