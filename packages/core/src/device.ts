import { codeFromBytes, readCode } from './typed-codes.ts';

/** RFC 8628 §3.4. */
export const DEVICE_GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code';

/**
 * How long a code is valid. An address may poll 120 times in 600 s; this is 10 s less, so that a poll every 5 s stays
 * below the limit (spec §8).
 */
export const DEVICE_LIFETIME_SECONDS = 590;

/** How long a client waits between two polls. Each poll that comes too early adds the same amount (RFC 8628 §3.5). */
export const DEVICE_INTERVAL_SECONDS = 5;

const USER_CODE_CHARACTERS = 8;
/** Random bytes for a user code: enough that no code is more likely than another by one part in 2^29. */
export const USER_CODE_BYTES = 8;

/**
 * How many wrong codes within ten minutes block entry for ten minutes: in one session, and in all sessions of a person.
 */
export const MOST_WRONG_CODES = { session: 5, person: 20 } as const;
const WRONG_CODES_MS = 10 * 60_000;

/**
 * A user code of 8 characters, made of 8 random bytes (spec §5.8).
 *
 * @throws RangeError for another number of bytes.
 */
export function userCodeFromBytes(bytes: Uint8Array): string {
  if (bytes.length !== USER_CODE_BYTES) {
    throw new RangeError(`A user code is made of ${USER_CODE_BYTES} bytes, not ${bytes.length}.`);
  }
  return codeFromBytes(bytes, USER_CODE_CHARACTERS);
}

/** A user code for people: two groups of four characters. */
export function shownUserCode(userCode: string): string {
  return `${userCode.slice(0, 4)}-${userCode.slice(4)}`;
}

/** The user code that a person typed in any case, with or without spaces and dashes; null if it cannot be a code. */
export function readUserCode(typed: string): string | null {
  return readCode(typed, USER_CODE_CHARACTERS);
}

/**
 * How long entry is still blocked, in whole seconds; 0 when it is not blocked.
 *
 * @param wrongAt when wrong codes were entered, as {@link withWrongCode} keeps them
 */
export function entryBlockedSeconds(wrongAt: readonly Date[], most: number, now: Date): number {
  const last = wrongAt.at(-1);
  if (wrongAt.length < most || last === undefined) return 0;
  return Math.max(0, Math.ceil((last.getTime() + WRONG_CODES_MS - now.getTime()) / 1000));
}

/** The times of wrong codes in the last ten minutes, with `now` added. */
export function withWrongCode(wrongAt: readonly Date[], now: Date): Date[] {
  return [...wrongAt.filter((at) => now.getTime() - at.getTime() < WRONG_CODES_MS), now];
}
