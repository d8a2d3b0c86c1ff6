// Searches the documents. It runs in the browser too, so it imports nothing.

/** A part of a document, under one heading. */
export interface Section {
  /** Its address, such as `/docs/owners#windows`. */
  readonly href: string;
  readonly heading: string;
  /** The title of its document. */
  readonly document: string;
  readonly text: string;
}

/** A section that has all words of a search. */
export interface Hit extends Pick<Section, 'href' | 'heading' | 'document'> {
  /** The text around the first of the words. */
  readonly excerpt: string;
}

const EXCERPT_LENGTH = 120;
/** How much of the text before a word its excerpt shows. */
const BEFORE_WORD = 30;

/**
 * The sections that have every word of a search, as a word or the beginning of one; those that have them in their
 * headings first.
 */
export function searchSections(sections: readonly Section[], query: string, most: number): Hit[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  return sections
    .map((section) => ({ section, points: pointsOf(section, words) }))
    .filter(({ points }) => points > 0)
    .toSorted((one, other) => other.points - one.points)
    .slice(0, most)
    .map(({ section: { href, heading, document, text } }) => ({
      href,
      heading,
      document,
      excerpt: excerptOf(text, words),
    }));
}

function wordsOf(text: string): string[] {
  return [...new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])];
}

/** 0 if one of the words is missing. */
function pointsOf({ heading, document, text }: Section, words: readonly string[]): number {
  const inHeading = wordsOf(heading);
  const inDocument = wordsOf(document);
  const inText = wordsOf(text);
  const points = words.map(
    (word) => 8 * match(inHeading, word) + 3 * match(inDocument, word) + match(inText, word),
  );
  return points.includes(0) ? 0 : points.reduce((sum, each) => sum + each, 0);
}

/** 2 for the word itself, 1 for a longer one that begins with it. */
function match(known: readonly string[], word: string): number {
  if (known.includes(word)) return 2;
  return known.some((each) => each.startsWith(word)) ? 1 : 0;
}

function excerptOf(text: string, words: readonly string[]): string {
  const places = words.map((word) =>
    text.toLowerCase().search(new RegExp(`(?<![\\p{L}\\p{N}_])${word}`, 'u')),
  );
  const first = Math.min(...places.filter((place) => place >= 0), text.length);
  const from = first === text.length ? 0 : Math.max(0, text.indexOf(' ', first - BEFORE_WORD) + 1);
  const begin = first <= BEFORE_WORD ? 0 : Math.min(from, first);
  const excerpt = text.slice(begin, begin + EXCERPT_LENGTH);
  return `${begin === 0 ? '' : '… '}${excerpt}${begin + EXCERPT_LENGTH < text.length ? ' …' : ''}`;
}
