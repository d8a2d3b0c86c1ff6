import { guildSettings } from '@bailiff/engine/guilds/guild-settings';
import type { Locale } from '@bailiff/messages';
import type { PerformerDeps } from './deps.ts';

/** The guild's language, for messages without a single reader. */
export async function guildLocale({ db }: Pick<PerformerDeps, 'db'>, guildId: string): Promise<Locale> {
  return (await guildSettings(db, guildId)).language;
}
