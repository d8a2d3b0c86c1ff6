// The tables of docs/security.md and docs/compared.md name tests that exist.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..', '..');
const rowsOf = (document: string) =>
  readFileSync(join(ROOT, 'docs', document), 'utf8').match(/^\| (?!Asset |What |---).*\|$/gm) ?? [];

describe.each([
  { document: 'security.md', isClaim: () => true },
  { document: 'compared.md', isClaim: (row: string) => !row.endsWith('| no |') },
])('docs/$document', ({ document, isClaim }) => {
  const rows = rowsOf(document).filter(isClaim);
  const claims = rows.flatMap((row) => {
    const [, what = '', file = '', words = ''] = /^\| (.*?) \|.*\| `([^`]+)`: (.+) \|$/.exec(row) ?? [];
    return file === '' ? [] : [{ what, file, words }];
  });

  test('every row of the table names a test', () => {
    expect(claims.length).toBe(rows.length);
    expect(claims.length).toBeGreaterThan(10);
  });

  test.each(claims)('$what: $words', ({ file, words }) => {
    expect(existsSync(join(ROOT, file)), file).toBe(true);
    expect(readFileSync(join(ROOT, file), 'utf8')).toContain(words);
  });
});

test('docs/compared.md says of other bots only what it links', () => {
  for (const row of rowsOf('compared.md')) {
    const others = row.split(' | ').slice(1, 6);
    expect(others.filter((cell) => !/^(—|\[yes\]\(https:\/\/[^ )]+\))$/.test(cell))).toEqual([]);
  }
});
