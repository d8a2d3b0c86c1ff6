import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LINK_CODE_BYTES, linkCodeFromBytes, readLinkCode } from '#src/link-codes.ts';

const bytes = fc.uint8Array({ minLength: LINK_CODE_BYTES, maxLength: LINK_CODE_BYTES });

test('a code has six consonants, and is read in any case, with spaces and dashes', () => {
  fc.assert(
    fc.property(bytes, (drawn) => {
      const code = linkCodeFromBytes(drawn);
      expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{6}$/);
      expect(readLinkCode(` ${code.slice(0, 3).toLowerCase()} - ${code.slice(3)}\n`)).toBe(code);
    }),
  );
});

test('other numbers of bytes make no code', () => {
  expect(() => linkCodeFromBytes(new Uint8Array(LINK_CODE_BYTES - 1))).toThrow(
    new RangeError('A code is made of 8 bytes, not 7.'),
  );
});

test.each(['', 'BCDFG', 'BCDFGHJ', 'BCDFGA', 'BCDFG0', 'BCDFGß', 'ＢＣＤＦＧＨ', "BCDFG'", 'BCDF\u0000G'])(
  '%j is no code',
  (typed) => {
    expect(readLinkCode(typed)).toBeNull();
  },
);
