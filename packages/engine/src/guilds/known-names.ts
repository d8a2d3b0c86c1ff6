import type { CaseKind } from '@bailiff/core';
import { type Database, type Queryable, sql } from '@bailiff/prisma';

const putName = sql.command({
  parameters: [sql.text, sql.text, sql.text, sql.text.orNull, sql.arrayOf(sql.text)],
  text: `WITH learned AS (DELETE FROM names_to_learn WHERE user_id = $1 RETURNING user_id),
      kept AS (
      INSERT INTO known_names (user_id, username, display_name, avatar_hash, learned_at, guild_ids)
      SELECT $1, $2, $3, $4, clock_timestamp(), ARRAY(
        SELECT guild_id FROM cases WHERE user_id = $1 UNION SELECT guild_id FROM notes WHERE user_id = $1
        UNION SELECT guild_id FROM identities WHERE user_id = $1
        UNION SELECT guild_id FROM tickets WHERE opened_by = $1 UNION SELECT guild_id FROM reports WHERE user_id = $1
        UNION SELECT guild_id FROM reports WHERE reported_by = $1 UNION SELECT unnest($5::text[]))
      -- Counted, so that names_to_learn is always locked before known_names, as in meet_people and forget_person. Who was
      -- forgotten while Discord was asked is not asked for any more.
      FROM (SELECT count(*) AS rows FROM learned) AS l WHERE l.rows > 0 OR $5::text[] <> '{}'
      ON CONFLICT (user_id) DO UPDATE SET username = excluded.username, display_name = excluded.display_name,
        avatar_hash = excluded.avatar_hash, learned_at = excluded.learned_at, guild_ids = ARRAY(
          SELECT unnest(known_names.guild_ids) UNION SELECT unnest(excluded.guild_ids)))
    SELECT tell_of_name($1)`,
});

/**
 * Stores a person's name on Discord, for pages of guilds with a record of them about people who are in no mirror. Does
 * nothing if nobody asks for it any more.
 */
export async function keepName(
  db: Queryable,
  person: {
    readonly userId: string;
    readonly username: string;
    readonly displayName: string;
    readonly avatarHash?: string | null;
    /** The guild for whose request Discord was asked, which may know the name without a record of the person. */
    readonly askedBy?: string;
  },
): Promise<void> {
  const { userId, username, displayName, avatarHash = null, askedBy } = person;
  await putName.run(db, [userId, username, displayName, avatarHash, askedBy === undefined ? [] : [askedBy]]);
}

/** How often Discord is asked for a name, at most. Its outages do not count. */
const MOST_ATTEMPTS = 5;

const nextName = sql.statement({
  parameters: [sql.int],
  columns: { user_id: sql.text },
  text: `UPDATE names_to_learn SET asked_at = clock_timestamp(), attempts = attempts + 1
    WHERE user_id = (SELECT user_id FROM names_to_learn
      WHERE attempts < $1 AND (asked_at IS NULL OR asked_at < clock_timestamp() - interval '1 minute')
      ORDER BY met_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING user_id`,
});

/** A person whose name is to be asked for. Nobody else gets them within a minute. Null if there is none. */
export async function personToName({ pool }: Pick<Database, 'pool'>): Promise<string | null> {
  return (await nextName.first(pool, [MOST_ATTEMPTS]))?.user_id ?? null;
}

const askAgain = sql.command({
  parameters: [sql.text],
  text: 'UPDATE names_to_learn SET attempts = attempts - 1 WHERE user_id = $1 AND attempts > 0',
});

/** Lets a name be asked for once more, after a minute, because Discord did not say whether there is one. */
export async function askForNameAgain({ pool }: Pick<Database, 'pool'>, userId: string): Promise<void> {
  await askAgain.run(pool, [userId]);
}

const dropName = sql.command({
  parameters: [sql.text],
  text: 'DELETE FROM names_to_learn WHERE user_id = $1',
});

/** Asks no more for the name of an id that nobody has. */
export async function leaveUnnamed({ pool }: Pick<Database, 'pool'>, userId: string): Promise<void> {
  await dropName.run(pool, [userId]);
}

const putChannel = sql.command({
  parameters: [sql.text, sql.text, sql.text],
  text: `WITH kept AS (
      INSERT INTO known_channels (guild_id, channel_id, name, learned_at) VALUES ($1, $2, $3, clock_timestamp())
      ON CONFLICT (channel_id) DO UPDATE SET name = excluded.name, learned_at = excluded.learned_at)
    SELECT tell_of_name($2)`,
});

/** Stores a channel's name, for the owner who decides about a call. */
export async function keepChannelName(
  { pool }: Pick<Database, 'pool'>,
  channel: { readonly guildId: string; readonly channelId: string; readonly name: string },
): Promise<void> {
  await putChannel.run(pool, [channel.guildId, channel.channelId, channel.name]);
}

type NumberedKind = CaseKind | 'appeal' | 'report';

const thingsById = sql.statement({
  parameters: [sql.text, sql.arrayOf(sql.text)],
  columns: {
    id: sql.text,
    name: sql.text.orNull,
    kind: sql.text.as<NumberedKind>().orNull,
    number: sql.int.orNull,
    user_id: sql.text.orNull,
  },
  text: `SELECT id, name, NULL::text AS kind, NULL::int AS number, NULL::text AS user_id FROM game_servers
      WHERE guild_id = $1 AND id = ANY ($2)
    UNION ALL SELECT id, '#' || name, NULL, NULL, NULL FROM channels
      WHERE guild_id = $1 AND id = ANY ($2) AND name IS NOT NULL
    UNION ALL SELECT channel_id, '#' || name, NULL, NULL, NULL FROM known_channels k
      WHERE guild_id = $1 AND channel_id = ANY ($2)
        AND NOT EXISTS (SELECT FROM channels c WHERE c.guild_id = $1 AND c.id = k.channel_id AND c.name IS NOT NULL)
    UNION ALL SELECT id, '@' || name, NULL, NULL, NULL FROM roles WHERE guild_id = $1 AND id = ANY ($2) AND id <> $1
    UNION ALL SELECT id, NULL, kind::text, case_number, user_id FROM cases WHERE guild_id = $1 AND id = ANY ($2)
    UNION ALL SELECT a.id, NULL, 'appeal', c.case_number, a.user_id FROM appeals a JOIN cases c ON c.id = a.case_id
      WHERE a.guild_id = $1 AND a.id = ANY ($2)
    UNION ALL SELECT id, NULL, 'report', number, user_id FROM reports WHERE guild_id = $1 AND id = ANY ($2)`,
});

/**
 * What an id of a guild's server, channel, role, case, appeal or report stands for. The last three have a number and the
 * person whom they are about, but no name. The number of an appeal is that of its case.
 */
export type KnownThing =
  | { readonly id: string; readonly name: string }
  | { readonly id: string; readonly kind: NumberedKind; readonly number: number; readonly userId: string };

export async function knownThings(
  { pool }: Pick<Database, 'pool'>,
  guildId: string,
  ids: readonly string[],
): Promise<KnownThing[]> {
  const rows = await thingsById.all(pool, [guildId, [...new Set(ids)]]);
  return rows.flatMap(({ id, name, kind, number, user_id }): KnownThing[] => {
    if (name !== null) return [{ id, name }];
    if (kind === null || number === null || user_id === null) return [];
    return [{ id, kind, number, userId: user_id }];
  });
}
