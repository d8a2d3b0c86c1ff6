import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';
import { discordProblemOf, repeatedOptions } from './discord-rules.ts';
import { LOCALES, type Locale } from './locales.ts';
import { pathOf, type WordFiles, type Words } from './word-files.ts';

/** If two languages have the same text of at least this length, one of them was not translated. */
const LONG = 25;

/** A figure and its unit between which a line may break. */
const APART = /[}\d] (?:MB|KB|Mo|Ko|ms)\b/;

/** A mark of French and its word between which a line may break. */
const APART_IN_FRENCH = / [:;!?»]|« /;

/** What is wrong with the words, one sentence each: which file, which key, what to do. */
export function problemsIn(files: WordFiles): string[] {
  return LOCALES.flatMap((locale) => {
    const names = new Set([...Object.keys(files.en), ...Object.keys(files[locale])]);
    return [...names].flatMap((name) => problemsOfFile(files, locale, name));
  });
}

function problemsOfFile(files: WordFiles, locale: Locale, name: string): string[] {
  const [path, original] = [pathOf(locale, name), pathOf('en', name)];
  const [english, given] = [files.en[name], files[locale][name]];
  if (english === undefined) return [`${path} has no English original: remove it, or add ${original}.`];
  if (given === undefined) return [`${path} is missing: translate ${original}.`];
  const wanted = messagesIn(english);
  const texts = messagesIn(given);
  const missing = [...wanted.keys()].filter((key) => !texts.has(key));
  const extra = [...texts.keys()].filter((key) => !wanted.has(key));
  return [
    ...missing.map((key) => `${path} lacks "${key}": translate it from ${original}.`),
    ...extra.map((key) => `${path} has "${key}", which English lacks: remove it, or add it to ${original}.`),
    ...[...texts].flatMap(([key, text]) => {
      const model = wanted.get(key);
      if (model === undefined) return [];
      const problem = problemOf(locale, text, model) ?? discordProblemOf(name, key, text);
      return problem === null ? [] : [`${path}, "${key}": ${problem}.`];
    }),
    ...repeatedOptions(texts).map(
      (key) => `${path}, "${key}": another option has this name; choose another one.`,
    ),
  ];
}

/** The messages of a file by their whole key, such as `errors.user`. */
function messagesIn(words: Words, prefix = ''): Map<string, string> {
  const entries = Object.entries(words).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[prefix + key, value]] : [...messagesIn(value, `${prefix}${key}.`)],
  );
  return new Map(entries);
}

function problemOf(locale: Locale, text: string, original: string): string | null {
  if (text === '') return 'the message is empty; write it';
  if (text !== text.trim()) return 'the message has space around it; remove that';
  if (APART.test(text)) return 'a line may break between a figure and its unit; put a no-break space there';
  if (locale === 'fr' && APART_IN_FRENCH.test(text)) {
    return 'a line may break before : ; ! ? » or after «; put a no-break space there';
  }
  const [given, wanted] = [parsed(text), parsed(original)];
  if (typeof given === 'string') return `this is no ICU message (${given}); mend its braces and tags`;
  if (typeof wanted === 'string') return null;
  return (
    wrongArguments(given, wanted) ??
    missingForms(given, locale) ??
    lostNumber(given, wanted) ??
    (locale !== 'en' && text.length >= LONG && text === original
      ? 'this is the English text; translate it'
      : null)
  );
}

/** The parsed message, or why it is not valid. */
function parsed(text: string): MessageFormatElement[] | string {
  try {
    return parse(text);
  } catch (error) {
    return (error as Error).message;
  }
}

function wrongArguments(given: MessageFormatElement[], wanted: MessageFormatElement[]): string | null {
  const [taken, expected] = [argumentsOf(given), argumentsOf(wanted)];
  if (String([...taken.keys()]) !== String([...expected.keys()])) {
    return `it takes ${listed(taken.keys())}, but the English message takes ${listed(expected.keys())}; use those`;
  }
  for (const [name, choices] of taken) {
    const known = expected.get(name) ?? [];
    const unknown = choices.filter((choice) => known.length > 0 && !known.includes(choice));
    if (unknown.length > 0) return `"${name}" never is ${listed(unknown)}; choose between ${listed(known)}`;
    const lost = known.filter((choice) => !choices.includes(choice));
    if (lost.length > 0)
      return `it says nothing for "${name}" being ${listed(lost)}; English does, so add it`;
  }
  return null;
}

function listed(names: Iterable<string>): string {
  return [...names].join(', ') || 'nothing';
}

/** Names of the arguments and tags of a message, sorted, each with the values of its choices. */
function argumentsOf(elements: readonly MessageFormatElement[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  visit(elements, (element) => {
    if (element.type === TYPE.literal || element.type === TYPE.pound) return;
    const name = element.type === TYPE.tag ? `<${element.value}>` : element.value;
    const choices = element.type === TYPE.select ? Object.keys(element.options) : [];
    found.set(name, [...new Set([...(found.get(name) ?? []), ...choices])]);
  });
  return new Map([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function missingForms(elements: readonly MessageFormatElement[], locale: Locale): string | null {
  const missing = new Set<string>();
  visit(elements, (element) => {
    if (element.type !== TYPE.plural) return;
    const type = element.pluralType ?? 'cardinal';
    const { pluralCategories } = new Intl.PluralRules(locale, { type }).resolvedOptions();
    for (const form of pluralCategories) if (element.options[form] === undefined) missing.add(form);
  });
  return missing.size === 0 ? null : `its plural lacks the form ${listed(missing)}; add it`;
}

/** A plural that does not say its number, where English says it. */
function lostNumber(given: MessageFormatElement[], wanted: MessageFormatElement[]): string | null {
  const [said, expected] = [countsSaid(given), countsSaid(wanted)];
  const lost = [...expected].filter((name) => !said.has(name));
  return lost.length === 0
    ? null
    : `it does not say the number of "${listed(lost)}", as English does; write #`;
}

/** The arguments of plurals whose number is said: by one of these plurals in its usual form, or by itself. */
function countsSaid(elements: readonly MessageFormatElement[]): Set<string> {
  const plurals = new Map<string, boolean>();
  const shown = new Set<string>();
  visit(elements, (element) => {
    if (element.type === TYPE.number || element.type === TYPE.argument) shown.add(element.value);
    if (element.type !== TYPE.plural) return;
    let says = false;
    visit(element.options.other?.value ?? [], ({ type }) => {
      says ||= type === TYPE.pound;
    });
    plurals.set(element.value, says || plurals.get(element.value) === true);
  });
  return new Set([...plurals].filter(([name, says]) => says || shown.has(name)).map(([name]) => name));
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
