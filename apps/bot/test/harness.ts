import { randomBytes } from 'node:crypto';
import {
  type BotOperation,
  callOf,
  type ErrorCode,
  expectedSentinel,
  type InputOf,
  isDestructive,
  type RestOperation,
  readBody,
  type WriteOperation,
} from '@bailiff/core';
import { authorize } from '@bailiff/engine/calls/authorize';
import { isWrite } from '@bailiff/engine/calls/store-performers';
import { type Answer, performForPerson, performWrite } from '@bailiff/engine/calls/write-call';
import { createWaiters } from '@bailiff/engine/database/waiters';
import { DEADLINES, type Engine } from '@bailiff/engine/engine';
import { forgetGuild } from '@bailiff/engine/guilds/forget';
import { putServer } from '@bailiff/engine/servers/servers';
import { mintToken } from '@bailiff/engine/tokens/mint';
import type { Listener } from '@bailiff/prisma';
import { createTestDatabase, listenAtLast, type TestDatabase } from '@bailiff/prisma/testing';
import { type Sandbox, type SandboxOptions, startSandbox } from '@bailiff/sandbox';
import { type Bot, type BotSettings, startBot } from '#src/bot.ts';
import { type Config, readConfig } from '#src/config.ts';
import { createDiscordApi } from '#src/discord-api.ts';
import { IdentifyPace } from '#src/identify-pace.ts';
import { createLog } from '#src/log.ts';
import type { PaceLimits } from '#src/pacing.ts';

/** A sandbox, a database and, unless told otherwise, a bot between them. */
export interface Stage {
  readonly sandbox: Sandbox;
  readonly test: TestDatabase;
  readonly engine: Engine;
  readonly config: Config;
  readonly bot: Bot;
  readonly guildId: string;
  /** User ids of the sample guild's people. */
  readonly people: Readonly<Record<string, string>>;
  /** Does something as a person in the dashboard. Returns the answer, or throws ApiError. */
  act(operation: WriteOperation, by: string, input: object): Promise<Answer>;
  /** The first row of the query that `fits`. Checked now and whenever the database or the sandbox changes. */
  row<Row extends object>(sql: string, values?: unknown[], fits?: (row: Row) => boolean): Promise<Row>;
  close(): Promise<void>;
}

export const SECRETS_KEY = randomBytes(32);

export function configFor(sandbox: Sandbox, databaseUrl: string, more: NodeJS.ProcessEnv = {}): Config {
  return readConfig(environmentFor(sandbox, databaseUrl, more));
}

export function environmentFor(sandbox: Sandbox, databaseUrl: string, more: NodeJS.ProcessEnv = {}) {
  return {
    DATABASE_URL: databaseUrl,
    DISCORD_TOKEN: sandbox.botToken,
    DISCORD_API_URL: sandbox.apiUrl,
    SECRETS_KEY: SECRETS_KEY.toString('base64'),
    WEB: 'off',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    RCON_ALLOWED_NETWORKS: '127.0.0.0/8',
    ...more,
  };
}

/** The tests of a file have one bot, with which the fifth would wait 40 s until it may tell somebody of something. */
const PACE_LIMITS: PaceLimits = {
  directMessages: { reservoir: 1_000 },
  laterMessages: { reservoir: 1_000 },
};

export function bot(
  config: Config,
  log = createLog(config.logLevel, []),
  more: Pick<BotSettings, 'standBy' | 'paceLimits'> = {},
): Promise<Bot> {
  return startBot({
    paceLimits: PACE_LIMITS,
    ...more,
    config,
    log,
    onFatal: (reason) => {
      throw new Error(`The bot gave up: ${String(reason)}`);
    },
  });
}

/** The pace of a client that connects without a bot around it. */
export function paceIn({ botToken: token, apiUrl }: Pick<Sandbox, 'botToken' | 'apiUrl'>): IdentifyPace {
  const log = createLog('silent', []);
  const api = createDiscordApi({ token, apiUrl, log });
  return new IdentifyPace({ api, log, shardCount: 1, takeTurn: async () => 0, sinceLast: async () => null });
}

/** Twenty times what Discord allows: the machine may be busy with other tests. */
const FIRST_ANSWER_MS = 60_000;

type Deadline = keyof typeof DEADLINES;
const OF_PRODUCT: Readonly<Record<Deadline, number>> = { ...DEADLINES };
/** On a busy machine each step of a call may take longer than its callers wait. */
const PATIENT: typeof OF_PRODUCT = { storeMs: 60_000, claimMs: 60_000, performMs: 90_000, answerMs: 120_000 };
let stages = 0;

