// A cluster on the sandbox with many people who may strike and ban, each with a token of their own.
import { randomInt } from 'node:crypto';
import { expectedSentinel, type OperationName } from '@bailiff/core';
import { type SeededToken, seedToken, seedWindow } from '@bailiff/engine/testing';
import { type Database, openDatabase } from '@bailiff/prisma';
import { type Exchange, send } from '@bailiff/sandbox/visitor';
import { databaseUrl } from '@bailiff/supervisor/database-url';
import { type Instance, instanceDirectory, startInstance } from '@bailiff/supervisor/instance';
import { type RunFile, readRunFile } from '@bailiff/supervisor/run-file';

const READY_MS = 60_000;
const POLL_MS = 50;

export interface Stage {
  readonly instance: Instance;
  readonly directory: string;
  readonly run: RunFile;
  readonly db: Database;
  readonly holders: readonly SeededToken[];
  /** A new member of the guild. */
  join(): Promise<string>;
  /** What people do at Discord. */
  sandbox(path: string, body: object): Promise<Exchange>;
  /** One call of a holder, once, from an address of its own. */
  call(holder: number, call: Call): Promise<Exchange>;
  close(): Promise<void>;
}

export interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  readonly key?: string;
}

/** @param many people with a token */
export async function setStage(many: number): Promise<Stage> {
  const home = await instanceDirectory();
  const env = { TRUSTED_PROXIES: '127.0.0.0/8', LOG_LEVEL: 'warn' };
  const instance = await startInstance({ directory: home.path, env, command: 'start-cluster.mjs' });
  const { run } = instance;
  const db = openDatabase(await databaseUrl(home.path), {
    applicationName: 'cluster test',
    max: 4,
    onError: () => {},
  });
  const sandbox = async (path: string, body: object) => {
    const answer = await send(`${run.sandbox}/sandbox/${path}`, { method: 'POST', json: body });
    if (answer.status >= 300) throw new Error(`The sandbox answered ${answer.status}: ${answer.text}`);
    return answer;
  };
  let joined = 0;
  const join = async () => {
    joined += 1;
    const { body } = await sandbox('members', { action: 'join', name: `Person ${joined}` });
    return (body as { member: { user: { id: string } } }).member.user.id;
  };
  const holders = await seedHolders({ db, run, join, sandbox }, many);
  return {
    instance,
    directory: home.path,
    run,
    db,
    holders,
    join,
    sandbox,
    call: (holder, { method, path, body, key }) =>
      send(`${run.web}/api/public/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${holders[holder % holders.length]?.secret}`,
          // Addresses for measurements (RFC 2544), because each has a limit of its own.
          'x-forwarded-for': `198.18.${randomInt(256)}.${randomInt(256)}`,
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
        ...(body === undefined ? {} : { json: body }),
      }),
    close: async () => {
      await db.close();
      await instance.stop();
      await home.remove();
    },
  };
}

interface Seeding extends Pick<Stage, 'db' | 'join'> {
  readonly run: Pick<RunFile, 'guild_id' | 'people'>;
  readonly sandbox: (path: string, body: object) => Promise<unknown>;
}

/** Members with the role of the moderators, known to the mirror; each has a token whose window is open. */
export async function seedHolders({ db, run, join, sandbox }: Seeding, many: number): Promise<SeededToken[]> {
  const ownerId = run.people.owner ?? '';
  await db.pool.query(
    `INSERT INTO role_grants (guild_id, role_id, capabilities, granted_by)
     SELECT guild_id, id, $2, $3 FROM roles WHERE guild_id = $1 AND name = 'Moderator'
     ON CONFLICT (guild_id, role_id) DO UPDATE SET capabilities = $2`,
    [run.guild_id, ['strikes.read', 'strikes.write', 'bans.write'], ownerId],
  );
  const people: string[] = [];
  for (let n = 0; n < many; n += 1) {
    const user = await join();
    await sandbox('members', { action: 'set_roles', user, roles: ['Moderator'], by: 'owner' });
    people.push(user);
  }
  await until('all holders are in the mirror', async () => {
    const known = await count(db, 'members WHERE guild_id = $1 AND user_id = ANY ($2)', [
      run.guild_id,
      people,
    ]);
    return known === many;
  });
  const guild = { id: run.guild_id, ownerId };
  const holders: SeededToken[] = [];
  for (const issuerId of people) {
    const token = await seedToken(db, guild, { issuerId });
    await seedWindow(db, guild, token);
    holders.push(token);
  }
  return holders;
}

let made = 0;

/** A destructive call with its sentinel. */
export function callOf(
  { run }: Pick<Stage, 'run'>,
  operation: OperationName,
  path: string,
  body: Record<string, unknown>,
): Call {
  made += 1;
  const { concrete } = expectedSentinel(operation, run.guild_id, body as never);
  return {
    method: 'POST',
    path: `/guilds/${run.guild_id}${path}`,
    body: { ...body, _confirmation: concrete },
    key: `key-${made}`,
  };
}

export async function count({ pool }: Database, sql: string, values: unknown[] = []): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(`SELECT count(*) FROM ${sql}`, values);
  return Number(rows[0]?.count);
}

/** @throws Error if it does not come true in time */
export async function until(what: string, isSo: () => Promise<boolean>, withinMs = READY_MS): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > deadline)
      throw new Error(`Within ${withinMs / 1000} s it was not so that ${what}.`);
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
}

/** The processes as they are now. */
export async function processesOf({ directory }: Pick<Stage, 'directory'>) {
  const run = await readRunFile(directory);
  if (run === undefined) throw new Error('The cluster is not running.');
  return run.pids;
}
