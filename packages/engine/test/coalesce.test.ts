import { expect, test } from 'vitest';
import { coalesce, endOfPoll, perOwner } from '#src/database/coalesce.ts';
import { isDatabaseUnavailable } from '#src/database/database-errors.ts';

test('sends together what is asked while a batch is on its way, each with its own answer', async () => {
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

test('refuses a call at once when a thousand wait, and serves those that waited', async () => {
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

test('what nobody waits for any longer is refused and left out of the next batch, also where nothing else is in it', async () => {
  const batches: number[][] = [];
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const over = new Set<number>();
  const same = coalesce(
    async (items: readonly number[]) => {
      batches.push([...items]);
      await gates[batches.length - 1]?.promise;
      return items;
    },
    1,
    { isOver: (item) => over.has(item) },
  );
  const isRefused = async (answer: Promise<number>) =>
    isDatabaseUnavailable(await answer.catch((error: unknown) => error));
  const first = same(1);
  await Promise.resolve();
  const [late, waiting] = [same(2), same(3)];
  over.add(2);
  gates[0]?.resolve();
  expect([await first, await isRefused(late)]).toEqual([1, true]);
  const alone = same(4);
  over.add(4);
  gates[1]?.resolve();
  expect([await waiting, await isRefused(alone), await same(5)]).toEqual([3, true, 5]);
  expect(batches).toEqual([[1], [3], [5]]);
});

test('of those that take turns, one has half of the places, and all together no more than a thousand', async () => {
  const gate = Promise.withResolvers<void>();
  const same = coalesce(
    async (items: readonly string[]) => {
      await gate.promise;
      return items;
    },
    1,
    { turnOf: (item) => item.slice(0, 1) },
  );
  const first = same('first');
  await Promise.resolve();
  const waiting = ['a', 'b'].flatMap((owner) => Array.from({ length: 499 }, (_, n) => same(`${owner}${n}`)));
  const last = same('a499');
  const refused = await same('a500').catch((error: unknown) => error);
  expect(isDatabaseUnavailable(refused)).toBe(true);
  const another = same('c');
  expect(isDatabaseUnavailable(await same('b499').catch((error: unknown) => error))).toBe(true);
  gate.resolve();
  expect(await Promise.all([first, ...waiting, last, another])).toHaveLength(1_001);
});

test('a batch has as many calls of each that take turns, and never too many', async () => {
  const batches: string[] = [];
  const gate = Promise.withResolvers<void>();
  const same = coalesce(
    async (items: readonly string[]) => {
      batches.push(items.map((item) => item.slice(0, 1)).join(''));
      if (batches.length === 1) await gate.promise;
      return items;
    },
    1,
    { together: 4, turnOf: (item) => item.slice(0, 1) },
  );
  const answers = [same('x')];
  await Promise.resolve();
  for (const item of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'c1', 'd1', 'e1', 'f1']) answers.push(same(item));
  gate.resolve();
  await Promise.all(answers);
  expect(batches[0]).toBe('x');
  expect(batches.slice(1).map((batch) => batch.length)).toEqual([4, 4, 2]);
  expect(batches[1]).toBe('abcd');
  expect([...(batches[2] ?? '')].sort().join('')).toBe('aaef');
});

test('what gathers until all is read resolves', async () => {
  await endOfPoll();
  let isOver = false;
  setImmediate(() => {
    isOver = true;
  });
  await endOfPoll();
  expect(isOver).toBe(true);
});

test('fails every call of a batch that failed, and goes on', async () => {
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

test('at most two hundred go together', async () => {
  const sizes: number[] = [];
  const same = coalesce(async (items: readonly number[]) => {
    sizes.push(items.length);
    return items;
  });
  await Promise.all(Array.from({ length: 450 }, (_, n) => same(n)));
  expect(sizes).toEqual([200, 200, 50]);
});

test('as many batches run at the same time as may, and no more', async () => {
  const gates: (() => void)[] = [];
  const started: number[] = [];
  const same = coalesce(async (items: readonly number[]) => {
    started.push(...items);
    await new Promise<void>((resolve) => gates.push(resolve));
    return items;
  }, 2);
  const answers: Promise<number>[] = [];
  for (const item of [1, 2, 3]) {
    answers.push(same(item));
    await new Promise(setImmediate);
  }
  expect(started).toEqual([1, 2]);
  gates[0]?.();
  await answers[0];
  await new Promise(setImmediate);
  expect(started).toEqual([1, 2, 3]);
  for (const open of gates) open();
  expect(await Promise.all(answers)).toEqual([1, 2, 3]);
});

test('another batch runs beside one only when calls of enough others wait, and none is left waiting', async () => {
  const gates: (() => void)[] = [];
  const batches: string[][] = [];
  const same = coalesce(
    async (items: readonly string[]) => {
      batches.push([...items]);
      await new Promise<void>((resolve) => gates.push(resolve));
      return items;
    },
    2,
    { beside: 3, turnOf: (item) => item.slice(0, 1) },
  );
  const answers: Promise<string>[] = [];
  const ask = async (...items: readonly string[]) => {
    for (const item of items) answers.push(same(item));
    await new Promise(setImmediate);
  };
  await ask('a1');
  // However many of one.
  await ask('a2', 'a3', 'a4', 'b1');
  expect(batches).toEqual([['a1']]);
  await ask('c1');
  expect(batches).toEqual([['a1'], ['a2', 'a3', 'a4', 'b1', 'c1']]);
  await ask('d1');
  gates[0]?.();
  gates[1]?.();
  await answers[4];
  await new Promise(setImmediate);
  expect(batches.slice(2)).toEqual([['d1']]);
  gates[2]?.();
  expect(await Promise.all(answers)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'd1']);
});

test('each owner has one value of its own', () => {
  let made = 0;
  const numberOf = perOwner((_owner: object) => {
    made += 1;
    return made;
  });
  const [one, other] = [{}, {}];
  expect([numberOf(one), numberOf(other), numberOf(one)]).toEqual([1, 2, 1]);
});
