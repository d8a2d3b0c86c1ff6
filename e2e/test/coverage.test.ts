import { expect, test } from 'vitest';
import { citedIds, coverageOf } from '#src/coverage.ts';

const REQUIREMENTS = [
  { id: 'bans.add', source: 'spec', surface: 'rest', behaviour: '' },
  { id: 'bans.lift', source: 'spec', surface: 'rest', behaviour: '' },
  { id: 'token.mint', source: 'spec', surface: 'dashboard', behaviour: '' },
];

test('every id of a citation is found, however it is broken into lines', () => {
  // Put together here, so that this file cites nothing itself.
  const call = 'verifies';
  const source = `test('x', () => {\n  ${call}(\n    'bans.add',\n    "bans.lift",\n  );\n});\n${call}('token.mint');`;
  expect(citedIds(source)).toEqual(['bans.add', 'bans.lift', 'token.mint']);
});

test('coverage counts each requirement once, per surface', () => {
  const citations = [
    { id: 'bans.add', file: 'a.test.ts' },
    { id: 'bans.add', file: 'b.test.ts' },
  ];
  expect(coverageOf(REQUIREMENTS, citations)).toEqual({
    surfaces: [
      { surface: 'dashboard', verified: 0, total: 1 },
      { surface: 'rest', verified: 1, total: 2 },
    ],
    unknown: [],
  });
});

test('a citation of an id that is not in the manifest is named with its file', () => {
  const { unknown } = coverageOf(REQUIREMENTS, [{ id: 'bans.ad', file: 'a.test.ts' }]);
  expect(unknown).toEqual([{ id: 'bans.ad', file: 'a.test.ts' }]);
});
