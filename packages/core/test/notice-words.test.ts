import { expect, test } from 'vitest';
import { fillNotice, NoticeColour, NoticeWords } from '#src/index.ts';
import { unknownPlaceholder } from '#src/notice-words.ts';

const VALUES = { server: 'The Burrow', reason: 'Spam {until}', until: 'tomorrow', appeal: 'here' };
const problem = (schema: typeof NoticeWords | typeof NoticeColour, value: string) =>
  schema.safeParse(value).error?.issues[0]?.message;

test('each placeholder is filled in once, and other braces stay as they are written', () => {
  expect(fillNotice('{server}: {reason}, until {until}. Appeal {appeal}, {server}!', VALUES)).toBe(
    'The Burrow: Spam {until}, until tomorrow. Appeal here, The Burrow!',
  );
  expect(fillNotice('{} { server} {nobody} {{reason}} {toString}', VALUES)).toBe(
    '{} { server} {nobody} {Spam {until}} {toString}',
  );
});

test.each([
  ['plain words', null],
  ['{server} {reason} {until} {appeal}', null],
  ['{server} {sevrer} {reson}', '{sevrer}'],
  ['{}', '{}'],
  ['{ server}', '{ server}'],
  ['{ {server}', null],
])('of the words %j the first unknown placeholder is %j', (words, unknown) => {
  expect(unknownPlaceholder(words)).toBe(unknown);
});

test('words have at most 1,000 characters, no blanks around them, and no unknown placeholder', () => {
  expect(NoticeWords.parse(' Hello {server} \n')).toBe('Hello {server}');
  expect(NoticeWords.parse('  ')).toBe('');
  expect(NoticeWords.parse('x'.repeat(1_000))).toHaveLength(1_000);
  expect(problem(NoticeWords, 'x'.repeat(1_001))).toBeDefined();
  expect(problem(NoticeWords, 'Hello {guild}')).toBe(
    'may have no placeholders but {server}, {reason}, {until}, {appeal}',
  );
});

test('a colour is six hexadecimal digits behind a #', () => {
  expect(NoticeColour.parse('#4f8fd6')).toBe('#4f8fd6');
  for (const wrong of ['4f8fd6', '#4f8fd', '#4f8fd66', 'x#4f8fd6', '#4F8FD6', 'blue']) {
    expect(problem(NoticeColour, wrong)).toBe('must be a colour such as #4f8fd6');
  }
});
