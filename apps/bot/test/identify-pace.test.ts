import { type Sandbox, startSandbox } from '@bailiff/sandbox';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connect, createClient } from '../src/discord.ts';
import { createDiscordApi } from '../src/discord-api.ts';
import { type Clock, IdentifyPace } from '../src/identify-pace.ts';
import { createLog } from '../src/log.ts';
import { setStage } from './harness.ts';

const DAY_MS = 86_400_000;
/** What a start and a crash take at the least. */
const RUN_MS = 1_000;

let sandbox: Sandbox;
let elapsedMs: number;
beforeEach(async () => {
  // A day goes by in seconds here: nothing is to be limited but the sessions.
  sandbox = await startSandbox({ rateLimit: { limit: 1_000_000, windowSeconds: 1 } });
  elapsedMs = 0;
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

function pace(): IdentifyPace {
  const api = createDiscordApi({ token: sandbox.botToken, apiUrl: sandbox.apiUrl, log });
  return new IdentifyPace({ api, log, clock });
}

/** A bot that starts, connects and crashes. */
async function startAndCrash(): Promise<void> {
  const ofProcess = pace();
  const client = createClient({ apiUrl: sandbox.apiUrl, pace: ofProcess, log });
  await connect(client, { pace: ofProcess, token: sandbox.botToken, signal }, (refusal) => {
    throw refusal;
  });
  await client.destroy();
  elapsedMs += RUN_MS;
}

test('a bot that crashes as soon as it is connected, all day, identifies fewer than 100 times (hazards H30)', async () => {
  for (let start = 0; start < 50; start += 1) await startAndCrash();
  expect(identifies()).toBe(50);
  expect(elapsedMs, 'the first fifty wait for nothing').toBe(50 * RUN_MS);
  while (elapsedMs < DAY_MS) await startAndCrash();
  expect(identifies()).toBeGreaterThan(60);
  expect(identifies()).toBeLessThan(100);
}, 60_000);

test('a bot whose sessions keep being ended, all day, identifies fewer than 100 times (hazards H30)', async () => {
  const ofProcess = pace();
  let count = 0;
  for (; elapsedMs < DAY_MS; count += 1) {
    await ofProcess.waitForIdentify(0, signal);
    const body = { session_start_limit: limits(count + 1, DAY_MS - elapsedMs), url: 'ws://x', shards: 1 };
    sandbox.control.clearFaults();
    sandbox.control.addFault({ route: '/gateway/bot', status: 200, times: null, body });
  }
  expect(count).toBeGreaterThan(60);
  expect(count).toBeLessThan(100);
});

test('two sessions of one process are five seconds apart', async () => {
  const ofProcess = pace();
  await Promise.all([ofProcess.waitForIdentify(0, signal), ofProcess.waitForIdentify(1, signal)]);
  expect(elapsedMs).toBe(5_000);
});

test('a bot that has used up its day connects when Discord says that another has begun', async () => {
  const body = { session_start_limit: limits(500, 3_600_000), url: 'ws://x', shards: 1 };
  sandbox.control.addFault({ route: '/gateway/bot', status: 200, times: 3, body });
  await pace().untilAllowed(signal);
  expect(elapsedMs, 'asked every ten minutes').toBe(30 * 60_000);
});

const limits = (used: number, reset_after: number) => ({
  total: 1000,
  remaining: 1000 - used,
  reset_after,
  max_concurrency: 1,
});

test('a connection that is cut fifty times is resumed each time, and identifies once (hazards H30)', async () => {
  const stage = await setStage();
  try {
    for (let cut = 0; cut < 50; cut += 1) {
      const compared = stage.sandbox.nextRequest('GET', '/guilds/{guild_id}', 20_000);
      stage.sandbox.control.gateway({ action: 'drop' });
      await compared;
    }
    expect(stage.sandbox.getState().gateway.identifies).toBe(1);
  } finally {
    await stage.close();
  }
}, 120_000);
