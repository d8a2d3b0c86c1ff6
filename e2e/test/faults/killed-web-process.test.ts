import { type FakePerformer, performersOf, type SeededGuild } from '@bailiff/engine/testing';
import { performAction, recoverActions } from '@bailiff/engine/worker/perform-action';
import type { Exchange } from '@bailiff/sandbox/visitor';
import { expect, test, verifies } from '#src/testing.ts';
import {
  count,
  type Holder,
  holdLock,
  keepMirrorFresh,
  type OwnDatabase,
  seedHolders,
  seedModeratedGuild,
  startDatabase,
  untilCount,
  WAITING,
} from './database.ts';
import {
  ban,
  type Call,
  sendInTime,
  startWebProcess,
  strike,
  strikeRemoval,
  type WebProcess,
} from './web-process.ts';

/** Guilds whose calls are under way in a process when it is killed, and the calls of each that it sends at once. */
const GUILDS = 5;
const OF_GUILD = 2;
const UNDER_WAY = GUILDS * OF_GUILD;

let own: OwnDatabase;
let survivor: WebProcess;
let doomed: WebProcess;
const started: WebProcess[] = [];
let guilds: SeededGuild[];
let holders: Holder[];

test.beforeAll(async () => {
  own = await startDatabase({ durable: false });
  guilds = await Promise.all(Array.from({ length: GUILDS }, () => seedModeratedGuild(own.db)));
  survivor = await start();
});

async function start(): Promise<WebProcess> {
  const web = await startWebProcess(own.url);
  started.push(web);
  return web;
}

test.afterAll(async () => {
  for (const web of started) await web.kill('SIGKILL');
  await own.drop();
});

test.beforeEach(async () => {
  done.length = 0;
  await keepMirrorFresh(own);
  const ofGuilds = guilds.map((guild) => seedHolders({ db: own.db, guild }, OF_GUILD));
  holders = (await Promise.all(ofGuilds)).flat();
  doomed = await start();
});

const NO_LOG = { info: () => {}, error: () => {} };

/** Ids of the actions that the bot has carried out, each as often as it has. */
const done: string[] = [];

const bot: FakePerformer = {
  perform: async ({ id }) => {
    done.push(id);
    return { state: 'done', write: async () => ({ ban: { id } }) as never };
  },
  verify: async ({ id }) => {
    if (done.includes(id)) return { state: 'done', write: async () => ({ ban: { id } }) as never };
    return { state: 'failed', error: { code: 'UPSTREAM_UNAVAILABLE', message: 'It did not happen.' } };
  },
};

const performers = performersOf(bot);

/** Performs what waits, and settles what was left behind, as a bot does that starts now. */
async function work(): Promise<void> {
  const { rows } = await own.db.pool.query<{ id: string }>("SELECT id FROM actions WHERE state = 'pending'");
  // One after the other, as the bot's turns have it for one person.
  for (const { id } of rows) await performAction(own.db, performers, id, NO_LOG);
  await recoverActions(own.db, performers, NO_LOG);
}

/** Begins one call of each holder in the process that will die; what it answers, if it does, is not looked at. */
function begin(callOf: (guild: SeededGuild, n: number) => Call): Call[] {
  return holders.map(({ secret, guild }, n) => {
    const call = callOf(guild, n);
    sendInTime(doomed, secret, call).catch(() => {});
    return call;
  });
}

/** Sends the calls again, with their keys, to the process that lives. */
function sendAgain(calls: Call[]): Promise<Exchange[]> {
  return Promise.all(calls.map((call, n) => sendInTime(survivor, holders[n]?.secret ?? '', call)));
}

/** What each holder's audit log says of its calls, in order; one line for those that are alike. */
async function trails(): Promise<Record<string, number>> {
  const { rows } = await own.db.pool.query<{ trail: string; calls: string }>(
    `SELECT trail, count(*) AS calls FROM (
       SELECT string_agg(outcome::text, ', ' ORDER BY id) AS trail FROM audit WHERE token_id = ANY ($1) GROUP BY token_id
     ) AS trails GROUP BY trail`,
    [holders.map(({ id }) => id)],
  );
  return Object.fromEntries(rows.map(({ trail, calls }) => [trail, Number(calls)]));
}

async function casesOfHolders(): Promise<number> {
  return count(own, 'cases WHERE issued_by = ANY ($1)', [holders.map(({ userId }) => userId)]);
}

const all = (status: number, replayed: string | null) =>
  Array.from({ length: UNDER_WAY }, () => ({ status, replayed }));

const briefly = (answers: Exchange[]) =>
  answers.map(({ status, headers }) => ({ status, replayed: headers.get('idempotent-replayed') }));

/** The same calls a third time: nothing may differ but the id of the request. */
async function expectSameAgain(calls: Call[], answers: Exchange[]): Promise<void> {
  const again = await sendAgain(calls);
  expect(again.map(({ status, body }) => ({ status, body: withoutRequestId(body) }))).toEqual(
    answers.map(({ status, body }) => ({ status, body: withoutRequestId(body) })),
  );
}

function withoutRequestId(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body, (key, value) => (key === 'request_id' ? undefined : value)));
}

test('killed before its calls are committed: nothing has happened, and a retry makes each once', async () => {
  verifies('G7', 'G10', 'H28');
  const barrier = await holdLock(own, 'SELECT FROM guilds FOR UPDATE');
  const calls = begin(strike);
  await untilCount(own, WAITING, UNDER_WAY);
  await doomed.kill('SIGKILL');
  await barrier.release();
  await untilCount(own, "pg_stat_activity WHERE application_name = 'bailiff-web' AND state = 'active'", 0);
  expect(await trails()).toEqual({});
  expect(await casesOfHolders()).toBe(0);

  const answers = await sendAgain(calls);
  expect(briefly(answers)).toEqual(all(201, null));
  expect(await casesOfHolders()).toBe(UNDER_WAY);
  expect(await trails()).toEqual({ 'requested, performed': UNDER_WAY });
  await expectSameAgain(calls, answers);
});

