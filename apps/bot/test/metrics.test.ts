// What Prometheus reads from a bot: of itself, and from the database of the whole product.
import { createServer, type Server } from 'node:http';
import { freePort, verifies } from '@bailiff/core/testing';
import { parseMetrics, type Sample, undocumented } from '@bailiff/core/testing-metrics';
import { openMetrics } from '@bailiff/engine/metrics/serve-metrics';
import { openDatabase } from '@bailiff/prisma';
import { createTestDatabase, LONG_LIMITS } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { createBotMeter } from '#src/metrics/bot-meter.ts';
import { measureProduct } from '#src/metrics/product-state.ts';
import { keepDeadlines, newMember, type Stage, setStage } from './harness.ts';

let stage: Stage;
let url: string;

beforeAll(async () => {
  const port = await freePort();
  stage = await setStage({}, { METRICS_PORT: String(port) });
  url = `http://127.0.0.1:${port}/metrics`;
});
afterAll(() => stage.close());

const amountOf = (samples: readonly Sample[], metric: string, labels: Record<string, string> = {}) =>
  samples.find(
    (sample) =>
      sample.metric === metric &&
      Object.entries(labels).every(([name, value]) => sample.labels[name] === value),
  )?.value;

test('a bot serves what it did and what the database knows, as the document says, without an id', async () => {
  verifies('ops.metrics');
  const target = newMember(stage.sandbox);
  const startedAt = performance.now();
  await stage.act('bans.add', 'owner', { user_id: target, reason: 'for the metrics' });
  await stage.test.database.pool.query(
    "SELECT graphile_worker.add_job('learn_channel', '{}', max_attempts => 1)",
  );
  // What was given up long ago is told no more.
  await stage.test.database.pool.query(
    `SELECT graphile_worker.add_job('learn_channel', '{}', job_key => 'old', max_attempts => 1,
       run_at => now() + interval '1 day')`,
  );
  await stage.test.database.pool.query(
    "UPDATE graphile_worker._private_jobs SET attempts = 1, updated_at = now() - interval '2 hours' WHERE key = 'old'",
  );
  // Discord limits the look at a channel, and then says that there is none.
  const channelId = '100000000000000009';
  stage.sandbox.control.addFault({ route: `/channels/${channelId}`, rate_limit: { retry_after: 0.05 } });
  await stage.test.database.pool.query(
    `SELECT graphile_worker.add_job('learn_channel', json_build_object('guild_id', $1::text, 'channel_id', $2::text))`,
    [stage.guildId, channelId],
  );
  // The caller is answered a moment before the bot counts the action; jobs end by themselves.
  const performed = { operation: 'bans.add', state: 'done' };
  const { text, samples } = await vi.waitFor(async () => {
    const answer = await fetch(url);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const text = await answer.text();
    const samples = parseMetrics(text);
    expect(amountOf(samples, 'bailiff_actions_performed_total', performed)).toBe(1);
    const failed = { task: 'learn_channel', result: 'failed' };
    expect(amountOf(samples, 'bailiff_jobs_ended_total', failed)).toBe(1);
    expect(amountOf(samples, 'bailiff_jobs', { task: 'learn_channel', state: 'failed' })).toBe(1);
    expect(amountOf(samples, 'bailiff_jobs_ended_total', { result: 'done' })).toBeGreaterThan(0);
    for (const result of ['limited', 'refused']) {
      expect(amountOf(samples, 'bailiff_discord_requests_total', { method: 'GET', result }), result).toBe(1);
    }
    return { text, samples };
  }, 120_000);
  expect(undocumented('bot', text)).toEqual([]);
  const [, sum] = /^bailiff_action_duration_seconds_sum\{operation="bans\.add"\} (\S+)$/m.exec(text) ?? [];
  const seconds = Number(sum);
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThan((performance.now() - startedAt) / 1000);
  expect(amountOf(samples, 'bailiff_gateway_shards', { state: 'connected' })).toBe(1);
  expect(amountOf(samples, 'bailiff_gateway_shards_wanted')).toBe(1);
  expect(amountOf(samples, 'bailiff_gateway_shards_unheld')).toBe(0);
  expect(amountOf(samples, 'bailiff_guilds', { state: 'trusted' })).toBeGreaterThan(0);
  expect(amountOf(samples, 'bailiff_actions', { state: 'pending' })).toBe(0);
  expect(amountOf(samples, 'bailiff_state_read')).toBe(1);
  // Whom the ban is about was written to before it.
  const messages = samples.filter(({ metric }) => metric === 'bailiff_direct_messages_total');
  expect(messages.reduce((sum, { value }) => sum + value, 0)).toBe(1);
  expect(
    amountOf(samples, 'bailiff_discord_requests_total', { method: 'PUT', result: 'ok' }),
  ).toBeGreaterThan(0);
  expect(
    samples.flatMap(({ labels }) => Object.values(labels)).filter((value) => /\d{15,}/.test(value)),
  ).toEqual([]);

  for (const other of ['/', '/metricsx', '/metrics/x'])
    expect((await fetch(url.replace('/metrics', other))).status, other).toBe(404);
  expect((await fetch(`${url}?name=x`)).status).toBe(200);
  expect((await fetch(url, { method: 'POST' })).status).toBe(405);
});

const quiet = { warn: () => {}, error: () => {} };

