import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { type Sandbox, startSandbox } from '@bailiff/sandbox';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  bot,
  environmentFor,
  keepDeadlines,
  limitPerforming,
  newMember,
  personOf,
  type Stage,
  setStage,
} from './harness.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

interface Running {
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  output(): string;
  errors(): string;
}

const children: ChildProcess[] = [];

function runMain(env: NodeJS.ProcessEnv): Running {
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  children.push(child);
  let output = '';
  let errors = '';
  child.stdout?.on('data', (chunk) => {
    output += String(chunk);
  });
  child.stderr?.on('data', (chunk) => {
    errors += String(chunk);
  });
  // Not 'close': it does not come once the channel was cut from this side.
  const closed = [child.stdout, child.stderr].map((stream) => (stream ? once(stream, 'close') : undefined));
  const exited = Promise.all([once(child, 'exit'), ...closed]).then(([[code]]) => code as number | null);
  return { child, exited, output: () => output, errors: () => errors };
}

async function ready({ child, exited, errors, output }: Running): Promise<void> {
  const ended = exited.then((code) => {
    throw new Error(`The bot ended with ${code} instead of getting ready: ${errors()}${output()}`);
  });
  ended.catch(() => {});
  const [message] = await Promise.race([once(child, 'message'), ended]);
  expect(message).toEqual({ type: 'ready' });
}

/** Resolves once the process has printed a text. */
async function printed({ child, output, exited }: Running, text: string): Promise<void> {
  while (!output().includes(text)) {
    const ended = await Promise.race([
      once(child.stdout ?? child, 'data').then(() => false),
      exited.then(() => true),
    ]);
    if (ended) throw new Error(`The bot ended without printing "${text}".`);
  }
}

/** What a bot says on a machine that is busy for a while. */
const OF_BUSY_MACHINE = [
  'ready to serve what can be served; still waiting for Discord',
  'the database does not say who has which shards',
];
const WARNINGS = /"level":[456]0/;

/** The messages of such lines of a log. */
const said = (log: string, line = WARNINGS): string[] =>
  log
    .split('\n')
    .filter((each) => line.test(each))
    .map((each) => JSON.parse(each).msg)
    .filter((message) => !OF_BUSY_MACHINE.includes(message));

/** Resolves once a bot has begun a session, for which one that is ready on a busy machine may still wait. */
const untilIdentified = ({ until }: Sandbox) => until(({ gateway }) => gateway.identifies > 0);

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

test('a wrong configuration is told whole, in one message, and ends with 78', async () => {
  const running = runMain({
    DATABASE_URL: 'mysql://x',
    SECRETS_KEY: 'c2hvcnQ=',
    LOG_LEVEL: 'loud',
    DISCORD_TOKEN: '',
  });
  expect(await running.exited).toBe(78);
  for (const name of ['DATABASE_URL', 'DISCORD_TOKEN', 'SECRETS_KEY', 'LOG_LEVEL']) {
    expect(running.errors()).toContain(name);
  }
});

test('a secret whose file cannot be read is told with everything else that is wrong', async () => {
  verifies('ops.secret-files');
  const running = runMain({ DISCORD_TOKEN_FILE: '/absent/token', LOG_LEVEL: 'loud' });
  expect(await running.exited).toBe(78);
  expect(running.errors()).toContain(
    'DISCORD_TOKEN_FILE names a file that cannot be read (/absent/token: ENOENT)',
  );
  expect(running.errors()).not.toContain('DISCORD_TOKEN is not set');
  for (const name of ['DATABASE_URL', 'SECRETS_KEY', 'LOG_LEVEL']) expect(running.errors()).toContain(name);
});

describeProcess();

