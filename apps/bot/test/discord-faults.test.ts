import { untilShown, verifies } from '@bailiff/core/testing';
import type { FaultRequest } from '@bailiff/sandbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { soonEnough } from './attempts.ts';
import { limitPerforming, personOf, refusalOf, type Stage, setStage } from './harness.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
  await limitPerforming(stage);
  // What is counted here are the requests of actions, not those of notices to their targets.
  await stage.test.database.pool.query('UPDATE guilds SET notifies_targets = false');
});
afterAll(async () => {
  const { violations } = stage.sandbox;
  await stage.close();
  expect(violations).toEqual([]);
});

/** What Discord does to a request, and what is certain then about a write. */
const FAULTS = {
  'answers 500': [{ status: 500 }, 'not_performed'],
  'answers 502': [{ status: 502 }, 'unknown'],
  'cuts the connection': [{ socket: 'reset' }, 'unknown'],
} as const satisfies Record<string, readonly [Partial<FaultRequest>, 'not_performed' | 'unknown']>;

interface Hit {
  readonly method: 'GET' | 'PUT' | 'PATCH' | 'POST' | 'DELETE';
  readonly route: string;
  call(): Promise<unknown>;
}

const user = () => personOf(stage.sandbox, 'troll');
const ban = () => stage.act('bans.add', 'owner', { user_id: user(), reason: 'Spam' });
const mute = () =>
  stage.act('mutes.add', 'owner', {
    user_id: personOf(stage.sandbox, 'newcomer'),
    duration_minutes: 60,
    reason: 'Noise',
  });
const purge = (count: number, channel = 'general') =>
  stage.act('messages.purge', 'owner', {
    channel_id: stage.sandbox.channels[channel],
    count,
    include_pinned: false,
  });

/** Every request that a ban, a mute or a purge makes. */
const HITS: Readonly<Record<string, Hit>> = {
  'the look at a member': { method: 'GET', route: '/guilds/*/members/*', call: ban },
  'a ban': { method: 'PUT', route: '/guilds/*/bans/*', call: ban },
  'a mute': { method: 'PATCH', route: '/guilds/*/members/*', call: mute },
  'the look at a channel': { method: 'GET', route: '/channels/*', call: () => purge(5, 'off_topic') },
  'the look at messages': { method: 'GET', route: '/channels/*/messages', call: () => purge(5, 'reports') },
  'a bulk delete': { method: 'POST', route: '/channels/*/messages/bulk-delete', call: () => purge(5) },
  'a deletion': { method: 'DELETE', route: '/channels/*/messages/*', call: () => purge(1, 'mod_log') },
};

const MATRIX = Object.entries(HITS).flatMap(([what, hit]) =>
  Object.entries(FAULTS).map(([how, [fault, outcome]]) => [what, how, hit, fault, outcome] as const),
);

/** The data at Discord that these calls could have changed. */
function effects() {
  const [guild] = stage.sandbox.getState(1000).guilds;
  return {
    bans: guild?.bans,
    timeouts: guild?.members.map((member) => member.communication_disabled_until),
    messages: guild?.channels.map((channel) => channel.message_count),
  };
}

/** Requests that change something of the guild; the bot makes its commands known at the same time. */
const writes = () =>
  stage.sandbox.requests.filter(
    ({ method, path }) => method !== 'GET' && /^\/(guilds|channels)\//.test(path),
  );

/** Resolves once anything later than the answers has arrived: delayed requests are cut off, and later work is done. */
async function afterwards(): Promise<void> {
  stage.sandbox.control.clearFaults();
  const { pool } = stage.test.database;
  await pool.query("SELECT graphile_worker.add_job('recover', '{}', job_key => 'recover_test')");
  await stage.row(
    "SELECT count(*) AS left FROM graphile_worker.jobs WHERE key = 'recover_test'",
    [],
    ({ left }: { left: string }) => left === '0',
  );
}

beforeAll(() => {
  stage.sandbox.control.messages({ user: 'owner', channel: 'mod-log', content: 'one', count: 1 });
});

test.each(MATRIX)(
  '%s, when Discord %s: the answer is certain about it, and nothing comes later',
  async (_what, _how, hit, fault, ofWrite) => {
    verifies('errors.upstream-unavailable.discord', 'G14', 'H24');
    const before = effects();
    const sent = writes().length;
    stage.sandbox.control.addFault({ route: hit.route, method: hit.method, ...fault });
    const outcome = hit.method === 'GET' ? 'not_performed' : ofWrite;
    expect(await refusalOf(hit.call())).toMatchObject({
      status: 502,
      details: { upstream: 'discord', outcome },
    });
    await afterwards();
    expect(writes().length - sent).toBe(hit.method === 'GET' ? 0 : 1);
    expect(effects()).toEqual(before);
  },
);

/** The answers to calls whose requests are all swallowed. Null if there was no time left for one of these. */
async function swallowed(...names: string[]): Promise<unknown[] | null> {
  const { control, requests } = stage.sandbox;
  const hits = names.flatMap((name) => HITS[name] ?? []);
  control.clearFaults();
  for (const { route, method } of hits) control.addFault({ route, method, socket: 'hang' });
  const first = requests.at(-1)?.id ?? 0;
  const answers = await Promise.all(hits.map(({ call }) => refusalOf(call())));
  const swallowed = requests.filter(
    ({ id, status, fault }) => id > first && status === null && fault !== null,
  );
  return swallowed.length === hits.length ? answers : null;
}

test('when Discord never answers, each caller is answered in time, and nothing comes later', async () => {
  verifies('G14', 'H23');
  const before = effects();
  // As many as a guild has places. Writes come first, so that their reads do not wait behind a request that only reads.
  for (const [hits, outcome, sends] of [
    [['a ban', 'a mute', 'a bulk delete', 'a deletion'], 'unknown', 4],
    [['the look at a member', 'the look at a channel', 'the look at messages'], 'not_performed', 0],
  ] as const) {
    const { answers, sent } = await untilShown(async () => {
      const sent = writes().length;
      const answers = await soonEnough(swallowed(...hits));
      return answers && { answers, sent };
    });
    for (const answer of answers) expect(answer).toMatchObject({ status: 502, details: { outcome } });
    await afterwards();
    expect(writes().length - sent).toBe(sends);
  }
  expect(effects()).toEqual(before);
});

/** Last, because the bot remembers a limit, and writes first, because they read before. */
const LIMITED = ['a ban', 'a mute', 'the look at a member'].map((what) => [what, HITS[what] as Hit] as const);

test.each(LIMITED)(
  '%s, when Discord limits it for 65 s: the caller learns how long, and nothing is asked meanwhile',
  async (_what, hit) => {
    verifies('errors.upstream-unavailable.discord', 'G14', 'H24');
    const before = effects();
    const { requests } = stage.sandbox;
    stage.sandbox.control.addFault({ route: hit.route, method: hit.method, rate_limit: { retry_after: 65 } });
    const told = { status: 503, details: { upstream: 'discord', outcome: 'not_performed' } };
    expect(await refusalOf(hit.call())).toMatchObject(told);
    const refused = requests.filter(({ status }) => status === 429).length;
    const again = await refusalOf(hit.call());
    expect(again).toMatchObject(told);
    const { retry_after_seconds: seconds } = again.details as { retry_after_seconds: number };
    expect(seconds).toBeGreaterThan(20);
    expect(seconds).toBeLessThanOrEqual(66);
    expect(requests.filter(({ status }) => status === 429)).toHaveLength(refused);
    await afterwards();
    expect(effects()).toEqual(before);
  },
);
