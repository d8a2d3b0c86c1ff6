import { verifies } from '@bailiff/core/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createDiscordApi } from '#src/discord-api.ts';
import { createLog } from '#src/log.ts';
import { createPaces } from '#src/pacing.ts';
import { renewMute } from '#src/renewing-mutes.ts';
import { guildForEachTest } from './each-test.ts';
import { bot, personOf, refusalOf, type Stage } from './harness.ts';

let stage: Stage;
guildForEachTest((next) => {
  stage = next;
});

const DAY_MS = 86_400_000;
const TWO_HOURS = { duration_minutes: 120 };

function mute(minutes: number, user = 'troll') {
  const input = { user_id: personOf(stage.sandbox, user), duration_minutes: minutes, reason: 'Noise' };
  return stage.act('mutes.add', 'owner', input);
}

function timeoutMs(user = 'troll'): number {
  const id = personOf(stage.sandbox, user);
  const guild = stage.sandbox.getState().guilds.find((each) => each.id === stage.guildId);
  const until = guild?.members.find((member) => member.user_id === id)?.communication_disabled_until ?? null;
  return until === null ? 0 : Date.parse(until) - Date.now();
}

/** Makes a timeout nearly over, as if time had passed. */
function shorten(user: string) {
  const by = stage.sandbox.clientId;
  stage.sandbox.control.members({ action: 'timeout', user, minutes: 1, by });
}

const noRenewalIsDue = () =>
  stage.row(
    "SELECT count(*) AS left FROM graphile_worker.jobs WHERE task_identifier = 'renew_mute' AND run_at <= now()",
    [],
    ({ left }: { left: string }) => left === '0',
  );

/** Makes the queued renewals due. @returns how many there are */
async function renewNow(): Promise<number | null> {
  const { rowCount } = await stage.test.database.pool.query(
    "UPDATE graphile_worker._private_jobs SET run_at = now() WHERE key LIKE 'renew_mute:%'",
  );
  return rowCount;
}

/** Waits for the one queued renewal, which is due about a day before the timeout lapses. */
const renewalIsADayBeforeTheLapse = () =>
  stage.row(
    "SELECT extract(epoch FROM run_at - now())::float8 AS due FROM graphile_worker.jobs WHERE task_identifier = 'renew_mute'",
    [],
    ({ due }: { due: number }) => Math.abs(timeoutMs() - due * 1000 - DAY_MS) < 60_000,
  );

test('a mute is a timeout of its length, and lifting it takes the timeout off', async () => {
  verifies('bot.mute.timeout', 'mutes.add.response', 'mutes.fields', 'mutes.lift');
  const { status, body } = await mute(60);
  expect(status).toBe(201);
  expect(body).toMatchObject({ mute: { duration_minutes: 60, active: true, permanent: false } });
  expect(Math.abs(timeoutMs() - 3_600_000)).toBeLessThan(60_000);
  const lifted = await stage.act('mutes.lift', 'owner', { userId: stage.people.troll });
  expect(lifted.body).toMatchObject({ mute: { active: false, lifted_by: stage.people.owner } });
  expect(timeoutMs()).toBe(0);
});

test('a mute longer than Discord allows begins with the longest timeout and is renewed', async () => {
  verifies('bot.mute.renewed');
  await mute(60 * 24 * 100);
  expect(timeoutMs()).toBeGreaterThan(27.9 * DAY_MS);
  expect(timeoutMs()).toBeLessThan(28 * DAY_MS);
  // The renewal queues the next one.
  for (const _renewal of [1, 2]) {
    await renewalIsADayBeforeTheLapse();
    shorten('troll');
    const renewed = stage.sandbox.nextRequest('PATCH', '/guilds/{guild_id}/members/{user_id}');
    expect(await renewNow()).toBe(1);
    await renewed;
    expect(timeoutMs()).toBeGreaterThan(27.9 * DAY_MS);
  }
  await renewalIsADayBeforeTheLapse();
});

