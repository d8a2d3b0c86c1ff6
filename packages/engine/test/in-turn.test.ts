import { ApiError } from '@bailiff/core';
import { untilShown, verifies } from '@bailiff/core/testing';
import { openDatabase } from '@bailiff/prisma';
import { expect, onTestFinished, test, vi } from 'vitest';
import { coalesce } from '#src/database/coalesce.ts';
import { DatabaseTooSlow, isDatabaseUnavailable, patience } from '#src/database/database-errors.ts';
import { readInTurn, readOfTokenInTurn, stepInTurn } from '#src/database/in-turn.ts';

/** Turns of a database of its own, which is never asked. */
function turns(take = readInTurn) {
  const db = openDatabase('postgresql://nobody@127.0.0.1:1/nothing', { applicationName: 'turns' });
  const begun: string[] = [];
  const run = (
    guildId: string,
    until: Promise<unknown> = Promise.resolve(),
    forStore = patience(60_000),
    work = () => {},
  ) =>
    take(db, guildId, forStore, async () => {
      begun.push(guildId);
      work();
      await until;
      return guildId;
    });
  return { begun, run };
}

test('a guild has one slow read at a time, and others do not wait for it', async () => {
  verifies('reads.guilds-apart');
  const { begun, run } = turns();
  const gate = Promise.withResolvers<void>();
  const slow = Array.from({ length: 100 }, () => run('hostile', gate.promise));
  expect(await Promise.all([run('one'), run('two'), run('three'), run('four')])).toHaveLength(4);
  expect(begun.filter((guild) => guild === 'hostile')).toHaveLength(1);
  gate.resolve();
  expect(await Promise.all(slow)).toHaveLength(100);
});

test('a token has one read of several statements at a time, and other tokens do not wait for it', async () => {
  verifies('reads.guilds-apart');
  const { begun, run } = turns(readOfTokenInTurn);
  const gate = Promise.withResolvers<void>();
  const slow = Array.from({ length: 100 }, () => run('hostile', gate.promise));
  const others = Array.from({ length: 100 }, (_, n) => run(`token ${n}`));
  expect(await Promise.all(others)).toHaveLength(100);
  expect(begun.filter((token) => token === 'hostile')).toHaveLength(1);
  gate.resolve();
  expect(await Promise.all(slow)).toHaveLength(100);
});

test.each([
  ['is refused', new ApiError('RATE_LIMITED', 'used up'), 1],
  ['is answered', null, 2],
  ['does not find what it looks for', new ApiError('NOT_FOUND', 'not there'), 2],
  ['has no database', new DatabaseTooSlow(), 2],
])(
  'after a read of a token that %s, the next begins at once or a moment later',
  async (_how, error, begunAtOnce) => {
    verifies('reads.refused-in-turn');
    // The clock stands: a pause of the machine would count as time for which the turn is kept.
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { begun, run } = turns(readOfTokenInTurn);
    const first = run('token', error === null ? undefined : Promise.reject(error)).catch((thrown) => thrown);
    const then = [run('token'), run('token')];
    expect(await first).toBe(error ?? 'token');
    // Nothing but what was promised has run since the answer, so no timer has either.
    expect(begun).toHaveLength(begunAtOnce);
    expect(await run('another')).toBe('another');
    expect(await Promise.all(then)).toHaveLength(2);
  },
);

test('steps of exports run one at a time, guild by guild, each after a rest 24 times as long as the last', async () => {
  verifies('audit.export-paced');
  const { run } = turns(stepInTurn);
  const steps: { guild: string; from: number; to: number }[] = [];
  const step = (guild: string) =>
    run(guild, undefined, patience(60_000), () => {
      const from = performance.now();
      while (performance.now() - from < 5);
      steps.push({ guild, from, to: performance.now() });
    });
  await Promise.all([step('a'), step('a'), step('b'), step('a')]);
  expect(steps.map(({ guild }) => guild)).toEqual(['a', 'a', 'b', 'a']);
  // A timer may fire a millisecond early.
  for (const [n, { from, to }] of steps.slice(0, -1).entries())
    expect((steps[n + 1]?.from ?? 0) - to).toBeGreaterThan(24 * (to - from) - 2);
});

