import { expect, test } from 'vitest';
import { fieldsOf, objectIn, readBailiffArchive } from '#src/imports/bailiff.ts';
import { MOST_PART_CHARACTERS } from '#src/imports/source-row.ts';
import { allOf, chunksOf } from './chunks.ts';

const HEAD = '{"format":"bailiff-archive","version":1}';
const told = async (...lines: string[]) =>
  (await allOf(readBailiffArchive(chunksOf(lines.join('\n'), 64)))).map((line) => [
    line.line,
    'row' in line ? line.row.type : line.problem,
  ]);

test.each(['case', 'note', 'end', 'ticket', 'messages', 'identity'])(
  'a %s of an archive is read',
  async (type) => {
    expect(await told(HEAD, JSON.stringify({ type }))).toEqual([[2, type]]);
  },
);

test.each([
  ['["case"]', 'unreadable'],
  ['"case"', 'unreadable'],
  ['null', 'unreadable'],
  ['{"type":7}', 'unreadable'],
  ['{"id":"7"}', 'unreadable'],
  ['{"type":"settings"}', 'left_out'],
  [HEAD, 'unreadable'],
])('of the line %s is told that it is %s', async (line, problem) => {
  expect(await told(HEAD, line, '{"type":"note"}')).toEqual([
    [2, problem],
    [3, 'note'],
  ]);
});

test.each([
  ['{"format":"bailiff-archive","version":2}'],
  ['{"format":"another-archive","version":1}'],
  ['{"version":1}'],
  ['no'],
  [''],
])('a file that begins with %j is no archive, and nothing of it is read', async (first) => {
  expect((await told(first, HEAD, '{"type":"case"}')).slice(-2)).toEqual([
    [2, 'unreadable'],
    [3, 'unreadable'],
  ]);
});

test('a line that is too long is told, and the next one is read', async () => {
  const long = `{"type":"note","text":"${'x'.repeat(MOST_PART_CHARACTERS)}"}`;
  const lines = await allOf(readBailiffArchive(chunksOf(`${HEAD}\n${long}\n{"type":"note"}`, 9_999)));
  expect(lines).toEqual([
    { line: 2, problem: 'too_long' },
    { line: 3, row: { type: 'note' } },
  ]);
});

test('an object is told from everything else', () => {
  expect(objectIn('{"a":1}')).toEqual({ a: 1 });
  for (const text of ['[1]', 'null', '1', '"a"', '{', '']) expect(objectIn(text)).toBeNull();
  expect(fieldsOf({ a: 1 })).toEqual({ a: 1 });
  for (const value of [[1], null, undefined, 1, 'a']) expect(fieldsOf(value)).toBeNull();
});
