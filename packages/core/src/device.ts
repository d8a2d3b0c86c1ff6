/** Names of the clients that may ask for a token through the device flow, by client_id (decisions: Device flow). */
export const DEVICE_CLIENTS: Readonly<Record<string, string>> = { 'bailiff-mcp': 'Bailiff MCP' };

/** RFC 8628 §3.4. */
export const DEVICE_GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code';

/** Ten seconds under the ten minutes in which an address may poll 120 times: a poll every 5 s stays below (spec §8). */
export const DEVICE_LIFETIME_SECONDS = 590;

/** How long a client waits between two polls; each poll that comes too early makes it so much longer (RFC 8628 §3.5). */
export const DEVICE_INTERVAL_SECONDS = 5;

/** Consonants without those that look or sound alike: a code spells no word (RFC 8628 §6.1). */
const USER_CODE_ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const USER_CODE_CHARACTERS = 8;
const USER_CODE = new RegExp(`^[${USER_CODE_ALPHABET}]{${USER_CODE_CHARACTERS}}$`);
/** Random bytes in a user code: so many that no code is more likely than another by one part in 2^29. */
export const USER_CODE_BYTES = 8;

/** Wrong codes within ten minutes after which entry is blocked for ten: of one session, and of a person over all of theirs. */
export const MOST_WRONG_CODES = { session: 5, person: 20 } as const;
const WRONG_CODES_MS = 10 * 60_000;

/**
 * A user code of 8 characters out of 8 random bytes (spec §5.8).
 *
 * @throws RangeError for another number of bytes.
 */
export function userCodeFromBytes(bytes: Uint8Array): string {
  if (bytes.length !== USER_CODE_BYTES) {
    throw new RangeError(`A user code is made of ${USER_CODE_BYTES} bytes, not ${bytes.length}.`);
  }
  let rest = bytes.reduce((number, byte) => number * 256n + BigInt(byte), 0n);
  const letters = BigInt(USER_CODE_ALPHABET.length);
  let code = '';
  while (code.length < USER_CODE_CHARACTERS) {
    code += USER_CODE_ALPHABET.charAt(Number(rest % letters));
    rest /= letters;
  }
  return code;
}

/** A user code as it is shown: two groups of four. */
export function shownUserCode(userCode: string): string {
  return `${userCode.slice(0, 4)}-${userCode.slice(4)}`;
}

/** A user code as a person typed it, in any case, with or without spaces and dashes; null for what can be none. */
export function readUserCode(typed: string): string | null {
  const bare = typed.replace(/[\s\p{Dash}]/gu, '').toUpperCase();
  return USER_CODE.test(bare) ? bare : null;
}

/**
 * For how long entry is blocked, in whole seconds; 0 when it is not.
 *
 * @param wrongAt when wrong codes were entered, as {@link withWrongCode} keeps them
 */
export function entryBlockedSeconds(wrongAt: readonly Date[], most: number, now: Date): number {
  const last = wrongAt.at(-1);
  if (wrongAt.length < most || last === undefined) return 0;
  return Math.max(0, Math.ceil((last.getTime() + WRONG_CODES_MS - now.getTime()) / 1000));
}

/** The times of wrong codes with one more, those of the last ten minutes only. */
export function withWrongCode(wrongAt: readonly Date[], now: Date): Date[] {
  return [...wrongAt.filter((at) => now.getTime() - at.getTime() < WRONG_CODES_MS), now];
}
