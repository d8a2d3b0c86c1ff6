import { type Database, sql } from '@bailiff/prisma';
import { named } from '#src/guilds/people-search.ts';

const idsByName = sql.statement({
  parameters: [sql.text, sql.text, sql.text],
  columns: { id: sql.text },
  // The best plan depends on the text.
  prepared: false,
  text: [
    // Names of members match within a word, too.
    `(SELECT user_id AS id FROM members WHERE guild_id = $1 AND (display_name ILIKE $2 OR username ILIKE $2) LIMIT 50)`,
    `(SELECT id FROM tokens WHERE guild_id = $1 AND name ILIKE $2 LIMIT 50)`,
    `(SELECT id FROM game_servers WHERE guild_id = $1 AND name ILIKE $2 LIMIT 50)`,
    `(SELECT channel_id FROM known_channels WHERE guild_id = $1 AND '#' || name ILIKE $2 LIMIT 50)`,
    ...['name_to_search($3)', 'name_part($3)'].flatMap((part) => [
      `(${named('members', 'ARRAY[n.guild_id]', part)} LIMIT 50)`,
      `(${named('known_names', 'n.guild_ids', part)} LIMIT 50)`,
    ]),
  ].join(' UNION ALL '),
});

/** Ids of people, tokens, game servers and channels whose names, as rows show them, contain a text: some fifty of each. */
export async function idsNamed(db: Database, guildId: string, text: string): Promise<string[]> {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return (await idsByName.all(db.pool, [guildId, pattern, text])).map(({ id }) => id);
}
