import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { RankedTurns } from '#src/ranked-turns.ts';

/** What may begin now has begun after this. */
const begins = () => new Promise((resolve) => setImmediate(resolve));

/** Some works of `turns`, by name, that end when they are told to. */
function worksOf(turns: RankedTurns) {
  const begun: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const run = (name: string, rank: () => number = () => 0) => {
    const end = Promise.withResolvers<void>();
    ends.set(name, end);
    return turns.run(rank, () => {
      begun.push(name);
      return end.promise;
    });
  };
  return { begun, run, end: (name: string) => ends.get(name) };
}

test('of what waits, the lowest rank at that moment comes next', async () => {
  verifies('bot.ranked-turns');
  const { begun, run, end } = worksOf(new RankedTurns({ atOnce: 1 }));
  const ranks = { a: 3, b: 2, c: 1 };
  const all = [run('first'), run('a', () => ranks.a), run('b', () => ranks.b), run('c', () => ranks.c)];
  await begins();
  expect(begun).toEqual(['first']);
  // Somebody waits for a now.
  ranks.a = 0;
  for (const name of ['first', 'a', 'c', 'b']) {
    end(name)?.resolve();
    await all[['first', 'a', 'b', 'c'].indexOf(name)];
  }
  expect(begun).toEqual(['first', 'a', 'c', 'b']);
});

test('of equal ranks, who came first is first; no more run at once than may', async () => {
  verifies('bot.ranked-turns');
  const { begun, run, end } = worksOf(new RankedTurns({ atOnce: 2 }));
  const all = ['a', 'b', 'c', 'd'].map((name) => run(name));
  await begins();
  expect(begun).toEqual(['a', 'b']);
  end('b')?.resolve();
  await all[1];
  await begins();
  expect(begun).toEqual(['a', 'b', 'c']);
  for (const name of ['a', 'c', 'd']) end(name)?.resolve();
  await Promise.all(all);
});

test('work that fails frees its turn, and the failure is its own', async () => {
  verifies('bot.ranked-turns');
  const { begun, run, end } = worksOf(new RankedTurns({ atOnce: 1 }));
  const [failing, next] = [run('failing'), run('next')];
  end('failing')?.reject(new Error('Discord did not answer'));
  await expect(failing).rejects.toThrow('Discord did not answer');
  end('next')?.resolve();
  await next;
  expect(begun).toEqual(['failing', 'next']);
});

test('turns with a pace begin one after the other, though there is room', async () => {
  verifies('bot.ranked-turns');
  const { begun, run, end } = worksOf(new RankedTurns({ atOnce: 8, perSecond: 1 }));
  const all = ['a', 'b'].map((name) => run(name));
  await begins();
  expect(begun).toEqual(['a']);
  for (const name of ['a', 'b']) end(name)?.resolve();
  await Promise.all(all);
  expect(begun).toEqual(['a', 'b']);
});

test('of turns that processes share, each gives its part in a second', async () => {
  verifies('bot.ranked-turns');
  const shared = new RankedTurns({ atOnce: 8, perSecond: 1_000 });
  expect(shared.isBusy).toBe(false);
  shared.shareWith(999_999);
  const { begun, run, end } = worksOf(shared);
  const [first] = ['a', 'b'].map((name) => run(name));
  expect(shared.isBusy).toBe(true);
  // Long enough for a thousand turns a second.
  const whole = new RankedTurns({ atOnce: 8, perSecond: 20 });
  for (let turn = 0; turn < 3; turn += 1) await whole.run(() => 0, begins);
  end('a')?.resolve();
  await first;
  expect(begun).toEqual(['a']);
});