test('killed while it settles: what was begun is undone, and a retry makes each once', async () => {
  verifies('G7', 'G10', 'H28');
  await own.db.pool.query(
    'INSERT INTO guild_counters (guild_id) SELECT id FROM guilds ON CONFLICT DO NOTHING',
  );
  const barrier = await holdLock(own, 'SELECT FROM guild_counters FOR UPDATE');
  const calls = begin(strike);
  await untilCount(own, WAITING, UNDER_WAY);
  await doomed.kill('SIGKILL');
  await barrier.release();
  await untilCount(own, "pg_stat_activity WHERE application_name = 'bailiff-web' AND state <> 'idle'", 0);
  expect(await trails()).toEqual({});

  const answers = await sendAgain(calls);
  expect(briefly(answers)).toEqual(all(201, null));
  expect(await casesOfHolders()).toBe(UNDER_WAY);
  expect(await trails()).toEqual({ 'requested, performed': UNDER_WAY });
  await expectSameAgain(calls, answers);
});

test('killed between commit and answer: each was made, and a retry gives its answer', async () => {
  verifies('idempotency.replay', 'G7', 'G10', 'H28');
  const made = await sendAgain(holders.map(({ guild }) => strike(guild)));
  const strikeIds = made.map(({ body }) => (body as { strike_id: string }).strike_id);
  // A lock taken at the very end, inside COMMIT, so that the process can be held before it hears of it. No COMMIT gives
  // up until the slowest one waits as well.
  await own.db.pool.query(`
    CREATE FUNCTION hold_commit() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NULL; END';
    CREATE CONSTRAINT TRIGGER hold_commit AFTER UPDATE ON cases DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION hold_commit();
    CREATE FUNCTION be_patient() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN SET LOCAL statement_timeout = 0; RETURN NULL; END';
    CREATE TRIGGER be_patient AFTER UPDATE ON cases EXECUTE FUNCTION be_patient()`);
  const barrier = await holdLock(own, 'SELECT pg_advisory_xact_lock(1)');
  const calls = begin((guild, n) => strikeRemoval(guild, strikeIds[n] ?? ''));
  await untilCount(own, `${WAITING} AND wait_event = 'advisory'`, UNDER_WAY);
  await doomed.kill('SIGSTOP');
  await barrier.release();
  await untilCount(own, "actions WHERE operation = 'strikes.remove' AND state = 'done'", UNDER_WAY);
  await doomed.kill('SIGKILL');
  await own.db.pool.query('DROP FUNCTION hold_commit, be_patient CASCADE');

  const answers = await sendAgain(calls);
  expect(briefly(answers)).toEqual(all(200, 'true'));
  expect(await count(own, 'cases WHERE id = ANY ($1) AND ended_at IS NOT NULL', [strikeIds])).toBe(UNDER_WAY);
  expect(await trails()).toEqual({ 'requested, performed, requested, performed': UNDER_WAY });
  await expectSameAgain(calls, answers);
});

/** Lets nobody cancel what no bot takes up, however long the slowest call needs to wait too. @returns the way back */
async function keepPending(): Promise<() => Promise<unknown>> {
  await own.db.pool.query(`
    CREATE FUNCTION keep_pending() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
    CREATE TRIGGER keep_pending BEFORE UPDATE ON actions FOR EACH ROW WHEN (NEW.state = 'cancelled')
      EXECUTE FUNCTION keep_pending()`);
  return () => own.db.pool.query('DROP FUNCTION keep_pending CASCADE');
}

/** Time passes by moving what is stored: the calls that wait were made so much later. */
async function shiftPending(by: string): Promise<void> {
  await own.db.pool.query(
    `UPDATE actions SET created_at = created_at + $1::interval, claim_by = claim_by + $1::interval
     WHERE state = 'pending'`,
    [by],
  );
}

test('killed while the bot works for it: each is done once, and a retry gives its answer', async () => {
  verifies('idempotency.replay', 'G7', 'G10', 'H28');
  const letCancel = await keepPending();
  const calls = begin(ban);
  await untilCount(own, "actions WHERE state = 'pending'", UNDER_WAY);
  await doomed.kill('SIGKILL');
  // However slow the machine was, the bot comes in time.
  await shiftPending('1 hour');
  await work();
  await letCancel();
  expect(new Set(done).size).toBe(UNDER_WAY);
  expect(done).toHaveLength(UNDER_WAY);
  expect(await trails()).toEqual({ 'requested, performed': UNDER_WAY });

  const answers = await sendAgain(calls);
  expect(briefly(answers)).toEqual(all(201, 'true'));
  await expectSameAgain(calls, answers);
  expect(done).toHaveLength(UNDER_WAY);
});

test('killed while no bot is there: nothing is done, and that is on record', async () => {
  verifies('G7', 'G14', 'H28');
  const letCancel = await keepPending();
  const calls = begin(ban);
  await untilCount(own, "actions WHERE state = 'pending'", UNDER_WAY);
  await doomed.kill('SIGKILL');
  await letCancel();
  // The bot starts a minute later.
  await shiftPending('-1 minute');
  await work();
  expect(done).toEqual([]);
  expect(await trails()).toEqual({ 'requested, cancelled': UNDER_WAY });

  const answers = await sendAgain(calls);
  expect(briefly(answers)).toEqual(all(503, null));
  for (const { body } of answers) {
    expect(body).toMatchObject({ error: { details: { outcome: 'not_performed' } } });
  }
  await expectSameAgain(calls, answers);
});
