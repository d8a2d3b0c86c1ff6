import { describe, expect, test } from 'vitest';
import { csvRecords, jsonObjects, textLines } from '#src/imports/parts.ts';
import { MOST_PART_CHARACTERS } from '#src/imports/source-row.ts';
import { allOf, chunksOf } from './chunks.ts';

const LONGEST = 'x'.repeat(MOST_PART_CHARACTERS);
const LONG = 65_536;

describe.each([1, 2, 5, LONG])('of a file in chunks of %d characters', (size) => {
  const objects = async (file: string, inside: number | 'list or lines') =>
    (await allOf(jsonObjects(chunksOf(file, size), inside))).map(({ line, text }) => [line, text]);
  const lines = async (file: string) =>
    (await allOf(textLines(chunksOf(file, size)))).map(({ line, text }) => [line, text]);
  const records = async (file: string) =>
    (await allOf(csvRecords(chunksOf(file, size)))).map(({ line, cells }) => [line, cells]);

  test.each<[string, number | 'list or lines', string, [number, string | null][]]>([
    [
      'a line each',
      0,
      '{"a":1}\n\n {"b":{"c":[2]}}',
      [
        [1, '{"a":1}'],
        [3, '{"b":{"c":[2]}}'],
      ],
    ],
    [
      'of a list',
      1,
      '[{"a":1},\n{"b":[{"c":{}}]}]',
      [
        [1, '{"a":1}'],
        [2, '{"b":[{"c":{}}]}'],
      ],
    ],
    [
      'of a list in an object, beside objects that are less or more deep',
      2,
      '{"of":{"a":1},\n"cases":[\n{"b":2},{"c":3}],"more":[[{"d":4}]]}',
      [
        [3, '{"b":2}'],
        [3, '{"c":3}'],
      ],
    ],
    [
      'of one list behind another',
      'list or lines',
      '[{"a":1}]\n[{"b":2}]',
      [
        [1, '{"a":1}'],
        [2, '{"b":2}'],
      ],
    ],
    [
      'or a line each',
      'list or lines',
      '{"a":[{"b":1}]}\n{"c":2}',
      [
        [1, '{"a":[{"b":1}]}'],
        [2, '{"c":2}'],
      ],
    ],
    [
      'on several lines',
      0,
      '{\n"a":\n1}\n{"b":2}',
      [
        [1, '{\n"a":\n1}'],
        [4, '{"b":2}'],
      ],
    ],
    [
      'with brackets in a text',
      0,
      '{"a":"}{]["}{"b":"\\"}"}',
      [
        [1, '{"a":"}{]["}'],
        [1, '{"b":"\\"}"}'],
      ],
    ],
    [
      'with escapes in a text',
      0,
      '{"a":"\\\\"}{"b":2}',
      [
        [1, '{"a":"\\\\"}'],
        [1, '{"b":2}'],
      ],
    ],
    [
      'behind a text that is never closed',
      0,
      '{"a":"b\n}{"c":1}',
      [
        [1, '{"a":"b\n}'],
        [2, '{"c":1}'],
      ],
    ],
    ['behind brackets that close nothing', 0, ']}}{"a":1}', [[1, '{"a":1}']]],
    ['behind a list', 0, '[1]{"a":1}', [[1, '{"a":1}']]],
    ['behind one that a list closes', 0, '{"a":1]{"b":2}', [[1, '{"b":2}']]],
    [
      'and one that never ends',
      0,
      '{"a":1}\n{"b":\n',
      [
        [1, '{"a":1}'],
        [2, null],
      ],
    ],
    ['of an empty file', 'list or lines', '', []],
    ['of a file without any', 1, 'no "{}" 1, 2', []],
  ])('the objects %s are found, with their lines', async (_, inside, file, found) => {
    expect(await objects(file, inside)).toEqual(found);
  });

  test('lines are found with their numbers, without breaks and blanks around them', async () => {
    expect(await lines(' a b \n\n \t\r\nc\r\nd')).toEqual([
      [1, 'a b'],
      [4, 'c'],
      [5, 'd'],
    ]);
    expect(await lines('a\n')).toEqual([[1, 'a']]);
    expect(await lines('')).toEqual([]);
  });

  test.each<[string, string, [number, string[]][]]>([
    [
      'commas',
      'a,b\n1,2;3',
      [
        [1, ['a', 'b']],
        [2, ['1', '2;3']],
      ],
    ],
    [
      'semicolons',
      'a;b;c,d\n1;2,3;4\n',
      [
        [1, ['a', 'b', 'c,d']],
        [2, ['1', '2,3', '4']],
      ],
    ],
    [
      'commas, if there are as many of both',
      'a,b;c\n1,2;3',
      [
        [1, ['a', 'b;c']],
        [2, ['1', '2;3']],
      ],
    ],
    [
      'semicolons in its first line alone',
      'a;b\n1,2,3,4',
      [
        [1, ['a', 'b']],
        [2, ['1,2,3,4']],
      ],
    ],
    [
      'breaks of Windows',
      'a,b\r\n1,2\r\n',
      [
        [1, ['a', 'b']],
        [2, ['1', '2']],
      ],
    ],
    [
      'cells in quotation marks',
      'a,"b, ""c""\r\nd",""\n1',
      [
        [1, ['a', 'b, "c"\r\nd', '']],
        [3, ['1']],
      ],
    ],
    ['quotation marks within a cell', 'a "b" c,"d"e\n', [[1, ['a "b" c', 'de']]]],
    [
      'empty cells',
      ',a,\n,,\n',
      [
        [1, ['', 'a', '']],
        [2, ['', '', '']],
      ],
    ],
    [
      'lines without anything',
      '\n \na,b\n\r\n\n1,2\n \n',
      [
        [3, ['a', 'b']],
        [6, ['1', '2']],
      ],
    ],
    ['one line alone', 'a', [[1, ['a']]]],
    [
      'a cell that is never closed',
      'a,b\n1,"2\n3',
      [
        [1, ['a', 'b']],
        [2, ['1', '2\n3']],
      ],
    ],
    ['nothing', '', []],
  ])('the records of CSV with %s are read, with the lines where they begin', async (_, file, found) => {
    expect(await records(file)).toEqual(found);
  });
});

