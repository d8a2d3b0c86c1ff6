import { expect, test } from 'vitest';
import { TicketSettingsInput } from '#src/index.ts';

const CATEGORY = {
  name: 'Griefing',
  description: '',
  questions: ['Where?'],
  role_ids: ['123456789012345678'],
};
const SETTINGS = {
  categories: [CATEGORY],
  most_open_of_person: 3,
  most_open_of_guild: 100,
  cooldown_minutes: 10,
  sends_transcript: true,
  asks_feedback: false,
};
const isTaken = (changes: object) => TicketSettingsInput.safeParse({ ...SETTINGS, ...changes }).success;
const isTakenOfCategory = (changes: object) => isTaken({ categories: [{ ...CATEGORY, ...changes }] });
const times = (count: number, text: string) => Array.from({ length: count }, (_, n) => `${text}${n}`);

test('what the owner sets is taken as it is, without blanks around names and questions', () => {
  expect(TicketSettingsInput.parse(SETTINGS)).toEqual(SETTINGS);
  const categories = [{ ...CATEGORY, name: ' Griefing ', questions: [' Where? '] }];
  expect(TicketSettingsInput.parse({ ...SETTINGS, categories })).toEqual(SETTINGS);
});

test('what is not named is not changed, and a change names something', () => {
  expect(TicketSettingsInput.parse({ cooldown_minutes: 5 })).toEqual({ cooldown_minutes: 5 });
  expect(TicketSettingsInput.safeParse({}).error?.issues).toMatchObject([
    { message: 'must change something' },
  ]);
});

test.each([
  ['most_open_of_person', 1, 20],
  ['most_open_of_guild', 1, 400],
  ['cooldown_minutes', 0, 1_440],
] as const)('%s is from %d to %d', (field, least, most) => {
  for (const value of [least, most]) expect(isTaken({ [field]: value })).toBe(true);
  for (const value of [least - 1, most + 1, least + 0.5]) expect(isTaken({ [field]: value })).toBe(false);
});

test('the categories have different names, and are at most 25', () => {
  const named = (names: readonly string[]) => ({ categories: names.map((name) => ({ ...CATEGORY, name })) });
  expect(isTaken(named([]))).toBe(true);
  expect(isTaken(named(times(25, 'c')))).toBe(true);
  expect(isTaken(named(times(26, 'c')))).toBe(false);
  const twice = TicketSettingsInput.safeParse({ ...SETTINGS, ...named(['a', 'b', ' a']) });
  expect(twice.error?.issues).toMatchObject([{ path: ['categories'], message: 'must have different names' }]);
});

test.each([
  ['name', ['x', 'x'.repeat(60)], ['', '  ', 'x'.repeat(61)]],
  ['description', ['', 'x'.repeat(100)], ['x'.repeat(101)]],
  ['questions', [[], times(4, 'q'), ['x'.repeat(100)]], [times(5, 'q'), [' '], ['x'.repeat(101)]]],
  ['role_ids', [[], times(5, '12345678901234567')], [times(6, '12345678901234567'), ['moderators']]],
  ['close_after_hours', [undefined, 1, 336], [0, 337, 1.5]],
  ['colour', [], ['red']],
])('the %s of a category has its bounds', (field, right, wrong) => {
  for (const value of right) expect([value, isTakenOfCategory({ [field]: value })]).toEqual([value, true]);
  for (const value of wrong) expect([value, isTakenOfCategory({ [field]: value })]).toEqual([value, false]);
});
