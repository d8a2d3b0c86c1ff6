import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  DEVICE_GRANT_TYPE,
  entryBlockedSeconds,
  MOST_WRONG_CODES,
  readUserCode,
  shownUserCode,
  USER_CODE_BYTES,
  userCodeFromBytes,
  withWrongCode,
} from '#src/index.ts';
import { verifies } from '#src/testing.ts';

const bytes = fc.uint8Array({ minLength: USER_CODE_BYTES, maxLength: USER_CODE_BYTES });

test('a user code has 8 characters of the alphabet and is shown in two groups of four', () => {
  verifies('device.user-code.format');
  fc.assert(
    fc.property(bytes, (random) => {
      const code = userCodeFromBytes(random);
      expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{8}$/);
      expect(shownUserCode(code)).toMatch(/^.{4}-.{4}$/);
    }),
  );
  expect(() => userCodeFromBytes(new Uint8Array(7))).toThrow(
    new RangeError('A user code is made of 8 bytes, not 7.'),
  );
});

test('the grant type is that of RFC 8628', () => {
  expect(DEVICE_GRANT_TYPE).toBe('urn:ietf:params:oauth:grant-type:device_code');
});

test('user codes use the whole of 20^8', () => {
  const codeOf = (value: bigint) =>
    userCodeFromBytes(Uint8Array.from({ length: 8 }, (_, n) => Number((value >> BigInt(56 - 8 * n)) & 255n)));
  expect(codeOf(0n)).toBe('BBBBBBBB');
  expect(codeOf(20n ** 8n - 1n)).toBe('ZZZZZZZZ');
  expect(codeOf(20n ** 8n)).toBe('BBBBBBBB');
  const near = Array.from({ length: 4000 }, (_, n) => codeOf(BigInt(n)));
  expect(new Set(near).size).toBe(4000);
});

test('a user code is read however it is typed', () => {
  verifies('device.user-code.entry');
  const noise = fc.array(fc.constantFrom(' ', '-', '–', '\t', '\u00a0'), { maxLength: 3 });
  fc.assert(
    fc.property(bytes, fc.array(noise, { minLength: 9, maxLength: 9 }), fc.nat(255), (random, gaps, mask) => {
      const code = userCodeFromBytes(random);
      const typed = [...code]
        .map((letter, n) => (gaps[n] ?? []).join('') + ((mask >> n) & 1 ? letter.toLowerCase() : letter))
        .join('');
      expect(readUserCode(typed + (gaps[8] ?? []).join(''))).toBe(code);
    }),
  );
});

test.each(['', 'BCDF', 'BCDFGHJKL', 'AEIOUYAE', 'BCDFGHJA', 'BCDF\u0000GHJK', '12345678', 'BCDFGHJK;'])(
  '%j can be no user code',
  (typed) => expect(readUserCode(typed)).toBeNull(),
);

test('entry is blocked for ten minutes from the fifth wrong code within any ten', () => {
  verifies('device.wrong-codes');
  const minute = 60_000;
  const gaps = fc.array(fc.integer({ min: 0, max: 12 * minute }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(gaps, (waits) => {
      let kept: Date[] = [];
      let now = 0;
      const taken: number[] = [];
      for (const wait of waits) {
        now += wait;
        const blocked = entryBlockedSeconds(kept, MOST_WRONG_CODES.session, new Date(now));
        const [first = 0, last = 0] = [taken.at(-5), taken.at(-1)];
        const fiveInTen = taken.length >= 5 && last - first < 10 * minute;
        expect(blocked > 0).toBe(fiveInTen && now - last < 10 * minute);
        if (blocked > 0) continue;
        kept = withWrongCode(kept, new Date(now));
        taken.push(now);
      }
    }),
  );
  expect(withWrongCode([new Date(0)], new Date(10 * minute))).toEqual([new Date(10 * minute)]);
  let kept: Date[] = [];
  for (const at of [0, 1, 2, 3]) kept = withWrongCode(kept, new Date(at * minute));
  expect(entryBlockedSeconds(kept, 5, new Date(4 * minute))).toBe(0);
  kept = withWrongCode(kept, new Date(4 * minute));
  expect(entryBlockedSeconds(kept, 5, new Date(4 * minute))).toBe(600);
  expect(entryBlockedSeconds(kept, 5, new Date(14 * minute - 1))).toBe(1);
  expect(entryBlockedSeconds(kept, 5, new Date(14 * minute))).toBe(0);
});
