import { expect, test } from 'vitest';
import { MOST_PART_CHARACTERS } from '#src/imports/source-row.ts';
import { readZeppelinExport } from '#src/imports/zeppelin.ts';
import { allOf, chunksOf } from './chunks.ts';

const [PERSON, MODERATOR] = ['123456789012345678', '234567890123456789'];
const AT = '2024-05-06T07:08:09.000Z';

const zeppelin = async (...cases: object[]) =>
  (await allOf(readZeppelinExport(chunksOf(JSON.stringify({ cases }), 64)))).map((line) =>
    'row' in line ? line.row : line.problem,
  );
const ZEPPELIN = {
  case_number: 12,
  user_id: PERSON,
  mod_id: MODERATOR,
  type: 1,
  created_at: '2024-05-06 07:08:09',
  notes: [{ body: ' Spam ' }, { body: ' ' }, { body: 7 }, 'ads', null, { body: 'again' }],
};
const BAN = {
  type: 'case',
  id: '12',
  kind: 'ban',
  user_id: PERSON,
  issued_by: MODERATOR,
  issued_at: AT,
  reason: 'Spam\nagain',
};

test.each([
  [1, 'ban'],
  [4, 'warning'],
  [5, 'kick'],
  [6, 'mute'],
  [9, 'softban'],
  [10, '10'],
])("Zeppelin's type %d is a %s, with its notes as reason", async (type, kind) => {
  expect(await zeppelin({ ...ZEPPELIN, type })).toEqual([{ ...BAN, kind }]);
});

test.each([
  [2, 'ban'],
  [7, 'mute'],
])("Zeppelin's type %d ends a %s, with as much of its notes as a reason holds", async (type, kind) => {
  const end = { type: 'end', id: '12', kind, user_id: PERSON, ended_by: MODERATOR, ended_at: AT };
  const notes = [{ body: 'x'.repeat(600) }];
  expect(
    await zeppelin({ ...ZEPPELIN, type }, { ...ZEPPELIN, type, notes }, { ...ZEPPELIN, type, notes: 7 }),
  ).toEqual([
    { ...end, end_reason: 'Spam\nagain' },
    { ...end, end_reason: 'x'.repeat(512) },
    { ...end, end_reason: null },
  ]);
});

test('a long note of Zeppelin comes in pieces, and an empty one does not come', async () => {
  const note = { type: 'note', user_id: PERSON, written_by: MODERATOR, written_at: AT };
  const notes = [{ body: `${'x'.repeat(1_000)}yz` }];
  expect(await zeppelin({ ...ZEPPELIN, type: 3, notes }, { ...ZEPPELIN, type: 3, notes: null })).toEqual([
    { ...note, id: '12', text: 'x'.repeat(1_000) },
    { ...note, id: '12/2', text: 'yz' },
  ]);
});

test('what is no case of Zeppelin is told', async () => {
  expect(
    await zeppelin({ ...ZEPPELIN, case_number: '12' }, { ...ZEPPELIN, type: '1' }, { ...ZEPPELIN, type: 8 }),
  ).toEqual(['unreadable', 'unreadable', 'left_out']);
  const long = JSON.stringify({ ...ZEPPELIN, notes: 'x'.repeat(MOST_PART_CHARACTERS) });
  const file = `{"cases":[{no},${long},${JSON.stringify(ZEPPELIN)}]}`;
  expect(await allOf(readZeppelinExport(chunksOf(file, 9_999)))).toMatchObject([
    { line: 1, problem: 'unreadable' },
    { line: 1, problem: 'too_long' },
    { row: { id: '12' } },
  ]);
});
