// npm run test:cluster: a rolling restart under load, a killed bot, and limits over two web processes.

import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type Exchange, send } from '@bailiff/sandbox/visitor';
import { callOf, count, processesOf, type Stage, setStage, until } from './stage.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '60' } } });
const SECONDS = Number(values.seconds);
const CALLS_PER_SECOND = 50;
const CALLS = SECONDS * CALLS_PER_SECOND;
/** Of fifty calls, eight strike and one bans; the others read. Each holder may make six destructive calls. */
const HOLDERS = Math.ceil((CALLS * 9) / CALLS_PER_SECOND / 6) + 1;
const EVENTS_PER_SECOND = 4;
const RESTART_WITHIN_MS = 180_000;
const TAKEN_OVER_WITHIN_S = 30;

let failures = 0;

function report(what: string, seen: string | number, isAsPromised: boolean): void {
  if (!isAsPromised) failures += 1;
  process.stdout.write(`${isAsPromised ? 'ok  ' : 'FAIL'}  ${what.padEnd(64)} ${seen}\n`);
}

const stage = await setStage(HOLDERS);
try {
  await rollingRestart(stage);
  await exactLimits(stage);
  await killedBot(stage);
  await lostBot(stage);
} finally {
  await stage.close();
}
process.stdout.write(failures === 0 ? 'All as promised.\n' : `${failures} not as promised.\n`);
process.exit(failures === 0 ? 0 : 1);

/** Does something so often a second until there were so many, or while it is wanted. Nothing waits for the one before. */
async function atPace<T>(
  perSecond: number,
  isWanted: (n: number) => boolean,
  act: (n: number) => Promise<T>,
): Promise<T[]> {
  const running: Promise<T>[] = [];
  const startedAt = performance.now();
  for (let n = 0; isWanted(n); n += 1) {
    const waitMs = startedAt + (n * 1000) / perSecond - performance.now();
    if (waitMs > 0) await new Promise((done) => setTimeout(done, waitMs));
    running.push(act(n));
  }
  return Promise.all(running);
}

interface Answered {
  readonly kind: 'read' | 'strike' | 'ban';
  readonly user: string;
  readonly seen: string;
  readonly tookMs: number;
}

async function timed(kind: Answered['kind'], user: string, sent: Promise<Exchange>): Promise<Answered> {
  const startedAt = performance.now();
  const seen = await sent.then(
    ({ status, body }) => `${status} ${Object(Object(body).error).code ?? ''}`.trim(),
    (error: Error) => `${error.message}: ${String(error.cause)}`,
  );
  return { kind, user, seen, tookMs: performance.now() - startedAt };
}

/** One of fifty calls in turn. */
function mixedCall(n: number, targets: readonly string[]): Promise<Answered> {
  const place = n % CALLS_PER_SECOND;
  if (place >= 9 || n >= CALLS) {
    const path = n % 2 === 0 ? '/me' : `/guilds/${stage.run.guild_id}/strikes`;
    return timed('read', '', stage.call(n, { method: 'GET', path }));
  }
  const turn = Math.floor(n / CALLS_PER_SECOND) * 9 + place;
  const user = targets[turn] ?? '';
  const reason = 'under load';
  const call =
    place === 0
      ? callOf(stage, 'bans.add', '/bans', { user_id: user, reason })
      : callOf(stage, 'strikes.add', '/strikes', { user_id: user, reason, severity: 'minor' });
  return timed(place === 0 ? 'ban' : 'strike', user, stage.call(Math.floor(turn / 6), call));
}