/**
 * Gives the calls of this process all the time that they need, until the stage ends. Only these deadlines are those of
 * the product, for tests of what happens when they are over.
 */
export function keepDeadlines(...names: Deadline[]): void {
  // A test that has run out of time goes on beside those that come later.
  if (stages === 0) return;
  Object.assign(DEADLINES, PATIENT);
  for (const name of names) Object.assign(DEADLINES, { [name]: OF_PRODUCT[name] });
}

/** @param ofBot the bot's log, where a test reads it, and its pace, where that matters */
export async function setStage(
  options: SandboxOptions = {},
  env: NodeJS.ProcessEnv = {},
  ofBot: Partial<Pick<BotSettings, 'log' | 'paceLimits'>> = {},
): Promise<Stage> {
  const { log, ...more } = ofBot;
  const undo: (() => Promise<void>)[] = [];
  let isOpen = true;
  const close = async () => {
    try {
      for (const step of undo.splice(0).reverse()) await step();
    } finally {
      if (isOpen) stages -= 1;
      isOpen = false;
      // Other tests of this process come later.
      if (stages === 0) Object.assign(DEADLINES, OF_PRODUCT);
    }
  };
  stages += 1;
  keepDeadlines();
  try {
    const sandbox = await startSandbox({ validate: true, firstAnswerMs: FIRST_ANSWER_MS, ...options });
    undo.push(() => sandbox.close());
    const test = await createTestDatabase({ used: true });
    undo.push(() => test.drop());
    const config = configFor(sandbox, test.processUrls.bot, env);
    const waiters = createWaiters();
    const engine: Engine = { db: test.database, waiters, dashboardUrl: 'http://localhost:3000' };
    const listener: Listener = await listenAtLast(test.url, ['bailiff'], (_channel, payload) => {
      const notice = JSON.parse(payload);
      if ('request_id' in notice) waiters.notify(notice);
    });
    undo.push(() => listener.close());
    const running = await bot(config, log, more);
    undo.push(() => running.stop());
    await running.settled;
    return stageIn(sandbox, { test, engine, config, bot: running, close });
  } catch (error) {
    await close();
    throw error;
  }
}

type Scenery = Pick<Stage, 'test' | 'engine' | 'config' | 'bot' | 'close'>;

/** A stage whose guild is the sample guild that the sandbox has now. */
function stageIn(sandbox: Sandbox, scenery: Scenery): Stage {
  const { test, engine } = scenery;
  return {
    ...scenery,
    sandbox,
    guildId: sandbox.guildId,
    people: sandbox.people,
    act: (operation, by, input) =>
      performForPerson(engine, {
        ...callOf(operation, input as InputOf<WriteOperation>),
        guildId: sandbox.guildId,
        actor: { source: 'dashboard', userId: personOf(sandbox, by) },
        requestId: `req_${randomBytes(16).toString('hex')}`,
        address: '203.0.113.1',
      }),
    row: (sql, values = [], fits = () => true) => awaitRow(test, sql, values, fits),
  };
}

/** Deletes the jobs that wait. A row if none runs. */
const END_JOBS = `WITH ended AS (DELETE FROM graphile_worker._private_jobs WHERE locked_at IS NULL)
  SELECT FROM (VALUES (1)) AS one
  WHERE NOT EXISTS (SELECT FROM graphile_worker._private_jobs WHERE locked_at IS NOT NULL)`;

/**
 * The stage for the next test: the same bot in new guilds, with people and channels of their own. Nothing is left of the
 * guilds before, neither in the sandbox nor in the database.
 */
export async function renewStage(before: Stage): Promise<Stage> {
  const { sandbox, test, row } = before;
  keepDeadlines();
  sandbox.control.clearFaults();
  sandbox.control.clearRconFaults();
  // What runs may still write of the guilds before, and ask for more jobs.
  await row(END_JOBS);
  const stage = stageIn(sandbox.renew(), before);
  for (const guildId of [sandbox.guildId, sandbox.otherGuildId]) {
    await row('SELECT FROM guilds WHERE id = $1 AND left_at IS NOT NULL', [guildId]);
    await forgetGuild(test.database, guildId);
  }
  for (const guildId of [stage.guildId, stage.sandbox.otherGuildId]) {
    const hasReadLog = () =>
      stage.sandbox.requests.some(
        ({ path, status }) => path === `/guilds/${guildId}/audit-logs` && status !== null,
      );
    await row('SELECT FROM guilds WHERE id = $1 AND mirrored_at IS NOT NULL', [guildId], hasReadLog);
  }
  return stage;
}

