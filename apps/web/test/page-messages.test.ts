import { LOCALES, type Locale, type Namespace } from '@bailiff/messages';
import { CATALOGUES } from '@bailiff/messages/dashboard';
import { createTranslator } from 'use-intl/core';
import { expect, test } from 'vitest';
import { translatorOf } from '#components/intl-in-browser.tsx';
import { compiledPageMessages, pageMessages } from '#src/page-messages.ts';

const SELECT = 1;
const COUNTED = [2, 3, 4];
const NAMESPACES = Object.keys(CATALOGUES.en) as Namespace[];
/** The texts of all groups by their keys, joined with dots. */
function leavesOf(texts: object, path: readonly string[] = []): [key: string, text: unknown][] {
  return Object.entries(texts).flatMap(([key, inner]) =>
    typeof inner === 'string' || Array.isArray(inner)
      ? [[[...path, key].join('.'), inner] as [string, unknown]]
      : leavesOf(inner as object, [...path, key]),
  );
}

/** Gives each argument of a compiled message a value: `count` where it is counted, else its own name, or an option. */
function fill(nodes: unknown, count: number, values: Record<string, unknown>): void {
  if (!Array.isArray(nodes)) return;
  for (const node of nodes as unknown[]) {
    if (!Array.isArray(node)) continue;
    const [name, kind, ...rest] = node as [string, unknown, ...unknown[]];
    const options = typeof rest[0] === 'object' && rest[0] !== null ? (rest[0] as object) : {};
    if (kind === undefined) values[name] ??= `<${name}>`;
    else if (kind === SELECT) values[name] ??= Object.keys(options)[count % Object.keys(options).length];
    else if (COUNTED.includes(kind as number)) values[name] = count;
    else values[name] = (chunks: readonly string[]) => `[${chunks.join('')}]`;
    for (const inner of Object.values(options)) fill(inner, count, values);
    if (typeof kind !== 'number') fill([kind, ...rest], count, values);
  }
}

test.each(LOCALES)('a browser says in %s what the server says', (locale: Locale) => {
  const texts = pageMessages(locale, NAMESPACES);
  expect(texts.shell).toEqual(CATALOGUES[locale].shell);
  const messages = compiledPageMessages(locale, NAMESPACES);
  const compiled = new Map(leavesOf(messages));
  const inBrowser = translatorOf({ locale, messages: messages as never, timeZone: 'UTC' });
  const said = createTranslator({
    locale,
    messages: texts,
    onError: (error) => {
      throw error;
    },
  }) as unknown as { markup(key: string, values: object): string };
  const leaves = leavesOf(texts);
  expect(leaves.length).toBeGreaterThan(1_000);
  for (const [key] of leaves) {
    expect(inBrowser.has(key), key).toBe(true);
    for (const count of [0, 1, 2, 5, 1_000_000]) {
      const values: Record<string, unknown> = {};
      fill(compiled.get(key), count, values);
      const asMarkup = Object.fromEntries(
        Object.entries(values).map(([name, value]) => [
          name,
          typeof value === 'function' ? (chunks: string) => value([chunks]) : value,
        ]),
      );
      expect([inBrowser.rich(key, values)].flat().join(''), `${key}, ${count}`).toBe(
        said.markup(key, asMarkup),
      );
    }
  }
});
