import { expect, it } from 'vitest';
import { coalesce } from '#src/database/coalesce.ts';
import { isDatabaseUnavailable } from '#src/database/database-errors.ts';

it('sends together what is asked while a batch is on its way, each with its own answer', async () => {
  const batches: number[][] = [];
  const first = Promise.withResolvers<void>();
  const double = coalesce(async (items: readonly number[]) => {
    batches.push([...items]);
    if (batches.length === 1) await first.promise;
    return items.map((item) => item * 2);
  });
  const answers = [double(1)];
  await Promise.resolve();
  answers.push(double(2), double(3));
  first.resolve();
  expect(await Promise.all(answers)).toEqual([2, 4, 6]);
  expect(batches).toEqual([[1], [2, 3]]);
});

it('refuses a call at once when a thousand wait, and serves those that waited', async () => {
  const gate = Promise.withResolvers<void>();
  const same = coalesce(async (items: readonly number[]) => {
    await gate.promise;
    return items;
  });
  const served = [same(0)];
  await Promise.resolve();
  served.push(...Array.from({ length: 1_000 }, (_, n) => same(n + 1)));
  const refused = await same(-1).catch((error: unknown) => error);
  expect(isDatabaseUnavailable(refused)).toBe(true);
  gate.resolve();
  expect(await Promise.all(served)).toHaveLength(1_001);
});

it('fails every call of a batch that failed, and goes on', async () => {
  let isBroken = true;
  const same = coalesce(async (items: readonly number[]) => {
    if (isBroken) throw new Error('broken');
    return items;
  });
  const failed = await Promise.allSettled([same(1), same(2)]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isBroken = false;
  expect(await same(3)).toBe(3);
});
