// npm run soak: uses the whole product for half an hour, kills processes now and then, and judges whether anything grew
// that must not grow. Writes soak.html. The exit code is 0 if nothing grew.
//   npm run soak -- --minutes 3         shorter
//   npm run soak -- --leak 50           with a leak of 50 KB/s in each process, to see that it is found
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { endOnStopRequest } from '../../../apps/supervisor/src/processes.mjs';
import { isQuiet, machineLoad } from '../machine.ts';
import { type Check, grownTables, judge, judgeRecords } from './judge.ts';
import { type Kills, killsOf } from './kills.ts';
import { pageOf } from './page.ts';
import { type Sample, takeSample } from './samples.ts';
import { keepWindowsOpen, type SoakStage, setSoakStage } from './stage.ts';
import { startTraffic } from './traffic.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    guilds: { type: 'string', default: '2000' },
    rate: { type: 'string', default: '12' },
    leak: { type: 'string', default: '0' },
    report: { type: 'string', default: 'soak.html' },
  },
});
const LASTS_MS = positive('minutes') * 60_000;
const GUILDS = positive('guilds');
const PER_SECOND = positive('rate');
const LEAK_KB_PER_SECOND = Number(values.leak);
/** Caches fill and code is compiled in the first third. */
const WARM_MS = LASTS_MS / 3;
const SAMPLED_EVERY_MS = Math.min(10_000, LASTS_MS / 60);
const KILLED_EVERY_MS = Math.max(40_000, LASTS_MS / 12);
/** The last of these ends before this, so that all that was disturbed is over. */
const CALM_MS = 30_000;
const WINDOWS_EVERY_MS = 5 * 60_000;
const BACK_WITHIN_SECONDS = 40;
const SETTLED_WITHIN_MS = 60_000;
const LOOK_MS = 500;
/** Discord tells a bot one name a second. */
const SLOW_TASKS = ['learn_names'];

function positive(name: 'minutes' | 'guilds' | 'rate'): number {
  const value = Number(values[name]);
  if (Number.isFinite(value) && value > 0) return value;
  process.stderr.write(`--${name} is ${values[name]}; it must be a number above 0.\n`);
  process.exit(2);
}

const say = (line: string) => process.stdout.write(`${line}\n`);

endOnStopRequest();
const before = await machineLoad();
say(`Starting a cluster for ${GUILDS} guilds …`);
const stage = await setSoakStage({
  guilds: GUILDS,
  used: Math.min(200, Math.ceil(GUILDS / 2)),
  leakKbPerSecond: LEAK_KB_PER_SECOND,
});
try {
  process.exitCode = (await soak(stage)) ? 0 : 1;
} finally {
  await stage.close();
}

async function soak(on: SoakStage): Promise<boolean> {
  const startedAt = performance.now();
  const kills = killsOf(on, startedAt);
  const traffic = await startTraffic(on, PER_SECOND, kills.isDisturbed);
  const pids = await on.pids();
  const survivors = {
    supervisor: pids.supervisor,
    'bot-1': pids.bots?.[0] ?? 0,
    'web-1': pids.webs?.[0] ?? 0,
  };
  const samples: Sample[] = [];
  const sample = async () => {
    const sampled = { probes: on.probes, db: on.db, pids: survivors, startedAt, done: traffic.done };
    samples.push(await takeSample(sampled));
  };
  say(`Everything is used for ${LASTS_MS / 60_000} minutes.`);
  await every(startedAt, [
    { everyMs: SAMPLED_EVERY_MS, act: sample },
    { everyMs: KILLED_EVERY_MS, untilMs: LASTS_MS - CALM_MS, act: kills.next },
    { everyMs: WINDOWS_EVERY_MS, act: () => keepWindowsOpen(on.db) },
  ]);
  await kills.settled();
  await traffic.stop();
  const warmSeconds = WARM_MS / 1000;
  const judged = judge(samples, warmSeconds);
  const checks = [
    ...(await settledChecks(on, kills.killed.length)),
    backCheck(kills.killed, isQuiet(before)),
    processCheck(survivors, await on.pids()),
    ...failureChecks(traffic.answers, isQuiet(before)),
    ...judgeRecords(samples, warmSeconds),
  ];
  const title = `Bailiff, used for ${LASTS_MS / 60_000} minutes`;
  const grown = grownTables(samples, warmSeconds);
  const occasion = [
    `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, ${availableParallelism()} cores, ${Math.round(before.busy * 100)} % of them in use by others before.`,
    `${GUILDS.toLocaleString('en-US')} guilds, ${traffic.done().toLocaleString('en-US')} calls, commands and changes at Discord, ${kills.killed.length} kills.`,
    ...(grown.length === 0
      ? []
      : [`Tables that do not grow with use and had more rows at the end: ${grown.join(', ')}.`]),
  ];
  const shown = {
    title,
    occasion,
    warmSeconds,
    killed: kills.killed,
    judged,
    checks,
    answers: traffic.answers,
  };
  const report = resolve(values.report);
  await writeFile(report, pageOf(shown));
  for (const { measure, grew, grewAtLeast, isKept } of judged) {
    const mark = measure.mayGrow === undefined ? '    ' : isKept ? 'ok  ' : 'FAIL';
    say(
      `${mark}  ${measure.title.padEnd(58)} ${grew.toFixed(1)} ${measure.unit} (at least ${grewAtLeast.toFixed(1)})`,
    );
  }
  for (const { title: name, seen, isKept } of checks)
    say(`${isKept ? 'ok  ' : 'FAIL'}  ${name.padEnd(58)} ${seen}`);
  for (const line of occasion) say(line);
  say(`Report: ${report}`);
  return [...judged, ...checks].every(({ isKept }) => isKept);
}

