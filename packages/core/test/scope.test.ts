import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CAPABILITIES, readScope } from '#src/index.ts';
import { verifies } from '#src/testing.ts';

test('names of capabilities are read in any order, each once', () => {
  verifies('device.scope.narrows', 'device.scope.invalid');
  const names = fc.array(fc.constantFrom(...CAPABILITIES), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(names, (chosen) => {
      const capabilities = CAPABILITIES.filter((name) => chosen.includes(name));
      expect(readScope(chosen.join(' '))).toEqual({ ok: true, capabilities });
    }),
  );
  expect(readScope('enforcement_strike_add')).toEqual({ ok: true, capabilities: ['strikes.write'] });
});

const MALFORMED = 'scope must be words with single spaces between them, at most 1000 characters.';
const KNOWN = `There are: ${CAPABILITIES.join(' ')}`;

test.each([
  ['', MALFORMED],
  [' ', MALFORMED],
  [' bans.read', MALFORMED],
  ['bans.read ', MALFORMED],
  ['bans.read  bans.write', MALFORMED],
  ['bans.read\tbans.write', MALFORMED],
  ['bans."read"', MALFORMED],
  ['bans\\read', MALFORMED],
  ['bänne.lesen', MALFORMED],
  [`${'bans.read '.repeat(100)}b`, MALFORMED],
  ['x'.repeat(10_240), MALFORMED],
  ['bans.read everything', `scope names everything, which is no capability. ${KNOWN}`],
  ['Bans.read', `scope names Bans.read, which is no capability. ${KNOWN}`],
  ['x'.repeat(1000), `scope names ${'x'.repeat(64)}, which is no capability. ${KNOWN}`],
])('%j is refused, and the client is told why', (scope, problem) => {
  verifies('device.scope.invalid');
  expect(readScope(scope)).toEqual({ ok: false, problem });
});

test('a scope of 1000 characters is not too long', () => {
  const scope = `${'bans.read '.repeat(99)}bans.write`;
  expect(scope).toHaveLength(1000);
  expect(readScope(scope)).toEqual({ ok: true, capabilities: ['bans.read', 'bans.write'] });
});
