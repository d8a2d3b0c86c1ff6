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

/** A word of a search, as what it is looked for with. */
interface Word {
  /** Finds it where a word begins with it. */
  readonly beginning: RegExp;
  readonly whole: RegExp;
}

const LETTER = '[\\p{L}\\p{N}_]';

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

function wordsOf(query: string): Word[] {
  const words = new Set(query.toLowerCase().match(new RegExp(`${LETTER}+`, 'gu')));
  return [...words].map((word) => ({
    beginning: new RegExp(`(?<!${LETTER})${word}`, 'iu'),
    whole: new RegExp(`(?<!${LETTER})${word}(?!${LETTER})`, 'iu'),
  }));
}

/** 0 if one of the words is missing. */
function pointsOf({ heading, document, text }: Section, words: readonly Word[]): number {
  let sum = 0;
  for (const word of words) {
    const isInHeading = word.beginning.test(heading);
    // The title of a document is the heading of its first section, which must not count twice.
    const isInTitle = heading !== document && word.beginning.test(document);
    const points = (isInHeading ? 8 : 0) + (isInTitle ? 3 : 0) + match(text, word);
    if (points === 0) return 0;
    sum += points;
  }
  return sum;
}

/** 2 for the word itself, 1 for a longer one that begins with it. */
function match(text: string, { beginning, whole }: Word): number {
  if (!beginning.test(text)) return 0;
  return whole.test(text) ? 2 : 1;
}

function excerptOf(text: string, words: readonly Word[]): string {
  const places = words.map(({ beginning }) => text.search(beginning)).filter((place) => place >= 0);
  const first = places.length === 0 ? 0 : Math.min(...places);
  const begin = first <= BEFORE_WORD ? 0 : text.indexOf(' ', first - BEFORE_WORD) + 1;
  const most = begin + EXCERPT_LENGTH;
  const space = text.lastIndexOf(' ', most);
  const end = most >= text.length ? text.length : space > begin ? space : most;
  return `${begin === 0 ? '' : '… '}${text.slice(begin, end)}${end === text.length ? '' : ' …'}`;
}
