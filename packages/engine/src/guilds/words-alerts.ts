import { type Database, sql } from '@bailiff/prisma';
import { coalesce } from '#src/database/coalesce.ts';

/** A message of somebody with cases: where it is, and nothing of what it says. */
export interface Words {
  readonly guildId: string;
  readonly userId: string;
  readonly channelId: string;
  readonly messageId: string;
}

const noteWords = sql.command({
  parameters: [sql.arrayOf(sql.text), sql.arrayOf(sql.text), sql.arrayOf(sql.text), sql.arrayOf(sql.text)],
  text: 'SELECT note_words($1, $2, $3, $4)',
});

/**
 * A function that notes that somebody with cases has written, and queues the post about it if that was after a silence.
 * Messages that come meanwhile share a statement, and behind too many one is refused with DatabaseTooSlow.
 */
export function wordsKeeper({ pool }: Pick<Database, 'pool'>): (words: Words) => Promise<void> {
  const note = coalesce(
    async (words: readonly Words[]) => {
      await noteWords.run(pool, [
        words.map(({ guildId }) => guildId),
        words.map(({ userId }) => userId),
        words.map(({ channelId }) => channelId),
        words.map(({ messageId }) => messageId),
      ]);
      return words.map(() => undefined);
    },
    1,
    { turnOf: ({ guildId }) => guildId },
  );
  return (words) => note(words);
}

const watchWords = sql.statement({
  parameters: [sql.arrayOf(sql.int), sql.int, sql.arrayOf(sql.text).orNull, sql.text],
  columns: { guild_id: sql.text, user_ids: sql.arrayOf(sql.text) },
  text: 'SELECT guild_id, user_ids FROM watch_words($1, $2, $3, $4)',
});

/** The shards whose guilds are meant, and which of them; null: all. */
export interface WatchedShards {
  readonly shardIds: readonly number[];
  readonly shardCount: number;
  readonly guildIds: readonly string[] | null;
}

/** A guild, and the people there whose next message is to be noted: nobody if it does not want to know. */
export interface WatchedGuild {
  readonly guildId: string;
  readonly userIds: readonly string[];
}

/** The guilds whose people are watched, one by one. They are read in pages, so none waits for those of all others. */
export async function* watchedPeople(
  { pool }: Pick<Database, 'pool'>,
  { shardIds, shardCount, guildIds }: WatchedShards,
): AsyncGenerator<WatchedGuild> {
  const some = guildIds === null ? null : [...guildIds];
  for (let after = ''; ; ) {
    const rows = await watchWords.all(pool, [[...shardIds], shardCount, some, after]);
    for (const { guild_id: guildId, user_ids: userIds } of rows) yield { guildId, userIds };
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.guild_id;
  }
}
