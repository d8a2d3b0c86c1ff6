import { hash } from 'node:crypto';
import { canonicalJson } from './digest.ts';

/** The list a cursor belongs to. Of `filters`, the paging fields `limit` and `cursor` do not count. */
export interface CursorScope {
  readonly list: string;
  readonly guildId: string;
  readonly filters: Readonly<Record<string, unknown>>;
}

const CHECKSUM_CHARACTERS = 16;

/** The `next_cursor` after the row with the id `after`. It is opaque, not secret: it only says where a page begins. */
export function encodeCursor({ after, ...scope }: CursorScope & { readonly after: string }): string {
  return Buffer.from(`${checksum(scope, after)}${after}`).toString('base64url');
}

/** The id after which a page begins, or null for a cursor that is altered or of another list, guild or filter. */
export function decodeCursor(cursor: string, scope: CursorScope): string | null {
  const after = Buffer.from(cursor, 'base64url').toString().slice(CHECKSUM_CHARACTERS);
  // Encoding again settles what base64url leaves open: foreign characters, padding and spare bits.
  return after !== '' && encodeCursor({ ...scope, after }) === cursor ? after : null;
}

function checksum({ list, guildId, filters }: CursorScope, after: string): string {
  const { limit: _limit, cursor: _cursor, ...own } = filters;
  return hash('sha256', canonicalJson([list, guildId, own, after])).slice(0, CHECKSUM_CHARACTERS);
}