export function personOf(sandbox: Pick<Sandbox, 'people'>, name: string): string {
  const id = sandbox.people[name];
  if (id === undefined) throw new Error(`The sample guild has nobody called ${name}`);
  return id;
}

/** As long as the sandbox waits: a message whose turn does not come is put off by 20 s each time. */
const ROW_TIMEOUT_MS = 180_000;
const ROW_POLL_MS = 20;

/** The database sends no notifications about the mirror's rows, so this one is polled. */
async function awaitRow<Row extends object>(
  { database }: TestDatabase,
  sql: string,
  values: unknown[],
  fits: (row: Row) => boolean,
): Promise<Row> {
  const deadline = performance.now() + ROW_TIMEOUT_MS;
  let seen: Row[] = [];
  while (performance.now() < deadline) {
    ({ rows: seen } = await database.pool.query<Row>(sql, values));
    const found = seen.find(fits);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, ROW_POLL_MS));
  }
  throw new Error(`Waited ${ROW_TIMEOUT_MS} ms for a row of ${sql}; last seen ${JSON.stringify(seen)}`);
}

/**
 * Lets the bot know its conversation with somebody. A notice before a ban waits two seconds, in which a bot on a busy
 * machine may open none.
 */
export async function acquaint({ sandbox, test }: Pick<Stage, 'sandbox' | 'test'>, userId: string) {
  const answer = await fetch(`${sandbox.apiUrl}/v10/users/@me/channels`, {
    method: 'POST',
    headers: { authorization: `Bot ${sandbox.botToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ recipient_id: userId }),
  });
  const { id } = (await answer.json()) as { id: string };
  await test.database.pool.query('INSERT INTO direct_channels (user_id, channel_id) VALUES ($1, $2)', [
    userId,
    id,
  ]);
}

/** Gives capabilities to a role of the sample guild, by name, as its owner would. The mirror follows. */
export async function grant(stage: Pick<Stage, 'test' | 'guildId'>, role: string, capabilities: string[]) {
  const { pool } = stage.test.database;
  await pool.query(
    `INSERT INTO role_grants (guild_id, role_id, capabilities, granted_by)
     SELECT guild_id, id, $3, 'owner' FROM roles WHERE guild_id = $1 AND name = $2
     ON CONFLICT (guild_id, role_id) DO UPDATE SET capabilities = $3`,
    [stage.guildId, role, capabilities],
  );
  await pool.query(
    "SELECT graphile_worker.add_job('mirror_guild', json_build_object('guild_id', $1::text))",
    [stage.guildId],
  );
}

const FROM_CLAIM = `CREATE OR REPLACE FUNCTION begin_with_claim() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN NEW.created_at := clock_timestamp(); RETURN NEW; END $$;
  CREATE OR REPLACE TRIGGER begin_with_claim BEFORE UPDATE ON actions FOR EACH ROW
    WHEN (OLD.state = 'pending' AND NEW.state = 'running') EXECUTE FUNCTION begin_with_claim()`;

/**
 * Lets a performer take as long as the product lets it, for tests of what happens then. That time begins with the claim,
 * which a busy machine may make late.
 */
export async function limitPerforming({ test }: Pick<Stage, 'test'>): Promise<void> {
  keepDeadlines('performMs');
  await test.database.pool.query(FROM_CLAIM);
}

export async function refusalOf(
  call: Promise<unknown>,
): Promise<{ code: ErrorCode; status: number; details: unknown }> {
  try {
    await call;
  } catch (error) {
    return error as { code: ErrorCode; status: number; details: unknown };
  }
  throw new Error('The call succeeded where a refusal was expected');
}

/** Registers the sandbox's game server in the sample guild. @returns its id */
export async function addGameServer(
  { sandbox, test, guildId }: Pick<Stage, 'sandbox' | 'test' | 'guildId'>,
  policy: { allow: string[]; deny: string[] } = { allow: [], deny: [] },
): Promise<string> {
  const [at] = sandbox.servers;
  if (at === undefined) throw new Error('The sandbox has no game server');
  const { host, port, password } = at;
  const server = await putServer(test.database, guildId, { name: 'Survival', host, port, password, policy });
  if (server === null) throw new Error('The bot does not know the sample guild yet');
  return server.id;
}

/** A new member of the sample guild, without any record. @returns their id */
export function newMember(
  sandbox: Pick<Sandbox, 'control'>,
  name = `n ${randomBytes(6).toString('hex')}`,
): string {
  const joined = sandbox.control.members({ action: 'join', name });
  return (joined as { member: { user: { id: string } } }).member.user.id;
}

/** Mints a token of the guild's owner. */
export async function mint(
  { engine, guildId, sandbox }: Pick<Stage, 'engine' | 'guildId' | 'sandbox'>,
  name: string,
): Promise<{ id: string; secret: string }> {
  const { token, secret } = await mintToken(engine.db, ownerOf(sandbox), {
    guildId,
    name,
    kind: 'rest',
    expiresIn: '7d',
    ipAllowlist: [],
  });
  return { id: token.id, secret };
}

/** The owner of the sample guild, in the dashboard. */
export function ownerOf(sandbox: Pick<Sandbox, 'people'>) {
  return { userId: personOf(sandbox, 'owner'), requestId: 'req_owner', address: '203.0.113.1' };
}

export interface TokenCall {
  readonly operation: BotOperation & RestOperation;
  readonly params?: Record<string, string>;
  readonly body?: object;
  readonly idempotencyKey?: string;
}

/** The address that calls over tokens come from. */
export const TOKEN_ADDRESS = '198.51.100.4';

/** A call as the public API makes it, with its correct sentinel if it needs one. */
export async function overToken(
  { engine, guildId }: Pick<Stage, 'engine' | 'guildId'>,
  secret: string,
  { operation, params = {}, body = {}, idempotencyKey }: TokenCall,
): Promise<Answer & { replayed: boolean; requestId: string }> {
  const requestId = `req_${randomBytes(16).toString('hex')}`;
  const address = TOKEN_ADDRESS;
  const parsed = readBody(operation, params, body);
  if (!parsed.ok) throw new Error(`The input of ${operation} is wrong: ${JSON.stringify(parsed.issues)}`);
  const confirmed = isDestructive(operation, parsed.input)
    ? { _confirmation: expectedSentinel(operation, guildId, parsed.input).concrete }
    : {};
  const { token, call, confirmation } = await authorize(
    engine,
    {
      operation,
      params,
      guildId,
      authorization: `Bearer ${secret}`,
      address,
      requestId,
      readInput: async () => readBody(operation, params, { ...body, ...confirmed }),
    },
    () => {},
  );
  if (!isWrite(call)) throw new Error(`${operation} changes nothing`);
  const sent = { ...call, guildId, confirmation, idempotencyKey, requestId, address };
  let replayed = false;
  const answer = await performWrite(
    engine,
    { ...sent, actor: { source: 'token', token } },
    {
      onBalances: () => {},
      onReplayed: () => {
        replayed = true;
      },
    },
  );
  return { ...answer, replayed, requestId };
}

/** The first action is found out only now, as when its worker died between Discord's answer and its record. */
export async function findFirstOut({ test, row }: Pick<Stage, 'test' | 'row'>): Promise<object> {
  const { pool } = test.database;
  const { rows } = await pool.query<{ id: string }>(
    `UPDATE actions SET state = 'running', settled_at = NULL, result = NULL, lease_expires_at = now() - interval '1 minute'
     WHERE id = (SELECT id FROM actions ORDER BY created_at LIMIT 1) RETURNING id`,
  );
  await pool.query("SELECT graphile_worker.add_job('recover', '{}')");
  const found = "SELECT result FROM actions WHERE id = $1 AND state = 'done'";
  return (await row<{ result: object }>(found, [rows[0]?.id])).result;
}

/** How often a guild was not trusted since this was called. Asks the database at each change of a guild. */
export async function countLostTrust({ test }: Pick<Stage, 'test'>): Promise<() => Promise<number>> {
  const { pool } = test.database;
  await pool.query(`CREATE TABLE trust_lost (at timestamptz);
    CREATE FUNCTION note_trust_lost() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
      'BEGIN INSERT INTO trust_lost VALUES (now()); RETURN NULL; END';
    CREATE TRIGGER trust_lost AFTER UPDATE ON guilds FOR EACH ROW
      WHEN (NEW.mirrored_at IS NULL) EXECUTE FUNCTION note_trust_lost()`);
  return async () => (await pool.query('SELECT FROM trust_lost')).rowCount ?? 0;
}
