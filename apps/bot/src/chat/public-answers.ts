import { type Call, type ChatOperation, isPublicAnswer } from '@bailiff/core';
import type { Engine } from '@bailiff/engine/engine';
import { guildSettings } from '@bailiff/engine/guilds/guild-settings';
import { lengthIn, translator } from '@bailiff/messages';

/**
 * What everybody in the channel is told of a command that was done, in the guild's language: what befell whom, and for
 * how long. Never a reason, evidence or a number of points. Null if the guild keeps that between Bailiff and moderator.
 */
export async function publicAnswer(
  { db }: Pick<Engine, 'db'>,
  guildId: string,
  { operation, input }: Call<ChatOperation>,
): Promise<string | null> {
  if (!isPublicAnswer(operation)) return null;
  const { publicAnswers, language } = await guildSettings(db, guildId);
  if (!publicAnswers.includes(operation)) return null;
  const userId = 'userId' in input ? input.userId : 'user_id' in input ? input.user_id : undefined;
  const minutes = 'duration_minutes' in input ? input.duration_minutes : undefined;
  // The sentence of a ban takes the most arguments.
  return translator(language, 'chat')(`public.${operation}` as 'public.bans.add', {
    user: `<@${userId}>`,
    permanent: typeof minutes === 'number' ? 'no' : 'yes',
    length: typeof minutes === 'number' ? lengthIn(language, minutes * 60) : '',
  });
}
