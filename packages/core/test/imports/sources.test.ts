import { expect, test } from 'vitest';
import { FILE_SOURCES, type FileSource, type SourceLine } from '#src/imports/sources.ts';
import { readImportRow } from '#src/index.ts';
import { verifies } from '#src/testing.ts';
import { allOf, chunksOf } from './chunks.ts';

const [PERSON, MODERATOR] = ['123456789012345678', '234567890123456789'];
const NOW = Date.UTC(2026, 10, 23);

/** The lines of a file that comes in chunks of so many characters. */
const linesOf = (source: FileSource, file: string, size = 7): Promise<SourceLine[]> =>
  allOf(FILE_SOURCES[source](chunksOf(file, size), new Date()));

const zeppelin = (...cases: object[]) => JSON.stringify({ cases }, null, 2);
const CASE = {
  case_number: 12,
  user_id: PERSON,
  user_name: 'Troll#1234',
  mod_id: MODERATOR,
  mod_name: 'Mod#0001',
  type: 1,
  created_at: '2021-03-04 05:06:07',
  is_hidden: false,
  pp_id: null,
  pp_name: null,
  notes: [{ mod_id: MODERATOR, mod_name: 'Mod#0001', body: 'Says "{["', created_at: '2021-03-04 05:06:07' }],
};

test('what Zeppelin exports is read case by case, with its notes as reason and its unbans as the end of bans', async () => {
  verifies('imports.sources');
  const unban = { ...CASE, case_number: 13, type: 2, notes: [] };
  const deleted = { ...CASE, case_number: 14, type: 8 };
  const note = { ...CASE, case_number: 15, type: 3 };
  const lines = await linesOf(
    'zeppelin',
    zeppelin(CASE, unban, deleted, note, { ...CASE, type: 77 }, { cases: 1 }),
  );
  const at = '2021-03-04T05:06:07.000Z';
  expect(lines.map((line) => ('row' in line ? line.row : line.problem))).toEqual([
    {
      type: 'case',
      id: '12',
      kind: 'ban',
      user_id: PERSON,
      issued_by: MODERATOR,
      issued_at: at,
      reason: 'Says "{["',
    },
    {
      type: 'end',
      id: '13',
      kind: 'ban',
      user_id: PERSON,
      ended_by: MODERATOR,
      ended_at: at,
      end_reason: null,
    },
    'left_out',
    { type: 'note', id: '15', user_id: PERSON, text: 'Says "{["', written_by: MODERATOR, written_at: at },
    expect.objectContaining({ kind: '77' }),
    'unreadable',
  ]);
  expect(lines.map(({ line }) => line).slice(0, 2)).toEqual([3, 23]);
});

test('a reason that is too long is shortened, and notes keep all of it', async () => {
  verifies('imports.sources');
  const body = `${'x'.repeat(1_999)}😀end`;
  const lines = await linesOf('zeppelin', zeppelin({ ...CASE, notes: [{ body }] }), 1_000);
  const rows = lines.flatMap((line) => ('row' in line ? [line.row] : []));
  expect(rows.map(({ type, id }) => [type, id])).toEqual([
    ['case', '12'],
    ['note', '12/1'],
    ['note', '12/2'],
    ['note', '12/3'],
  ]);
  expect(
    rows
      .slice(1)
      .map(({ text }) => text)
      .join(''),
  ).toBe(body);
  for (const row of rows) expect(readImportRow(row, NOW)).toMatchObject({ user_id: PERSON });
});

test('pages of the cases of MASZ are read one after the other, or a case a line', async () => {
  verifies('imports.sources');
  const masz = {
    id: 900,
    caseId: 3,
    guildId: '1',
    title: 'Spam',
    description: 'Ten invites',
    userId: PERSON,
    modId: MODERATOR,
    createdAt: '2022-01-02T03:04:05.1234567',
    occuredAt: '2022-01-01T00:00:00',
    lastEditedAt: '2022-01-03T00:00:00',
    lastEditedByModId: MODERATOR,
    labels: ['spam'],
    punishmentType: 3,
    punishedUntil: null,
    punishmentActive: false,
    markedToDeleteAt: null,
  };
  const ban = {
    type: 'case',
    id: '3',
    kind: 'ban',
    reason: 'Spam\nTen invites',
    category: 'spam',
    issued_at: '2022-01-01T00:00:00.000Z',
    ended_at: '2022-01-03T00:00:00.000Z',
  };
  const deleted = { ...masz, markedToDeleteAt: '2022-01-03T00:00:00' };
  const pages = `[${JSON.stringify(masz)}]\n[${JSON.stringify({ ...masz, caseId: 4, punishmentType: 'Warn' })}]`;
  const lines = `${JSON.stringify(masz)}\n${JSON.stringify(deleted)}\n`;
  expect(await linesOf('masz', pages)).toMatchObject([
    { row: ban },
    { line: 2, row: { id: '4', kind: 'warning' } },
  ]);
  expect(await linesOf('masz', lines)).toMatchObject([{ row: ban }, { line: 2, problem: 'left_out' }]);
});

