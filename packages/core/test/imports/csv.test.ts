import { expect, test } from 'vitest';
import { CSV_COLUMNS, readCsv } from '#src/imports/csv.ts';
import { MOST_PART_CHARACTERS } from '#src/imports/source-row.ts';
import { allOf, chunksOf } from './chunks.ts';

const linesOf = (...lines: string[]) => allOf(readCsv(chunksOf(lines.join('\n'), 999)));
const rowsOf = async (...lines: string[]) =>
  (await linesOf(...lines)).map((line) => ('row' in line ? line.row : line.problem));

test('every column is read, whatever their order', async () => {
  const values = {
    kind: 'ban',
    user_id: '1',
    issued_at: '2024-05-06T00:00:00.000Z',
    id: 'x7',
    reason: 'Spam',
    issued_by: '2',
    expires_at: '2024-05-07T00:00:00.000Z',
    ended_at: '2024-05-08T00:00:00.000Z',
    ended_by: '3',
    end_reason: 'Appeal',
    severity: 'major',
    category: 'ads',
  };
  const names = [...CSV_COLUMNS].reverse();
  const cells = names.map((name) => values[name].replace('T00:00:00.000Z', ' 00:00'));
  expect(await rowsOf(names.join(), cells.join())).toEqual([{ type: 'case', ...values }]);
});

test('a note has a text and who wrote it, and no other column', async () => {
  expect(
    await rowsOf(
      'id,kind,user_id,issued_at,issued_by,reason,severity',
      'n1, Note ,1,2024-05-06,2, Watch him ,minor',
    ),
  ).toEqual([
    {
      type: 'note',
      id: 'n1',
      user_id: '1',
      text: 'Watch him',
      written_by: '2',
      written_at: '2024-05-06T00:00:00.000Z',
    },
  ]);
});

test('a case without a reason has none, and columns that nobody knows are passed over', async () => {
  expect(await rowsOf(' Kind ,USER_ID,issued_at,id,colour', 'Mute,1,2024-05-06,7,red')).toEqual([
    {
      type: 'case',
      id: '7',
      kind: 'mute',
      user_id: '1',
      issued_at: '2024-05-06T00:00:00.000Z',
      reason: null,
    },
  ]);
});

test('a mark of Unicode before the first line is no part of it, and a line that is too long is told', async () => {
  const long = `ban,${'1'.repeat(MOST_PART_CHARACTERS)},2024-05-06`;
  expect(await linesOf('\ufeffKind,user_id,issued_at', long, 'kick,1,2024-05-06')).toMatchObject([
    { line: 2, problem: 'too_long' },
    { line: 3, row: { kind: 'kick' } },
  ]);
});

test.each(['kind', 'user_id', 'issued_at'])('without the column %s nothing is read', async (name) => {
  const columns = CSV_COLUMNS.filter((column) => column !== name);
  expect(await linesOf('', columns.join(), 'a,b', 'c,d')).toEqual([{ line: 2, problem: 'unreadable' }]);
});

test('a row without an id is known again by what it says: in each version of Bailiff by the same id', async () => {
  const head = 'kind,user_id,issued_at,reason';
  const ids = (
    await rowsOf(head, 'ban,1,2024-05-06,Spam', 'ban,1,2024-05-06,Spam!', 'ban,2,2024-05-06,Spam')
  ).map((row) => (typeof row === 'string' ? row : row.id));
  expect(new Set(ids).size).toBe(3);
  expect(ids[0]).toBe('1fzczqqcw2w-11m1ufzmexq');
  const [again] = await rowsOf('reason;issued_at;kind;user_id', 'Spam;2024-05-06;ban;1');
  expect(again).toMatchObject({ id: ids[0] });
});

test('a quotation that is never closed is told, and brings nothing of the lines that it took in', async () => {
  const lines = [
    'kind,user_id,issued_at,reason',
    'ban,1,2024-05-06,fine',
    'ban,2,2024-05-06,"open',
    'ban,3,2024-05-06,x',
  ];
  expect((await linesOf(...lines)).slice(1)).toEqual([{ line: 3, problem: 'unreadable' }]);
  expect(await linesOf(...lines, ',","')).toHaveLength(2);
});
