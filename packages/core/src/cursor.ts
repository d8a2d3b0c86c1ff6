import { hash } from 'node:crypto';
import { canonicalJson } from './digest.ts';

/** The list that a cursor belongs to. The paging fields `limit` and `cursor` in `filters` are ignored. */
export interface CursorScope {
  readonly list: string;
  readonly guildId: string;
  readonly filters: Readonly<Record<string, unknown>>;
}

const CHECKSUM_CHARACTERS = 16;

/**
 * An id of Bailiff's or the number of a case, and its time in milliseconds in a list that is sorted by time. The
 * checksum is no secret, so a cursor made by hand can hold anything.
 */
const PLACE = /^([a-z]{3}_[0-9a-f]{32}|[1-9]\d{0,8})(@\d{1,14})?$/;

/**
 * The `next_cursor` of a page that ends with the row `after`. It is opaque but not secret: it says where the next page
 * begins.
 */
export function encodeCursor({ after, ...scope }: CursorScope & { readonly after: string }): string {
  return Buffer.from(`${checksum(scope, after)}${after}`).toString('base64url');
}

/** The row before the page, as it was given, or null if the cursor was altered or belongs to another list, guild or filter. */
export function decodeCursor(cursor: string, scope: CursorScope): string | null {
  const after = Buffer.from(cursor, 'base64url').toString().slice(CHECKSUM_CHARACTERS);
  // Decoding base64url ignores foreign characters, padding and spare bits. Encoding again finds them.
  return PLACE.test(after) && encodeCursor({ ...scope, after }) === cursor ? after : null;
}

function checksum({ list, guildId, filters }: CursorScope, after: string): string {
  const { limit: _limit, cursor: _cursor, ...own } = filters;
  return hash('sha256', canonicalJson([list, guildId, own, after])).slice(0, CHECKSUM_CHARACTERS);
}
