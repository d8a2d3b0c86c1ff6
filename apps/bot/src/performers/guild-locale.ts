import { guildSettings } from '@bailiff/engine/guilds/guild-settings';
import type { Locale } from '@bailiff/messages';
import type { PerformerDeps } from './deps.ts';

/** What a guild is spoken to in, where nobody in particular is. */
export async function guildLocale({ db }: Pick<PerformerDeps, 'db'>, guildId: string): Promise<Locale> {
  return (await guildSettings(db, guildId)).language;
}
