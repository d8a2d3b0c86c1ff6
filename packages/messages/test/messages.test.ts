import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { entryOf, OPERATION_NAMES } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { describe, expect, test } from 'vitest';
import { CATALOGUES, translator as dashboard } from '#src/dashboard.ts';
import {
  acceptedLocale,
  DISCORD_LOCALES,
  LOCALES,
  localeOf,
  CATALOGUES as SHARED,
  translator,
} from '#src/index.ts';
import { problemsIn } from '#src/problems.ts';
import { areasOf, ROOT, readWordFiles, type WordFiles, type Words } from '#src/word-files.ts';

const WORDS = await readWordFiles();

test('nothing is wrong with the words', () => {
  expect(problemsIn(WORDS)).toEqual([]);
});

/** Words and forms of verbs with which people address friends. */
const FAMILIAR = {
  de: /(?<!\p{L})(?:du|dich|dir|deine?[rmns]?|gib|öffne|prüfe|versuche|hänge|nimm|lies)(?!\p{L})/iu,
  fr: /(?<!\p{L})(?:(?:tu|toi|tes)(?!\p{L})|(?:Vérifie|Choisis|Joins|Réessaie|Ouvre)(?= ))/u,
  es: /(?<!\p{L})(?:(?:tú|te|contigo|podáis|(?:[Pp]ása|[Hh]az|[Pp]on)l[aeo]s?)(?!\p{L})|(?:Abre|Elige|Adjunta|Comprueba|Vuelve a intentarlo|Quita|Pulsa)(?= ))/u,
} as const;

