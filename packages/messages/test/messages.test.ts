import { describe, expect, test } from 'vitest';
import { CATALOGUES } from '#src/dashboard.ts';
import { acceptedLocale, DISCORD_LOCALES, LOCALES, localeOf, translator } from '#src/index.ts';
import { problemsIn } from '#src/problems.ts';
import { readWords, type WordFiles, type Words } from '#src/word-files.ts';

const WORDS = await readWords();

test('nothing is wrong with the words', () => {
  expect(problemsIn(WORDS)).toEqual([]);
});

test('every file of words is said, and nothing else', () => {
  expect(CATALOGUES).toEqual(WORDS);
});

describe('what is wrong is told with file, key and what to do', () => {
  /** The words with some of an area put differently. */
  const having = (locale: 'en' | 'fr', area: string, changed: Words): WordFiles => ({
    ...WORDS,
    [locale]: { ...WORDS[locale], [area]: { ...WORDS[locale][area], ...changed } },
  });
  const without = (area: string, key: string): WordFiles => {
    const { [key]: _, ...rest } = WORDS.fr[area] ?? {};
    return { ...WORDS, fr: { ...WORDS.fr, [area]: rest } };
  };

  test.each([
    [
      'a message that is missing',
      without('signIn', 'title'),
      'words/fr/sign-in.json lacks "title": translate it from words/en/sign-in.json.',
    ],
    [
      'a message that English lacks',
      having('fr', 'common', { years: 'ans' }),
      'words/fr/common.json has "years", which English lacks: remove it, or add it to words/en/common.json.',
    ],
    [
      'an area that is missing',
      { ...WORDS, en: { ...WORDS.en, gifts: {} } },
      ...LOCALES.filter((locale) => locale !== 'en').map(
        (locale) => `words/${locale}/gifts.json is missing: translate words/en/gifts.json.`,
      ),
    ],
    [
      'an area that English lacks',
      { ...WORDS, fr: { ...WORDS.fr, gifts: {} } },
      'words/fr/gifts.json has no English original: remove it, or add words/en/gifts.json.',
    ],
    [
      'a broken message',
      having('fr', 'common', { hours: '{count, plural, one {# heure}' }),
      'words/fr/common.json, "hours": this is no ICU message (MISSING_OTHER_CLAUSE); mend its braces and tags.',
    ],
    [
      'an argument of another name',
      having('fr', 'device', { asks: '{clientele} demande un jeton' }),
      'words/fr/device.json, "asks": it takes clientele, but the English message takes client; use those.',
    ],
    [
      'a choice that never comes',
      having('fr', 'guard', {
        tokenState: '{name} ({state, select, actif {actif} expired {expiré} other {révoqué}})',
      }),
      'words/fr/guard.json, "tokenState": "state" never is actif; choose between active, expired, other.',
    ],
    [
      'a plural that lacks a form',
      having('fr', 'common', { days: '{count, plural, one {# jour} other {# jours}}' }),
      'words/fr/common.json, "days": its plural lacks the form many; add it.',
    ],
    [
      'an empty message',
      having('fr', 'common', { kindBan: '' }),
      'words/fr/common.json, "kindBan": the message is empty; write it.',
    ],
    [
      'space around a message',
      having('fr', 'common', { kindBan: 'Bannissement ' }),
      'words/fr/common.json, "kindBan": the message has space around it; remove that.',
    ],
    [
      'a message left in English',
      having('fr', 'signIn', { noAnswer: 'The server did not answer. Try again in a moment.' }),
      'words/fr/sign-in.json, "noAnswer": this is the English text; translate it.',
    ],
  ])('%s', (_, words, ...problems) => {
    expect(problemsIn(words as WordFiles)).toEqual(problems);
  });
});

test('counts are said in the words of the language', () => {
  const said = LOCALES.map((locale) => translator(locale, 'common')('days', { count: 2 }));
  expect(said).toEqual(['2 days', '2 Tage', '2 jours', '2 días', '2 dias']);
});

test('a tag is understood by its language', () => {
  expect(LOCALES.flatMap((locale) => DISCORD_LOCALES[locale].map(localeOf))).toEqual([
    ...['en', 'en', 'de', 'fr', 'es', 'es', 'pt'],
  ]);
  expect(['pt_PT', 'DE', 'ja', '', null, undefined].map(localeOf)).toEqual([
    'pt',
    'de',
    null,
    null,
    null,
    null,
  ]);
});

test.each([
  ['fr-CH, fr;q=0.9, en;q=0.8', 'fr'],
  ['ja, de;q=0.3, es;q=0.7', 'es'],
  ['ja', null],
  ['de;q=0', null],
  ['', null],
  [null, null],
])('Accept-Language %j asks for %j', (header, locale) => {
  expect(acceptedLocale(header)).toBe(locale);
});
