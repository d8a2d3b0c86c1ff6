// The tables of docs/security.md and docs/compared.md name tests that exist; npm test also checks that they passed.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { explainUnshown, readClaims, readRows } from '../verify/claims.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const claims = readClaims(ROOT);

test('every row of the tables names a test', () => {
  expect(claims.length).toBeGreaterThan(40);
  expect(claims.filter((claim) => claim.test === undefined)).toEqual([]);
});

test.each(claims)('$document: $test.words', ({ test: shown }) => {
  expect(existsSync(join(ROOT, shown?.file ?? '')), shown?.file).toBe(true);
  expect(readFileSync(join(ROOT, shown?.file ?? ''), 'utf8')).toContain(shown?.words);
});

test('a claim is shown when every test that it names has passed', () => {
  const named = { file: 'a.test.ts', words: 'is refused' };
  const claim = { document: 'docs/security.md', row: '', test: named };
  const result = (name: string, state: 'passed' | 'failed' | 'skipped', file = named.file) => ({
    file,
    name,
    state,
    verifies: [],
  });
  expect(
    explainUnshown([claim], [result('a token is refused', 'passed'), result('other', 'failed')]),
  ).toEqual([]);
  expect(explainUnshown([claim], [result('a token is refused', 'passed', 'b.test.ts')])).toEqual([
    'docs/security.md is not shown by a.test.ts, is refused: no such test ran.',
  ]);
  expect(
    explainUnshown([claim], [result('a token is refused', 'passed'), result('a name is refused', 'skipped')]),
  ).toEqual(['docs/security.md is not shown by a.test.ts, is refused: passed, skipped.']);
});

test('docs/compared.md says of other bots only what it links', () => {
  for (const row of readRows(ROOT, 'docs/compared.md')) {
    const others = row.split(' | ').slice(1, 6);
    expect(others.filter((cell) => !/^(—|\[yes\]\(https:\/\/[^ )]+\))$/.test(cell))).toEqual([]);
  }
});