async function rollingRestart({ run, db, join, sandbox, instance, holders }: Stage): Promise<void> {
  const targets = await joinAll(join, Math.ceil((CALLS * 9) / CALLS_PER_SECOND));
  const banned = await joinAll(join, SECONDS * EVENTS_PER_SECOND);
  const before = await processesOf(stage);
  let isRestarting = true;
  const restarted = (async () => {
    // The load has begun.
    await until('calls are made', async () => (await count(db, 'cases')) > 0);
    process.kill(before.supervisor, 'SIGUSR2');
    const startedAt = performance.now();
    await instance.untilPrinted(/^All processes are replaced/, RESTART_WITHIN_MS);
    isRestarting = false;
    return performance.now() - startedAt;
  })();
  restarted.catch(() => {
    isRestarting = false;
  });
  const isWanted = (n: number) => n < CALLS || isRestarting;
  const calls = atPace(CALLS_PER_SECOND, isWanted, (n) => mixedCall(n, targets));
  const nicks = new Map<string, string>();
  const events = atPace(
    EVENTS_PER_SECOND,
    (n) => n < banned.length,
    async (n) => {
      await sandbox('bans', { user: banned[n] ?? '', by: 'owner' });
      nicks.set('owner', `Owner ${n}`);
      await sandbox('members', { action: 'nick', user: 'owner', nick: `Owner ${n}` });
    },
  );
  const commands = atPace(
    1,
    (n) => n < SECONDS,
    async () => {
      const { body } = await sandbox('interactions', { type: 'command', command: 'whoami', user: 'owner' });
      return (body as { state: string }).state;
    },
  );
  const [answers, , states, tookMs] = [await calls, await events, await commands, await restarted];
  const after = await processesOf(stage);
  const kept = [...(before.bots ?? []), ...(before.webs ?? [])].filter((pid) =>
    [...(after.bots ?? []), ...(after.webs ?? [])].includes(pid),
  );
  report('processes of the cluster that were not replaced', kept.length, kept.length === 0);
  process.stdout.write(`      replacing them took ${(tookMs / 1000).toFixed(1)} s\n`);

  const failed = answers.filter(({ seen }) => !/^20[01]$/.test(seen));
  report(`failed calls in a rolling restart, of ${answers.length}`, failed.length, failed.length === 0);
  for (const [seen, many] of tally(failed.map(({ kind, seen }) => `${kind}: ${seen}`))) {
    process.stdout.write(`      ${many} × ${seen}\n`);
  }
  const slowest = Math.max(...answers.map(({ tookMs }) => tookMs));
  report('the slowest answer, in ms', Math.round(slowest), slowest < 10_000);
  const unanswered = states.filter((state) => state !== 'answered').length;
  report(`commands without an answer, of ${states.length}`, unanswered, unanswered === 0);

  const ids = holders.map(({ id }) => id);
  await until(
    'every action is settled',
    async () => (await count(db, "actions WHERE state IN ('pending', 'running')")) === 0,
  );
  const settled = await db.pool.query<{ operation: string; count: string }>(
    `SELECT operation, count(*) FROM audit WHERE token_id = ANY ($1) AND outcome = 'performed' GROUP BY 1`,
    [ids],
  );
  for (const [operation, kind] of [
    ['strikes.add', 'strike'],
    ['bans.add', 'ban'],
  ] as const) {
    const answered = answers.filter((each) => each.kind === kind && each.seen === '201').length;
    const recorded = Number(settled.rows.find((row) => row.operation === operation)?.count ?? 0);
    report(
      `${operation}: performed on record, of ${answered} answered as done`,
      recorded,
      recorded === answered,
    );
  }
  const log = await banEntries(run);
  const twice = targets.filter((user) => log.filter((target) => target === user).length > 1);
  report('people whom Bailiff banned twice', twice.length, twice.length === 0);

  const byHand = () => count(db, "cases WHERE user_id = ANY ($1) AND kind = 'ban'", [banned]);
  await until('all bans by hand are on record', async () => (await byHand()) >= banned.length).catch(
    () => {},
  );
  const recorded = await byHand();
  report(`bans by hand on record, of ${banned.length}`, recorded, recorded === banned.length);
  const name = async () =>
    (
      await db.pool.query<{ display_name: string }>(
        'SELECT display_name FROM members WHERE guild_id = $1 AND user_id = $2',
        [run.guild_id, run.people.owner],
      )
    ).rows[0]?.display_name ?? '';
  await until('the last event is in the mirror', async () => (await name()) === nicks.get('owner')).catch(
    () => {},
  );
  report('the last of the names in the mirror', await name(), (await name()) === nicks.get('owner'));
}

async function joinAll(join: Stage['join'], many: number): Promise<string[]> {
  const people: string[] = [];
  for (let n = 0; n < many; n += 1) people.push(await join());
  return people;
}

