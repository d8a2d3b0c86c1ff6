import type { Exchange } from '@bailiff/sandbox/visitor';
import { startMachineClock } from '#src/machine-clock.ts';
import { expect, test, verifies } from '#src/testing.ts';
import {
  count,
  type Holder,
  holdLock,
  keepMirrorFresh,
  type OwnDatabase,
  seedHolders,
  startDatabase,
  untilCount,
} from './database.ts';
import { ban, type Call, send, startWebProcess, strike, type WebProcess } from './web-process.ts';

/** A caller is answered within two seconds by the machine's clock; the rest is the way there and back. */
const ANSWERED_WITHIN_MS = 2_500;
const BACK_WITHIN_MS = 5_000;
const AWAY_MS = 5_000;
const LANES = 6;

let own: OwnDatabase;
let web: WebProcess;
const started: WebProcess[] = [];
let holders: Holder[];
let machineNow: () => number;

test.beforeAll(async () => {
  machineNow = await startMachineClock();
  own = await startDatabase({ durable: true });
  web = await startWebProcess(own.url);
  started.push(web);
});

test.afterAll(async () => {
  for (const each of started) await each.kill('SIGKILL');
  await own.drop();
});

test.beforeEach(async () => {
  await keepMirrorFresh(own);
  holders = await seedHolders(own, 100);
});

interface Answer extends Exchange {
  readonly call: Call;
  readonly secret: string;
  readonly tookMs: number;
}

let sent = 0;

/** One call of a holder who has made few yet. */
async function sendOne(callOf: () => Call): Promise<Answer> {
  sent += 1;
  const { secret } = holders[sent % holders.length] as Holder;
  const call = callOf();
  const startedAt = machineNow();
  const exchange = await send(web, secret, call);
  return { ...exchange, call, secret, tookMs: Math.round(machineNow() - startedAt) };
}