/** Which parts are too long. */
const tooLong = (parts: readonly { readonly text: string | null }[]) =>
  parts.map(({ text }) => text === null);

test('an object of the most characters is read, and one of more is not, but what follows is', async () => {
  const object = (more: string) => `{"a":"${LONGEST.slice('{"a":""}'.length)}${more}"}`;
  for (const size of [999, LONG, 1_000_000]) {
    const file = `${object('')}\n${object('x')}\n${object('xxx')}\n{"b":1}`;
    const parts = await allOf(jsonObjects(chunksOf(file, size), 0));
    expect(tooLong(parts)).toEqual([false, true, true, false]);
    expect(parts.map(({ line }) => line)).toEqual([1, 2, 3, 4]);
    expect(parts[0]?.text).toHaveLength(MOST_PART_CHARACTERS);
    expect(parts[3]?.text).toBe('{"b":1}');
  }
});

test('a line of the most characters is read, and one of more is not, but what follows is', async () => {
  for (const size of [999, LONG, 1_000_000]) {
    const file = `${LONGEST}\n${LONGEST}x\na\n${LONGEST}x`;
    const parts = await allOf(textLines(chunksOf(file, size)));
    expect(tooLong(parts)).toEqual([false, true, false, true]);
    expect(parts[0]?.text).toBe(LONGEST);
    expect(parts.map(({ line }) => line)).toEqual([1, 2, 3, 4]);
    expect(tooLong(await allOf(textLines(chunksOf(`a\n${LONGEST}`, size))))).toEqual([false, false]);
  }
});

test('a record of CSV of the most characters is read, and one of more is not, but what follows is', async () => {
  const half = LONGEST.slice(0, MOST_PART_CHARACTERS / 2);
  // A separator counts as well: it can be all that a line has.
  const [most, more] = [`${half},${half.slice(1)}`, `${half},${half}`];
  const blanks = ' '.repeat(MOST_PART_CHARACTERS);
  const file = ['a,b', most, more, 'c,d', `${','.repeat(MOST_PART_CHARACTERS)},`, `${blanks} `, blanks, 'e'];
  const read = await allOf(csvRecords(chunksOf(file.join('\n'), LONG)));
  expect(read.map(({ line, cells }) => [line, cells?.map((cell) => cell.length) ?? null])).toEqual([
    [1, [1, 1]],
    [2, [MOST_PART_CHARACTERS / 2, MOST_PART_CHARACTERS / 2 - 1]],
    [3, null],
    [4, [1, 1]],
    [5, null],
    [6, null],
    [8, [1]],
  ]);
});

test('a first line that never ends is too long, however it comes', async () => {
  for (const size of [LONG, 1_000_000]) {
    const parts = await allOf(csvRecords(chunksOf(`a;b${LONGEST}`, size)));
    expect(parts).toEqual([{ line: 1, cells: null }]);
  }
});