test('however many read, one statement asks; while the database does not answer, the rest is served', async () => {
  verifies('ops.metrics.harmless');
  keepDeadlines('storeMs');
  onTestFinished(() => keepDeadlines());
  const db = openDatabase(stage.test.processUrls.bot, { ...LONG_LIMITS, applicationName: 'metrics' });
  let asked = 0;
  const slow = {
    ...db,
    pool: Object.assign(Object.create(db.pool), {
      query: () => {
        asked += 1;
        return new Promise(() => {});
      },
    }),
  };
  const metrics = await openMetrics({ host: '127.0.0.1', port: 0 }, { name: 'bot', db, log: quiet });
  measureProduct(metrics, slow);
  const port = await metrics.serve();
  const read = async () => parseMetrics(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
  for (const samples of await Promise.all([read(), read(), read()])) {
    expect(amountOf(samples, 'bailiff_state_read')).toBe(0);
    expect(amountOf(samples, 'bailiff_guilds', { state: 'trusted' })).toBeUndefined();
    expect(amountOf(samples, 'bailiff_process_info', { process: 'bot' })).toBe(1);
  }
  expect(asked).toBe(1);
  await metrics.close();
  await db.close();
});

test('of its connections to the database a process says how many are busy and how many are not', async () => {
  verifies('ops.metrics');
  const db = openDatabase(stage.test.processUrls.bot, { ...LONG_LIMITS, applicationName: 'metrics' });
  const metrics = await openMetrics({ host: '127.0.0.1', port: 0 }, { name: 'bot', db, log: quiet });
  const [busy, idle] = [await db.pool.connect(), await db.pool.connect()];
  idle.release();
  const samples = parseMetrics(await metrics.registry.metrics());
  const connections = (state: string) =>
    amountOf(samples, 'bailiff_database_connections', { pool: 'calls', state });
  expect([connections('busy'), connections('idle')]).toEqual([1, 1]);
  busy.release();
  await metrics.close();
  await db.close();
});

test('what waits too long, what nobody holds and what is broken is a number that an alert can be made of', async () => {
  verifies('ops.metrics');
  // No bot is there that would see to it.
  const { database, drop } = await createTestDatabase({ used: true });
  onTestFinished(drop);
  for (const text of [
    `INSERT INTO guilds (id, name, owner_id, tier, log_channel_problem)
     VALUES ('399999999999999998', 'Mute', '1', 'free', 'missing_permission'),
       ('399999999999999999', 'Fine', '1', 'free', NULL)`,
    `INSERT INTO actions (guild_id, operation, input, digest, state, actor_source, actor_user_id, request_id, claim_by,
       created_at)
     SELECT '399999999999999999', 'bans.add', '{}', '', 'pending', 'chat', '1', 'req_' || age, now(),
       now() - make_interval(secs => age) FROM unnest('{10,100}'::int[]) AS age`,
    "SELECT graphile_worker.add_job('post_case', '{}', run_at => now() - interval '400 seconds')",
    "SELECT graphile_worker.add_job('post_case', '{}', run_at => now() - interval '4 seconds')",
    `INSERT INTO shard_holders (id, session, shard_count, home, shard_ids, renewed_at)
     VALUES ('one', 'one', 5, '{0,1}', '{0,1}', now() - interval '10 seconds'),
       ('two', 'two', 5, '{2,3,4}', '{2,3,4}', now() - interval '31 seconds')`,
    `INSERT INTO gateway_shards (shard_id, shard_count, bot_user_id, heartbeat_at, lost_at)
     VALUES (0, 3, '1', now(), NULL), (1, 3, '1', now() - interval '10 seconds', now()),
       (2, 3, '1', now() - interval '200 seconds', NULL)`,
  ]) {
    await database.pool.query(text);
  }
  const metrics = await openMetrics(
    { host: '127.0.0.1', port: 0 },
    { name: 'bot', db: database, log: quiet },
  );
  onTestFinished(() => metrics.close());
  measureProduct(metrics, database);
  const samples = parseMetrics(await metrics.registry.metrics());
  const amount = (metric: string, labels?: Record<string, string>) =>
    Math.floor(amountOf(samples, `bailiff_${metric}`, labels) ?? Number.NaN);
  // A minute for a busy machine.
  const isAbout = (seconds: number, found: number) => {
    expect(found).toBeGreaterThanOrEqual(seconds);
    expect(found).toBeLessThan(seconds + 60);
  };
  expect(amount('actions', { state: 'pending' })).toBe(2);
  isAbout(100, amount('actions_oldest_seconds', { state: 'pending' }));
  expect(amount('jobs', { task: 'post_case', state: 'waiting' })).toBe(2);
  isAbout(400, amount('jobs_oldest_seconds', { task: 'post_case', state: 'waiting' }));
  expect(amount('gateway_shards_unheld')).toBe(3);
  expect(amount('log_channels_broken')).toBe(1);
  expect(['connected', 'lost', 'silent'].map((state) => amount('gateway_shards', { state }))).toEqual([
    1, 1, 1,
  ]);
  isAbout(200, amount('mirror_age_seconds', { state: 'silent' }));
});

test('an action whose name is no operation, such as an id, makes no label of its own', async () => {
  verifies('ops.metrics');
  const address = { host: '127.0.0.1', port: 0 };
  const metrics = await openMetrics(address, { name: 'bot', db: stage.engine.db, log: quiet });
  createBotMeter(metrics).action('123456789012345678', 'done', 1);
  const text = await metrics.registry.metrics();
  expect(text).toContain('bailiff_actions_performed_total{operation="other",state="done"} 1');
  expect(text).not.toContain('123456789012345678');
  await metrics.close();
});

test('a port that another process holds is asked for again, and keeps nothing from serving', async () => {
  verifies('ops.metrics');
  const port = await freePort();
  const other: Server = createServer().listen(port, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const warned = Promise.withResolvers<void>();
  const log = { ...quiet, warn: () => warned.resolve() };
  const metrics = await openMetrics({ host: '127.0.0.1', port }, { name: 'bot', db: stage.engine.db, log });
  const serving = metrics.serve();
  await warned.promise;
  other.close();
  expect(await serving).toBe(port);
  await metrics.close();
});