function tally(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/** Whom the guild's own audit log says to have been banned, once for each ban. */
async function banEntries({ sandbox, guild_id }: Stage['run']): Promise<string[]> {
  const { body } = await send(`${sandbox}/sandbox/state`);
  const { guilds } = body as {
    guilds: { id: string; audit_log: { action: string; target_id: string }[] }[];
  };
  const log = guilds.find(({ id }) => id === guild_id)?.audit_log ?? [];
  return log.filter(({ action }) => /ban_?add/i.test(action)).map(({ target_id }) => target_id);
}

/** Calls of one token at once, which the two web processes share. */
async function exactLimits({ join, db, holders }: Stage): Promise<void> {
  const MANY = 60;
  const last = HOLDERS - 1;
  const users = await joinAll(join, MANY);
  const sendAll = (calls: readonly ReturnType<typeof callOf>[]) =>
    Promise.all(calls.map((call) => stage.call(last, call)));
  const calls = users.map((user_id) =>
    callOf(stage, 'strikes.add', '/strikes', { user_id, reason: randomUUID(), severity: 'minor' }),
  );
  let late = [...calls];
  for (let round = 0; round < 5 && late.length > 0; round += 1) {
    const answers = await sendAll(late);
    late = late.filter((_call, n) => answers[n]?.status === 503);
  }
  const performed = await count(
    db,
    "audit WHERE token_id = $1 AND operation = 'strikes.add' AND outcome = 'performed'",
    [holders[last]?.id],
  );
  report(`calls that a budget of six admitted, of ${MANY} at once`, performed, performed === 6);
}

/** The bot that is meant for the guild's shard. */
async function botOfGuild({ run }: Stage): Promise<{ shard: number; pid: number }> {
  const shard = Number((BigInt(run.guild_id) >> 22n) % 4n);
  return { shard, pid: (await processesOf(stage)).bots?.[shard < 2 ? 0 : 1] ?? 0 };
}

/** Seconds until the guild is served by a process that was not connected before this. */
async function secondsUntilFollowed({ db, run }: Stage, shard: number, cause: () => void): Promise<number> {
  const { rows } = await db.pool.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
  cause();
  const startedAt = performance.now();
  const serves = () =>
    count(
      db,
      `live_guilds g JOIN gateway_shards s ON s.shard_id = $3 WHERE g.id = $1 AND g.mirror_fresh
         AND s.heartbeat_at > $2::timestamptz AND s.lost_at IS NULL`,
      [run.guild_id, rows[0]?.now, shard],
    );
  await until('another process follows the guild', async () => (await serves()) > 0);
  return (performance.now() - startedAt) / 1000;
}

/** Whether a command is answered there, and what was done by hand meanwhile is on record. */
async function reportAfterwards({ db, sandbox }: Stage, bystander: string): Promise<void> {
  const { body } = await sandbox('interactions', { type: 'command', command: 'whoami', user: 'owner' });
  const { state } = body as { state: string };
  report('a command there afterwards', state, state === 'answered');
  const isRecorded = async () => (await count(db, 'cases WHERE user_id = $1', [bystander])) === 1;
  await until('what happened meanwhile is on record', isRecorded).catch(() => {});
  report('what happened meanwhile is on record', String(await isRecorded()), await isRecorded());
}

/** Kills the bot of the guild's shard under load, and waits until another process follows the guild's events. */
async function killedBot(stage: Stage): Promise<void> {
  const { shard, pid } = await botOfGuild(stage);
  const bystander = await stage.join();
  const seconds = await secondsUntilFollowed(stage, shard, () => {
    process.kill(pid, 'SIGKILL');
    void stage.sandbox('bans', { user: bystander, by: 'owner' });
  });
  const what = 'seconds until a killed bot’s guild was followed again';
  report(what, seconds.toFixed(1), seconds < TAKEN_OVER_WITHIN_S);
  await reportAfterwards(stage, bystander);
}

/** Lets the bot of the guild's shard stand still: as with its whole machine, nobody starts another one. */
async function lostBot(stage: Stage): Promise<void> {
  const { db, join, sandbox } = stage;
  const { shard, pid } = await botOfGuild(stage);
  const bystander = await join();
  const seconds = await secondsUntilFollowed(stage, shard, () => {
    process.kill(pid, 'SIGSTOP');
    void sandbox('bans', { user: bystander, by: 'owner' });
  });
  const what = 'seconds until a lost bot’s guild was followed by another one';
  report(what, seconds.toFixed(1), seconds < TAKEN_OVER_WITHIN_S);
  await reportAfterwards(stage, bystander);
  const held = await count(db, "shard_holders WHERE shard_ids @> '{0,1,2,3}'");
  report('bots that have all shards', held, held === 1);

  const user = await join();
  process.kill(pid, 'SIGCONT');
  const options = { user, reason: 'Asked when it comes back' };
  const { body } = await sandbox('interactions', { type: 'command', command: 'ban', user: 'owner', options });
  const { state } = body as { state: string };
  report('a ban in chat when it comes back', state, state === 'answered');
  const times = (await banEntries(stage.run)).filter((target) => target === user).length;
  report('times that it was done', times, times === 1);
  const isReplaced = async () => !(await processesOf(stage)).bots?.includes(pid);
  await until('the lost process has ended', isReplaced);
  const back = await secondsUntilBack(stage);
  report('seconds until its shards went back, at least 60', back.toFixed(0), back > 55 && back < 120);
}

/** Seconds until each bot has its own two shards again. */
async function secondsUntilBack({ db }: Stage): Promise<number> {
  const startedAt = performance.now();
  const apart = async () =>
    (await count(db, "shard_holders WHERE shard_ids @> '{0,1}' AND NOT shard_ids && '{2,3}'")) === 1 &&
    (await count(db, "shard_holders WHERE shard_ids @> '{2,3}' AND NOT shard_ids && '{0,1}'")) === 1;
  await until('the shards are back', apart, 150_000);
  return (performance.now() - startedAt) / 1000;
}
