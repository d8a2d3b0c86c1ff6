import { verifies } from '@bailiff/core/testing';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { type DiscordApi, type RequestOptions, requestTimeoutMs } from '#src/discord-api.ts';
import { createPaces, type Paces, pacedApi } from '#src/pacing.ts';

let paces: Paces;
afterEach(() => paces.close());

/** Something to do: it begins when its turn comes, and ends when it is told to. */
function task() {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<string>();
  return {
    begun: begun.promise,
    end: end.resolve,
    work: () => {
      begun.resolve();
      return end.promise;
    },
  };
}

const NEVER = new AbortController().signal;
const notSent = (what: RegExp) =>
  expect.objectContaining({ kind: 'not_sent', message: expect.stringMatching(what) });

test('of forty direct messages at once a few are sent; the others are refused in time, and are not sent later', async () => {
  verifies('H30');
  paces = createPaces({ directMessages: { reservoirIncreaseInterval: 250, reservoirIncreaseMaximum: 1 } });
  const { paceDirectMessages } = paces;
  const inTime = new AbortController();
  let sent = 0;
  const burst = Array.from({ length: 40 }, () =>
    paceDirectMessages(async () => {
      sent += 1;
      // As soon as those that may go have gone, nobody waits for the others any more.
      if (sent === 8) setImmediate(() => inTime.abort());
    }, inTime.signal),
  );
  const outcomes = await Promise.allSettled(burst);
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? outcome.reason : []));
  expect(refused).toHaveLength(32);
  for (const reason of refused) expect(reason).toEqual(notSent(/not sent the direct message/));
  expect(sent).toBe(8);
  // Turns that nobody took are left for the next one.
  const next = () => paceDirectMessages(async () => 'sent', NEVER).catch(({ kind }) => kind);
  await expect.poll(next).toBe('sent');
  expect(sent).toBe(8);
});

test('who would wait for a turn in vain is refused at once', async () => {
  verifies('H30');
  paces = createPaces();
  for (let sent = 0; sent < 8; sent += 1) await paces.paceDirectMessages(async () => {}, NEVER);
  const late = () => paces.paceDirectMessages(async () => {}, NEVER);
  await expect(late()).rejects.toEqual(notSent(/not sent the direct message/));
  await paces.close();
  paces = createPaces();
  paces.holdConversations(60_000);
  await expect(late()).rejects.toEqual(notSent(/not sent the direct message/));
});

test('messages are sent although the machine’s clock has stepped back, and no more than before', async () => {
  verifies('H10', 'H30');
  paces = createPaces();
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
  const soon = () => AbortSignal.timeout(20_000);
  expect(await paces.paceDirectMessages(async () => 'sent', soon())).toBe('sent');
  // Nobody knows how many were sent before.
  await expect(paces.paceDirectMessages(async () => 'sent', soon())).rejects.toEqual(notSent(/not sent/));
  expect(await paces.hasLaterTurn()).toBe(false);
});

test('what waits when the machine’s clock steps back gets its turn, although nothing else comes', async () => {
  verifies('H10');
  paces = createPaces({ laterMessages: { maxConcurrent: 1 } });
  const [first, second] = [task(), task()];
  const running = paces.paceLaterMessages(first.work, NEVER);
  await first.begun;
  const waiting = paces.paceLaterMessages(second.work, NEVER);
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
  await paces.hasLaterTurn();
  await second.begun;
  first.end('first');
  second.end('second');
  expect(await Promise.all([running, waiting])).toEqual(['first', 'second']);
});

test('what comes when too much waits is refused at once', async () => {
  paces = createPaces({ directMessages: { maxConcurrent: 1, highWater: 2 } });
  const first = task();
  const running = paces.paceDirectMessages(first.work, NEVER);
  await first.begun;
  const waiting = [1, 2].map((n) => paces.paceDirectMessages(async () => n, NEVER));
  await expect(paces.paceDirectMessages(async () => 3, NEVER)).rejects.toEqual(notSent(/too many/));
  first.end('done');
  expect(await running).toBe('done');
  expect(await Promise.all(waiting)).toEqual([1, 2]);
});

test('a message that can be sent later knows whether a turn is left, and leaves some to the others', async () => {
  verifies('notices.backlog');
  paces = createPaces();
  for (let sent = 0; sent < 4; sent += 1) {
    expect(await paces.hasLaterTurn()).toBe(true);
    await paces.paceLaterMessages(async () => {}, NEVER);
  }
  expect(await paces.hasLaterTurn()).toBe(false);
  // What cannot be sent later still has turns.
  for (let sent = 0; sent < 4; sent += 1) await paces.paceDirectMessages(async () => {}, NEVER);
});

test('no turn is left while no conversation may be opened, and when the others have used all up', async () => {
  verifies('notices.backlog');
  paces = createPaces();
  paces.holdConversations(60_000);
  expect(await paces.hasLaterTurn()).toBe(false);
  await paces.close();
  paces = createPaces();
  for (let sent = 0; sent < 8; sent += 1) await paces.paceDirectMessages(async () => {}, NEVER);
  expect(await paces.hasLaterTurn()).toBe(false);
});

