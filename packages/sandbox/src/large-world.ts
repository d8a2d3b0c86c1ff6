import { BOT_PERMISSIONS } from '@bailiff/core';
import { PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import { makeRole } from './actions/roles.ts';
import { Crowd } from './crowd.ts';

import type { Guild } from './model.ts';
import type { World } from './world.ts';

/** A world for measurements: beside the sample guilds, many others, one of which may have very many members. */
export interface LargeWorld {
  readonly guilds: number;
  /** Members of the largest guild. */
  readonly members: number;
}

/** Members of each guild but the largest. */
const ORDINARY = 150;
const ROLES = 20;
/** One member in so many is a moderator. */
const MODERATORS = 50;
const FIRST_GUILD = 300_000_000_000_000_000n;
/** Ids of guilds are one millisecond apart, so that they are dealt evenly to shards. */
const GUILD_STEP = 4_194_304n;
const FIRST_USER = 400_000_000_000_000_000n;

/** Adds the guilds to a world. Their members are computed, so they take little memory. */
export function addLargeWorld(world: World, { guilds, members }: LargeWorld): void {
  let nextUser = FIRST_USER;
  for (let index = 0; index < guilds; index += 1) {
    const count = index === 0 ? members : ORDINARY;
    const guild = largeGuild(world, FIRST_GUILD + BigInt(index) * GUILD_STEP, { count, firstUser: nextUser });
    world.guilds.set(guild.id, guild);
    nextUser += BigInt(count);
  }
}

function largeGuild(
  world: World,
  guildId: bigint,
  { count, firstUser }: { count: number; firstUser: bigint },
): Guild {
  const id = String(guildId);
  const roleId = (index: number) => String(guildId + BigInt(index));
  const roles = Array.from({ length: ROLES }, (_, index) => {
    const permissions = index === 1 ? Permission.BanMembers | Permission.ModerateMembers : 0n;
    const name = index === 0 ? '@everyone' : index === 1 ? 'Moderator' : `Role ${index}`;
    return makeRole(roleId(index), index, { name, permissions: String(permissions) });
  });
  const botRole = makeRole(roleId(ROLES), ROLES, { name: 'Bailiff', permissions: String(BOT_PERMISSIONS) });
  Object.assign(botRole, { managed: true, tags: { bot_id: world.bot.id } });
  const crowd = new Crowd({
    count,
    firstUserId: String(firstUser),
    rolesOf: (index) => [roleId(index % MODERATORS === 1 ? 1 : 2 + (index % (ROLES - 2)))],
  });
  crowd.set(world.bot.id, {
    user: world.bot,
    nick: null,
    roleIds: [botRole.id],
    joinedAt: '2026-01-01T00:00:00.000000+00:00',
    timeoutUntil: null,
    pending: false,
  });
  return {
    id,
    name: `Guild ${id.slice(-6)}`,
    ownerId: String(firstUser),
    preferredLocale: 'en-US',
    roles: new Map([...roles, botRole].map((role) => [role.id, role])),
    members: crowd,
    channels: new Map(),
    bans: new Map(),
    timeoutsOfGone: new Map(),
    auditLog: [],
    requiresTwoFactor: false,
    communityChannelIds: new Set(),
    verificationLevel: 1,
    unavailable: false,
  };
}
