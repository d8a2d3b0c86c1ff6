import { ApiError, type InputOf, type OutputOf } from '@bailiff/core';
import { readForPerson } from '@bailiff/engine/calls/read-call';
import type { Engine } from '@bailiff/engine/engine';
import { type Locale, translator } from '@bailiff/messages';
import type { ApplicationCommandOptionChoiceData } from 'discord.js';
import { listed } from './in-force.ts';
import { moment, oneLine, quoted } from './text.ts';

type Identity = OutputOf<'identities.list'>['data'][number];

/** Longer than every identity. */
const WHOLE = 100;

/** The text of a list of identities in games. */
export function identitiesText(
  locale: Locale,
  { data, next_cursor }: OutputOf<'identities.list'>,
  { user_id }: InputOf<'identities.list'>,
): string {
  const say = translator(locale, 'identities');
  const platform = translator(locale, 'commands');
  const lines = data.map((identity) =>
    say('line', {
      who: `<@${identity.user_id}>`,
      identity: quoted(identity.in_game_id, WHOLE),
      platform: platform(`choices.${identity.platform}`),
      by: `<@${identity.set_by}>`,
      when: moment(identity.set_at, 'd'),
    }),
  );
  const none = user_id === undefined ? say('none') : say('noneOf', { who: `<@${user_id}>` });
  return listed(translator(locale, 'chat'), lines, say('head'), none, next_cursor);
}

/** The text that says what was done with an identity. */
export function identityText(
  locale: Locale,
  operation: 'identities.add' | 'identities.remove',
  { user_id, in_game_id }: Identity,
): string {
  const identity = quoted(in_game_id, WHOLE);
  return translator(locale, 'operations')(`${operation}.done`, { user: `<@${user_id}>`, identity });
}

/** Discord's limit. */
const MOST_LABEL = 100;
/** More than a person has. */
const MOST_OF_PERSON = 25;

/** Suggestions of a person's identities that match what is being typed. Empty if this reader may not see any. */
export async function identityChoices(
  engine: Engine,
  about: string,
  typed: string,
  asking: { readonly guildId: string; readonly userId: string; readonly requestId: string },
): Promise<ApplicationCommandOptionChoiceData[]> {
  const sought = typed.trim().toLowerCase();
  const input = { user_id: about, limit: MOST_OF_PERSON };
  try {
    const { data } = await readForPerson(engine, { operation: 'identities.list', input, ...asking });
    return data
      .filter(({ in_game_id }) => in_game_id.toLowerCase().includes(sought))
      .map(({ id, in_game_id, platform }) => ({
        name: oneLine(`${in_game_id} (${platform})`, MOST_LABEL),
        value: id,
      }));
  } catch (error) {
    if (error instanceof ApiError && error.code === 'CAPABILITY_DENIED') return [];
    throw error;
  }
}