test('a renewal that came due while the bot was away is made up for, and none is made of a mute that ended', async () => {
  const { people, sandbox, test: database } = stage;
  const { pool } = database.database;
  await mute(60 * 24 * 100);
  await mute(60 * 24 * 100, 'member');
  await stage.bot.stop();
  // Their timeouts are over or nearly so; the mute of one ended too.
  for (const user of ['troll', 'member']) {
    shorten(user);
  }
  await pool.query("UPDATE cases SET expires_at = now() - interval '1 second' WHERE user_id = $1", [
    people.member,
  ]);
  expect(await renewNow()).toBe(2);
  const again = await bot(stage.config);
  try {
    await sandbox.until(() => timeoutMs() > 27.9 * DAY_MS);
    await noRenewalIsDue();
    expect(timeoutMs('member')).toBeLessThanOrEqual(60_000);
  } finally {
    await again.stop();
  }
});

test('a muted member who leaves and rejoins is muted again', async () => {
  verifies('bot.mute.rejoin');
  await mute(600);
  stage.sandbox.control.members({ action: 'leave', user: 'troll' });
  const again = stage.sandbox.nextRequest('PATCH', '/guilds/{guild_id}/members/{user_id}');
  stage.sandbox.control.members({ action: 'join', user: 'troll' });
  await again;
  expect(timeoutMs()).toBeGreaterThan(590 * 60_000);
});

test('a muted member who left and rejoined while the bot was away is muted again, and nobody else is', async () => {
  verifies('bot.mute.rejoin');
  const { control } = stage.sandbox;
  await mute(600);
  await mute(60 * 24 * 100, 'member');
  await mute(600, 'member2');
  await stage.bot.stop();
  for (const user of ['troll', 'member']) {
    control.members({ action: 'leave', user });
    control.members({ action: 'join', user });
    // As if it had lapsed while they were gone.
    shorten(user);
  }
  control.members({ action: 'lift_timeout', user: 'member2', by: 'moderator' });
  // The members are read before Discord tells what happened meanwhile.
  control.addFault({ route: `/guilds/${stage.guildId}/audit-logs`, status: 500 });
  const before = stage.sandbox.requests.length;
  const again = await bot(stage.config);
  try {
    await again.settled;
    await stage.sandbox.until(() => timeoutMs() > 590 * 60_000 && timeoutMs('member') > 27.9 * DAY_MS);
    await noRenewalIsDue();
    await stage.row('SELECT FROM cases WHERE user_id = $1 AND ended_at IS NOT NULL', [stage.people.member2]);
    expect(timeoutMs('member2')).toBe(0);
    const patched = stage.sandbox.requests.slice(before).filter(({ method }) => method === 'PATCH');
    expect(patched).toHaveLength(2);
  } finally {
    await again.stop();
  }
});

