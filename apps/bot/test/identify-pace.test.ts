import { verifies } from '@bailiff/core/testing';
import { type Sandbox, startSandbox } from '@bailiff/sandbox';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connect, createClient } from '#src/discord.ts';
import type { DiscordApi } from '#src/discord-api.ts';
import { type Clock, IdentifyPace } from '#src/identify-pace.ts';
import { createLog } from '#src/log.ts';
import { setStage } from './harness.ts';

const DAY_MS = 86_400_000;
/** What a start and a crash take at the least. */
const RUN_MS = 1_000;

let sandbox: Sandbox;
let elapsedMs: number;
let lastAtMs: number | null;
beforeEach(async () => {
  // A day goes by in seconds here: nothing is to be limited but the sessions.
  sandbox = await startSandbox({ rateLimit: { limit: 1_000_000, windowSeconds: 1 } });
  elapsedMs = 0;
  lastAtMs = null;
});
afterEach(() => sandbox.close());

/** Waiting takes no time, only the clock's. */
const clock: Clock = {
  now: () => elapsedMs,
  wait: async (ms, signal) => {
    signal.throwIfAborted();
    elapsedMs += ms;
  },
};
const log = createLog('silent', []);
const { signal } = new AbortController();
const identifies = () => sandbox.getState().gateway.identifies;

/** As ours, but not kept to Discord's fifty requests a second: a day has more. */
const api: DiscordApi = {
  get: async <T>(route: string) => {
    const headers = { authorization: `Bot ${sandbox.botToken}` };
    return (await (await fetch(`${sandbox.apiUrl}/v10${route}`, { headers })).json()) as T;
  },
  send: () => Promise.reject(new Error('Nothing is sent here')),
  checkLimits: () => {},
};

/** A process of the bot. All of them use the same database. */
function pace(shardCount = 1): IdentifyPace {
  const takeTurn = async () => {
    lastAtMs = elapsedMs;
    return 0;
  };
  const sinceLast = async () => (lastAtMs === null ? null : elapsedMs - lastAtMs);
  return new IdentifyPace({ api, log, shardCount, takeTurn, sinceLast, clock });
}

/** A bot that starts, connects and crashes. */
async function startAndCrash(): Promise<void> {
  const ofProcess = pace();
  const client = createClient({ apiUrl: sandbox.apiUrl, shards: null, pace: ofProcess, log, signal });
  await connect(client, { pace: ofProcess, token: sandbox.botToken, shards: null, signal }, (refusal) => {
    throw refusal;
  });
  await client.destroy();
  elapsedMs += RUN_MS;
}

test('a bot that crashes as soon as it is connected, all day, identifies fewer than 100 times', async () => {
  verifies('H30');
  for (let start = 0; start < 50; start += 1) await startAndCrash();
  expect(identifies()).toBe(50);
  expect(elapsedMs, 'the first fifty wait for nothing').toBe(50 * RUN_MS);
  while (elapsedMs < DAY_MS) await startAndCrash();
  expect(identifies()).toBeGreaterThan(60);
  expect(identifies()).toBeLessThan(100);
});

test.each([
  [1, 60, 100],
  [4, 240, 400],
  [16, 600, 901],
])(
  'a bot of %i shards whose sessions keep being ended, all day, identifies %i to %i times',
  async (shards, atLeast, below) => {
    verifies('H30');
    const ofProcess = pace(shards);
    let count = 0;
    for (; elapsedMs < DAY_MS; count += 1) {
      await ofProcess.waitForIdentify(count % shards, signal);
      discordSays(limits(count + 1, DAY_MS - elapsedMs));
    }
    expect(count).toBeGreaterThan(atLeast);
    expect(count).toBeLessThan(below);
  },
);

test('fifty restarts of a bot with four shards wait for nothing but the five seconds between two identifies', async () => {
  for (let start = 0; start < 50; start += 1) {
    const ofProcess = pace(4);
    for (let shard = 0; shard < 4; shard += 1) {
      await ofProcess.waitForIdentify(shard, signal);
      discordSays(limits(start * 4 + shard + 1, DAY_MS - elapsedMs));
    }
  }
  expect(elapsedMs).toBe(50 * 3 * 5_000);
});

