import { expect, test } from 'vitest';
import { isCommandAllowed } from '../src/index.ts';

test.each([
  ['an empty policy takes every command', [], [], 'anything at all', true],
  ['case, spaces and a slash in front do not count', [], ['op *', 'stop'], '/OP  alex', false],
  ['a pattern is the whole command', [], ['op *', 'stop'], 'stopwatch', true],
  ['what an allow pattern fits is taken', ['say *', 'list'], [], 'say hello', true],
  ['what no allow pattern fits is not', ['say *', 'list'], [], 'ban alex', false],
  ['a deny pattern wins', ['*'], ['* alex *'], 'kick alex now', false],
])('%s', (_what, allow, deny, command, allowed) => {
  expect(isCommandAllowed({ allow, deny }, command)).toBe(allowed);
});

test('a hostile pattern takes no time', () => {
  const pattern = `${'*a'.repeat(500)}b`;
  expect(isCommandAllowed({ allow: [], deny: [pattern] }, 'a'.repeat(1400))).toBe(true);
});