test('what is made of the answer of a step at once counts for the rest after it', async () => {
  verifies('audit.export-paced');
  const { run } = turns(stepInTurn);
  let madeMs = 0;
  const first = run('a').then(() => {
    const from = performance.now();
    while (performance.now() - from < 5);
    madeMs = performance.now() - from;
  });
  const next = run('a').then(() => performance.now());
  await first;
  const madeAt = performance.now();
  expect((await next) - madeAt).toBeGreaterThan(24 * madeMs - 2);
});

test('a guild whose slow reads took a second pauses, and others take their turns meanwhile', async () => {
  verifies('reads.guilds-apart');
  const begunMeanwhile = await untilShown(async () => {
    const { begun, run } = turns();
    let until = 0;
    await run('hostile', undefined, patience(60_000), () => {
      until = performance.now() + 1_050;
      while (performance.now() < until);
    });
    const paused = run('hostile');
    await Promise.all(Array.from({ length: 20 }, (_, n) => run(`guild ${n}`)));
    // On a busy machine the pause may be over before the others have had their turns.
    const meanwhile = performance.now() < until + 900 ? begun.length : null;
    expect(await paused).toBe('hostile');
    expect(performance.now()).toBeGreaterThan(until + 900);
    return meanwhile;
  });
  expect(begunMeanwhile).toBe(21);
});

test('guilds that pause keep no place, and others begin in it at once', async () => {
  verifies('reads.guilds-apart');
  // By this clock each slow read takes so long that its guild would pause for longer than this test lasts.
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { begun, run } = turns();
  const gate = Promise.withResolvers<void>();
  const forHours = patience(10_000_000);
  const slow = ['a', 'b', 'c', 'd'].map((guild) =>
    run(guild, gate.promise, forHours, () => vi.advanceTimersByTime(100_000)),
  );
  const others = ['e', 'f', 'g', 'h'].map((guild) => run(guild, undefined, forHours));
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
  gate.resolve();
  await Promise.all(slow);
  expect(begun).toHaveLength(8);
  expect(await Promise.all(others)).toEqual(['e', 'f', 'g', 'h']);
});

test('guilds take turns where all places are taken', async () => {
  verifies('reads.guilds-apart');
  const { begun, run } = turns();
  const gate = Promise.withResolvers<void>();
  const first = ['a', 'b', 'c', 'd'].map((guild) => run(guild, gate.promise));
  const then = ['a', 'a', 'a', 'e', 'f'].map((guild) => run(guild));
  gate.resolve();
  await Promise.all([...first, ...then]);
  expect(begun.slice(0, 4)).toEqual(['a', 'b', 'c', 'd']);
  expect(begun.indexOf('f')).toBeLessThan(begun.lastIndexOf('a'));
});

test('a slow read whose turn comes too late is not run, and neither is one too many', async () => {
  verifies('reads.guilds-apart');
  const { begun, run } = turns();
  const gate = Promise.withResolvers<void>();
  const running = run('a', gate.promise);
  const late = run('a', undefined, patience(0)).catch((error: unknown) => error);
  const waiting = Array.from({ length: 119 }, () => run('a'));
  const refused = await run('a').catch((error: unknown) => error);
  expect(isDatabaseUnavailable(refused)).toBe(true);
  gate.resolve();
  expect(isDatabaseUnavailable(await late)).toBe(true);
  await Promise.all([running, ...waiting]);
  expect(begun).toHaveLength(120);
});

test('those that take turns have as many places in a batch, and half of the waiting ones at most', async () => {
  verifies('reads.guilds-apart');
  const gate = Promise.withResolvers<void>();
  const batches: string[][] = [];
  const send = coalesce(
    async (items: readonly string[]) => {
      batches.push([...items]);
      await gate.promise;
      return items;
    },
    1,
    { together: 10, turnOf: (item) => item },
  );
  const sent = [send('first')];
  await Promise.resolve();
  const hostile = Array.from({ length: 501 }, () => send('hostile').catch((error: unknown) => error));
  sent.push(...['a', 'a', 'a', 'b', 'c', 'd'].map(send));
  expect(isDatabaseUnavailable(await hostile[500])).toBe(true);
  gate.resolve();
  await Promise.all(sent);
  const [, second] = batches;
  expect(second?.toSorted()).toEqual(['a', 'a', 'a', 'b', 'c', 'd', ...Array(4).fill('hostile')]);
  await Promise.all(hostile);
});
