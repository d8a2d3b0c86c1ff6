// npm run test:failover: the database's primary is lost under calls that strike and ban, and its standby is promoted.
import { randomBytes, randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { openDatabase } from '@bailiff/prisma';
import { startSandbox } from '@bailiff/sandbox';
import { type Exchange, send } from '@bailiff/sandbox/visitor';
import { startWebProcess } from '#test/faults/web-process.ts';
import { callOf, count, seedHolders, until } from '../cluster/stage.ts';
import { pause } from '../faults/faulty-link.ts';
import { isAlive, killed, startBot } from '../faults/stage.ts';
import { startPair } from './servers.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '20' } } });
/** So long calls are made, half of the time before the primary is lost. */
const SECONDS = Number(values.seconds);
const LANES = 8;
const HOLDERS = 60;
/** Whoever watches over the servers needs a moment to see that the primary is gone. */
const NOTICED_AFTER_MS = 2_000;
const STANDBY_AWAY_MS = 15_000;
const BACK_WITHIN_S = 30;
const ATTEMPT_MS = 12_000;

let failures = 0;

function report(what: string, seen: string | number, isAsPromised: boolean): void {
  if (!isAsPromised) failures += 1;
  process.stdout.write(`${isAsPromised ? 'ok  ' : 'FAIL'}  ${what.padEnd(72)} ${seen}\n`);
}

interface Intent {
  readonly user: string;
  readonly isBan: boolean;
  /** When it was answered as done; null before that. */
  doneAt: number | null;
}

const pair = await startPair();
const sandbox = await startSandbox({ rateLimit: { limit: 1_000, windowSeconds: 1 } });
const db = openDatabase(pair.url('bailiff'), { applicationName: 'failover test', max: 8, onError: () => {} });
const bot = await startBot({
  PATH: process.env.PATH,
  DATABASE_URL: pair.url('bailiff_bot'),
  DISCORD_TOKEN: sandbox.botToken,
  DISCORD_API_URL: sandbox.apiUrl,
  SECRETS_KEY: randomBytes(32).toString('base64'),
  WEB: 'off',
  LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
});
const web = await startWebProcess(pair.url('bailiff_web'));
const run = { guild_id: sandbox.guildId, people: sandbox.people };
const holders = await (async () => {
  const members = async (_path: string, body: object) => sandbox.control.members(body as never);
  await until('the guild is trusted', async () => (await count(db, 'live_guilds WHERE mirror_fresh')) > 0);
  return seedHolders({ db, run, join: async () => newMember(), sandbox: members }, HOLDERS);
})();
let next = 0;
try {
  await withoutStandby();
  await lostPrimary();
  await primaryBack();
} finally {
  await web.kill('SIGKILL');
  await killed(bot);
  await db.close();
  await sandbox.close();
  await pair.close();
}
process.stdout.write(failures === 0 ? 'All as promised.\n' : `${failures} not as promised.\n`);
process.exit(failures === 0 ? 0 : 1);

function newMember(): string {
  const { member } = sandbox.control.members({ action: 'join', name: `Person ${randomInt(1e9)}` }) as {
    member: { user: { id: string } };
  };
  return member.user.id;
}

/** While the standby confirms nothing, nothing is answered as done; afterwards each intent ends, once. */
async function withoutStandby(): Promise<void> {
  const intents = newIntents(LANES);
  await pair.standby.signal('SIGSTOP');
  const startedAt = performance.now();
  const ending = Promise.all(intents.map((intent) => carryOut(intent)));
  await pause(STANDBY_AWAY_MS);
  const backAt = performance.now();
  await pair.standby.signal('SIGCONT');
  await ending;
  const early = intents.filter(({ doneAt }) => doneAt !== null && doneAt < backAt).length;
  const what = `done within ${((backAt - startedAt) / 1000).toFixed(0)} s without a standby, of ${intents.length}`;
  report(what, early, early === 0);
  await compare('without a standby', intents);
}

async function lostPrimary(): Promise<void> {
  const intents: Intent[] = [];
  let isOver = false;
  const lane = async () => {
    while (!isOver) {
      const [intent] = newIntents(1);
      if (intent === undefined) return;
      intents.push(intent);
      await carryOut(intent);
    }
  };
  const lanes = Promise.all(Array.from({ length: LANES }, lane));
  await pause((SECONDS * 1000) / 2);
  const lostAt = performance.now();
  await pair.primary.kill();
  const before = intents.filter(({ doneAt }) => doneAt !== null && doneAt <= lostAt).length;
  await pause(NOTICED_AFTER_MS);
  await pair.standby.run('SELECT pg_promote()');
  const promotedAt = performance.now();
  const isBack = (isBan: boolean) => async () =>
    intents.some((intent) => intent.isBan === isBan && (intent.doneAt ?? 0) > promotedAt);
  await until('a strike is done again', isBack(false)).catch(() => {});
  const struckAt = performance.now();
  await until('a ban is done again', isBack(true)).catch(() => {});
  const bannedAt = performance.now();
  await pause((SECONDS * 1000) / 2);
  isOver = true;
  await lanes;
  report('calls done before the primary was lost', before, before > 0);
  for (const [what, at] of [
    ['a strike', struckAt],
    ['a ban', bannedAt],
  ] as const) {
    const seconds = (at - lostAt) / 1000;
    report(`seconds from the loss until ${what} was done again`, seconds.toFixed(1), seconds < BACK_WITHIN_S);
  }
  report('seconds from the promotion', ((bannedAt - promotedAt) / 1000).toFixed(1), true);
  await compare('primary lost', intents);
  const { body } = await sandboxCommand();
  report('a command in chat afterwards', body, body === 'answered');
}

/** The machine that was given up comes back and takes writes again, as if nothing had been. */
async function primaryBack(): Promise<void> {
  await pair.primary.start();
  const intents = newIntents(LANES);
  await Promise.all(intents.map((intent) => carryOut(intent)));
  const another = await startWebProcess(pair.url('bailiff_web'));
  const answered = await call(0, { method: 'GET', path: `/guilds/${run.guild_id}/strikes` }, another.url);
  await another.kill('SIGKILL');
  report('a web process that starts now answers', answered.status, answered.status === 200);
  const old = await pair.primary.run(
    "SELECT FROM pg_stat_activity WHERE application_name ~ '^bailiff-(web|bot)'",
  );
  report('connections to the server that was given up', old.length, old.length === 0);
  await compare('a second primary', intents);
}

function newIntents(many: number): Intent[] {
  return Array.from({ length: many }, (_, n) => {
    next += 1;
    return { user: newMember(), isBan: (next + n) % 3 === 0, doneAt: null };
  });
}

/** Repeats one call with its key until it is done, or until it is answered as not performed, as a ban may be. */
async function carryOut(intent: Intent): Promise<void> {
  const body = { user_id: intent.user, reason: 'failover' };
  const made = intent.isBan
    ? callOf({ run } as never, 'bans.add', '/bans', body)
    : callOf({ run } as never, 'strikes.add', '/strikes', { ...body, severity: 'minor' });
  const holder = randomInt(holders.length);
  const giveUpAt = performance.now() + 60_000;
  for (let attempt = 1; performance.now() < giveUpAt; attempt += 1) {
    const answer = await call(holder, made).catch(() => undefined);
    if (answer?.status === 201) {
      intent.doneAt = performance.now();
      return;
    }
    if (answer?.status === 429) await spendNothing();
    if (intent.isBan && answer !== undefined && answer.status !== 429 && attempt >= 6) return;
    await pause(500);
  }
}

/** The budgets are not what is tried here. */
async function spendNothing(): Promise<void> {
  await db.pool.query('DELETE FROM budgets').catch(() => {});
}

function call(
  holder: number,
  {
    method,
    path,
    body,
    key,
  }: ReturnType<typeof callOf> | { method: 'GET'; path: string; body?: object; key?: string },
  url = web.url,
): Promise<Exchange> {
  const headers = {
    authorization: `Bearer ${holders[holder]?.secret}`,
    'x-forwarded-for': `198.18.${randomInt(256)}.${randomInt(256)}`,
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  };
  const sent = send(`${url}/api/public/v1${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { json: body }),
  });
  return Promise.race([sent, pause(ATTEMPT_MS).then(() => Promise.reject(new Error('No answer')))]);
}

async function sandboxCommand(): Promise<{ body: string }> {
  const { state } = (await sandbox.control.interact({
    type: 'command',
    command: 'whoami',
    user: 'owner',
  } as never)) as { state: string };
  return { body: state };
}

async function compare(when: string, intents: readonly Intent[]): Promise<void> {
  const unsettled = () => count(db, "actions WHERE state IN ('pending', 'running', 'unknown')");
  await until('all is settled', async () => (await unsettled()) === 0, 120_000).catch(() => {});
  report(`${when}: actions that are not settled`, await unsettled(), (await unsettled()) === 0);
  const { rows } = await db.pool.query<{ user_id: string; cases: number; performed: number }>(
    `SELECT u AS user_id,
       (SELECT count(*)::int FROM cases c WHERE c.user_id = u) AS cases,
       (SELECT count(*)::int FROM audit a WHERE a.target_id = u AND a.outcome = 'performed') AS performed
     FROM unnest($1::text[]) AS u`,
    [intents.map(({ user }) => user)],
  );
  const found = new Map(rows.map((row) => [row.user_id, row]));
  const guild = sandbox.getState().guilds.find(({ id }) => id === run.guild_id);
  const banned = new Set(guild?.bans.map(({ user_id }) => user_id));
  const bans = guild?.audit_log
    .filter(({ action }) => /ban_?add/i.test(action))
    .map(({ target_id }) => target_id);
  const done = intents.filter(({ doneAt }) => doneAt !== null);
  const isLost = ({ user, isBan, doneAt }: Intent) =>
    (doneAt !== null || !isBan) && (found.get(user)?.cases !== 1 || (isBan && !banned.has(user)));
  const isTwice = ({ user }: Intent) =>
    (found.get(user)?.cases ?? 0) > 1 || (bans?.filter((target) => target === user).length ?? 0) > 1;
  const isUnrecorded = ({ user, isBan }: Intent) =>
    found.get(user)?.performed !== found.get(user)?.cases ||
    (isBan && banned.has(user) !== (found.get(user)?.cases === 1));
  const lost = intents.filter(isLost).length;
  report(
    `${when}: lost, of ${done.length} answered as done and ${intents.length} intended`,
    lost,
    lost === 0,
  );
  const twice = intents.filter(isTwice).length;
  report(`${when}: done twice`, twice, twice === 0);
  const unrecorded = intents.filter(isUnrecorded).length;
  report(`${when}: effects and records that differ`, unrecorded, unrecorded === 0);
  const restarted = isAlive(bot) && isAlive(web.child) ? 0 : 1;
  report(`${when}: processes that ended`, restarted, restarted === 0);
}
