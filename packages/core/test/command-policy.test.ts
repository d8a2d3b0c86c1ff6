import { expect, test } from 'vitest';
import { isCommandAllowed, judgeCommand, MOST_PATTERNS, parsePatterns } from '#src/index.ts';

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

test('a verdict names the pattern that decided it', () => {
  const policy = { allow: ['say *', 'list'], deny: ['say *@everyone*'] };
  expect(judgeCommand(policy, 'say hello')).toEqual({ allowed: true, pattern: 'say *' });
  expect(judgeCommand(policy, 'say hi @everyone')).toEqual({ allowed: false, pattern: 'say *@everyone*' });
  expect(judgeCommand(policy, 'stop')).toEqual({ allowed: false, pattern: null });
  expect(judgeCommand({ allow: [], deny: [] }, 'stop')).toEqual({ allowed: true, pattern: null });
});

test('a list of patterns is trimmed, and each wrong line is named', () => {
  expect(parsePatterns([' say * ', '/list'])).toEqual({ ok: true, patterns: ['say *', '/list'] });
  expect(parsePatterns([])).toEqual({ ok: true, patterns: [] });
  const parsed = parsePatterns(['list', ' / ', 'x'.repeat(201), 'a\u0007b', '\ud800', '/LIST']);
  expect(parsed.ok ? [] : parsed.issues.map(({ index }) => index)).toEqual([1, 2, 3, 4, 5]);
  expect(parsed).toMatchObject({
    issues: expect.arrayContaining([{ index: 5, message: 'line 6 says the same as line 1' }]),
  });
  const many = parsePatterns(Array.from({ length: MOST_PATTERNS + 1 }, (_, n) => `say ${n}`));
  expect(many).toMatchObject({ ok: false, issues: [{ index: MOST_PATTERNS }] });
});
