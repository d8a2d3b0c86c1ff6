import { expect, test } from 'vitest';
import { AppealInput, AppealSettingsInput } from '#src/index.ts';

const SETTINGS = {
  kinds: ['ban', 'strike'],
  introduction: 'Tell us.',
  questions: ['Why?'],
  cooldown_days: 30,
  votes_needed: 2,
  channel_id: '123456789012345678',
};
const isTaken = (changes: object) => AppealSettingsInput.safeParse({ ...SETTINGS, ...changes }).success;
const times = (count: number, text: string) => Array.from({ length: count }, (_, n) => `${text}${n}`);

test('what the owner sets is taken, its kinds in one order and each once', () => {
  expect(AppealSettingsInput.parse({ ...SETTINGS, questions: [' Why? '] })).toEqual(SETTINGS);
  const kinds = ['warning', 'ban', 'warning', 'mute', 'strike'];
  expect(AppealSettingsInput.parse({ ...SETTINGS, kinds }).kinds).toEqual([
    'ban',
    'mute',
    'strike',
    'warning',
  ]);
});

test('what is not named is not changed, and a change names something', () => {
  expect(AppealSettingsInput.parse({ votes_needed: 2 })).toEqual({ votes_needed: 2 });
  expect(AppealSettingsInput.safeParse({}).error?.issues).toMatchObject([
    { message: 'must change something' },
  ]);
});

test.each([
  ['kinds', [['mute'], Array(100).fill('ban')], [['kick'], 'ban', Array(101).fill('ban')]],
  ['introduction', ['', 'x'.repeat(1_000)], ['x'.repeat(1_001)]],
  ['questions', [times(5, 'q'), ['x'.repeat(200)]], [times(6, 'q'), [' '], ['x'.repeat(201)]]],
  ['cooldown_days', [0, 365], [-1, 366, 1.5]],
  ['votes_needed', [0, 20], [-1, 21, 1.5]],
  ['channel_id', [null], ['appeals']],
  ['colour', [], ['red']],
])('%s has its bounds', (field, right, wrong) => {
  for (const value of right) expect([value, isTaken({ [field]: value })]).toEqual([value, true]);
  for (const value of wrong) expect([value, isTaken({ [field]: value })]).toEqual([value, false]);
});

test('an appeal has the questions that were seen, and an answer of its own words to each', () => {
  const isAppeal = (changes: object) =>
    AppealInput.safeParse({ questions: ['Why?'], answers: ['I was not there.'], ...changes }).success;
  expect(AppealInput.parse({ questions: ['Why?'], answers: [' No. '] })).toEqual({
    questions: ['Why?'],
    answers: ['No.'],
  });
  expect(isAppeal({ questions: times(5, 'q'), answers: times(5, 'a') })).toBe(true);
  expect(isAppeal({ answers: ['x'.repeat(2_000)] })).toBe(true);
  for (const wrong of [
    { questions: times(6, 'q') },
    { answers: times(6, 'a') },
    { answers: [' '] },
    { answers: ['x'.repeat(2_001)] },
    { more: 1 },
  ]) {
    expect([wrong, isAppeal(wrong)]).toEqual([wrong, false]);
  }
});