/** Calls without a pause in between, so many at a time, for as long as they are wanted. */
async function load(callOf: () => Call, isWanted: () => boolean): Promise<Answer[]> {
  const answers: Answer[] = [];
  const lane = async () => {
    while (isWanted()) answers.push(await sendOne(callOf));
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return answers;
}

interface ErrorBody {
  error: {
    code: string;
    retryable: boolean;
    request_id: string;
    details: { upstream: string; outcome: string; action_id?: string };
  };
}

const errorOf = ({ body }: Exchange) => (body as ErrorBody).error;

/**
 * Each was told that the database is away, in time and in a way that can be relied upon. One assertion for all of them:
 * they are thousands, and the runner records each assertion.
 */
function expectRefusedInTime(answers: Answer[]): void {
  expect(answers.filter((answer) => !isRefusedInTime(answer))).toEqual([]);
}

function isRefusedInTime(answer: Answer): boolean {
  const { status, headers, tookMs, body } = answer;
  const { code, retryable, details } = (body as Partial<ErrorBody> | undefined)?.error ?? {};
  // 503 says that nothing happened and when to try again. What nobody knows is 502: it says where to look, or, where the
  // key may stand for an earlier call, that the call can be sent again with it.
  const isCertain =
    status === 503 &&
    retryable === true &&
    details?.outcome === 'not_performed' &&
    Number(headers.get('retry-after')) >= 1;
  const { action_id } = details ?? {};
  const saysWhere =
    status === 502 &&
    details?.outcome === 'unknown' &&
    (action_id === undefined ? retryable === true : /^act_/.test(action_id));
  return (
    (isCertain || saysWhere) &&
    code === 'UPSTREAM_UNAVAILABLE' &&
    details?.upstream === 'database' &&
    tookMs < ANSWERED_WITHIN_MS
  );
}

const EFFECT_OF = `actions a LEFT JOIN cases c ON c.action_id = a.id
  WHERE a.request_id = ANY ($1) AND (c.id IS NOT NULL OR a.state IN ('pending', 'running', 'done', 'unknown'))`;

/** What was said not to have happened has not, and what was said to have happened has. */
async function expectTold(answers: Answer[]): Promise<void> {
  await untilCount(own, `${SESSIONS} AND state = 'active'`, 0);
  const notPerformed = answers.filter(({ status }) => status === 503).map(errorOf);
  const ids = notPerformed
    .filter(({ details }) => details.outcome === 'not_performed')
    .map(({ request_id }) => request_id);
  expect(await count(own, EFFECT_OF, [ids])).toBe(0);
  const strikeIds = answers
    .filter(({ status }) => status === 201)
    .map(({ body }) => (body as { strike_id: string }).strike_id);
  expect(await count(own, 'cases WHERE id = ANY ($1)', [strikeIds])).toBe(strikeIds.length);
}

const SESSIONS = "pg_stat_activity WHERE application_name = 'bailiff-web'";

/** Calls until one is performed. Returns the milliseconds until then. */
async function untilBack(): Promise<number> {
  const startedAt = machineNow();
  for (;;) {
    const { status } = await sendOne(() => strike(own.guild));
    const passedMs = machineNow() - startedAt;
    if (status === 201 || passedMs > 2 * BACK_WITHIN_MS) return passedMs;
  }
}

const either = () => (sent % 3 === 0 ? ban(own.guild) : strike(own.guild));

for (const { fault, takeAway, bringBack } of [
  {
    fault: 'a database that stands still',
    takeAway: () => own.pause(),
    bringBack: () => own.resume(),
  },
  {
    fault: 'a database that is killed and started again',
    takeAway: () => own.kill(),
    bringBack: () => own.start(),
  },
])
  test(`${fault} under load: refused in time, nothing done later, back without a restart`, async () => {
    verifies('G6', 'G14', 'H12');
    const { pid } = web.child;
    let isLoaded = true;
    const underLoad = load(
      () => strike(own.guild),
      () => isLoaded,
    );
    await untilCount(own, `(SELECT FROM cases WHERE issued_by = '${holders[50]?.userId}' LIMIT 1) AS one`, 1);
    await takeAway();
    isLoaded = false;
    const awaySince = performance.now();
    const whileAway = await load(either, () => performance.now() - awaySince < AWAY_MS);
    const inFlight = await underLoad;
    await bringBack();
    await keepMirrorFresh(own);

    expect(await untilBack()).toBeLessThan(BACK_WITHIN_MS);
    expectRefusedInTime(whileAway);
    expectRefusedInTime(inFlight.filter(({ status }) => status !== 201));
    await expectTold([...inFlight, ...whileAway]);
    expect([web.child.pid, web.child.exitCode]).toEqual([pid, null]);
  });

test('more calls than connections, all of them stuck: refused in time, and no transaction stays open', async () => {
  verifies('G6', 'H29');
  const barrier = await holdLock(own, 'LOCK TABLE guilds IN ACCESS EXCLUSIVE MODE');
  const stuck = await Promise.all(Array.from({ length: 100 }, () => sendOne(either)));
  await barrier.release();
  expect(await untilBack()).toBeLessThan(BACK_WITHIN_MS);
  await expectTold(stuck);
  expectRefusedInTime(stuck);
  await untilCount(own, `${SESSIONS} AND state LIKE 'idle in transaction%'`, 0);
});

test('an audit log that takes no row: refused in time, and nothing is done once it is gone', async () => {
  verifies('G6', 'G7', 'H29');
  const barrier = await holdLock(own, 'LOCK TABLE audit IN ACCESS EXCLUSIVE MODE');
  const stuck = await Promise.all(Array.from({ length: 40 }, () => sendOne(either)));
  await barrier.release();
  expect(await untilBack()).toBeLessThan(BACK_WITHIN_MS);
  await expectTold(stuck);
  expectRefusedInTime(stuck);
  await untilCount(own, `${SESSIONS} AND state LIKE 'idle in transaction%'`, 0);
});
