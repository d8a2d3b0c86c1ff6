// docs/performance.md and bench/report.html say what bench/results.json holds.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { documentWith } from '../../bench/src/document.ts';
import { PARTS } from '../../bench/src/parts.ts';
import { reportOf } from '../../bench/src/report.ts';
import type { Results } from '../../bench/src/results.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const RESULTS = JSON.parse(read('bench/results.json')) as Results;
const STALE = 'Run `npm run bench -- --report`.';

test('every part of the benchmark has its place in the document', () => {
  const named = [...read('docs/performance.md').matchAll(/<!-- part (\S+) -->/g)].map(([, name]) => name);
  expect(named.toSorted()).toEqual(Object.keys(PARTS).toSorted());
});

test('the tables of the document are those of the results', () => {
  const document = read('docs/performance.md');
  expect(document, STALE).toBe(documentWith(document, PARTS, RESULTS));
});

test('the report is that of the results', () => {
  expect(read('bench/report.html') === reportOf(PARTS, RESULTS), STALE).toBe(true);
});

test('each measured figure is one that there is, with its bound of today', () => {
  for (const [name, { error, figures }] of Object.entries(RESULTS)) {
    const known = PARTS[name]?.figures ?? {};
    expect(error === undefined ? Object.keys(figures) : Object.keys(known), name).toEqual(Object.keys(known));
    for (const [id, { title, unit, atMost, atLeast }] of Object.entries(figures)) {
      expect({ title, unit, atMost, atLeast }, `${name}.${id}`).toEqual({
        title: known[id]?.title,
        unit: known[id]?.unit,
        atMost: known[id]?.atMost,
        atLeast: known[id]?.atLeast,
      });
    }
  }
});

test('each figure says what limits it, and each part how it is measured', () => {
  for (const { how, figures } of Object.values(PARTS)) {
    expect(how.length).toBeGreaterThan(40);
    for (const { limits } of Object.values(figures)) expect(limits.length).toBeGreaterThan(6);
  }
});

test('neither names a place of the machine', () => {
  for (const path of ['docs/performance.md', 'bench/results.json', 'bench/report.html'])
    expect(read(path), path).not.toMatch(/file:\/\/\/|[\s"'(]\/(?:home|root|srv|tmp|work)\//);
});
