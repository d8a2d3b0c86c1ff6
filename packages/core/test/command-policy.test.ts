import { expect, test, vi } from 'vitest';
import { isCommandAllowed, judgeCommand, MOST_PATTERNS, parsePatterns } from '#src/index.ts';

import { verifies } from '#src/testing.ts';

test.each([
  ['an empty policy takes every command', [], [], 'anything at all', true],
  ['case, spaces and a slash in front do not count', [], ['op *', 'stop'], '/OP  alex', false],
  ['a pattern is the whole command', [], ['op *', 'stop'], 'stopwatch', true],
  ['what an allow pattern fits is taken', ['say *', 'list'], [], 'say hello', true],
  ['what no allow pattern fits is not', ['say *', 'list'], [], 'ban alex', false],
  ['each of several commands in one line must fit', ['say *', 'list'], [], 'say hi; list', true],
  ['so an allowed one does not carry another with it', ['say *'], [], 'say hi; quit', false],
  ['nor one before it', ['say *'], [], 'quit;say hi', false],
  ['an empty one is none', ['say *'], [], 'say hi;;', true],
  ['a semicolon alone is no way around an allow list', ['say *'], [], ';', false],
  ['a denied one is found behind another', [], ['quit', 'op *'], 'say hi; /QUIT', false],
  ['and in the whole line', [], ['say *; quit'], 'say hi; quit', false],
  ['a pattern may be about several commands', ['say *; list'], [], 'say hi; list', true],
  ['a deny pattern wins', ['*'], ['* alex *'], 'kick alex now', false],
  ['several spaces and slashes count once', [], ['op alex'], ' //op   alex ', false],
  ['a space between words counts', [], ['op alex'], 'opalex', true],
  ['a slash within a command counts', [], ['say a/b'], 'say ab', true],
  ['a star can stand for nothing', [], ['op*'], 'op', false],
  ['a command ends as its pattern does', [], ['*now'], 'kick now', false],
  ['a start and an end do not share characters', [], ['kick al*alex'], 'kick alex', true],
  ['a middle and an end do not share characters', [], ['a*bc*c'], 'abc', true],
  ['two middles do not share characters', [], ['*a*a*'], 'xa', true],
  ['a denied command is found in quotation marks', [], ['quit'], '"quit"', false],
  ['and with something after them', [], ['op *'], 'say hi;"/OP"alex', false],
  ['and with other words in them', [], ['op alex'], '"op" "alex"', false],
  ['quotation marks in a deny pattern count', [], ['say "hi"'], 'say "hi"', false],
  ['and so does their absence', [], ['say "hi"'], 'say hi', true],
  ['quotation marks are no way into an allow list', ['say hi'], [], 'say "hi"', false],
])('%s', (_what, allow, deny, command, allowed) => {
  verifies('rcon.policy.several-commands');
  expect(isCommandAllowed({ allow, deny }, command)).toBe(allowed);
});

test('a hostile pattern takes no time', () => {
  const pattern = `${'*a'.repeat(500)}b`;
  expect(isCommandAllowed({ allow: [], deny: [pattern] }, 'a'.repeat(1400))).toBe(true);
});

test('a pattern is read as often for a line of hundreds of commands as for a line of two', () => {
  const patterns = Array.from({ length: MOST_PATTERNS }, (_, n) => `${'a '.repeat(90)}${n}`);
  const lower = vi.spyOn(String.prototype, 'toLowerCase');
  const readings = (deny: string[], allow: string[], command: string) => {
    lower.mockClear();
    expect(judgeCommand({ allow, deny }, command)).toEqual({ allowed: false, pattern: null });
    return lower.mock.calls.length;
  };
  const ofPatterns = (command: string) =>
    readings(patterns, patterns, command) - readings([], ['none'], command);
  try {
    const many = Array.from({ length: 300 }, (_, n) => n).join(';');
    expect(ofPatterns(many)).toBe(ofPatterns('1;2'));
    expect(ofPatterns('a;'.repeat(723))).toBe(ofPatterns('1;2'));
  } finally {
    lower.mockRestore();
  }
});

test('a verdict names the pattern that decided it', () => {
  const policy = { allow: ['say *', 'list'], deny: ['say *@everyone*'] };
  expect(judgeCommand(policy, 'say hello')).toEqual({ allowed: true, pattern: 'say *' });
  expect(judgeCommand(policy, 'say hi @everyone')).toEqual({ allowed: false, pattern: 'say *@everyone*' });
  expect(judgeCommand(policy, 'stop')).toEqual({ allowed: false, pattern: null });
  expect(judgeCommand({ allow: [], deny: [] }, 'stop')).toEqual({ allowed: true, pattern: null });
});

test('a list of patterns is trimmed, and each wrong line is named', () => {
  const issue = (index: number, message: string, key: string, values: object) => ({
    ...{ index, message },
    say: { key, values },
  });
  expect(parsePatterns([' say * ', '/list'])).toEqual({ ok: true, patterns: ['say *', '/list'] });
  expect(parsePatterns([])).toEqual({ ok: true, patterns: [] });
  expect(parsePatterns(['x'.repeat(200)]).ok).toBe(true);
  expect(parsePatterns(['list', ' / ', 'x'.repeat(201), 'a\u0007b', '\ud800', '/LIST'])).toEqual({
    ok: false,
    issues: [
      issue(1, 'line 2 has no command in it; "*" stands for every command', 'patternEmpty', { line: '2' }),
      issue(2, 'line 3 has more than 200 characters', 'patternLong', { line: '3', most: '200' }),
      issue(3, 'line 4 has a character that no command can have', 'patternHidden', { line: '4' }),
      issue(4, 'line 5 has a character that no command can have', 'patternHidden', { line: '5' }),
      issue(5, 'line 6 says the same as line 1', 'patternTwice', { line: '6', same: '1' }),
    ],
  });
  expect(parsePatterns(Array.from({ length: MOST_PATTERNS + 1 }, (_, n) => `say ${n}`))).toEqual({
    ok: false,
    issues: [
      issue(100, 'line 101 is one too many: a list has at most 100 patterns', 'patternMany', {
        line: '101',
        most: '100',
      }),
    ],
  });
});