test.each(['de', 'fr', 'es'] as const)('nobody is addressed as a friend in %s', (locale) => {
  const familiar = Object.entries(WORDS[locale]).flatMap(([file, words]) =>
    JSON.stringify(words, null, 1)
      .split('\n')
      .filter((line) => FAMILIAR[locale].test(line.replace(/^ *"[^"]*": /, '')))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(familiar).toEqual([]);
});

test('every file of words is said, and nothing else', () => {
  for (const locale of LOCALES)
    expect({ ...CATALOGUES[locale], operations: { ...CATALOGUES[locale].operations } }, locale).toEqual(
      areasOf(WORDS[locale]),
    );
});

test('the guide for translators names every area, and every key of an operation’s block', async () => {
  const guide = await readFile(join(ROOT, 'README.md'), 'utf8');
  const rows = [...guide.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = '']) => [
    ...cell.matchAll(/`([\w-]+)\/?`/g),
  ]);
  const named = rows.flat().map(([, name]) => name);
  const shared = Object.keys(SHARED.en).map((area) =>
    area.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  );
  const blocks = Object.values(SHARED.en.operations).flatMap((area) => Object.values(area) as object[]);
  const keys = blocks.flatMap((block) => (typeof block === 'object' ? Object.keys(block) : []));
  expect([...shared, ...keys].filter((name) => !named.includes(name))).toEqual([]);
  const known = [...shared, ...keys, ...Object.keys(WORDS.en), 'messages', 'generate'];
  expect(named.filter((name) => !known.includes(name ?? ''))).toEqual([]);
});

test('whatever an operation is about has a word in the audit log', () => {
  verifies('audit.target-words');
  const words: Readonly<Record<string, string>> = CATALOGUES.en.audit.targets;
  const types = OPERATION_NAMES.flatMap((name) => {
    const { target, example } = entryOf(name);
    return target(example.input)?.type ?? [];
  });
  expect(types.filter((type) => words[type] === undefined)).toEqual([]);
});

describe('what is wrong is told with file, key and what to do', () => {
  /** The words with some changes in a French file. */
  const having = (name: string, changed: Words): WordFiles => ({
    ...WORDS,
    fr: { ...WORDS.fr, [name]: { ...WORDS.fr[name], ...changed } },
  });
  const without = (name: string, key: string): WordFiles => {
    const { [key]: _, ...rest } = WORDS.fr[name] ?? {};
    return { ...WORDS, fr: { ...WORDS.fr, [name]: rest } };
  };

  const GROUPS = CATALOGUES.fr.commands.groups;
  const CASES = CATALOGUES.fr.operations.cases.list;
  const LIFT = CATALOGUES.fr.operations.bans.lift;
  const ESCALATION = CATALOGUES.fr.settings.escalation;
  const PREVIEW = ESCALATION.previewMute;
  const OPTIONS = LIFT.command.options;

  test.each([
    [
      'a message that is missing',
      without('sign-in', 'title'),
      'words/fr/sign-in.json lacks "title": translate it from words/en/sign-in.json.',
    ],
    [
      'a message that English lacks',
      having('common', { years: 'ans' }),
      'words/fr/common.json has "years", which English lacks: remove it, or add it to words/en/common.json.',
    ],
    [
      'a file that is missing',
      { ...WORDS, en: { ...WORDS.en, gifts: {} } },
      ...LOCALES.filter((locale) => locale !== 'en').map(
        (locale) => `words/${locale}/gifts.json is missing: translate words/en/gifts.json.`,
      ),
    ],
    [
      'a file that English lacks',
      { ...WORDS, fr: { ...WORDS.fr, gifts: {} } },
      'words/fr/gifts.json has no English original: remove it, or add words/en/gifts.json.',
    ],
    [
      'a broken message',
      having('common', { hours: '{count, plural, one {# heure}' }),
      'words/fr/common.json, "hours": this is no ICU message (MISSING_OTHER_CLAUSE); mend its braces and tags.',
    ],
    [
      'an argument of another name',
      having('device', { asks: '{clientele} demande un jeton' }),
      'words/fr/device.json, "asks": it takes clientele, but the English message takes client; use those.',
    ],
    [
      'a choice that never comes',
      having('guard', {
        tokenState: '{name} ({state, select, actif {actif} expired {expiré} other {révoqué}})',
      }),
      'words/fr/guard.json, "tokenState": "state" never is actif; choose between active, expired, other.',
    ],
    [
      'a choice that is left out',
      having('guard', { tokenState: '{name} ({state, select, active {actif} other {révoqué}})' }),
      'words/fr/guard.json, "tokenState": it says nothing for "state" being expired; English does, so add it.',
    ],
    [
      'a plural that does not say its number',
      having('common', { days: '{count, plural, one {# jour} many {# jours} other {jours}}' }),
      'words/fr/common.json, "days": it does not say the number of "count", as English does; write #.',
    ],
    [
      'a plural within a choice that lacks a form',
      having('settings', {
        escalation: { ...ESCALATION, previewMute: PREVIEW.replace('many {# jours} ', '') },
      }),
      'words/fr/settings.json, "escalation.previewMute": its plural lacks the form many; add it.',
    ],
    [
      'a plural that lacks a form',
      having('common', { days: '{count, plural, one {# jour} other {# jours}}' }),
      'words/fr/common.json, "days": its plural lacks the form many; add it.',
    ],
    [
      'a figure apart from its unit',
      having('servers', { tookMs: '{ms} ms' }),
      'words/fr/servers.json, "tookMs": a line may break between a figure and its unit; put a no-break space there.',
    ],
    [
      'a mark of French apart from its word',
      having('shell', { notFound: 'Qui est en ligne ?' }),
      'words/fr/shell.json, "notFound": a line may break before : ; ! ? » or after «; put a no-break space there.',
    ],
    [
      'an empty message',
      having('common', { permanent: '' }),
      'words/fr/common.json, "permanent": the message is empty; write it.',
    ],
    [
      'space around a message',
      having('common', { permanent: 'définitivement ' }),
      'words/fr/common.json, "permanent": the message has space around it; remove that.',
    ],
    [
      'a name that Discord refuses',
      having('commands', { groups: { ...GROUPS, note: { name: 'Note interne', description: 'Notes' } } }),
      'words/fr/commands.json, "groups.note.name": Discord takes 1 to 32 lower-case letters, digits, "-" and "_" as a name; shorten or respell it.',
    ],
    [
      'a description that is too long for Discord',
      having('commands', { groups: { ...GROUPS, note: { name: 'note', description: 'é'.repeat(103) } } }),
      'words/fr/commands.json, "groups.note.description": Discord takes at most 100 characters as a description; shorten it by 3.',
    ],
    [
      'an entry of a menu that is too long for Discord',
      having('operations/cases', { list: { ...CASES, menus: { user: 'é'.repeat(33) } } }),
      'words/fr/operations/cases.json, "list.menus.user": Discord takes at most 32 characters in a menu; shorten it by 1.',
    ],
    [
      'two options of one name',
      having('operations/bans', {
        lift: { ...LIFT, command: { ...LIFT.command, options: { ...OPTIONS, reason: OPTIONS.userId } } },
      }),
      'words/fr/operations/bans.json, "lift.command.options.reason.name": another option has this name; choose another one.',
    ],
    [
      'a message left in English',
      having('ui', { pageFailed: 'Something went wrong in this page. Reload it.' }),
      'words/fr/ui.json, "pageFailed": this is the English text; translate it.',
    ],
  ])('%s', (_, words, ...problems) => {
    expect(problemsIn(words as WordFiles)).toEqual(problems);
  });
});

test('counts are said in the words of the language', () => {
  const said = LOCALES.map((locale) => translator(locale, 'common')('days', { count: 2 }));
  expect(said).toEqual(['2 days', '2 Tage', '2 jours', '2 días', '2 dias']);
});

test.each([
  ['fr', 'rien, sauf 1 modèle interdit', '1 message correspondant reste\u00a0: épinglé.', '1 pris en charge'],
  ['es', 'nada, salvo 1 patrón prohibido', '1 mensaje que coincide se queda: fijado.', '1 asumido'],
  ['pt', 'nada, exceto 1 padrão proibido', '1 mensagem que se encaixa fica: fixada.', '1 assumido'],
] as const)('in %s one thing is said in the singular', (locale, ...said) => {
  const allowed = locale === 'fr' ? 'rien' : 'nada';
  expect([
    dashboard(locale, 'servers')('deniedToo', { allowed, count: 1 }),
    translator(locale, 'chat')('purge.pinned', { count: 1 }),
    dashboard(locale, 'overview')('claimedStat', { count: 1 }),
  ]).toEqual(said);
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
