import { createHash } from 'node:crypto';
import { logChannelsOf } from '@bailiff/engine/cases/case-posts';
import type { Transaction } from '@bailiff/engine/database/transaction';
import { DEFAULT_LOCALE, type Locale, localeOf } from '@bailiff/messages';
import { sql } from '@bailiff/prisma';
import { z } from 'zod';
import { type LogChannelDeps, postToLogChannel } from './log-channel.ts';

const addTellGuild = sql.command({
  parameters: [sql.text, sql.text, sql.text],
  text: `SELECT graphile_worker.add_job('tell_guild',
       json_build_object('guild_id', $1::text, 'about', $2::text, 'words', $3::text),
       job_key => 'tell_guild:' || $2, max_attempts => 10)`,
});

/**
 * Tells the moderators something in their guild's log channel, if it has one, once the transaction is committed. While
 * Discord is away, it waits.
 *
 * @param about the id of what it is about. What is said of it later replaces what still waits.
 * @param sentence in the guild's language
 */
export async function tellGuild(
  tx: Transaction,
  { guildId, about }: { readonly guildId: string; readonly about: string },
  sentence: (language: Locale) => string,
): Promise<void> {
  const chosen = await logChannelsOf(tx, guildId, null);
  if (chosen === null) return;
  const words = sentence(localeOf(chosen.language) ?? DEFAULT_LOCALE);
  await addTellGuild.run(tx, [guildId, about, words]);
}

const TellGuildJob = z.object({ guild_id: z.string(), about: z.string(), words: z.string() });

/** The job that posts what a guild's moderators are told. */
export function noticeTasks(deps: LogChannelDeps, timeoutMs: number) {
  return {
    tell_guild: (payload: unknown) => {
      const { guild_id: guildId, about, words } = TellGuildJob.parse(payload);
      // Discord would take this message for the post of the case itself, or for another one about the same role.
      const id = createHash('sha256').update(`told ${about}`).digest('hex');
      const post = { guildId, about: id, words };
      return postToLogChannel(deps, post, AbortSignal.timeout(timeoutMs));
    },
  };
}
