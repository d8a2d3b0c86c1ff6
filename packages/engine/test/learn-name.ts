import type { Database } from '@bailiff/prisma';
import { keepName } from '#src/guilds/known-names.ts';

/** Keeps a name that was to be asked for, as the bot does once Discord has said it. */
export async function learnName(db: Database, person: Parameters<typeof keepName>[1]): Promise<void> {
  await db.pool.query(
    'INSERT INTO names_to_learn (user_id, met_at) VALUES ($1, now()) ON CONFLICT (user_id) DO NOTHING',
    [person.userId],
  );
  await keepName(db.pool, person);
}