test('one guild that is busy does not hold up another', async () => {
  paces = createPaces({ guild: { maxConcurrent: 1 } });
  const busy = task();
  const running = paces.paceOfGuild('1')(busy.work, NEVER);
  await busy.begun;
  const impatient = new AbortController();
  const waiting = paces.paceOfGuild('1')(async () => 'late', impatient.signal);
  expect(await paces.paceOfGuild('2')(async () => 'other guild', NEVER)).toBe('other guild');
  impatient.abort();
  await expect(waiting).rejects.toEqual(notSent(/under way in this guild/));
  busy.end('done');
  expect(await running).toBe('done');
});

test('a place that is not given back is given to the next, and the answer is still the work’s own', async () => {
  paces = createPaces({ guild: { maxConcurrent: 1 }, placeLostAfterMs: 50 });
  const stuck = task();
  const running = paces.paceOfGuild('1')(stuck.work, NEVER);
  await stuck.begun;
  expect(await paces.paceOfGuild('1')(async () => 'next', NEVER)).toBe('next');
  stuck.end('at last');
  expect(await running).toBe('at last');
});

test('a request that sends files keeps its place for as long as that may take', async () => {
  paces = createPaces({ guild: { maxConcurrent: 1 } });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const sending = task();
  const running = paces.paceOfGuild('1')(sending.work, NEVER);
  await sending.begun;
  let hasBegun = false;
  const next = paces.paceOfGuild('1')(async () => {
    hasBegun = true;
  }, NEVER);
  vi.advanceTimersByTime(requestTimeoutMs([{ name: 'proof.bin', data: Buffer.alloc(10 * 1024 * 1024) }]));
  vi.useRealTimers();
  expect(hasBegun).toBe(false);
  sending.end('sent');
  expect(await running).toBe('sent');
  await next;
});

test('guilds that are idle are forgotten; while two hundred are busy, one more is refused', async () => {
  paces = createPaces();
  const pace = (guild: number) => paces.paceOfGuild(String(guild));
  for (let guild = 0; guild < 250; guild += 1) await pace(guild)(async () => {}, NEVER);
  const tasks = Array.from({ length: 200 }, task);
  const running = tasks.map(({ work }, guild) => pace(50 + guild)(work, NEVER));
  await Promise.all(tasks.map(({ begun }) => begun));
  await expect(pace(0)(async () => {}, NEVER)).rejects.toEqual(notSent(/200 guilds are busy/));
  for (const { end } of tasks) end('done');
  await Promise.all(running);
  expect(await pace(0)(async () => 'in turn', NEVER)).toBe('in turn');
});

test('a request whose time is up before its turn is not made', async () => {
  paces = createPaces({ guild: { reservoir: 1, reservoirIncreaseAmount: null } });
  const asked: string[] = [];
  const ask = (route: string, { guild, signal }: RequestOptions) =>
    guild?.take(async () => asked.push(route), signal);
  const api: DiscordApi = {
    get: async <T>(route: string, options: RequestOptions) => (await ask(route, options)) as T,
    send: async (_method, route, options) => ask(route, options),
    checkLimits: () => {},
  };
  const paced = pacedApi(api, paces, '1');
  await paced.get('/first', { signal: NEVER });
  const deadline = new AbortController();
  const late = paced.send('PUT', '/second', { signal: deadline.signal });
  deadline.abort();
  await expect(late).rejects.toEqual(notSent(/not sent/));
  await expect(paced.get('/third', { signal: deadline.signal })).rejects.toEqual(notSent(/not sent/));
  expect(asked).toEqual(['/first']);
});

test('a request that has room is sent before anything else happens', async () => {
  verifies('pacing.prompt');
  paces = createPaces();
  let isSent = false;
  const sent = paces.paceOfGuild('1')(async () => {
    isSent = true;
  }, NEVER);
  expect(isSent).toBe(true);
  await sent;
});

test('a guild that has used its requests up goes on by itself, in order', async () => {
  verifies('pacing.prompt');
  const guild = { reservoir: 1, reservoirIncreaseInterval: 20, reservoirIncreaseAmount: 1 };
  paces = createPaces({ guild });
  const order: number[] = [];
  const pace = paces.paceOfGuild('1');
  await Promise.all([1, 2, 3].map((n) => pace(async () => order.push(n), NEVER)));
  expect(order).toEqual([1, 2, 3]);
});

test('a guild for which too much waits is refused more, and what waits is not', async () => {
  verifies('pacing.prompt');
  paces = createPaces({ guild: { maxConcurrent: 1, highWater: 1 } });
  const pace = paces.paceOfGuild('1');
  const first = task();
  const running = pace(first.work, NEVER);
  const waiting = pace(async () => 'in turn', NEVER);
  await expect(pace(async () => 'too many', NEVER)).rejects.toEqual(notSent(/under way in this guild/));
  first.end('done');
  expect(await Promise.all([running, waiting])).toEqual(['done', 'in turn']);
});
