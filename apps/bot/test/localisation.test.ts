import { DISCORD_LOCALES, LOCALES } from '@bailiff/messages';
import { Locale as DiscordLocale } from 'discord.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHAT_COMMANDS, COMMAND_DEFINITIONS } from '#src/chat/commands.ts';
import { type ChatStage, endChatStage, setChatStage } from './chat-harness.ts';
import { bot } from './harness.ts';

const TAGS = LOCALES.filter((locale) => locale !== 'en').flatMap((locale) => [...DISCORD_LOCALES[locale]]);

interface Part {
  readonly name: string;
  readonly name_localizations?: object | null;
  readonly description?: string;
  readonly description_localizations?: object | null;
  readonly options?: readonly Part[];
  readonly choices?: readonly Part[];
}

/** A command, its options and choices, each with the names it has in a locale among its like. */
function families(parts: readonly Part[]): (readonly Part[])[] {
  return [
    parts,
    ...parts.flatMap(({ options = [], choices = [] }) => [
      ...families(options),
      ...(choices.length > 0 ? [choices] : []),
    ]),
  ].filter((family) => family.length > 0);
}

const inLocale = (texts: object | null | undefined, tag: string): string | undefined =>
  (texts as Record<string, string> | null | undefined)?.[tag];

const COMMANDS = COMMAND_DEFINITIONS.filter((each) => 'description' in each) as unknown as readonly Part[];
const MENUS = COMMAND_DEFINITIONS.filter((each) => !('description' in each)) as unknown as readonly Part[];

describe.each(TAGS)('in %s', (tag) => {
  test('every command, menu, option and choice has a name of its own, and a description', () => {
    expect(Object.values(DiscordLocale)).toContain(tag);
    for (const family of [...families(COMMANDS), ...families(MENUS)]) {
      const names = family.map(({ name_localizations }) => inLocale(name_localizations, tag));
      expect(names).not.toContain(undefined);
      expect(new Set(names).size).toBe(names.length);
      for (const { description, description_localizations } of family) {
        if (description !== undefined) expect(inLocale(description_localizations, tag)).not.toBe('');
      }
    }
  });
});

test('English names are those of the operation table, and no operation with a command is without words', () => {
  for (const { operation, words, texts } of CHAT_COMMANDS) {
    expect([operation, words.split(' ').at(-1)]).toEqual([operation, texts.name]);
  }
});

test('descriptions fit, in every language', () => {
  const tooLong = families(COMMANDS)
    .flat()
    .flatMap(({ description, description_localizations }) => [
      description ?? '',
      ...Object.values(description_localizations ?? {}),
    ])
    .filter((text) => text.length > 100);
  expect(tooLong).toEqual([]);
});

