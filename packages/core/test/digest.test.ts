import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, digestOf, entryOf } from '#src/index.ts';
import { verifies } from '#src/testing.ts';
import { destructiveCall, GUILD, inputOf, SAMPLES, snowflake, USER } from '#src/testing-samples.ts';

test('keys are sorted by UTF-16 code units at every depth, undefined left out', () => {
  expect(
    canonicalJson({ b: [{ d: 1, c: undefined }], a: { '\ud83d\ude00': 1, '\ufb33': 2, '10': 3, '9': 4 } }),
  ).toBe('{"a":{"10":3,"9":4,"\ud83d\ude00":1,"\ufb33":2},"b":[{"d":1}]}');
});

test.each([
  [null, 'null'],
  [-0, '0'],
  [1e21, '1e+21'],
  [0.1, '0.1'],
  ['\u2028"\\\n\u0007é', '"\u2028\\"\\\\\\n\\u0007é"'],
  [[], '[]'],
  [{}, '{}'],
  [[undefined, null], '[null,null]'],
])('%j is written as %s', (value, text) => {
  expect(canonicalJson(value)).toBe(text);
});

test('it is JSON of the same value, whatever the order of keys', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const text = canonicalJson(value);
      expect(canonicalJson(JSON.parse(text))).toBe(text);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalJson(Object.fromEntries(Object.entries(value).reverse()))).toBe(text);
    }),
  );
});

test('a digest is SHA-256 of operation, guild and input', () => {
  expect(digestOf('bans.add', GUILD, { user_id: USER, reason: 'x' })).toBe(
    createHash('sha256').update(`["bans.add","${GUILD}",{"reason":"x","user_id":"${USER}"}]`).digest('hex'),
  );
  expect(digestOf('me', null, SAMPLES.me)).toMatch(/^[0-9a-f]{64}$/);
});

test('calls have the same digest exactly when operation, guild and every field are the same', () => {
  verifies('G9', 'H18');
  fc.assert(
    fc.property(destructiveCall, destructiveCall, (one, other) => {
      const same = one.name === other.name && canonicalJson(one.input) === canonicalJson(other.input);
      expect(digestOf(one.name, GUILD, inputOf(one)) === digestOf(other.name, GUILD, inputOf(other))).toBe(
        same,
      );
    }),
  );
  fc.assert(
    fc.property(destructiveCall, snowflake, fc.nat(), (call, other, at) => {
      const own = digestOf(call.name, GUILD, inputOf(call));
      expect(digestOf(call.name, other, inputOf(call)) === own).toBe(other === GUILD);
      const keys = Object.keys(call.input);
      const { [keys[at % keys.length] ?? '']: _, ...rest } = call.input;
      const without = entryOf(call.name).input.safeParse(rest);
      fc.pre(without.success);
      const same = canonicalJson(without.data) === canonicalJson(call.input);
      expect(digestOf(call.name, GUILD, without.data) === own).toBe(same);
    }),
  );
});
