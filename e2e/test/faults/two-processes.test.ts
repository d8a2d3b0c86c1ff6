import { seedToken, seedWindow } from '@bailiff/engine/testing';
import type { Exchange } from '@bailiff/sandbox/visitor';
import { expect, test, verifies } from '#src/testing.ts';
import {
  count,
  keepMirrorFresh,
  type OwnDatabase,
  seedHolders,
  startDatabase,
  untilCount,
} from './database.ts';
import {
  ban,
  type Call,
  send,
  sendAndLoseAnswer,
  sendInTime,
  startWebProcess,
  strike,
  type WebProcess,
} from './web-process.ts';

let own: OwnDatabase;
const webs: WebProcess[] = [];

test.beforeAll(async () => {
  own = await startDatabase({ durable: false });
  for (const web of await Promise.all([startWebProcess(own.url), startWebProcess(own.url)])) webs.push(web);
});

test.afterAll(async () => {
  await Promise.all(webs.map((web) => web.kill('SIGKILL')));
  await own.drop();
});

test.beforeEach(() => keepMirrorFresh(own));

/** The two in turn. */
function processOf(n: number): WebProcess {
  const web = webs[n % webs.length];
  if (web === undefined) throw new Error('No web process runs.');
  return web;
}

/** Works on all, so many at a time. */
async function inLanes<Item>(
  items: readonly Item[],
  lanes: number,
  work: (item: Item, n: number) => Promise<void>,
) {
  const left = items.map((item, n) => ({ item, n }));
  const lane = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next.item, next.n);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

