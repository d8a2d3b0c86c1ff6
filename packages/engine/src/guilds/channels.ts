import {
  type ChannelOverwrite,
  inDiscordOrder,
  type PermissionHolder,
  permissionsInChannel,
} from '@bailiff/core';
import { ChannelKind, type Database, type Queryable, sql } from '@bailiff/prisma';
import { mirroredRows } from './mirrored-rows.ts';

/** A channel as Discord describes it to the bot. */
export interface MirroredChannel {
  readonly id: string;
  readonly kind: ChannelKind;
  /** Null if Discord hides it, because the bot may not view the channel. */
  readonly name: string | null;
  readonly position: number;
  /** Its category. */
  readonly parentId: string | null;
  /** Those of roles and of the bot itself. */
  readonly overwrites: readonly ChannelOverwrite[];
}

const FIELDS = 'id text, kind "ChannelKind", name text, position int, "parentId" text, overwrites jsonb';

/**
 * Most channels are as they were when the bot connects again, so those are not written. A name that Discord hides is
 * kept from before.
 */
const channelRows = mirroredRows<MirroredChannel>(
  'channels',
  (condition) => `INSERT INTO channels AS c (guild_id, id, kind, name, position, parent_id, overwrites)
    SELECT $1, id, kind, name, position, "parentId", overwrites FROM jsonb_to_recordset($2) AS channel(${FIELDS})
    WHERE ${condition}
    ON CONFLICT (guild_id, id) DO UPDATE SET kind = EXCLUDED.kind, name = coalesce(EXCLUDED.name, c.name),
      position = EXCLUDED.position, parent_id = EXCLUDED.parent_id, overwrites = EXCLUDED.overwrites
    WHERE (c.kind, c.name, c.position, c.parent_id, c.overwrites) IS DISTINCT FROM (EXCLUDED.kind,
      coalesce(EXCLUDED.name, c.name), EXCLUDED.position, EXCLUDED.parent_id, EXCLUDED.overwrites)`,
);

/** Writes a channel of a guild. */
export async function putChannel(db: Queryable, guildId: string, channel: MirroredChannel): Promise<void> {
  await channelRows.put.run(db, [guildId, [channel]]);
}

/** Writes all channels of a guild, and deletes the others, except those that are left alone. */
export async function replaceChannels(
  db: Queryable,
  guildId: string,
  channels: readonly MirroredChannel[],
  leftAlone: ReadonlySet<string>,
): Promise<void> {
  await channelRows.replace.run(db, [guildId, channels, [...leftAlone]]);
}

const deleteOne = sql.command({
  parameters: [sql.text, sql.text],
  text: `WITH over AS (
      DELETE FROM measures WHERE guild_id = $1 AND kind IN ('slowmode', 'lock') AND subject_id = $2)
    DELETE FROM channels WHERE guild_id = $1 AND id = $2`,
});

/** Removes a channel that is gone, with its lock and slowmode. */
export async function removeChannel(db: Queryable, guildId: string, channelId: string): Promise<void> {
  await deleteOne.run(db, [guildId, channelId]);
}

const channelsOf = sql.statement({
  parameters: [sql.text],
  columns: {
    id: sql.text,
    kind: sql.oneOf({ ChannelKind }),
    name: sql.text.orNull,
    position: sql.int,
    parent_id: sql.text.orNull,
    overwrites: sql.jsonb<ChannelOverwrite[]>(),
  },
  text: 'SELECT id, kind, name, position, parent_id, overwrites FROM channels WHERE guild_id = $1',
});

const botIn = sql.statement({
  parameters: [sql.text],
  columns: { user_id: sql.text, role_ids: sql.arrayOf(sql.text).orNull, permissions: sql.bigint },
  text: `SELECT m.user_id, m.role_ids, (SELECT coalesce(bit_or(r.permissions), 0) FROM roles r
        WHERE r.guild_id = g.id AND (r.id = g.id OR r.id = ANY (m.role_ids))) AS permissions
    FROM guilds g
    JOIN gateway_shards s ON s.shard_id = g.shard_id
    JOIN members m ON m.guild_id = g.id AND m.user_id = s.bot_user_id
    WHERE g.id = $1`,
});

/** A channel of the mirror. */
export interface ListedChannel
  extends Pick<MirroredChannel, 'id' | 'kind' | 'name' | 'position' | 'parentId'> {
  /** What the bot may do there; null if nothing is known about the bot. */
  readonly permissions: bigint | null;
}

/** The channels of a guild without its threads, in the order in which Discord lists them. */
export async function listChannels(
  { pool }: Pick<Database, 'pool'>,
  guildId: string,
): Promise<ListedChannel[]> {
  const [rows, bot] = await Promise.all([channelsOf.all(pool, [guildId]), botIn.first(pool, [guildId])]);
  const holder: PermissionHolder | null = bot && {
    guildId,
    userId: bot.user_id,
    roleIds: bot.role_ids ?? [],
    permissions: BigInt(bot.permissions),
  };
  const listed = rows.map(({ parent_id: parentId, overwrites, ...row }) => ({
    ...row,
    parentId,
    permissions: holder && permissionsInChannel(holder, overwrites),
  }));
  return inDiscordOrder(listed);
}