test('a CSV file is read by the names of its columns, and a row without an id is known by what it says', async () => {
  verifies('imports.sources');
  const file = [
    '\ufeffUser_ID;kind;reason;issued_at;issued_by',
    `${PERSON};Ban;"Spam; ""ads""\nand more";2024-05-06 07:08;${MODERATOR}`,
    `${PERSON};note;Watch him;2024-05-06;`,
    `${PERSON};note;Watch him;2024-05-06;`,
    '',
  ].join('\r\n');
  const lines = await linesOf('csv', file);
  expect(lines).toMatchObject([
    { line: 2, row: { kind: 'ban', reason: 'Spam; "ads"\nand more', issued_at: '2024-05-06T07:08:00.000Z' } },
    { line: 4, row: { type: 'note', text: 'Watch him', written_at: '2024-05-06T00:00:00.000Z' } },
    { line: 5, row: { type: 'note' } },
  ]);
  const [ban, note, again] = lines.map((line) => ('row' in line ? line.row.id : null));
  expect(note).toBe(again);
  expect(note).not.toBe(ban);
  expect(await linesOf('csv', 'who,what\n1,2\n')).toEqual([{ line: 1, problem: 'unreadable' }]);
});

test('an archive is read after its first line, and what is no record is left out', async () => {
  verifies('imports.sources');
  const head = '{"format":"bailiff-archive","version":1}';
  const row = {
    type: 'note',
    id: 'n',
    user_id: PERSON,
    text: 'x',
    written_by: null,
    written_at: '2024-05-06T00:00:00Z',
  };
  expect(await linesOf('bailiff', `${head}\n${JSON.stringify(row)}\n{"type":"settings"}\nno\n`)).toEqual([
    { line: 2, row },
    { line: 3, problem: 'left_out' },
    { line: 4, problem: 'unreadable' },
  ]);
  expect(await linesOf('bailiff', '{"format":"bailiff-archive","version":2}\n{"type":"note"}')).toMatchObject(
    [{ problem: 'unreadable' }, { problem: 'unreadable' }],
  );
});

test.each([
  ['zeppelin', (junk: string) => zeppelin({ ...CASE, notes: [{ body: junk }] }, CASE)],
  ['masz', (junk: string) => `[{"caseId":1,"title":"${junk}"},{"caseId":2,"punishmentType":1}]`],
  ['csv', (junk: string) => `kind,user_id,issued_at,reason\nban,1,2,${junk}\nban,1,2,x\n`],
  ['bailiff', (junk: string) => `{"format":"bailiff-archive","version":1}\n${junk}\n{"type":"case"}\n`],
] as const)(
  'a line of a megabyte in a file of %s is too long, and the next one is read',
  async (source, file) => {
    verifies('imports.bad-input');
    const lines = await linesOf(source, file('x'.repeat(1_000_000)), 65_536);
    expect(lines.map((line) => ('problem' in line ? line.problem : line.row.type))).toEqual([
      'too_long',
      'case',
    ]);
  },
);

test.each([
  ['unknown_kind', { kind: 'tempban' }],
  ['bad_person', { user_id: '42' }],
  ['bad_person', { issued_by: 'Mod#0001' }],
  ['bad_time', { issued_at: 'yesterday' }],
  ['bad_time', { issued_at: '2001-01-01T00:00:00Z' }],
  ['bad_time', { expires_at: '2021-03-04T00:00:00Z' }],
  ['in_future', { issued_at: '2026-11-25T00:00:00Z' }],
  ['in_future', { ended_at: '2030-01-01T00:00:00Z' }],
  ['bad_text', { reason: 'x'.repeat(513) }],
  ['bad_text', { reason: 'a\u0000b' }],
  ['bad_text', { category: '\ud800' }],
  ['unreadable', { ip: '192.0.2.1' }],
  ['unreadable', { type: 'token' }],
])('a row is refused as %s: %j', (problem, wrong) => {
  verifies('imports.bad-input');
  const row = { type: 'case', id: '1', kind: 'ban', user_id: PERSON, issued_at: '2021-03-04T05:06:07Z' };
  expect(readImportRow(row, NOW)).toMatchObject({ external_id: '1', issued_by: null });
  expect(readImportRow({ ...row, ...wrong }, NOW)).toBe(problem);
});
