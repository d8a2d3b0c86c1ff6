import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { type ComboboxOption, groupsOf, matches, meantBy } from '#components/ui/combobox-options.ts';

const option = (id: string, text: string, group: string | null = null): ComboboxOption => ({
  id,
  text,
  group,
});
const CHANNELS = [
  option('1', '#general'),
  option('2', '#général', 'Français'),
  option('3', '#mod-log', 'Staff'),
  option('4', '#log', 'Staff'),
  option('5', '#سجل', 'Staff'),
];
const ids = (options: readonly ComboboxOption[]) => options.map(({ id }) => id);

test.each([
  ['', ['1', '2', '3', '4', '5']],
  ['GENERAL', ['1', '2']],
  ['#log', ['3', '4']],
  [' mod ', ['3']],
  ['سجل', ['5']],
  ['nothing', []],
])('%j finds the channels that contain it, whatever the case and the marks', (typed, found) => {
  verifies('settings.channel-field');
  expect(ids(matches(CHANNELS, typed))).toEqual(found);
});

test('what a text stands for comes first, once', () => {
  const offer = (typed: string) => (typed === 'log' ? option('9', 'another') : null);
  expect(ids(matches(CHANNELS, 'log', offer))).toEqual(['9', '3', '4']);
  const known = () => CHANNELS[3] ?? null;
  expect(ids(matches(CHANNELS, 'log', known))).toEqual(['4', '3']);
});

test('a text that is left in the field means the one channel of that name, or what was offered for it', () => {
  verifies('settings.channel-field');
  expect(meantBy(CHANNELS, 'Log')?.id).toBe('4');
  expect(meantBy(CHANNELS, 'general')).toBeNull();
  expect(meantBy(CHANNELS, 'mod')).toBeNull();
  expect(meantBy(CHANNELS, '834989431927603200', (id) => option(id, 'by id'))?.text).toBe('by id');
});

test('500 channels stand under their categories, in their order', () => {
  const many = Array.from({ length: 500 }, (_, n) =>
    option(String(n), `#c${n}`, n < 10 ? null : `Category ${n % 9}`),
  );
  const inOrder = many.toSorted((a, b) => (a.group ?? '').localeCompare(b.group ?? ''));
  const groups = groupsOf(inOrder);
  expect(groups.map(([name]) => name)).toEqual(['', ...Array.from({ length: 9 }, (_, n) => `Category ${n}`)]);
  expect(groups.flatMap(([, members]) => ids(members))).toEqual(ids(inOrder));
});
