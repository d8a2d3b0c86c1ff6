import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { keptFor } from '#src/database/kept-for.ts';

test('what is kept is computed at most once in its time, however many ask', async () => {
  verifies('ops.readyz.once-a-second', 'ops.metrics.harmless');
  let now = 500;
  let computed = 0;
  const ready = keptFor(
    1000,
    async () => (computed += 1),
    () => now,
  );
  expect(await Promise.all(Array.from({ length: 50 }, ready))).toEqual(Array(50).fill(1));
  now = 1499;
  expect(await ready()).toBe(1);
  now = 1500;
  expect(await ready()).toBe(2);
});

test('it is never computed twice at once, however long that takes', async () => {
  verifies('ops.metrics.harmless');
  let now = 0;
  const first = Promise.withResolvers<string>();
  const answers = [first.promise, Promise.resolve('second')];
  const kept = keptFor(
    1000,
    () => answers.shift() ?? Promise.reject(new Error('asked too often')),
    () => now,
  );
  const asked = kept();
  now = 5000;
  expect(kept()).toBe(asked);
  first.resolve('first');
  expect(await asked).toBe('first');
  expect(await kept()).toBe('second');
});

test('a failure is not kept', async () => {
  const answers = [Promise.reject(new Error('away')), Promise.resolve('there')];
  const kept = keptFor(1000, () => answers.shift() ?? Promise.reject(new Error('asked too often')));
  await expect(kept()).rejects.toThrow('away');
  expect(await kept()).toBe('there');
});