interface Recurring {
  readonly everyMs: number;
  readonly untilMs?: number;
  readonly act: () => Promise<void>;
}

/** Does each when its time has come, one at a time, until the soak is over. */
async function every(startedAt: number, all: readonly Recurring[]): Promise<void> {
  const due = all.map((each) => ({ ...each, nextMs: each.everyMs }));
  for (;;) {
    const now = performance.now() - startedAt;
    if (now >= LASTS_MS) return;
    for (const each of due.filter(({ nextMs, untilMs = LASTS_MS }) => nextMs <= now && now < untilMs)) {
      each.nextMs += each.everyMs;
      await each.act().catch((error: Error) => say(`      ${error.message}`));
    }
    await delay(100);
  }
}

/** What is left once nobody does anything any more. */
async function settledChecks({ db }: SoakStage, kills: number): Promise<Check[]> {
  const left = async () => {
    const { rows } = await db.pool.query<{ actions: string; jobs: string; locked: string }>(
      `SELECT (SELECT count(*) FROM actions WHERE state IN ('pending', 'running')) AS actions,
         (SELECT coalesce(string_agg(DISTINCT t.identifier, ', '), '0') FROM graphile_worker._private_jobs j
            JOIN graphile_worker._private_tasks t ON t.id = j.task_id
            WHERE run_at <= now() AND attempts < max_attempts AND locked_at IS NULL AND t.identifier <> ALL ($1)) AS jobs,
         (SELECT count(*) FROM graphile_worker._private_jobs WHERE locked_at < now() - interval '50 seconds') AS locked`,
      [SLOW_TASKS],
    );
    return rows[0] ?? { actions: '?', jobs: '?', locked: '0' };
  };
  const deadline = performance.now() + SETTLED_WITHIN_MS;
  let found = await left();
  while ((found.actions !== '0' || found.jobs !== '0') && performance.now() < deadline) {
    await delay(LOOK_MS);
    found = await left();
  }
  return [
    { title: 'Actions without an end, a minute later', seen: found.actions, isKept: found.actions === '0' },
    { title: 'Jobs that are still due, a minute later', seen: found.jobs, isKept: found.jobs === '0' },
    {
      // A job that was under way when the database was killed stays locked for minutes or hours (apps/bot/src/main.ts).
      title: 'Jobs that nobody works on and that are locked',
      seen: found.locked,
      isKept: Number(found.locked) <= kills,
    },
  ];
}

function processCheck(
  survivors: Readonly<Record<string, number>>,
  { supervisor, bots, webs }: Awaited<ReturnType<SoakStage['pids']>>,
): Check {
  const alive = [supervisor, bots?.[0], webs?.[0]];
  const lost = Object.entries(survivors).filter(([, pid]) => !alive.includes(pid));
  return {
    title: 'Processes that ended by themselves',
    seen: lost.map(([name]) => name).join(', ') || '0',
    isKept: lost.length === 0,
  };
}

/** Answers that did not follow a kill, and that a caller should not get. */
function failureChecks(answers: ReadonlyMap<string, number>, isQuietMachine: boolean): Check[] {
  const all = [...answers.values()].reduce((sum, each) => sum + each, 0);
  const check = (what: string, isOne: RegExp, isJudged: boolean): Check => {
    const some = [...answers].filter(([name]) => isOne.test(name) && !name.endsWith('after a kill'));
    return timed(isJudged, {
      title: `${what} that no kill explains, of ${all.toLocaleString('en-US')}`,
      seen: some.map(([name, each]) => `${each} × ${name}`).join(', ') || '0',
      isKept: some.length === 0,
    });
  };
  return [
    check('Errors and broken connections', /: (5(?!0[23])\d\d|failed)/, true),
    check('Late answers', /: (50[23]|expired)/, isQuietMachine),
  ];
}

/** What takes longer where others use the machine is then shown and not judged. */
function timed(isJudged: boolean, check: Check): Check {
  return isJudged
    ? check
    : { ...check, seen: `${check.seen} (not judged: the machine is busy)`, isKept: true };
}

function backCheck(killed: Kills['killed'], isQuietMachine: boolean): Check {
  const slowest = Math.max(
    0,
    ...killed.map(({ backAfterSeconds = Number.POSITIVE_INFINITY }) => backAfterSeconds),
  );
  return timed(isQuietMachine, {
    title: 'Slowest recovery from a kill, in seconds',
    seen: slowest.toFixed(1),
    isKept: slowest <= BACK_WITHIN_SECONDS,
  });
}
