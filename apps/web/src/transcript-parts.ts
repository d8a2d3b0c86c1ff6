import { type MessagePart, NEWEST_PART, type PartStart } from '@bailiff/engine/tickets/transcript-parts';
import { addressWith, numberOf, type PageQuery, textIn } from './page-query.ts';

/** The part of a transcript that an address names; the newest if it names none. */
export function partStartIn(query: PageQuery): PartStart {
  const from = numberOf(textIn(query, 'from'));
  const until = numberOf(textIn(query, 'until'));
  return from !== undefined ? { from } : until === undefined ? NEWEST_PART : { before: until };
}

/** The addresses of the parts with the messages before and after. */
export function partsBeside(path: string, { from, to }: MessagePart, count: number) {
  return {
    newerHref: to > count ? null : `${addressWith(path, { from: to })}#transcript`,
    olderHref: from <= 1 ? null : `${addressWith(path, { until: from })}#transcript`,
  };
}

/** The address of a message of any part of a transcript. The part with it begins at its place. */
export function hrefOfMessage(path: string, place: number, id: string): string {
  return `${addressWith(path, { from: place })}#m${id}`;
}
