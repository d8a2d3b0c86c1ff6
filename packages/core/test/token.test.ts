import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  bearerSecret,
  hashSecret,
  isSecret,
  lastFour,
  SECRET_BYTES,
  secretFromBytes,
  secretProof,
  TOKEN_PREFIX,
} from '#src/index.ts';
import { verifies } from '#src/testing.ts';
import { anyCharacter } from '#src/testing-samples.ts';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const SECRET = secretFromBytes(Uint8Array.from({ length: SECRET_BYTES }, (_, index) => index * 8));
const bytes = fc.uint8Array({ minLength: SECRET_BYTES, maxLength: SECRET_BYTES });

test('a secret is svcpat_ and 48 characters of Crockford base32', () => {
  verifies('secret.format');
  fc.assert(
    fc.property(bytes, (random) => {
      const secret = secretFromBytes(random);
      expect(secret).toHaveLength(55);
      expect(secret).toMatch(/^svcpat_[0-9A-HJKMNP-TV-Z]{48}$/);
      expect(isSecret(secret)).toBe(true);
    }),
  );
});

test('all 240 bits are in the secret', () => {
  fc.assert(
    fc.property(bytes, (random) => {
      let value = 0n;
      for (const symbol of secretFromBytes(random).slice(TOKEN_PREFIX.length)) {
        value = value * 32n + BigInt(CROCKFORD.indexOf(symbol));
      }
      expect(value.toString(16).padStart(60, '0')).toBe(Buffer.from(random).toString('hex'));
    }),
  );
});

test('each position of random secrets ranges over all 32 symbols', () => {
  const secrets = Array.from({ length: 2000 }, () => secretFromBytes(randomBytes(SECRET_BYTES)));
  expect(new Set(secrets).size).toBe(secrets.length);
  for (let position = TOKEN_PREFIX.length; position < 55; position += 1) {
    expect([...new Set(secrets.map((secret) => secret[position]))].sort().join('')).toBe(CROCKFORD);
  }
});

test.each([29, 31, 0])('%i bytes make no secret', (length) => {
  expect(() => secretFromBytes(new Uint8Array(length))).toThrow(RangeError);
});

test.each([[`Bearer ${SECRET}`], [`bearer ${SECRET}`], [`BEARER ${SECRET}`]])(
  '%j holds a secret',
  (header) => {
    expect(bearerSecret(header)).toEqual({ kind: 'secret', secret: SECRET });
  },
);

test.each([
  [null],
  [''],
  ['   '],
  ['Bearer'],
  ['Bearer '],
  ['Basic dXNlcjpwYXNz'],
  [`Token ${SECRET}`],
  [`XBearer ${SECRET}`],
  [`Bearers ${SECRET}`],
  [SECRET],
])('%j sends no token of ours', (header) => {
  expect(bearerSecret(header)).toEqual({ kind: 'none' });
});

test.each([
  ['two spaces', `Bearer  ${SECRET}`],
  ['a tab', `Bearer\t${SECRET}`],
  ['a trailing space', `Bearer ${SECRET} `],
  ['a trailing newline', `Bearer ${SECRET}\n`],
  ['quotes', `Bearer "${SECRET}"`],
  ['one character more', `Bearer ${SECRET}0`],
  ['one character less', `Bearer ${SECRET.slice(0, -1)}`],
  ['lower case', `Bearer ${SECRET.toLowerCase()}`],
  ['another prefix', `Bearer ${SECRET.replace('svcpat', 'ghp')}`],
  ['the letter I', `Bearer ${SECRET.slice(0, -1)}I`],
  ['the letter L', `Bearer ${SECRET.slice(0, -1)}L`],
  ['the letter O', `Bearer ${SECRET.slice(0, -1)}O`],
  ['the letter U', `Bearer ${SECRET.slice(0, -1)}U`],
  ['two secrets', `Bearer ${SECRET}, Bearer ${SECRET}`],
  ['another token', 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.x'],
])('a bearer value with %s is malformed', (_, header) => {
  expect(bearerSecret(header)).toEqual({ kind: 'malformed' });
});

test('no header makes it throw or gives anything but a whole secret', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      expect(bearerSecret(text).kind).toBe('none');
      expect(bearerSecret(`Bearer x${text}`).kind).toBe('malformed');
    }),
  );
});

test('the proof is SHA-256 of the whole secret, and what is stored is SHA-256 of the proof', () => {
  const proof = createHash('sha256').update(SECRET).digest();
  expect(secretProof(SECRET)).toEqual(proof);
  expect(hashSecret(SECRET)).toEqual(createHash('sha256').update(proof).digest());
});

test('four characters tell secrets apart', () => {
  expect(lastFour(SECRET)).toBe(SECRET.slice(51));
});
