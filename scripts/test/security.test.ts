// The table of docs/security.md names tests that exist.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..', '..');
const claims = [
  ...readFileSync(join(ROOT, 'docs', 'security.md'), 'utf8').matchAll(
    /^\| (.*?) \|.*\| `([^`]+)`: (.+) \|$/gm,
  ),
].map(([, asset = '', file = '', words = '']) => ({ asset, file, words }));

test('every row of the table names a test', () => {
  const rows =
    readFileSync(join(ROOT, 'docs', 'security.md'), 'utf8').match(/^\| (?!Asset|---).*\|$/gm) ?? [];
  expect(claims.length).toBe(rows.length);
  expect(claims.length).toBeGreaterThan(10);
});

test.each(claims)('$asset: $words', ({ file, words }) => {
  expect(existsSync(join(ROOT, file)), file).toBe(true);
  expect(readFileSync(join(ROOT, file), 'utf8')).toContain(words);
});