function describeProcess(): void {
  let sandbox: Sandbox;
  let database: TestDatabase;
  beforeEach(async () => {
    sandbox = await startSandbox();
    database = await createTestDatabase({ used: true });
  });
  afterEach(async () => {
    await sandbox.close();
    await database.drop();
  });

  test('a token Discord refuses is told once and ends with 78, without a second try', async () => {
    const running = runMain({ ...environmentFor(sandbox, database.url), DISCORD_TOKEN: 'some.wrong.token' });
    expect(await running.exited).toBe(78);
    expect(running.errors()).toContain('DISCORD_TOKEN');
    expect(sandbox.requests.filter(({ status }) => status === 401)).toHaveLength(1);
  });

  test('a start keeps to the two questions about the gateway that Discord answers in five seconds', async () => {
    const running = runMain(environmentFor(sandbox, database.url, { LOG_LEVEL: 'warn' }));
    await ready(running);
    await untilIdentified(sandbox);
    const asked = sandbox.requests.filter(({ path }) => path === '/gateway/bot');
    expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200]));
    expect(said(running.output())).toEqual([]);
  });

  test('the bot ends in good order on SIGTERM, without a warning, and no log line holds a secret', async () => {
    const env = environmentFor(sandbox, database.url, { LOG_LEVEL: 'trace' });
    const running = runMain(env);
    await ready(running);
    await printed(running, '"msg":"settled"');
    const before = running.output();
    running.child.kill('SIGTERM');
    expect(await running.exited).toBe(0);
    expect(running.output()).toContain('stopped');
    expect(said(before)).toEqual([]);
    expect(running.output().slice(before.length)).not.toMatch(WARNINGS);
    expect(running.output()).not.toContain(env.DISCORD_TOKEN);
    expect(running.output()).not.toContain(env.SECRETS_KEY);
    expect(sandbox.getState().gateway.sessions.filter(({ connected }) => connected)).toEqual([]);
  });

  test('a bot starts although a slow database does not make the partitions of the audit log in time, and says so', async () => {
    await database.database.pool.query(
      `CREATE OR REPLACE FUNCTION keep_audit_partitions(p_days_ahead int, p_days_kept int) RETURNS void
       LANGUAGE plpgsql AS $$ BEGIN RAISE query_canceled; END $$`,
    );
    const running = runMain(environmentFor(sandbox, database.url, { LOG_LEVEL: 'warn' }));
    await ready(running);
    await printed(running, 'the partitions of audited reads could not be made');
  });

  test('the bot ends when its parent is gone', async () => {
    const running = runMain(environmentFor(sandbox, database.url));
    await ready(running);
    running.child.disconnect();
    expect(await running.exited).toBe(0);
  });

  test.each([
    ['starts anew with as many as Discord recommends', {}, 75],
    ['is told to the operator who chose their number', { BOT_SHARDS: '1' }, 78],
  ])('a bot in too many guilds for its shards %s', async (_name, settings, code) => {
    const running = runMain(environmentFor(sandbox, database.url, settings));
    await ready(running);
    sandbox.control.gateway({ action: 'drop', code: 4011 });
    expect(await running.exited).toBe(code);
    expect(running.errors()).toContain('more shards');
  });

  test('a bot whose Discord cannot be reached is ready to serve what can be served, and goes on trying', async () => {
    verifies('bot.ready-serving');
    sandbox.control.addFault({ route: '/gateway/bot', status: 503, times: null });
    const running = runMain(environmentFor(sandbox, database.url));
    await ready(running);
    expect(sandbox.getState().gateway.identifies).toBe(0);
    sandbox.control.clearFaults();
    await untilIdentified(sandbox);
  });

  test.each(['answer', 'reset'] as const)(
    'a bot whose first connections are refused (%s) goes on trying, and begins one session when it can',
    async (refusal) => {
      verifies('bot.ready-serving');
      sandbox.control.gateway({ action: 'refuse', refusal });
      const running = runMain(environmentFor(sandbox, database.url, { LOG_LEVEL: 'warn' }));
      const isReady = ready(running);
      isReady.catch(() => {});
      const refused = sandbox.until(({ gateway }) => gateway.refused >= 3, 180_000, 'three refusals');
      await Promise.race([refused, isReady.then(() => refused)]);
      sandbox.control.gateway({ action: 'accept' });
      await untilIdentified(sandbox);
      await isReady;
      expect(sandbox.getState().gateway.identifies).toBe(1);
      const times = (text: string) => running.output().split(text).length - 1;
      expect([times('gateway error'), times('is lost'), times('could not start')]).toEqual([1, 1, 0]);
    },
  );

  test('a lost connection is one line in the log, however often connecting fails, and one when it is back', async () => {
    verifies('bot.gateway-loss-visible');
    const running = runMain(environmentFor(sandbox, database.url, { LOG_LEVEL: 'info' }));
    await ready(running);
    await printed(running, '"msg":"settled"');
    const before = running.output();
    const { refused } = sandbox.getState().gateway;
    const untilRefused = (times: number) =>
      sandbox.until(({ gateway }) => gateway.refused >= refused + times, 180_000, `${times} refusals`);
    sandbox.control.gateway({ action: 'refuse' });
    sandbox.control.gateway({ action: 'drop' });
    await untilRefused(1);
    const firstAt = performance.now();
    await untilRefused(4);
    expect(performance.now() - firstAt, 'pauses grow: 1 s, 2 s, 4 s, less a quarter').toBeGreaterThan(5_000);
    sandbox.control.gateway({ action: 'accept' });
    await printed(running, 'the connection to the gateway is back');
    expect(said(running.output().slice(before.length), /"level":(40|50)|gateway/)).toEqual([
      'the connection to the gateway is lost; connecting again',
      'the connection to the gateway is back',
    ]);
  });

  test('a bot that cannot reach Discord keeps trying, and identifies once when it can', async () => {
    sandbox.control.addFault({ route: '/gateway/bot', status: 503, times: 2 });
    const running = runMain(environmentFor(sandbox, database.url));
    await ready(running);
    await untilIdentified(sandbox);
    expect(sandbox.getState().gateway.identifies).toBe(1);
  });
}