test('an imported mute times nobody out, at a start or when they come back, unless its end was set here', async () => {
  verifies('imports.records-only', 'imports.end-set-here');
  const { guildId, people, sandbox, test: database } = stage;
  const { pool } = database.database;
  await stage.bot.stop();
  await pool.query(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, issued_by, duration_minutes, expires_at, import_id)
     SELECT new_id('mut'), $1, 900 + n, 'mute', user_id, $3, 600, now() + interval '600 minutes', import_id
     FROM unnest($2::text[], ARRAY['imp_1', NULL]) WITH ORDINALITY AS muted (user_id, import_id, n)`,
    [guildId, [people.troll, people.member], people.owner],
  );
  // As a version before this one left it.
  await pool.query(
    "SELECT graphile_worker.add_job('renew_mute', json_build_object('case_id', id)) FROM cases WHERE import_id IS NOT NULL",
  );
  const again = await bot(stage.config);
  try {
    await sandbox.until(() => timeoutMs('member') > 590 * 60_000);
    await noRenewalIsDue();
    expect(timeoutMs()).toBe(0);
    const rejoin = (...users: string[]) => {
      for (const user of users) {
        sandbox.control.members({ action: 'leave', user });
        sandbox.control.members({ action: 'join', user });
      }
    };
    rejoin('troll', 'member');
    await sandbox.until(() => timeoutMs('member') > 590 * 60_000);
    await noRenewalIsDue();
    expect(timeoutMs()).toBe(0);

    await stage.act('mutes.change', 'owner', { userId: people.troll, duration_minutes: 300 });
    rejoin('troll');
    await sandbox.until(() => timeoutMs() > 290 * 60_000);
  } finally {
    await again.stop();
  }
});

test('who is gone when their timeout lapses is looked for once, and muted again when they come back', async () => {
  verifies('bot.mute.renewed', 'bot.mute.rejoin');
  const { pool } = stage.test.database;
  await mute(60 * 24 * 100);
  stage.sandbox.control.members({ action: 'leave', user: 'troll' });
  await pool.query("UPDATE cases SET timeout_until = now() - interval '1 hour'");
  const tried = async () => {
    await pool.query("SELECT graphile_worker.add_job('overdue_bans', '{}')");
    await stage.row(
      "SELECT FROM graphile_worker.jobs WHERE task_identifier = 'overdue_bans' HAVING count(*) = 0",
    );
    await noRenewalIsDue();
    const patched = ({ method, path }: { method: string; path: string }) =>
      method === 'PATCH' && path.endsWith(`/members/${stage.people.troll}`);
    return stage.sandbox.requests.filter(patched).length;
  };
  const once = await tried();
  expect(await tried()).toBe(once);
  stage.sandbox.control.members({ action: 'join', user: 'troll' });
  await stage.sandbox.until(() => timeoutMs() > 27.9 * DAY_MS);
});

const leave = (user = 'troll') => stage.sandbox.control.members({ action: 'leave', user });
const join = (user = 'troll') => stage.sandbox.control.members({ action: 'join', user });

/** Ways in which a mute is over while its person is gone. Discord keeps the timeout. */
const OVER = {
  lifted: () => stage.act('mutes.lift', 'owner', { userId: stage.people.troll }),
  'shortened until it is over': async () => {
    await stage.act('mutes.change', 'owner', { userId: stage.people.troll, ...TWO_HOURS });
    await stage.test.database.pool.query("UPDATE cases SET expires_at = now() - interval '1 second'");
  },
};

test.each(Object.entries(OVER))(
  'the mute of somebody who left can be %s, and does not come back with them',
  async (_how, end) => {
    verifies('bot.mute.rejoin');
    await mute(600);
    leave();
    await end();
    join();
    await stage.sandbox.until(() => timeoutMs() === 0);
  },
);

test.each(Object.entries(OVER))(
  'the timeout of a mute that was %s is taken off who came back while the bot was away',
  async (_how, end) => {
    verifies('bot.mute.rejoin');
    await mute(600);
    leave();
    await end();
    await stage.bot.stop();
    join();
    const again = await bot(stage.config);
    try {
      await stage.sandbox.until(() => timeoutMs() === 0);
    } finally {
      await again.stop();
    }
  },
);

test('a mute that was shortened while its person was gone ends when it says, whenever they come back', async () => {
  verifies('bot.mute.rejoin');
  await mute(600);
  leave();
  await stage.act('mutes.change', 'owner', { userId: stage.people.troll, ...TWO_HOURS });
  await stage.bot.stop();
  join();
  const again = await bot(stage.config);
  try {
    await stage.sandbox.until(() => timeoutMs() < 121 * 60_000);
    expect(timeoutMs()).toBeGreaterThan(110 * 60_000);
  } finally {
    await again.stop();
  }
});

test('a timeout by hand that stands where a mute was lifted is left, and so is a later mute', async () => {
  verifies('bot.mute.rejoin', 'bot.never-undo-foreign');
  const { people, sandbox } = stage;
  for (const user of ['troll', 'member']) {
    await mute(600, user);
    leave(user);
    await stage.act('mutes.lift', 'owner', { userId: people[user] });
  }
  await stage.bot.stop();
  for (const user of ['troll', 'member']) join(user);
  sandbox.control.members({ action: 'timeout', user: 'troll', minutes: 30, by: 'moderator' });
  const again = await bot(stage.config);
  try {
    await sandbox.until(() => timeoutMs('member') === 0);
    await noRenewalIsDue();
    expect(timeoutMs()).toBeGreaterThan(20 * 60_000);
    await mute(300, 'member');
    leave('member');
    join('member');
    await noRenewalIsDue();
    expect(timeoutMs('member')).toBeGreaterThan(290 * 60_000);
  } finally {
    await again.stop();
  }
});

test('somebody who is not a member cannot be muted, and nobody who is not muted is unmuted', async () => {
  expect(await refusalOf(mute(5, 'outsider'))).toMatchObject({ code: 'NOT_FOUND' });
  const lift = stage.act('mutes.lift', 'owner', { userId: stage.people.member });
  expect(await refusalOf(lift)).toMatchObject({ code: 'NOT_FOUND' });
});

test('a timeout given by hand can be lifted, and becomes a case by that', async () => {
  stage.sandbox.control.members({ action: 'timeout', user: 'troll', minutes: 30, by: 'owner' });
  const { body } = await stage.act('mutes.lift', 'owner', { userId: stage.people.troll });
  expect(body).toMatchObject({ mute: { duration_minutes: 30, active: false } });
});

test('a mute whose answer is lost is found in the audit log', async () => {
  stage.sandbox.control.addFault({
    route: '/guilds/*/members/*',
    method: 'PATCH',
    when: 'after',
    status: 502,
  });
  expect((await mute(60)).status).toBe(201);
});

test('a lifted timeout that was not on record keeps its length when the answer is lost', async () => {
  timeOutUnrecorded(30);
  stage.sandbox.control.addFault({ ...MEMBER_CHANGE, when: 'after', status: 502 });
  const { body } = await stage.act('mutes.lift', 'owner', { userId: stage.people.troll });
  expect(body).toMatchObject({ mute: { duration_minutes: 30, active: false } });
});

test('a lifted timeout that was not on record keeps its length when the lift is only found out later', async () => {
  timeOutUnrecorded(30);
  stage.sandbox.control.addFault({ ...MEMBER_CHANGE, when: 'after', status: 502 });
  stage.sandbox.control.addFault({ route: '/guilds/*/audit-logs', status: 502 });
  const lift = stage.act('mutes.lift', 'owner', { userId: stage.people.troll });
  expect(await refusalOf(lift)).toMatchObject({ details: { outcome: 'unknown' } });
  stage.sandbox.control.clearFaults();
  const { pool } = stage.test.database;
  await pool.query("UPDATE actions SET created_at = now() - interval '2 minutes', looked_at = NULL");
  await pool.query("SELECT graphile_worker.add_job('recover', '{}')");
  const action = await stage.row<{ result: object }>("SELECT result FROM actions WHERE state = 'done'");
  expect(action.result).toMatchObject({ mute: { duration_minutes: 30, active: false } });
});

/** What another process of the bot renews mutes with. `noted` resolves once its query behind the timeout is answered. */
function anotherProcess() {
  const { config, sandbox, test: database } = stage;
  const { pool } = database.database;
  const log = createLog('silent', []);
  const noted = Promise.withResolvers<void>();
  let isTimeoutNoted = false;
  const query = async (sent: { text: string }) => {
    const answer = await pool.query(sent);
    if (isTimeoutNoted) noted.resolve();
    isTimeoutNoted ||= sent.text.includes('SET timeout_until');
    return answer;
  };
  const paces = createPaces();
  onTestFinished(() => paces.close());
  const deps = {
    db: { ...database.database, pool: { query } as unknown as typeof pool },
    api: createDiscordApi({ token: config.discordToken, apiUrl: config.discordApiUrl, log }),
    paces,
    botUserId: sandbox.clientId,
    log,
    keyring: config.keyring,
    dashboardUrl: config.dashboardUrl,
    rconAllowedNetworks: [],
  };
  return { deps, noted: noted.promise };
}

test.each([
  [
    'given another end',
    () => stage.act('mutes.change', 'owner', { userId: stage.people.troll, ...TWO_HOURS }),
  ],
  ['replaced by another one', () => mute(TWO_HOURS.duration_minutes)],
])('while another process renews a mute that is %s, the new end is kept', async (_what, change) => {
  verifies('bot.mute.renewed');
  await mute(60 * 24 * 100);
  const { id } = await stage.row<{ id: string }>('SELECT id FROM cases');
  // Discord has carried out the change, and its answer is on the way: nothing of it is on record.
  stage.sandbox.control.addFault({ ...MEMBER_CHANGE, when: 'after', held: true });
  const changed = change();
  await stage.sandbox.until(() => timeoutMs() < 121 * 60_000);
  const { deps, noted } = anotherProcess();
  const renewed = renewMute(deps, id, AbortSignal.timeout(30_000));
  await Promise.race([noted, renewed]);
  stage.sandbox.control.clearFaults();
  expect((await changed).body).toMatchObject({ mute: TWO_HOURS });
  await renewed;
  expect(Math.abs(timeoutMs() - 7_200_000)).toBeLessThan(60_000);
});

const MEMBER_CHANGE = { route: '/guilds/*/members/*', method: 'PATCH' } as const;

/** A timeout without a case: Bailiff records what others do, not what its own bot did before the database was new. */
function timeOutUnrecorded(minutes: number): void {
  stage.sandbox.control.members({ action: 'timeout', user: 'troll', minutes, by: stage.sandbox.clientId });
}
