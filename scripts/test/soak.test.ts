// How a soak judges what grew, and the page that it writes.
import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { growthOf } from '../../bench/src/soak/growth.ts';
import { grownTables, judge, judgeRecords } from '../../bench/src/soak/judge.ts';
import { MEASURES } from '../../bench/src/soak/measures.ts';
import { pageOf } from '../../bench/src/soak/page.ts';
import { type Sample, tablesOfGrowth } from '../../bench/src/soak/samples.ts';

const MB = 1024 * 1024;
const HEAP = 'bot-1: heap after a collection';

/** The same numbers in each run (Park and Miller). */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Half an hour of samples of a heap of 100 MB that moves by 10 MB from one to the next. */
function samplesOf(heapAt: (seconds: number) => number, seed = 7): Sample[] {
  const random = numbersFrom(seed);
  return Array.from({ length: 180 }, (_, n) => {
    const seconds = n * 10;
    const held = {
      heapBytes: (100 + heapAt(seconds) + (random() - 0.5) * 10) * MB,
      externalBytes: MB,
      residentBytes: 200 * MB,
      files: 40,
    };
    const rows = Object.fromEntries(tablesOfGrowth().steady.map((name) => [name, 3]));
    const database = {
      connections: 30,
      dueJobs: n % 3,
      openActions: 0,
      steadyRows: 90,
      steadyBytes: 5 * MB,
      bytes: seconds * MB,
      rows,
    };
    return { seconds, done: n, processes: { supervisor: held, 'bot-1': held, 'web-1': held }, database };
  });
}

const heapOf = (samples: readonly Sample[]) =>
  judge(samples, 600).find(({ measure }) => measure.title === HEAP);

test('a leak of ten kilobytes a second is found in half an hour, under ten megabytes of noise', () => {
  verifies('ops.soak');
  for (const seed of [1, 2, 3, 4, 5]) {
    expect(heapOf(samplesOf((seconds) => (seconds * 10) / 1024, seed))?.isKept).toBe(false);
  }
});

test('noise alone, a warm-up, a single peak and a fall are no growth', () => {
  verifies('ops.soak');
  let most = 0;
  for (const seed of [1, 2, 3, 4, 5]) {
    expect(heapOf(samplesOf(() => 0, seed))?.isKept).toBe(true);
    expect(heapOf(samplesOf((seconds) => Math.min(seconds, 600) / 10, seed))?.isKept).toBe(true);
    expect(heapOf(samplesOf((seconds) => (seconds === 1_500 ? 500 : 0), seed))?.isKept).toBe(true);
    expect(heapOf(samplesOf((seconds) => -seconds / 100, seed))?.isKept).toBe(true);
    // Of 2.8 MB, noise makes more than the 4 that are allowed, by the median slope of some of these.
    const doubtful = heapOf(samplesOf((seconds) => (seconds * 2.8) / 1_200, seed));
    expect(doubtful?.isKept, `${doubtful?.grew} MB`).toBe(true);
    most = Math.max(most, doubtful?.grew ?? 0);
  }
  expect(most).toBeGreaterThan(4.5);
});

test('each measure is judged but the size of the records, and may grow by no more than a fault in use would', () => {
  verifies('ops.soak');
  const bounds = MEASURES.map(({ title, unit, mayGrow }) => [title, `${mayGrow} ${unit}`.trim()]);
  const inProcess = ['supervisor', 'bot-1', 'web-1'].flatMap((name) => [
    [`${name}: heap after a collection`, '4 MB'],
    [`${name}: buffers outside the heap`, '4 MB'],
    [`${name}: resident memory`, '32 MB'],
    [`${name}: open files and sockets`, '8'],
  ]);
  expect(bounds).toEqual([
    ...inProcess,
    ['Connections to PostgreSQL', '8'],
    ['Jobs that are due', '10'],
    ['Actions that have not ended', '10'],
    ['Rows of tables that do not grow with use', '20'],
    ['Size of these tables and of the queue, with their indexes', '8 MB'],
    ['Size of the whole database', 'undefined MB'],
  ]);
});

test('records are judged by how many each thing done adds, and a table that has grown is named', () => {
  verifies('ops.soak');
  const samples = samplesOf(() => 0).map((sample, n): Sample => {
    if (sample.database === undefined) return sample;
    // Those of the warm-up do not count.
    const warm = Math.max(0, n - 60);
    const rows = {
      ...sample.database.rows,
      audit: 99 + 3 * warm,
      cases: 5 * warm,
      guilds: n < 100 ? 3 : 5,
      users: 200 - n,
    };
    return { ...sample, database: { ...sample.database, rows } };
  });
  const judged = judgeRecords(samples, 600);
  expect(judged).toHaveLength(2);
  expect(judged).toContainEqual({
    title: 'Rows of audit for each thing done',
    seen: '3.00 (357 for 119)',
    isKept: true,
  });
  expect(judged).toContainEqual({
    title: 'Rows of cases for each thing done',
    seen: '5.00 (595 for 119)',
    isKept: false,
  });
  expect(grownTables(samples, 600)).toEqual(['guilds +2']);
});

test('the slope is that of the line, whatever single points say; too few points are refused', () => {
  verifies('ops.soak');
  const line = Array.from({ length: 20 }, (_, n) => ({ seconds: n, value: n === 10 ? 900 : 2 * n }));
  const { perSecond, leastPerSecond } = growthOf(line);
  expect(perSecond).toBeCloseTo(2, 5);
  expect(leastPerSecond).toBeGreaterThan(1.5);
  expect(leastPerSecond).toBeLessThanOrEqual(perSecond);
  expect(() => growthOf(line.slice(0, 5))).toThrow('5 samples are too few');
});

test('every table of the database is judged, or counted as one that grows with use', () => {
  verifies('ops.soak');
  const { growing, steady } = tablesOfGrowth();
  expect(growing).toEqual(expect.arrayContaining(['actions', 'audit', 'cases']));
  expect(steady).toEqual(expect.arrayContaining(['guilds', 'members', 'gateway_shards', 'signing_secret']));
});

test('the page has each measure with a plot, says what failed, and needs no other file', () => {
  verifies('ops.soak');
  const judged = judge(
    samplesOf((seconds) => seconds / 10),
    600,
  );
  const page = pageOf({
    title: 'A soak',
    occasion: ['On <this> machine.'],
    warmSeconds: 600,
    killed: [{ seconds: 700, victim: 'web-2' }],
    judged,
    checks: [{ title: 'Jobs left', seen: '0', isKept: true }],
    answers: new Map([['read: 200', 12]]),
  });
  expect(page.match(/<polyline/g)).toHaveLength(MEASURES.length);
  expect(page).toContain(`3 of ${MEASURES.length + 1} not as promised`);
  expect(page).toContain('On &lt;this&gt; machine.');
  expect(page).not.toMatch(/<script|<link|src=|href=|NaN/);
});
