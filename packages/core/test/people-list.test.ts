import { expect, test } from 'vitest';
import { readPeopleList } from '#src/index.ts';
import { verifies } from '#src/testing.ts';

const [A, B] = ['123456789012345678', '234567890123456789'];

test('ids and mentions count, wherever they stand in a line, and what names nobody is told with its line', () => {
  verifies('mass.list');
  expect(
    readPeopleList(`${A}, <@${B}>;<@!${A}>\r\n\n troll#1234 (${B}) joined ${A}\nnobody\n12345 <@1>`),
  ).toEqual([
    { line: 1, userId: A },
    { line: 1, userId: B },
    { line: 1, userId: A },
    { line: 3, userId: B },
    { line: 3, userId: A },
    { line: 4, userId: null },
    { line: 5, userId: null },
    { line: 5, userId: null },
  ]);
  expect(readPeopleList(' \n')).toEqual([]);
});

test('what looks like an id and is none is told, whatever stands between it and its neighbours', () => {
  verifies('mass.list');
  expect(readPeopleList(`${A};12345;${B}`)).toEqual([
    { line: 1, userId: A },
    { line: 1, userId: null },
    { line: 1, userId: B },
  ]);
});

test('a list of ten thousand lines is read at once', () => {
  verifies('mass.list');
  const lines = Array.from({ length: 10_000 }, (_, n) => `<@${BigInt(A ?? '') + BigInt(n)}> someone`);
  expect(readPeopleList(lines.join('\n'))).toHaveLength(10_000);
});
