import { expect, test } from 'vitest';
import { dropUnseen, shownName, showUnseen } from '#src/index.ts';
import { verifies } from '#src/testing.ts';

test.each([
  ['a change of direction', 'a\u202eb', 'a\\u202eb'],
  ['an isolate', '\u2066a\u2069', '\\u2066a\\u2069'],
  ['nothing of any width', 'a\u200bb\u2060c\ufeff', 'a\\u200bb\\u2060c\\ufeff'],
  ['a joiner outside an emoji', 'a\u200db', 'a\\u200db'],
  ['a hidden text in tags', 'a\u{e0041}\u{e0042}', 'a\\u{e0041}\\u{e0042}'],
  ['a selector that carries data', 'a\ufe01\u{e0101}', 'a\\ufe01\\u{e0101}'],
  ['a control', 'a\u001b[2J\u0000', 'a\\u001b[2J\\u0000'],
  ['lines', 'a\nb\u2028c', 'a\\u000ab\\u2028c'],
  ['a blank that is a letter', 'a\u3164b', 'a\\u3164b'],
  ['half a character', 'a\ud800', 'a\\ud800'],
])('%s is shown', (_what, text, shown) => {
  expect(showUnseen(text)).toBe(shown);
});

test.each(['Zoë 日本 عربى', '❤️ ⚔️', '👩‍👩‍👧 🏳️‍🌈', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'a "b" \\c'])('%s stays as it is', (text) => {
  expect(showUnseen(text)).toBe(text);
  expect(dropUnseen(text)).toBe(text);
});

test('what is kept stays, and the rest is shown or dropped', () => {
  expect(showUnseen('a\n\tb\u202e', '\n\t')).toBe('a\n\tb\\u202e');
  expect(dropUnseen('a\n\tb\u202e', '\n')).toBe('a\nb');
});

test.each([
  ['the nickname first', ['Juno', 'Juno Okafor', 'juno.okafor'], 'Juno'],
  ['what is there', [null, undefined, 'juno.okafor'], 'juno.okafor'],
  ['no name of which nothing is seen', ['\u200b\u2060', ' \u3164 ', 'juno.okafor'], 'juno.okafor'],
  ['no change of direction', ['Juno\u202e days 7 rof', null, 'juno.okafor'], 'Juno days 7 rof'],
  ['nothing where there is nothing to see', ['\u200b', ' ', null], ''],
  ['whole emoji', ['👩‍👩‍👧❤️', null, 'juno.okafor'], '👩‍👩‍👧❤️'],
])('a person is shown by %s', (_what, names, shown) => {
  verifies('names.seen');
  expect(shownName(...names)).toBe(shown);
});
