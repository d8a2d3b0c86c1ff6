import { expect, test } from 'vitest';
import { readImportRow } from '#src/imports/import-row.ts';
import { readMaszCases } from '#src/imports/masz.ts';
import { MOST_PART_CHARACTERS } from '#src/imports/source-row.ts';
import { allOf, chunksOf } from './chunks.ts';

const [PERSON, MODERATOR] = ['123456789012345678', '234567890123456789'];
const AT = '2024-05-06T07:08:09.000Z';
const NOW = new Date('2025-01-01T00:00:00Z');

const masz = async (...cases: object[]) =>
  (await allOf(readMaszCases(chunksOf(JSON.stringify(cases), 64), NOW))).map((line) =>
    'row' in line ? line.row : line.problem,
  );
const MASZ = {
  caseId: 3,
  title: 'Spam',
  description: 'Ten invites',
  userId: PERSON,
  modId: MODERATOR,
  createdAt: '2024-05-05T00:00:00',
  occuredAt: '2024-05-06T07:08:09',
  lastEditedAt: '2024-05-07T00:00:00',
  lastEditedByModId: PERSON,
  labels: ['ads', 'other'],
  punishmentType: 2,
  punishedUntil: '2024-05-08T00:00:00',
  punishmentActive: true,
  markedToDeleteAt: null,
};
const KICK = {
  type: 'case',
  id: '3',
  kind: 'kick',
  user_id: PERSON,
  issued_by: MODERATOR,
  issued_at: AT,
  category: 'ads',
  reason: 'Spam\nTen invites',
};

test.each([
  [0, 'warning'],
  ['None', 'warning'],
  ['Warn', 'warning'],
  [1, 'mute'],
  ['Mute', 'mute'],
  [2, 'kick'],
  ['Kick', 'kick'],
  [3, 'ban'],
  ['BAN', 'ban'],
  [9, '9'],
  ['Jail', 'jail'],
])("MASZ's punishment %j is a %s", async (punishmentType, kind) => {
  const until = kind === 'ban' || kind === 'mute' ? { expires_at: '2024-05-08T00:00:00.000Z' } : {};
  expect(await masz({ ...MASZ, punishmentType })).toEqual([{ ...KICK, kind, ...until }]);
});

test('a case of MASZ comes also where an emoji is at the place where its label is cut', async () => {
  const [row] = await masz({ ...MASZ, labels: [`${'x'.repeat(63)}🎉`] });
  expect(readImportRow(row, NOW.getTime())).toMatchObject({ category: 'x'.repeat(63) });
});

test('a ban or mute of MASZ that is over ended when it was last edited, and others have no such end', async () => {
  const over = { ...MASZ, punishmentActive: false, punishedUntil: null };
  const ended = { expires_at: null, ended_at: '2024-05-07T00:00:00.000Z', ended_by: PERSON };
  expect(await masz({ ...over, punishmentType: 3 }, { ...over, punishmentType: 1 }, over)).toEqual([
    { ...KICK, kind: 'ban', ...ended },
    { ...KICK, kind: 'mute', ...ended },
    KICK,
  ]);
  const [until, past] = ['2025-01-01T00:00:01.000Z', '2024-12-31T23:59:59.000Z'];
  for (const [punishmentType, kind] of [
    [1, 'mute'],
    [3, 'ban'],
  ] as const) {
    const inTime = [until, past].map((punishedUntil) => ({ ...over, punishmentType, punishedUntil }));
    expect(await masz(...inTime)).toEqual([
      { ...KICK, kind, ...ended, expires_at: until },
      { ...KICK, kind, expires_at: past },
    ]);
  }
});

test('what a case of MASZ does not say is left open', async () => {
  const { category: _, ...uncategorized } = KICK;
  const created = { ...KICK, issued_at: '2024-05-05T00:00:00.000Z' };
  expect(
    await masz(
      { ...MASZ, labels: [] },
      { ...MASZ, labels: [''] },
      { ...MASZ, labels: 'ads' },
      { ...MASZ, labels: [7] },
      { ...MASZ, labels: ['x'.repeat(65)] },
      { ...MASZ, description: '' },
      { ...MASZ, title: null },
      { ...MASZ, title: 7 },
      { ...MASZ, description: 'Spam' },
      { ...MASZ, occuredAt: null },
    ),
  ).toEqual([
    ...[uncategorized, uncategorized, uncategorized, uncategorized],
    { ...KICK, category: 'x'.repeat(64) },
    { ...KICK, reason: 'Spam' },
    { ...KICK, reason: 'Ten invites' },
    { ...KICK, reason: 'Ten invites' },
    { ...KICK, reason: 'Spam' },
    created,
  ]);
});

test('what is no case of MASZ is told', async () => {
  expect(await masz({ ...MASZ, caseId: '3' }, { caseId: null }, { ...MASZ, markedToDeleteAt: AT })).toEqual([
    'unreadable',
    'unreadable',
    'left_out',
  ]);
  const told = await allOf(
    readMaszCases(
      chunksOf(`[{no},{"title":"${'x'.repeat(MOST_PART_CHARACTERS)}"},{"caseId":1}]`, 9_999),
      NOW,
    ),
  );
  expect(told).toMatchObject([{ problem: 'unreadable' }, { problem: 'too_long' }, { row: { id: '1' } }]);
});