test('a bot killed between the ban and its record leaves one ban, which is then settled as done', async () => {
  const stage: Stage = await setStage();
  try {
    await stage.bot.stop();
    await limitPerforming(stage);
    const env = environmentFor(stage.sandbox, stage.test.url);
    const first = runMain(env);
    await ready(first);
    stage.sandbox.control.addFault({
      route: '/guilds/*/bans/*',
      method: 'PUT',
      when: 'after',
      socket: 'hang',
    });
    const troll = personOf(stage.sandbox, 'troll');
    const call = stage.act('bans.add', 'owner', { user_id: troll, reason: 'Spam' }).catch((error) => error);
    await stage.sandbox.until((state) => state.guilds[0]?.bans.length === 1);
    first.child.kill('SIGKILL');
    await first.exited;
    const { pool } = stage.test.database;
    await pool.query(
      "UPDATE actions SET lease_expires_at = now() - interval '1 second' WHERE state = 'running'",
    );

    const second = bot(stage.config);
    const told = await call;
    // On a slow machine the caller has heard before that nobody knows.
    if (told.status === 502) expect(told).toMatchObject({ details: { outcome: 'unknown' } });
    else expect(told).toMatchObject({ status: 201, body: { ban: { user_id: troll } } });
    await stage.row("SELECT FROM actions WHERE state = 'done'");
    const puts = stage.sandbox.requests.filter(
      ({ method, path }) => method === 'PUT' && path.includes('/bans/'),
    );
    expect(puts).toHaveLength(1);
    await stage.row("SELECT FROM audit WHERE outcome = 'performed' AND operation = 'bans.add'");
    await (await second).stop();
  } finally {
    await stage.close();
  }
});

test('a call that no bot takes up is cancelled, and a bot that comes later does not do it', async () => {
  verifies('errors.upstream-unavailable.no-bot', 'errors.upstream-unavailable.cancelled');
  const stage: Stage = await setStage();
  try {
    await stage.bot.stop();
    await stage.test.database.pool.query(
      `INSERT INTO gateway_shards (shard_id, shard_count, bot_user_id, heartbeat_at) VALUES (0, 1, 'x', now())`,
    );
    await stage.test.database.pool.query('UPDATE guilds SET mirrored_at = now()');
    const troll = personOf(stage.sandbox, 'troll');
    keepDeadlines('claimMs');
    const call = stage.act('bans.add', 'owner', { user_id: troll, reason: 'Spam' });
    await expect(call).rejects.toMatchObject({
      status: 503,
      details: { upstream: 'bot', outcome: 'not_performed' },
    });
    await limitPerforming(stage);
    const running = runMain(environmentFor(stage.sandbox, stage.test.url));
    await ready(running);
    // By the time that it has done a later one, it has looked for what waits.
    const userId = newMember(stage.sandbox);
    await stage.act('bans.add', 'owner', { user_id: userId, reason: 'Later' });
    expect(stage.sandbox.getState().guilds[0]?.bans.map(({ user_id }) => user_id)).toEqual([userId]);
  } finally {
    await stage.close();
  }
});
