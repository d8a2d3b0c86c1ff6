import { type Database, sql } from '@bailiff/prisma';

const putName = sql.command({
  parameters: [sql.text, sql.text, sql.text],
  text: `INSERT INTO known_names (user_id, username, display_name, learned_at)
    VALUES ($1, $2, $3, clock_timestamp())
    ON CONFLICT (user_id) DO UPDATE SET username = excluded.username, display_name = excluded.display_name,
      learned_at = excluded.learned_at`,
});

/** Stores a person's name on Discord, for pages about people who are in no mirror. */
export async function keepName(
  { pool }: Pick<Database, 'pool'>,
  person: { readonly userId: string; readonly username: string; readonly displayName: string },
): Promise<void> {
  await putName.run(pool, [person.userId, person.username, person.displayName]);
}
