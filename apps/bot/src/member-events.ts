import { memberEventKeeper, type SeenMember } from '@bailiff/engine/guilds/member-events';
import { GatewayDispatchEvents as Event } from 'discord.js';
import { followJoins } from './join-alerts.ts';
import { tellOfLost } from './lost-events.ts';
import { memberOf, type WireMember } from './mirror-reads.ts';
import type { MirrorSettings } from './mirrored-guild.ts';

type OfGuild = { readonly guild_id: string };

/**
 * Keeps when people join and leave, and their names, from now on, and queues the posts about those who join. Members who
 * are there already add no row.
 */
export function followMemberEvents({ client, db, log }: Pick<MirrorSettings, 'client' | 'db' | 'log'>): void {
  followJoins({ client, db, log });
  const keep = memberEventKeeper(db);
  const isLost = tellOfLost(log, 'events of members are not kept');
  // Whatever an event lacks, the others who follow it hear of it too.
  const keepSeen = async (guildId: string, read: () => SeenMember) => {
    try {
      await keep(read());
    } catch (err) {
      isLost(guildId, err);
    }
  };
  const named = (guildId: string, member: WireMember) => {
    const { userId, username, displayName, joinedAt } = memberOf(member);
    return { guildId, userId, username, displayName, joinedAt };
  };
  const { ws } = client;
  ws.on(Event.GuildMemberAdd, (data: OfGuild & WireMember) =>
    keepSeen(data.guild_id, () => ({ what: 'joined', ...named(data.guild_id, data) })),
  );
  ws.on(Event.GuildMemberUpdate, (data: OfGuild & WireMember) =>
    keepSeen(data.guild_id, () => ({ what: 'seen', ...named(data.guild_id, data) })),
  );
  ws.on(Event.GuildMemberRemove, ({ guild_id: guildId, user }: OfGuild & { user: { id: string } }) =>
    keepSeen(guildId, () => ({ what: 'left', guildId, userId: user.id })),
  );
}
