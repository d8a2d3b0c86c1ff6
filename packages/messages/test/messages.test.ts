import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';
import { describe, expect, test } from 'vitest';
import {
  acceptedLocale,
  CATALOGUES,
  DISCORD_LOCALES,
  LOCALES,
  type Locale,
  localeOf,
  translator,
} from '#src/index.ts';

const texts = (locale: Locale) =>
  new Map(
    Object.entries(CATALOGUES[locale]).flatMap(([namespace, messages]) => flat(messages, `${namespace}.`)),
  );

function flat(messages: object, prefix: string): [string, string][] {
  return Object.entries(messages).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[prefix + key, value]] : flat(value, `${prefix}${key}.`),
  );
}

const ENGLISH = texts('en');

describe.each(LOCALES)('in %s', (locale) => {
  test('every message is there, and none that English does not have', () => {
    expect([...texts(locale).keys()].toSorted()).toEqual([...ENGLISH.keys()].toSorted());
  });

  test('no message is empty or has space around it', () => {
    expect([...texts(locale)].filter(([, text]) => text === '' || text !== text.trim())).toEqual([]);
  });

  test('every message takes what the English one takes', () => {
    const wrong = [...texts(locale)].flatMap(([key, text]) => {
      const [given, wanted] = [argumentsOf(parse(text)), argumentsOf(parse(ENGLISH.get(key) ?? ''))];
      return String(given) === String(wanted) ? [] : [`${key}: ${given} instead of ${wanted}`];
    });
    expect(wrong).toEqual([]);
  });

  test('every plural has the forms of the language', () => {
    const wrong = [...texts(locale)].flatMap(([key, text]) => {
      const missing = formsMissing(parse(text), locale);
      return missing.length === 0 ? [] : [`${key}: ${missing}`];
    });
    expect(wrong).toEqual([]);
  });
});

test('a translation differs from English, but where the languages have the same word', () => {
  for (const locale of LOCALES.filter((each) => each !== 'en')) {
    const same = [...texts(locale)].filter(([key, text]) => text.length > 24 && ENGLISH.get(key) === text);
    expect(same, locale).toEqual([]);
  }
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

/** Names of the arguments and tags of a message, with their types where they matter, sorted. */
function argumentsOf(elements: readonly MessageFormatElement[]): string[] {
  const found = new Set<string>();
  visit(elements, (element) => {
    if (element.type === TYPE.tag) found.add(`<${element.value}>`);
    else if (element.type !== TYPE.literal && element.type !== TYPE.pound) found.add(element.value);
  });
  return [...found].toSorted();
}

function formsMissing(elements: readonly MessageFormatElement[], locale: Locale): string[] {
  const missing: string[] = [];
  visit(elements, (element) => {
    if (element.type !== TYPE.plural) return;
    const { pluralCategories } = new Intl.PluralRules(locale, {
      type: element.pluralType ?? 'cardinal',
    }).resolvedOptions();
    const given = Object.keys(element.options);
    missing.push(...pluralCategories.filter((form) => !given.includes(form)));
  });
  return missing;
}

function visit(
  elements: readonly MessageFormatElement[],
  each: (element: MessageFormatElement) => void,
): void {
  for (const element of elements) {
    each(element);
    if (element.type === TYPE.tag) visit(element.children, each);
    if (element.type === TYPE.plural || element.type === TYPE.select) {
      for (const { value } of Object.values(element.options)) visit(value, each);
    }
  }
}
