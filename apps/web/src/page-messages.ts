import type { Locale, Namespace } from '@bailiff/messages';
import { CATALOGUES } from '@bailiff/messages/dashboard';
import compile from 'icu-minify/compile';

/** Texts by key, in groups: ICU messages, or what `compile` makes of them. */
interface Texts {
  readonly [key: string]: unknown;
}

/** Returns what a function of some namespaces in a language returned before, if they are the same. */
function kept(make: (locale: Locale, namespaces: readonly Namespace[]) => Texts): typeof make {
  const made = new Map<string, Texts>();
  return (locale, namespaces) => {
    const key = [locale, ...namespaces].join();
    const known = made.get(key) ?? make(locale, namespaces);
    made.set(key, known);
    return known;
  };
}

/** The texts that the client components of a page use, as ICU messages. */
export const pageMessages = kept((locale, namespaces) => {
  const all = CATALOGUES[locale];
  return Object.fromEntries(
    namespaces.map((name) => [
      name,
      name === 'operations' ? textsForBrowser(all.operations) : (all[name] as Texts),
    ]),
  );
});

/** {@link pageMessages} as a browser needs them: its formatter has no parser for ICU messages. */
export const compiledPageMessages = kept((locale, namespaces) =>
  // Through JSON, because React sends no objects without a prototype, which `compile` makes.
  JSON.parse(JSON.stringify(compiled(pageMessages(locale, namespaces)))),
);

function compiled(texts: Texts): Texts {
  return mapValues(texts, (text) => (typeof text === 'string' ? compile(text) : compiled(text as Texts)));
}

/** The names of operations and of their cases, and the texts of the dashboard's buttons: the browser needs no others. */
function textsForBrowser(words: Texts): Texts {
  if (!('name' in words)) return mapValues(words, (inner) => textsForBrowser(inner as Texts));
  return {
    name: words.name,
    ...('dashboard' in words ? { dashboard: words.dashboard } : {}),
    ...('case' in words ? { case: textsForBrowser(words.case as Texts) } : {}),
  };
}

function mapValues(texts: Texts, map: (inner: unknown) => unknown): Texts {
  return Object.fromEntries(Object.entries(texts).map(([key, inner]) => [key, map(inner)]));
}
