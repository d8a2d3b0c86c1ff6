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
  ['nothing', '', MALFORMED],
  ['a space', ' ', MALFORMED],
  ['a space before', ' bans.read', MALFORMED],
  ['a space behind', 'bans.read ', MALFORMED],
  ['two spaces', 'bans.read  bans.write', MALFORMED],
  ['a tab', 'bans.read\tbans.write', MALFORMED],
  ['quotes', 'bans."read"', MALFORMED],
  ['a backslash', 'bans\\read', MALFORMED],
  ['letters beyond ASCII', 'bänne.lesen', MALFORMED],
  ['1001 characters', `${'bans.read '.repeat(100)}b`, MALFORMED],
  ['10 KB', 'x'.repeat(10_240), MALFORMED],
  ['an unknown word', 'bans.read everything', `scope names everything, which is no capability. ${KNOWN}`],
  ['another case', 'Bans.read', `scope names Bans.read, which is no capability. ${KNOWN}`],
  ['a long word', 'x'.repeat(1000), `scope names ${'x'.repeat(64)}, which is no capability. ${KNOWN}`],
])('with %s it is refused, and the client is told why', (_what, scope, problem) => {
  verifies('device.scope.invalid');
  expect(readScope(scope)).toEqual({ ok: false, problem });
});

test('a scope of 1000 characters is not too long', () => {
  const scope = `${'bans.read '.repeat(99)}bans.write`;
  expect(scope).toHaveLength(1000);
  expect(readScope(scope)).toEqual({ ok: true, capabilities: ['bans.read', 'bans.write'] });
});
