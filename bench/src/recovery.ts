import { setTimeout as delay } from 'node:timers/promises';
import { Owner } from '@bailiff/sandbox/visitor';
import { databaseUrl } from '@bailiff/supervisor/database-url';
import { type RunFile, readRunFile } from '@bailiff/supervisor/run-file';
import pg from 'pg';
import { childrenOf, type InstanceProcesses, processesOf } from './processes.ts';
import { inProduct } from './product.ts';

const KILLED = ['bot', 'web', 'database'] as const;
type Killed = (typeof KILLED)[number];

const POLL_MS = 50;
const LONGEST_MS = 60_000;
/** Between two kills, so that a process has served for a while, as before a crash now and then. */
const APART_MS = 6_500;

/** Seconds. */
export type RecoveryCosts = Readonly<Record<'p50' | 'worst' | Killed, number | readonly number[]>>;

/** Kills each process this often, in random order, and waits until the product serves again. */
export function measureRecovery(times: number): Promise<RecoveryCosts> {
  return inProduct(async ({ run }, directory) => {
    const owner = await Owner.signIn(run.web, run.people.owner ?? '');
    const token = await owner.mintWithWindow(run.guild_id, 'bench');
    const order = KILLED.flatMap((name) =>
      Array.from({ length: times }, () => ({ name, at: Math.random() })),
    );
    const took: Record<Killed, number[]> = { bot: [], web: [], database: [] };
    for (const { name } of order.toSorted((a, b) => a.at - b.at)) {
      await delay(APART_MS);
      took[name].push(await secondsToRecover(directory, name, token.secret));
    }
    const all = Object.values(took).flat();
    return { p50: all, worst: Math.max(...all), ...took };
  });
}

async function secondsToRecover(directory: string, name: Killed, secret: string): Promise<number> {
  const run = await runOf(directory);
  const before = await processesOf(directory, run);
  if (before[name] === 0) throw new Error(`The process of ${name} is not found.`);
  const { rows } = await query<{ now: string }>(directory, 'SELECT clock_timestamp()::text AS now');
  const startedAt = performance.now();
  if (name === 'database') await killServer(before.database);
  else process.kill(before[name], 'SIGKILL');
  const seconds = () => (performance.now() - startedAt) / 1000;
  for (;;) {
    if (await serves(directory, { name, before, since: rows[0]?.now ?? '', secret })) return seconds();
    if (seconds() * 1000 > LONGEST_MS)
      throw new Error(`Not ready ${LONGEST_MS / 1000} s after a kill of ${name}.`);
    await delay(POLL_MS);
  }
}

/** As a crash of the machine ends it: every process of the server at once. */
async function killServer(postmaster: number): Promise<void> {
  for (const pid of [postmaster, ...(await childrenOf(postmaster))]) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      // A connection that has ended meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

interface Kill {
  readonly name: Killed;
  readonly before: InstanceProcesses;
  /** The database's time before the kill. */
  readonly since: string;
  readonly secret: string;
}

/**
 * Whether another process has taken the place of the killed one, `/readyz` answers 200, and a call over the API is
 * answered. The heartbeat of a bot that was killed counts for a while, so the bot's own must be later than the kill.
 */
async function serves(directory: string, { name, before, since, secret }: Kill): Promise<boolean> {
  const run = await readRunFile(directory);
  if (run === undefined) return false;
  const now = await processesOf(directory, run);
  if (now[name] === 0 || now[name] === before[name]) return false;
  if (name === 'bot') {
    // The bot starts a web process of its own.
    if (now.web === 0 || now.web === before.web) return false;
    const beats = await query<{ fresh: boolean }>(
      directory,
      'SELECT bool_or(heartbeat_at > $1::timestamptz AND lost_at IS NULL) AS fresh FROM gateway_shards',
      [since],
    ).catch(() => undefined);
    if (beats?.rows[0]?.fresh !== true) return false;
  }
  return (await isOk(`${run.web}/readyz`)) && (await isOk(`${run.web}/api/public/v1/me`, secret));
}

async function isOk(url: string, secret?: string): Promise<boolean> {
  const headers: Record<string, string> = secret === undefined ? {} : { authorization: `Bearer ${secret}` };
  return fetch(url, { headers, signal: AbortSignal.timeout(5_000) }).then(
    async (answer) => {
      await answer.body?.cancel();
      return answer.ok;
    },
    () => false,
  );
}

async function runOf(directory: string): Promise<RunFile> {
  const run = await readRunFile(directory);
  if (run === undefined) throw new Error(`There is no run.json in ${directory}.`);
  return run;
}

async function query<Row extends object>(directory: string, text: string, values: unknown[] = []) {
  const client = new pg.Client(await databaseUrl(directory));
  client.on('error', () => {});
  await client.connect();
  try {
    return await client.query<Row>(text, values);
  } finally {
    await client.end();
  }
}
