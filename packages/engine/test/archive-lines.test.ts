import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { filled, idInArchive, iso, pages, ROWS_OF_A_STEP } from '#src/imports/archive-lines.ts';

test('pages are read after the last row of the one before, until one is not full', async () => {
  verifies('archive.round-trip');
  const asked: number[] = [];
  const read = (most: number) => async (after: number) => {
    asked.push(after);
    return Array.from({ length: Math.min(ROWS_OF_A_STEP, most - after) }, (_, n) => after + n + 1);
  };
  const sizes: number[] = [];
  for await (const rows of pages(read(ROWS_OF_A_STEP + 3), 0, (row) => row)) sizes.push(rows.length);
  expect([sizes, asked.splice(0)]).toEqual([
    [ROWS_OF_A_STEP, 3],
    [0, ROWS_OF_A_STEP],
  ]);
  for await (const rows of pages(read(ROWS_OF_A_STEP), 0, (row) => row)) sizes.push(rows.length);
  for await (const rows of pages(read(0), 0, (row) => row)) sizes.push(rows.length);
  expect([sizes.slice(2), asked]).toEqual([[ROWS_OF_A_STEP], [0, ROWS_OF_A_STEP, 0]]);
});

test('fields without a value are left out, others stay, and moments are in UTC', () => {
  verifies('archive.round-trip');
  expect(filled({ a: null, b: undefined, c: 0, d: '', e: false })).toEqual({ c: 0, d: '', e: false });
  expect(iso('2026-01-02T03:04:05.6+02:00')).toBe('2026-01-02T01:04:05.600Z');
});

test('the id in an archive is read without its prefix', () => {
  verifies('archive.round-trip');
  expect(idInArchive('n.id', 'note:')).toMatch(/substr\(external_id, 6\).*record_id = n\.id.*, n\.id\)/s);
  expect(idInArchive('c.id')).toContain('substr(external_id, 1)');
});
