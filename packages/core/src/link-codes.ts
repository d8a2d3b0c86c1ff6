import { codeFromBytes, readCode } from './typed-codes.ts';

const LINK_CODE_CHARACTERS = 6;
/** Random bytes for a code: enough that no code is noticeably more likely than another. */
export const LINK_CODE_BYTES = 8;
/** The most that is read of a typed code: with spaces or dashes between its characters. */
export const MOST_TYPED_LINK_CODE = 20;

/** How long the code by which a member links an identity in a game is valid. */
export const LINK_CODE_MINUTES = 15;

/**
 * A code of 6 characters, by which a member shows who they are in a game (decisions: Game servers).
 *
 * @throws RangeError for another number of bytes than LINK_CODE_BYTES.
 */
export function linkCodeFromBytes(bytes: Uint8Array): string {
  if (bytes.length !== LINK_CODE_BYTES) {
    throw new RangeError(`A code is made of ${LINK_CODE_BYTES} bytes, not ${bytes.length}.`);
  }
  return codeFromBytes(bytes, LINK_CODE_CHARACTERS);
}

/** The code that a person typed in any case, with or without spaces and dashes; null if it cannot be a code. */
export function readLinkCode(typed: string): string | null {
  return readCode(typed, LINK_CODE_CHARACTERS);
}