function tally(answers: Exchange[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const { code } = (body as { error?: { code: string } }).error ?? {};
    const name = code === undefined ? String(status) : `${status} ${code}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** Calls of one token, each a case of its own. */
function strikes(count: number): Call[] {
  return Array.from({ length: count }, () => strike(own.guild));
}

/** Sends calls at once, half to each process, each of them once. */
function burst(calls: readonly Call[], secret: string): Promise<Exchange[]> {
  return Promise.all(calls.map((call, n) => send(processOf(n), secret, call)));
}

/** Whether the crowd made a call too late: it was not performed (503), or nobody knows (502). */
const isLate = (answer: Exchange | undefined) => answer?.status === 503 || answer?.status === 502;

/** What each call met in the end: one that came too late is sent again with its key, a few at a time. */
async function comeAgain(calls: readonly Call[], secret: string, first: readonly Exchange[]) {
  const last = [...first];
  const late = calls.flatMap((call, n) => (isLate(first[n]) ? [{ call, n }] : []));
  await inLanes(late, 4, async ({ call, n }) => {
    last[n] = await sendInTime(processOf(n), secret, call);
  });
  return last;
}

/** How many of the answers say that the call was performed, and how many cannot say whether it was. */
function claims(answers: readonly Exchange[]): { performed: number; unknown: number } {
  for (const { status, body, headers } of answers.filter(isLate)) {
    const outcome = status === 503 ? 'not_performed' : 'unknown';
    expect(body).toMatchObject({ error: { details: { outcome } } });
    if (status === 503) expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  }
  const countOf = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
  return { performed: countOf(201), unknown: countOf(502) };
}

/** The destructive budgets as they are stored: what a refused call must leave alone. */
async function budgets(holderIds: string[]) {
  const { rows } = await own.db.pool.query<{ holder_id: string; balance: number }>(
    `SELECT holder_id, balance, updated_at FROM budgets
     WHERE tier = 'destructive_write' AND holder_id = ANY ($1) ORDER BY holder_id`,
    [holderIds],
  );
  return rows;
}

test('of 200 calls at once in two processes a budget admits six, and the others cost nothing', async () => {
  verifies('limits.token.destructive.capacity', 'limits.token.refused-free', 'G4', 'H8', 'H9');
  const [holder] = await seedHolders(own, 1);
  if (holder === undefined) throw new Error('No holder was seeded.');
  const { secret, id, userId } = holder;
  const calls = strikes(200);
  const startedAt = performance.now();
  /** The budgets get one call back a minute, which a busy machine may take. */
  const gotBack = () => Math.floor((performance.now() - startedAt) / 60_000);
  const first = await burst(calls, secret);
  for (const { status } of first) expect([201, 429, 502, 503]).toContain(status);
  const { performed, unknown } = claims(first);
  const cases = await count(own, 'cases WHERE issued_by = $1', [userId]);
  expect(cases).toBeGreaterThanOrEqual(performed);
  expect(cases).toBeLessThanOrEqual(performed + unknown);
  const { '201': admitted = 0, ...rest } = tally(await comeAgain(calls, secret, first));
  expect(admitted).toBeGreaterThanOrEqual(6);
  expect(admitted).toBeLessThanOrEqual(6 + gotBack());
  expect(rest).toEqual({ '429 RATE_LIMITED': 200 - admitted });
  expect(await count(own, 'cases WHERE issued_by = $1', [userId])).toBe(admitted);
  expect(await count(own, "audit WHERE token_id = $1 AND outcome = 'performed'", [id])).toBe(admitted);

  // Another token of the same person: its own budget is full, the person's is empty.
  const other = await seedToken(own.db, own.guild, { issuerId: userId });
  await seedWindow(own.db, own.guild, other);
  const before = await budgets([id, userId]);
  const others = strikes(50);
  const answers = await comeAgain(others, other.secret, await burst(others, other.secret));
  const refused = answers.filter(({ status }) => status !== 201);
  expect(admitted + answers.length - refused.length).toBeLessThanOrEqual(6 + gotBack());
  expect(tally(refused)).toEqual({ '429 RATE_LIMITED': refused.length });
  for (const { body } of refused) expect(body).toMatchObject({ error: { details: { scope: 'user' } } });
  if (refused.length < answers.length) return;
  expect(await budgets([id, userId])).toEqual(before);
  expect(await budgets([other.id])).toMatchObject([{ balance: 6 }]);
});

test('of 500 calls whose answer is lost and which are sent again, each is performed once', async () => {
  verifies('idempotency.replay', 'idempotency.replay-free', 'G10');
  const CALLS = 500;
  const before = await count(own, 'cases');
  const holders = await seedHolders(own, Math.ceil(CALLS / 6));
  const calls = Array.from({ length: CALLS }, () => strike(own.guild));
  const outcomes: Record<string, number> = {};
  await inLanes(calls, 8, async (call, n) => {
    const { secret } = holders[n % holders.length] as { secret: string };
    // Half of them after the commit, the others at any moment before it.
    const lost = n % 4 < 2 ? 'answer' : 'call';
    const cutAt = lost === 'answer' ? 'answer' : n % 16;
    await sendAndLoseAnswer(processOf(n), secret, call, cutAt);
    const { status, headers } = await sendInTime(processOf(n + 1), secret, call);
    const replayed = lost === 'call' ? 'or not' : headers.get('idempotent-replayed');
    const outcome = `${lost} lost: ${status}, replayed ${replayed}`;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  });
  expect(outcomes).toEqual({
    'answer lost: 201, replayed true': 250,
    'call lost: 201, replayed or not': 250,
  });
  expect((await count(own, 'cases')) - before).toBe(CALLS);
  for (const outcome of ['requested', 'performed']) {
    const rows = await count(own, 'audit WHERE token_id = ANY ($1) AND outcome = $2::"AuditOutcome"', [
      holders.map(({ id }) => id),
      outcome,
    ]);
    expect(rows, outcome).toBe(CALLS);
  }
});

test('a key sent again in another process while its call runs waits, and means no other call', async () => {
  verifies('idempotency.in-flight', 'idempotency.other-body', 'G10');
  const cancelled = { status: 503, body: { error: { details: { outcome: 'not_performed' } } } };
  for (;;) {
    const [holder] = await seedHolders(own, 1);
    const secret = holder?.secret ?? '';
    const call = ban(own.guild); // no bot takes it up, so it runs until it is cancelled
    const first = sendInTime(processOf(0), secret, call);
    await untilCount(own, `actions WHERE token_id = '${holder?.id}'`, 1);
    const again = await send(processOf(1), secret, call);
    const other: Call = { ...strike(own.guild), key: call.key };
    const meant = await send(processOf(1), secret, other);
    expect(await first).toMatchObject(cancelled);
    expect(meant).toMatchObject({ status: 422, body: { error: { code: 'VALIDATION_FAILED' } } });
    expect(await send(processOf(1), secret, call)).toMatchObject(cancelled);
    // It came only after the call was cancelled: the machine is busy.
    if (again.status === 503 && again.headers.get('idempotent-replayed') === 'true') continue;
    expect(again).toMatchObject({
      status: 429,
      body: { error: { code: 'RATE_LIMITED', details: { scope: 'idempotency_key' } } },
    });
    expect(again.headers.get('retry-after')).toBe('1');
    return;
  }
});