describe('in a guild', () => {
  let stage: ChatStage;
  beforeAll(async () => {
    stage = await setChatStage({
      Moderator: ['strikes.read', 'strikes.write', 'mutes.write', 'messages.purge'],
    });
  });
  afterAll(() => endChatStage(stage));

  const says = async (locale: string, command: string, options: Record<string, string | number> = {}) => {
    const answer = await stage.does({ type: 'command', user: 'moderator', command, options, locale });
    return answer.message?.content ?? '';
  };

  test('Discord has every name and description in five languages, and is not told again at the next start', async () => {
    const registered = stage.sandbox.getState().commands.find(({ name }) => name === 'mute');
    expect(registered?.name_localizations).toEqual({
      de: 'stummschalten',
      fr: 'réduire-au-silence',
      'es-ES': 'silenciar',
      'es-419': 'silenciar',
      'pt-BR': 'silenciar',
    });
    const puts = () =>
      stage.sandbox.requests.filter(({ method, path }) => method === 'PUT' && path.includes('/commands'))
        .length;
    const gets = () =>
      stage.sandbox.requests.filter(({ method, path }) => method === 'GET' && path.includes('/commands'))
        .length;
    const asked = gets();
    const { close } = stage;
    await stage.bot.stop();
    const again = await bot(stage.config);
    await again.settled;
    await stage.sandbox.until(() => gets() === asked + 1);
    await stage.row('SELECT FROM members WHERE user_id = $1', [stage.people.moderator]);
    expect(puts()).toBe(1);
    stage = { ...stage, bot: again, close: () => again.stop().then(close) };
  });

  test.each([
    [
      'de',
      /^Erledigt\. xx\\_grief\\_xx \(\d+\) auf Harbourlight \(\d+\) für 2 Tage stummschalten: "Spam" \(Fall #\d+\)$/,
    ],
    ['fr', /^C’est fait\. Réduire xx\\_grief\\_xx .* pour 2\u00a0jours\u00a0: "Spam" \(dossier n° \d+\)$/],
    ['es-419', /^Hecho\. Silenciar a xx\\_grief\\_xx .* durante 2 días: "Spam" \(caso n\.º \d+\)$/],
    ['pt-BR', /^Pronto\. Silenciar xx\\_grief\\_xx .* por 2 dias: "Spam" \(caso nº \d+\)$/],
    // We do not speak it; the guild's language is English.
    ['ja', /^Done\. Mute xx\\_grief\\_xx .* for 2 days: "Spam" \(case #\d+\)$/],
  ])('a moderator whose client speaks %s is answered so', async (locale, answer) => {
    expect(await says(locale, 'mute', { user: 'troll', reason: 'Spam', duration: '2d' })).toMatch(answer);
  });

  test.each(['de', 'fr', 'es-ES', 'pt-BR'])(
    'in %s a refusal says what is missing and who grants it',
    async (locale) => {
      const options = { user: 'troll', reason: 'Spam' };
      const { message } = await stage.does({
        type: 'command',
        user: 'admin',
        command: 'ban',
        options,
        locale,
      });
      expect(message?.content).toContain('bans.write');
      expect(message?.content).toContain(`<@${stage.people.owner}>`);
      expect(message?.content).toMatch(/`req_[0-9a-f]{32}`/);
      expect(message?.content).not.toMatch(/Not done|guild owner/);
    },
  );

  test('a field at fault is named as the person sees it', async () => {
    expect(await says('de', 'mute', { user: 'troll', reason: 'Spam', duration: 'bald' })).toBe(
      'Nicht ausgeführt. dauer: „bald“ ist keine Zeitspanne. Schreiben Sie etwa 30m, 2d oder 1w.',
    );
    expect(await says('pt-BR', 'strike remove', { case: 999 })).toMatch(/^Não foi feito\. .* 999/);
  });

  test('forms and their answers are in the language of who opened them', async () => {
    const opened = await stage.does({
      type: 'user_menu',
      user: 'moderator',
      command: 'Strike',
      target: 'troll',
      locale: 'fr',
    });
    expect(opened.modal).toMatchObject({ title: 'Avertir xx_grief_xx' });
    const answer = await stage.does({
      type: 'modal',
      user: 'moderator',
      interaction_id: opened.id,
      fields: { reason: 'Impoli' },
      locale: 'fr',
    });
    expect(answer.message?.content).toMatch(/^C’est fait\. Donner un avertissement mineur à /);
  });

  test('a guild is first spoken to in the language that Discord has for it', async () => {
    const { rows } = await stage.test.database.pool.query(
      'SELECT language, id = $1 AS ours FROM guilds ORDER BY ours',
      [stage.guildId],
    );
    expect(rows).toEqual([
      { language: 'de', ours: false },
      { language: 'en', ours: true },
    ]);
  });

  test('what a guild chose stays, whatever Discord says of it later', async () => {
    const { pool } = stage.test.database;
    await pool.query("UPDATE guilds SET language = 'fr' WHERE id = $1", [stage.guildId]);
    stage.sandbox.control.guilds({ action: 'update', name: 'Harbour Light' });
    await stage.row('SELECT FROM guilds WHERE id = $1 AND name = $2', [stage.guildId, 'Harbour Light']);
    const { rows } = await pool.query('SELECT language FROM guilds WHERE id = $1', [stage.guildId]);
    expect(rows).toEqual([{ language: 'fr' }]);
  });
});