test('two sessions of one process are five seconds apart', async () => {
  const ofProcess = pace(2);
  await Promise.all([ofProcess.waitForIdentify(0, signal), ofProcess.waitForIdentify(1, signal)]);
  expect(elapsedMs).toBe(5_000);
});

test('as many sessions begin at once as Discord allows, and the next ones five seconds later', async () => {
  discordSays({ ...limits(0, DAY_MS), max_concurrency: 4 });
  const ofProcess = pace(8);
  await ofProcess.untilAllowed(signal);
  for (const shard of [0, 1, 2, 3]) await ofProcess.waitForIdentify(shard, signal);
  expect(elapsedMs).toBe(0);
  for (const shard of [4, 5, 6, 7]) await ofProcess.waitForIdentify(shard, signal);
  expect(elapsedMs).toBe(5_000);
});

test('what begins at the same time asks Discord once, and knows how many sessions are left', async () => {
  verifies('H30');
  discordSays({ ...limits(10, DAY_MS), max_concurrency: 4 });
  const ofProcess = pace(4);
  await Promise.all([ofProcess.untilAllowed(signal), ofProcess.recommendedShards(signal)]);
  await Promise.all([0, 1, 2, 3].map((shard) => ofProcess.waitForIdentify(shard, signal)));
  expect((await ofProcess.gateway(signal)).session_start_limit.remaining).toBe(986);
  expect(sandbox.requests.filter(({ path }) => path === '/gateway/bot')).toHaveLength(1);
  elapsedMs += 5_000;
  discordSays(limits(500, DAY_MS));
  expect((await ofProcess.gateway(signal)).session_start_limit.remaining).toBe(500);
});

test('a bot that has identified too often today is back half an hour after the last time, however often it starts', async () => {
  verifies('bot.ready-serving');
  discordSays(limits(500, 80_000_000));
  await pace().waitForIdentify(0, signal);
  const identifiedAt = elapsedMs;
  elapsedMs += 20 * 60_000;
  const given = AbortSignal.timeout(60_000);
  await pace().untilAllowed(given);
  expect(elapsedMs - identifiedAt).toBe(30 * 60_000);
  // The reason is gone, and nobody was connected for a while: it need not wait at all.
  elapsedMs += 60 * 60_000;
  const before = elapsedMs;
  await pace().untilAllowed(given);
  expect(elapsedMs).toBe(before);
});

test('a bot never uses the last sessions of a day, and asks every ten minutes whether another has begun', async () => {
  const body = { session_start_limit: limits(985, 3_600_000), url: 'ws://x', shards: 1 };
  sandbox.control.addFault({ route: '/gateway/bot', status: 200, times: 3, body });
  await pace().untilAllowed(signal);
  expect(elapsedMs).toBe(30 * 60_000);
});

function discordSays(session_start_limit: ReturnType<typeof limits>): void {
  const body = { session_start_limit, url: 'ws://x', shards: 1 };
  sandbox.control.clearFaults();
  sandbox.control.addFault({ route: '/gateway/bot', status: 200, times: null, body });
}

const limits = (used: number, reset_after: number) => ({
  total: 1000,
  remaining: 1000 - used,
  reset_after,
  max_concurrency: 1,
});

test('a connection that is cut fifty times is resumed each time, and identifies once', async () => {
  verifies('H30');
  const stage = await setStage();
  try {
    const resumes = () => stage.sandbox.getState().gateway.sessions[0]?.resumes ?? 0;
    for (let cut = 1; cut <= 50; cut += 1) {
      stage.sandbox.control.gateway({ action: 'drop' });
      await stage.sandbox.until(() => resumes() === cut, 60_000, `resume ${cut}`);
    }
    expect(stage.sandbox.getState().gateway.identifies).toBe(1);
  } finally {
    await stage.close();
  }
});
