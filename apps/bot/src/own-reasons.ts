import { type Messages, translator } from '@bailiff/messages';
import type { PerformerDeps } from './performers/deps.ts';
import { guildLocale } from './performers/guild-locale.ts';

/**
 * Why Bailiff itself does something, in the language of the guild: moderators read it in Discord's audit log, in the log
 * channel and on the page of a case.
 */
export async function ownReason(
  deps: Pick<PerformerDeps, 'db'>,
  guildId: string,
  what: keyof Messages['notices']['reasons'],
): Promise<string> {
  return translator(await guildLocale(deps, guildId), 'notices')(`reasons.${what}`);
}
