import { readdir, readFile, readlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { BailiffClient } from '@bailiff/client';
import { parseMetrics } from '@bailiff/core/testing-metrics';
import { openDatabase } from '@bailiff/prisma';
import { Owner, readSandbox, send, spareMembers } from '@bailiff/sandbox/visitor';
import { databaseUrl } from '@bailiff/supervisor/database-url';
import { type Instance, instanceDirectory, startInstance } from '@bailiff/supervisor/instance';
import { onceApiOf, refusalOf } from '#src/api.ts';
import { expect, test, verifies } from '#src/testing.ts';

const STEP = 10;
const RESTART_TIMEOUT_MS = 480_000;

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  const free = await new Promise<boolean>((resolve) => {
    probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
  await new Promise((resolve) => probe.close(resolve));
  return free;
}

/** A port that is free like the next one, and those ten higher. */
async function freePorts(): Promise<number> {
  for (let port = 19_464; port < 29_000; port += 37) {
    const all = [port, port + 1, port + STEP, port + 1 + STEP];
    if ((await Promise.all(all.map(isFree))).every(Boolean)) return port;
  }
  throw new Error('No ports are free.');
}

/** Which process serves metrics there. */
async function servedAt(port: number): Promise<string | undefined> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined);
  const samples = answer === undefined ? [] : parseMetrics(await answer.text());
  return samples.find(({ metric }) => metric === 'bailiff_process_info')?.labels.process;
}

/** The addresses on which a process listens, in the words of /proc: `0100007F` is 127.0.0.1. */
async function listensOn(pid: number): Promise<string[]> {
  const own = await Promise.all(
    (await readdir(`/proc/${pid}/fd`)).map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')),
  );
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8')),
  );
  const rows = tables.flatMap((table) => table.split('\n').map((line) => line.trim().split(/\s+/)));
  const listening = rows.filter(
    ([, , , state, , , , , , inode]) => state === '0A' && own.includes(`socket:[${inode}]`),
  );
  return listening.map(([, address = '']) => address.split(':')[0] ?? '');
}

let home: Awaited<ReturnType<typeof instanceDirectory>>;
let instance: Instance;
let firstPort: number;
let owner: Owner;
/** Has no window: what it asks for waits for a decision. */
let asks: BailiffClient;
let approvalId: string;
let wanted: string;
let targets: string[];

const banOf = (user_id: string) => ({
  ...{ user_id, reason: 'Came with the flood' },
  _confirmation: `BAN USER ${user_id} IN GUILD ${instance.run.guild_id} PERMANENT`,
});

test.beforeAll(async () => {
  firstPort = await freePorts();
  home = await instanceDirectory();
  instance = await startInstance({
    directory: home.path,
    command: 'start-cluster.mjs',
    env: { HOST: '0.0.0.0', METRICS_PORT: String(firstPort), METRICS_WEB_PORT: String(firstPort + 1) },
  });
  const { guild_id: guildId, people, sandbox, web } = instance.run;
  const { guild } = await readSandbox(sandbox ?? '', guildId);
  [wanted = '', ...targets] = spareMembers(guild, people).slice(-5);
  owner = await Owner.signIn(web, people.owner ?? '');
  asks = onceApiOf(instance.run, ((await owner.mint(guildId, 'asks')).body as { secret: string }).secret);
  const { details } = await refusalOf(asks.call('bans.add', banOf(wanted)));
  approvalId = (details as { approval_id: string }).approval_id;
});

test.afterAll(async () => {
  await instance?.stop();
  await home?.remove();
});

/** How many sessions bots have begun at Discord. */
async function sessionsBegun(): Promise<number> {
  const { body } = await send(`${instance.run.sandbox}/sandbox/state`);
  return (body as { gateway: { identifies: number } }).gateway.identifies;
}

/** A call that waits until the request is decided, as long as it may. */
const waitForDecision = () => asks.call('approvals.get', { approvalId }, { preferSeconds: 60 });

test('each of the four processes of a cluster has its own metrics, and none listens to everybody', async () => {
  verifies('ops.metrics.cluster');
  for (const [port, name] of [
    [firstPort, 'bot'],
    [firstPort + STEP, 'bot'],
    [firstPort + 1, 'web'],
    [firstPort + 1 + STEP, 'web'],
  ] as const) {
    await expect.poll(() => servedAt(port)).toBe(name);
  }
  // What everybody may reach is the port in front of them, which hands connections to whoever is there.
  if (process.platform === 'linux') {
    const webs = instance.run.pids.webs ?? [];
    expect(webs).toHaveLength(2);
    for (const pid of webs) expect(new Set(await listensOn(pid))).toEqual(new Set(['0100007F']));
  }
});

test('no call fails while all processes of a cluster are replaced', async () => {
  verifies('ops.rolling-restart');
  const { guild_id: guildId, pids } = instance.run;
  const api = onceApiOf(instance.run, (await owner.mintWithWindow(guildId, 'restart')).secret);
  const waiting = Promise.all([waitForDecision(), waitForDecision()]);
  waiting.catch(() => {});
  const before = await sessionsBegun();
  process.kill(pids.supervisor, 'SIGUSR2');
  let isReplaced = false;
  const replaced = instance.untilPrinted(/^All processes are replaced/, RESTART_TIMEOUT_MS).finally(() => {
    isReplaced = true;
  });
  replaced.catch(() => {});
  let reads = 0;
  let bans = 0;
  const callOnce = async () => {
    await api.call('me');
    reads += 1;
    const next = targets[bans];
    if (next !== undefined && reads > 2 * bans) {
      await api.call('bans.add', banOf(next));
      bans += 1;
    }
    return isReplaced && bans === targets.length;
  };
  await expect.poll(callOnce, { intervals: [1_000], timeout: RESTART_TIMEOUT_MS }).toBe(true);
  await replaced;
  expect(await waiting).toMatchObject([{ state: 'pending' }, { state: 'pending' }]);
  // The new bots went on with the sessions of the old ones, which would have missed what happens meanwhile.
  expect(await sessionsBegun()).toBe(before);
  const old = [...(pids.webs ?? []), ...(pids.bots ?? [])];
  expect(old).toHaveLength(4);
  for (const pid of old) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

test('a call that is under way when a cluster stops is answered', async () => {
  const database = openDatabase(await databaseUrl(home.path), { applicationName: 'e2e', max: 1 });
  const looks = async () => {
    const { rows } = await database.pool.query<{ looks: number }>(
      "SELECT count(*)::int AS looks FROM audit WHERE operation = 'approvals.get'",
    );
    return rows[0]?.looks ?? 0;
  };
  const before = await looks();
  const waiting = waitForDecision();
  waiting.catch(() => {});
  await expect.poll(looks).toBe(before + 1);
  await database.close();
  expect(await instance.stop('SIGINT')).toBe(0);
  expect(await waiting).toMatchObject({ state: 'pending' });
});
