import { permissionsLacking } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { performForPerson } from '@bailiff/engine/calls/write-call';
import { inTransaction } from '@bailiff/engine/database/transaction';
import { listChannels } from '@bailiff/engine/guilds/channels';
import { expect, onTestFinished, test, vi } from 'vitest';
import { guildForEachTest } from './each-test.ts';
import { bot, grant, newMember, personOf, refusalOf, type Stage, setStage } from './harness.ts';
import { runJob } from './upkeep-support.ts';

let stage: Stage;
const { spoil } = guildForEachTest((next) => {
  stage = next;
});

const MEMBER = 'SELECT display_name FROM members WHERE guild_id = $1 AND user_id = $2';
const FRESH = 'SELECT mirror_fresh AS fresh, left_at FROM live_guilds WHERE id = $1';

function member(name: string) {
  return [stage.guildId, personOf(stage.sandbox, name)];
}

async function memberIsKept(name: string): Promise<boolean> {
  const { rowCount } = await stage.test.database.pool.query(MEMBER, member(name));
  return rowCount === 1;
}

test('a guild is mirrored with its owner, roles and the bot, and is trusted, once the bot is ready', async () => {
  verifies('bot.mirror');
  const guild = await stage.row<{ name: string; owner_id: string; fresh: boolean; tier: string }>(
    'SELECT name, owner_id, tier, mirror_fresh AS fresh FROM live_guilds WHERE id = $1',
    [stage.guildId],
  );
  expect(guild).toEqual({
    name: 'Harbourlight',
    owner_id: stage.people.owner,
    tier: 'pro',
    fresh: true,
  });
  expect(await memberIsKept('owner')).toBe(true);
  expect(await memberIsKept('member')).toBe(false);
  const roles = await stage.test.database.pool.query('SELECT name FROM roles WHERE guild_id = $1', [
    stage.guildId,
  ]);
  expect(roles.rows.map(({ name }) => name)).toContain('Moderator');
});

test('the heartbeat goes on: a guild that was not trusted any more is trusted again, with no event of Discord', async () => {
  verifies('bot.mirror');
  // In one transaction: the next heartbeat waits for its end.
  const seen = await inTransaction(stage.test.database, async (tx) => {
    await tx.query("UPDATE gateway_shards SET heartbeat_at = now() - interval '61 seconds'");
    return (await tx.query(FRESH, [stage.guildId])).rows;
  });
  expect(seen).toMatchObject([{ fresh: false }]);
  await stage.row<{ fresh: boolean }>(FRESH, [stage.guildId], ({ fresh }) => fresh);
});

test('holders of a role enter the mirror when something is granted to it', async () => {
  await grant(stage, 'Artist', ['bans.write']);
  await stage.row(MEMBER, member('member2'));
  expect(await memberIsKept('member')).toBe(false);
});

test('who moderates in Discord is known, whatever was granted to them: nobody strikes those above them', async () => {
  await grant(stage, 'Moderator', ['strikes.write']);
  for (const name of ['admin', 'moderator', 'helper']) expect(await memberIsKept(name)).toBe(true);
  const strike = performForPerson(stage.engine, {
    operation: 'strikes.add',
    guildId: stage.guildId,
    input: { user_id: personOf(stage.sandbox, 'admin'), reason: 'Coup', severity: 'minor' },
    actor: { source: 'dashboard', userId: personOf(stage.sandbox, 'moderator') },
    requestId: 'req_strike',
    address: null,
  });
  expect(await refusalOf(strike)).toMatchObject({ details: { reason: 'ROLE_HIERARCHY' } });
  expect(await memberIsKept('member2')).toBe(false);
  stage.sandbox.control.roles({ action: 'update', role: 'Artist', permissions: ['KickMembers'] });
  await stage.row(MEMBER, member('member2'));
});

test('a role taken away is gone from the mirror', async () => {
  verifies('bot.mirror');
  await grant(stage, 'Moderator', ['bans.write']);
  await stage.row(MEMBER, member('moderator'));
  stage.sandbox.control.members({ action: 'remove_role', user: 'moderator', role: 'Moderator' });
  await stage.row(
    `SELECT WHERE NOT EXISTS (SELECT FROM members m JOIN roles r ON r.guild_id = m.guild_id AND r.id = ANY (m.role_ids)
       WHERE m.guild_id = $1 AND m.user_id = $2 AND r.name = 'Moderator')`,
    member('moderator'),
  );
});

test('somebody who is given a granted role enters the mirror, and is renamed in it', async () => {
  await grant(stage, 'Moderator', ['bans.write']);
  await stage.row(MEMBER, member('moderator'));
  stage.sandbox.control.members({ action: 'add_role', user: 'member', role: 'Moderator' });
  await stage.row(MEMBER, member('member'));
  stage.sandbox.control.members({ action: 'nick', user: 'member', nick: 'Sana the Just' });
  await stage.row<{ display_name: string }>(
    MEMBER,
    member('member'),
    ({ display_name }) => display_name === 'Sana the Just',
  );
});

const TIMED_OUT = `SELECT display_name, coalesce(timed_out_until > now(), false) AS is_out FROM members
  WHERE guild_id = $1 AND user_id = $2`;
interface TimedOut {
  readonly display_name: string;
  readonly is_out: boolean;
}
const timedOut = (name: string, fits: (row: TimedOut) => boolean) =>
  stage.row<TimedOut>(TIMED_OUT, member(name), fits);
const isOut = ({ is_out }: TimedOut) => is_out;

test('who is timed out may do nothing until that ends; an administrator may all the while', async () => {
  verifies('bot.mirror');
  const { control } = stage.sandbox;
  const ban = (by: string) =>
    stage.act('bans.add', by, { user_id: newMember(stage.sandbox), reason: 'Spam' });
  for (const role of ['Moderator', 'Admin']) await grant(stage, role, ['bans.write']);
  await stage.row(MEMBER, member('moderator'));
  expect(await ban('moderator')).toMatchObject({ status: 201 });

  control.members({ action: 'timeout', by: 'owner', user: 'moderator', minutes: 60 });
  await timedOut('moderator', isOut);
  expect(await refusalOf(ban('moderator'))).toMatchObject({ code: 'CAPABILITY_DENIED' });
  control.members({ action: 'lift_timeout', by: 'owner', user: 'moderator' });
  await timedOut('moderator', ({ is_out }) => !is_out);
  expect(await ban('moderator')).toMatchObject({ status: 201 });

  control.members({ action: 'timeout', by: 'owner', user: 'moderator', minutes: 60 });
  await timedOut('moderator', isOut);
  control.members({ action: 'add_role', user: 'moderator', role: 'Admin' });
  await stage.row(
    `SELECT FROM members m JOIN roles r ON r.guild_id = m.guild_id AND r.id = ANY (m.role_ids)
     WHERE m.guild_id = $1 AND m.user_id = $2 AND r.name = 'Admin'`,
    member('moderator'),
  );
  expect(await ban('moderator')).toMatchObject({ status: 201 });
});

test('an event that does not say whether somebody is timed out changes nothing about that', async () => {
  verifies('bot.mirror');
  const { control, otherGuildId } = stage.sandbox;
  await grant(stage, 'Moderator', ['bans.write']);
  await stage.row(MEMBER, member('moderator'));
  const rename = (nick: string) => {
    const user = {
      id: personOf(stage.sandbox, 'moderator'),
      username: 'mika',
      global_name: null,
      avatar: null,
    };
    const data = { guild_id: stage.guildId, user, nick, roles: [] };
    control.gateway({ action: 'dispatch', event: 'GUILD_MEMBER_UPDATE', data });
  };
  await whileMembersAreLocked(async () => {
    control.members({ action: 'nick', user: 'owner', nick: 'Before them' });
    await stage.row(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
         AND query LIKE '%INSERT INTO members%'`,
    );
    // These two wait for that one, and are written together.
    control.members({ action: 'timeout', by: 'owner', user: 'moderator', minutes: 60 });
    rename('In the same write');
    control.guilds({ action: 'update', guild_id: otherGuildId, name: 'Behind them' });
    await stage.row("SELECT FROM guilds WHERE id = $1 AND name = 'Behind them'", [otherGuildId]);
  });
  expect(await timedOut('moderator', (row) => row.display_name === 'In the same write')).toMatchObject({
    is_out: true,
  });
  rename('In another write');
  expect(await timedOut('moderator', (row) => row.display_name === 'In another write')).toMatchObject({
    is_out: true,
  });
});

test('a timeout is known of who was given it while the bot was away, and of who left and came back', async () => {
  verifies('bot.mirror');
  const { control } = stage.sandbox;
  await grant(stage, '@everyone', ['strikes.read']);
  await stage.row(MEMBER, member('member'));
  control.members({ action: 'timeout', by: 'owner', user: 'member', minutes: 60 });
  await timedOut('member', isOut);
  control.members({ action: 'leave', user: 'member' });
  await stage.row(
    'SELECT WHERE NOT EXISTS (SELECT FROM members WHERE guild_id = $1 AND user_id = $2)',
    member('member'),
  );
  control.members({ action: 'join', user: 'member' });
  await timedOut('member', isOut);

  await stage.bot.stop();
  control.members({ action: 'timeout', by: 'owner', user: 'moderator', minutes: 60 });
  const again = await bot(stage.config);
  try {
    await again.settled;
    await timedOut('moderator', isOut);
  } finally {
    await again.stop();
  }
});

interface ChannelRow {
  name: string | null;
  kind: string;
  parent: string | null;
}
const CHANNEL = `SELECT c.name, c.kind, parent.name AS parent FROM channels c
  LEFT JOIN channels parent ON parent.guild_id = c.guild_id AND parent.id = c.parent_id
  WHERE c.guild_id = $1 AND c.id = $2`;
const channelIs = (id: string, fits: (row: ChannelRow) => boolean) =>
  stage.row<ChannelRow>(CHANNEL, [stage.guildId, id], fits);

test('channels are mirrored when the bot connects, and followed', async () => {
  verifies('bot.mirror-channels');
  const { control, channels } = stage.sandbox;
  const { rows } = await stage.test.database.pool.query('SELECT name FROM channels WHERE guild_id = $1', [
    stage.guildId,
  ]);
  expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(['general', 'mod-log', 'Tickets']));
  const made = control.channels({ action: 'create', name: 'scrims', type: 'voice', parent: 'Tickets' });
  const { id } = (made as { channel: { id: string } }).channel;
  await channelIs(id, ({ kind, parent }) => kind === 'voice' && parent === 'Tickets');
  control.channels({ action: 'update', channel: 'scrims', name: 'practice' });
  await channelIs(id, ({ name }) => name === 'practice');
  control.channels({ action: 'delete', channel: 'practice' });
  await stage.row('SELECT WHERE NOT EXISTS (SELECT FROM channels WHERE id = $1)', [id]);
  await channelIs(channels.general ?? '', ({ name }) => name === 'general');
});

async function lackingIn(key: string) {
  const listed = await listChannels(stage.test.database, stage.guildId);
  const bits = listed.find(({ id }) => id === stage.sandbox.channels[key])?.permissions ?? null;
  return bits && permissionsLacking(bits, ['ViewChannel', 'SendMessages', 'EmbedLinks']);
}

test('what the bot may do in a channel follows the overwrites and its own roles', async () => {
  verifies('bot.mirror-channels');
  const { control } = stage.sandbox;
  expect(await lackingIn('general')).toEqual([]);
  control.channels({
    action: 'update',
    channel: 'general',
    overwrite: { of: 'Bailiff', deny: ['SendMessages'] },
  });
  await expect.poll(() => lackingIn('general')).toEqual(['SendMessages']);
  control.channels({
    action: 'update',
    channel: 'off-topic',
    overwrite: { of: 'Bailiff', deny: ['ViewChannel'] },
  });
  await expect.poll(() => lackingIn('off_topic')).toContain('ViewChannel');
  control.roles({ action: 'update', role: 'Bailiff', permissions: ['Administrator'] });
  await expect.poll(() => lackingIn('off_topic')).toEqual([]);
});

test('a channel that was hidden from the bot has its name once the bot may see it', async () => {
  verifies('bot.mirror-channels');
  const { control } = stage.sandbox;
  const made = control.channels({
    action: 'create',
    name: 'staff-room',
    overwrite: { of: 'Bailiff', deny: ['ViewChannel'] },
  });
  const { id } = (made as { channel: { id: string } }).channel;
  await channelIs(id, ({ name }) => name === null);
  control.roles({ action: 'update', role: 'Bailiff', permissions: ['Administrator'] });
  await channelIs(id, ({ name }) => name === 'staff-room');
});

test('channels that are hidden from the bot stay when all are read from Discord, and deleted ones do not', async () => {
  verifies('bot.mirror-channels');
  const { control, channels } = stage.sandbox;
  const { pool } = stage.test.database;
  const overwrite = { of: 'Bailiff', deny: ['ViewChannel'] };
  control.channels({ action: 'update', channel: 'general', overwrite });
  control.channels({ action: 'update', channel: 'off-topic', overwrite });
  await expect.poll(() => lackingIn('general')).toContain('ViewChannel');
  await expect.poll(() => lackingIn('off_topic')).toContain('ViewChannel');
  // That it was hidden did not reach the mirror.
  await pool.query("UPDATE channels SET overwrites = '[]' WHERE id = $1", [channels.off_topic]);
  const gone = '834989431927603202';
  await pool.query(
    "INSERT INTO channels (guild_id, id, kind, name, position, overwrites) VALUES ($1, $2, 'text', 'gone', 0, '[]')",
    [stage.guildId, gone],
  );
  const before = stage.sandbox.requests.length;
  const data = { guild_id: stage.guildId, id: channels.mod_log, permission_overwrites: 5 };
  control.gateway({ action: 'dispatch', event: 'CHANNEL_UPDATE', data });
  await stage.row('SELECT WHERE NOT EXISTS (SELECT FROM channels WHERE id = $1)', [gone]);
  await channelIs(channels.general ?? '', ({ name }) => name === 'general');
  await channelIs(channels.off_topic ?? '', ({ name }) => name === 'off-topic');
  // Discord bans an address that it has to refuse too often.
  const asked = stage.sandbox.requests.slice(before).map(({ path }) => path);
  expect(asked).not.toContain(`/channels/${channels.general}`);
});

test('an issuer who leaves loses their tokens at once, with an audit row', async () => {
  verifies('revocation.issuer-leaves');
  const token = await issueToken('moderator');
  stage.sandbox.control.members({ action: 'leave', user: 'moderator' });
  await stage.row(
    "SELECT FROM tokens WHERE id = $1 AND revoked_at IS NOT NULL AND revoked_reason = 'issuer_left'",
    [token],
  );
  expect(await memberIsKept('moderator')).toBe(false);
  await stage.row("SELECT FROM audit WHERE token_id = $1 AND operation = 'tokens.revoke'", [token]);
});

/** Does something of which nothing can be written to members before it is done. */
async function whileMembersAreLocked(work: () => Promise<void>): Promise<void> {
  const connection = await stage.test.database.pool.connect();
  try {
    await connection.query(
      'BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; LOCK TABLE members IN SHARE MODE',
    );
    await work();
  } finally {
    await connection.query('ROLLBACK');
    connection.release();
  }
}

/** Counts the statements that do this to members from now on. */
async function countWrites(event: 'DELETE' | 'INSERT'): Promise<() => Promise<number | null>> {
  const { pool } = stage.test.database;
  await pool.query(`CREATE TABLE member_writes (at timestamptz);
    CREATE FUNCTION note_write() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
      'BEGIN INSERT INTO member_writes VALUES (now()); RETURN NULL; END';
    CREATE TRIGGER noted AFTER ${event} ON members EXECUTE FUNCTION note_write()`);
  return async () => (await pool.query('SELECT FROM member_writes')).rowCount;
}

test('many members who leave at once are removed together, so that what follows them does not wait', async () => {
  verifies('bot.mirror');
  spoil();
  const { control, otherGuildId } = stage.sandbox;
  const removals = await countWrites('DELETE');
  const leave = (id: string) =>
    control.gateway({
      action: 'dispatch',
      event: 'GUILD_MEMBER_REMOVE',
      data: { guild_id: stage.guildId, user: { id } },
    });
  await whileMembersAreLocked(async () => {
    for (let n = 0; n < 300; n += 1) leave(`1000000000000000${100 + n}`);
    leave(personOf(stage.sandbox, 'moderator'));
    // It arrives after them, and does not wait for them.
    control.guilds({ action: 'update', guild_id: otherGuildId, name: 'Behind them' });
    await stage.row("SELECT FROM guilds WHERE id = $1 AND name = 'Behind them'", [otherGuildId]);
  });
  await stage.row(
    'SELECT WHERE NOT EXISTS (SELECT FROM members WHERE guild_id = $1 AND user_id = $2)',
    member('moderator'),
  );
  expect(await removals()).toBeLessThan(10);
});

test('many changes of members at once are written together', async () => {
  verifies('bot.mirror');
  spoil();
  const { control, otherGuildId } = stage.sandbox;
  await grant(stage, 'Moderator', ['bans.write']);
  await stage.row(MEMBER, member('moderator'));
  const writes = await countWrites('INSERT');
  await whileMembersAreLocked(async () => {
    for (let n = 1; n <= 100; n += 1)
      control.members({ action: 'nick', user: 'moderator', nick: `Name ${n}` });
    control.guilds({ action: 'update', guild_id: otherGuildId, name: 'Behind them' });
    await stage.row("SELECT FROM guilds WHERE id = $1 AND name = 'Behind them'", [otherGuildId]);
  });
  await timedOut('moderator', ({ display_name }) => display_name === 'Name 100');
  expect(await writes()).toBeLessThan(10);
});

test('an issuer who left while the bot was away loses their tokens when it is back', async () => {
  verifies('G13');
  const token = await issueToken('moderator');
  await stage.bot.stop();
  stage.sandbox.control.members({ action: 'leave', user: 'moderator' });
  const again = await bot(stage.config);
  try {
    await again.settled;
    await stage.row("SELECT FROM tokens WHERE id = $1 AND revoked_reason = 'issuer_left'", [token]);
  } finally {
    await again.stop();
  }
});

test('an issuer whom Discord no longer knows at all loses their tokens when the bot is back', async () => {
  verifies('G13');
  const token = await issueToken('moderator');
  await stage.bot.stop();
  stage.sandbox.control.members({ action: 'leave', user: 'moderator' });
  const route = `/guilds/*/members/${personOf(stage.sandbox, 'moderator')}`;
  const body = { message: 'Unknown User', code: 10_013 };
  stage.sandbox.control.addFault({ route, method: 'GET', status: 404, body, times: null });
  const again = await bot(stage.config);
  try {
    await stage.row("SELECT FROM tokens WHERE id = $1 AND revoked_reason = 'issuer_left'", [token]);
  } finally {
    await again.stop();
  }
});

test('a guild is compared again although Discord does not say whether an issuer is still a member', async () => {
  verifies('H22');
  const token = await issueToken('moderator');
  await stage.bot.stop();
  stage.sandbox.control.members({ action: 'leave', user: 'moderator' });
  const route = `/guilds/*/members/${personOf(stage.sandbox, 'moderator')}`;
  const silence = stage.sandbox.control.addFault({ route, method: 'GET', status: 500, times: null });
  const again = await bot(stage.config);
  try {
    await stage.sandbox.until(() => stage.sandbox.requests.some(({ fault }) => fault === silence.id));
    expect(await memberIsKept('member2')).toBe(false);
    await grant(stage, 'Artist', ['bans.read']);
    await stage.row(MEMBER, member('member2'));
    const { rows } = await stage.test.database.pool.query('SELECT revoked_at FROM tokens WHERE id = $1', [
      token,
    ]);
    expect(rows).toEqual([{ revoked_at: null }]);
  } finally {
    await again.stop();
  }
});

test('an outage makes the guild untrusted, not left, and revokes nothing', async () => {
  verifies('H22');
  const token = await issueToken('owner');
  stage.sandbox.control.gateway({ action: 'unavailable' });
  const gone = await stage.row<{ fresh: boolean; left_at: Date | null }>(
    FRESH,
    [stage.guildId],
    ({ fresh }) => !fresh,
  );
  expect(gone.left_at).toBeNull();
  stage.sandbox.control.gateway({ action: 'available' });
  await stage.row<{ fresh: boolean }>(FRESH, [stage.guildId], ({ fresh }) => fresh);
  await stage.row('SELECT FROM tokens WHERE id = $1 AND revoked_at IS NULL', [token]);
});

test('a guild whose outage lasts into another session waits, and is not said to be compared', async () => {
  verifies('H22');
  const { control } = stage.sandbox;
  const STATE = 'SELECT mirror_state AS state, mirror_problem AS problem FROM live_guilds WHERE id = $1';
  interface State {
    readonly state: string;
    readonly problem: string | null;
  }
  const untilState = (fits: (state: State) => boolean) => stage.row<State>(STATE, [stage.guildId], fits);
  control.gateway({ action: 'unavailable' });
  await untilState(({ problem }) => problem === 'outage');
  // What a session before left is no answer.
  await stage.test.database.pool.query("UPDATE guilds SET mirror_problem = 'no_answer' WHERE id = $1", [
    stage.guildId,
  ]);
  control.gateway({ action: 'invalidate' });
  await untilState(({ state, problem }) => state === 'waiting' && problem === 'outage');
  control.gateway({ action: 'available' });
  await untilState(({ state }) => state === 'trusted');
});

test('what was read before an outage is not taken for what stands after it, however short it was', async () => {
  verifies('H22');
  const { sandbox, guildId } = stage;
  const { control } = sandbox;
  await grant(stage, 'Moderator', ['bans.write']);
  await stage.row(MEMBER, member('moderator'));
  const list = { route: '/guilds/*/members', method: 'GET', held: true } as const;
  const lists = () => sandbox.requests.filter(({ path }) => path === `/guilds/${guildId}/members`).length;
  control.addFault({ ...list, when: 'after', times: null });
  const before = lists();
  await runJob(stage, 'mirror_guild', { guild_id: guildId });
  await sandbox.until(() => lists() > before);
  control.gateway({ action: 'unavailable' });
  await stage.row("SELECT FROM guilds WHERE id = $1 AND mirror_problem = 'outage'", [guildId]);
  control.members({ action: 'remove_role', user: 'moderator', role: 'Moderator' });
  control.guilds({ action: 'update', name: 'Back' });
  control.gateway({ action: 'available' });
  await stage.row("SELECT FROM guilds WHERE id = $1 AND name = 'Back'", [guildId]);
  const released = lists();
  control.clearFaults();
  control.addFault({ ...list, times: null });
  await sandbox.until(() => lists() > released);
  const ban = () =>
    refusalOf(stage.act('bans.add', 'moderator', { user_id: newMember(sandbox), reason: 'Spam' }));
  expect(await ban()).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  control.clearFaults();
  await stage.row<{ fresh: boolean }>(FRESH, [guildId], ({ fresh }) => fresh);
  expect(await ban()).toMatchObject({ code: 'CAPABILITY_DENIED' });
});

test('a guild is compared at once after a short outage, however long the comparison had lasted that it broke off', async () => {
  verifies('H22');
  const { sandbox, guildId } = stage;
  const { control } = sandbox;
  const list = control.addFault({ route: `/guilds/${guildId}/members`, method: 'GET', held: true });
  await runJob(stage, 'mirror_guild', { guild_id: guildId });
  await sandbox.until(() => sandbox.requests.some(({ fault }) => fault === list.id));
  control.gateway({ action: 'unavailable' });
  await stage.row("SELECT FROM guilds WHERE id = $1 AND mirror_problem = 'outage'", [guildId]);
  control.guilds({ action: 'update', name: 'Back' });
  control.gateway({ action: 'available' });
  await stage.row("SELECT FROM guilds WHERE id = $1 AND name = 'Back'", [guildId]);
  // The clock is ahead until the bot has ended.
  spoil();
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 3_600_000);
  onTestFinished(() => clock.mockRestore());
  control.clearFaults();
  await stage.row<{ fresh: boolean }>(FRESH, [guildId], ({ fresh }) => fresh);
});

test.each([
  ['answered', { when: 'after' }],
  ['refused', { status: 500 }],
] as const)(
  'a read that is %s during an outage does not say that the outage is over',
  async (_how, fault) => {
    verifies('H22');
    const { sandbox, guildId } = stage;
    const { control, otherGuildId } = sandbox;
    const route = `/guilds/${guildId}/members`;
    const list = control.addFault({ route, method: 'GET', held: true, ...fault });
    const read = () => sandbox.requests.find((request) => request.fault === list.id);
    await runJob(stage, 'mirror_guild', { guild_id: guildId });
    await sandbox.until(() => read() !== undefined);
    control.gateway({ action: 'unavailable' });
    const STATE = 'SELECT FROM live_guilds WHERE id = $1 AND mirror_state = $2 AND mirror_problem = $3';
    const outage = [guildId, 'waiting', 'outage'];
    await stage.row(STATE, outage);
    control.clearFaults();
    await sandbox.until(() => typeof read()?.status === 'number');
    // What the bot hears and writes later comes after that answer.
    control.guilds({ action: 'update', name: 'Later', guild_id: otherGuildId });
    await stage.row("SELECT FROM guilds WHERE id = $1 AND name = 'Later'", [otherGuildId]);
    expect((await stage.test.database.pool.query(STATE, outage)).rowCount).toBe(1);
    control.gateway({ action: 'available' });
    await stage.row<{ fresh: boolean }>(FRESH, [guildId], ({ fresh }) => fresh);
  },
);

test('a guild the bot is removed from is left, and comes back when it is added again', async () => {
  stage.sandbox.control.guilds({ action: 'remove_bot' });
  await stage.row<{ left_at: Date | null }>(FRESH, [stage.guildId], ({ left_at }) => left_at !== null);
  stage.sandbox.control.guilds({ action: 'add_bot' });
  await stage.row<{ fresh: boolean }>(FRESH, [stage.guildId], ({ fresh }) => fresh);
});

test('a guild that removes the bot while it is being compared is left, whatever the comparison has read', async () => {
  verifies('H22');
  spoil();
  const { sandbox, guildId } = stage;
  sandbox.control.addFault({ route: '/guilds/:id', method: 'GET', when: 'after', held: true });
  const read = () =>
    sandbox.requests.find(({ path, fault }) => path === `/guilds/${guildId}` && fault !== null);
  await grant(stage, 'Artist', ['bans.read']);
  await sandbox.until(() => read() !== undefined);
  sandbox.control.guilds({ action: 'remove_bot' });
  await stage.row('SELECT FROM guilds WHERE id = $1 AND left_at IS NOT NULL', [guildId]);
  sandbox.control.clearFaults();
  await sandbox.until(() => read()?.status === 200);
  // What the bot hears and writes later comes after that answer.
  const { otherGuildId } = sandbox;
  sandbox.control.guilds({ action: 'update', name: 'Later', guild_id: otherGuildId });
  await stage.row("SELECT FROM guilds WHERE id = $1 AND name = 'Later'", [otherGuildId]);
  await stage.bot.stop();
  await stage.row('SELECT FROM guilds WHERE id = $1 AND left_at IS NOT NULL', [guildId]);
});

test.each(['heard', 'was away'])(
  'Discord is not asked about a guild that removed the bot when it %s',
  async (how) => {
    const { sandbox, guildId } = stage;
    const isAway = how === 'was away';
    if (isAway)
      for (const action of ['refuse', 'invalidate', 'drop'] as const) sandbox.control.gateway({ action });
    sandbox.control.guilds({ action: 'remove_bot' });
    if (isAway) sandbox.control.gateway({ action: 'accept' });
    await stage.row('SELECT FROM guilds WHERE id = $1 AND left_at IS NOT NULL', [guildId]);
    const asked = () => sandbox.requests.filter(({ path }) => path.startsWith(`/guilds/${guildId}`)).length;
    const before = asked();
    await runJob(stage, 'mirror_guild', { guild_id: guildId });
    // A comparison that began then would have asked before this one.
    const other = { ...stage, guildId: sandbox.otherGuildId };
    const read = sandbox.nextRequest('GET', '/guilds/{guild_id}');
    await runJob(other, 'mirror_guild', { guild_id: other.guildId });
    await read;
    expect(asked()).toBe(before);
  },
);

test('Discord is asked no more who the new owner of a guild is once that has removed the bot', async () => {
  spoil();
  const { sandbox, guildId } = stage;
  const { control, otherGuildId } = sandbox;
  const route = `/guilds/${guildId}/members/${personOf(sandbox, 'member')}`;
  const asked = () => sandbox.requests.filter(({ path }) => path === route);
  control.addFault({ route, method: 'GET', held: true });
  control.guilds({ action: 'update', owner: 'member' });
  await sandbox.until(() => asked().length === 1);
  control.guilds({ action: 'remove_bot' });
  await stage.row('SELECT FROM guilds WHERE id = $1 AND left_at IS NOT NULL', [guildId]);
  control.clearFaults();
  await sandbox.until(() => asked()[0]?.durationMs != null);
  // What is asked about the other guild is asked again after the same pauses, which begin later.
  const list = `/guilds/${otherGuildId}/members`;
  const lists = () => sandbox.requests.filter(({ path }) => path === list).length;
  const before = lists();
  control.addFault({ route: list, method: 'GET', status: 500, times: 2 });
  await runJob({ ...stage, guildId: otherGuildId }, 'mirror_guild', { guild_id: otherGuildId });
  await sandbox.until(() => lists() === before + 3);
  expect(asked()).toHaveLength(1);
});

test('a guild that removes the bot while the database writes nothing is left once it does', async () => {
  spoil();
  const { pool } = stage.test.database;
  await pool.query('CREATE SEQUENCE refusals');
  await pool.query('GRANT USAGE ON SEQUENCE refusals TO PUBLIC');
  await pool.query(`CREATE FUNCTION refuse_twice() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN IF nextval('refusals') <= 2 THEN RAISE 'no space left'; END IF; RETURN NEW; END $$`);
  await pool.query(
    'CREATE TRIGGER refused BEFORE UPDATE OF left_at ON guilds FOR EACH ROW EXECUTE FUNCTION refuse_twice()',
  );
  stage.sandbox.control.guilds({ action: 'remove_bot' });
  await stage.row('SELECT FROM guilds WHERE id = $1 AND left_at IS NOT NULL', [stage.guildId]);
});

test('a new name and a new owner are followed, and the owner is known', async () => {
  stage.sandbox.control.guilds({ action: 'update', name: 'Lighthouse', owner: 'admin' });
  await stage.row<{ name: string; owner_id: string }>(
    'SELECT name, owner_id FROM guilds WHERE id = $1',
    [stage.guildId],
    ({ name, owner_id }) => name === 'Lighthouse' && owner_id === stage.people.admin,
  );
  await stage.row(MEMBER, member('admin'));
});

test('a deleted role takes what was granted to it along', async () => {
  await grant(stage, 'Moderator', ['bans.write']);
  stage.sandbox.control.roles({ action: 'delete', role: 'Moderator' });
  await stage.row<{ count: string }>(
    'SELECT count(*) FROM role_grants WHERE guild_id = $1',
    [stage.guildId],
    ({ count }) => count === '0',
  );
});

test('a session that is ended is followed by a new one that finds what happened in between', async () => {
  verifies('G13');
  await grant(stage, 'Moderator', ['bans.write']);
  await stage.row(MEMBER, member('moderator'));
  const { identifies } = stage.sandbox.getState().gateway;
  stage.sandbox.control.gateway({ action: 'refuse' });
  stage.sandbox.control.gateway({ action: 'invalidate' });
  stage.sandbox.control.gateway({ action: 'drop' });
  stage.sandbox.control.members({ action: 'leave', user: 'moderator' });
  stage.sandbox.control.gateway({ action: 'accept' });
  await stage.sandbox.until(({ gateway }) => gateway.identifies > identifies);
  await stage.row<{ count: string }>(
    'SELECT count(*) FROM members WHERE guild_id = $1 AND user_id = $2',
    member('moderator'),
    ({ count }) => count === '0',
  );
  await stage.row<{ fresh: boolean }>(FRESH, [stage.guildId], ({ fresh }) => fresh);
});

test('events that come out of order across guilds leave each guild as Discord has it', async () => {
  verifies('bot.events-out-of-order');
  const { control, guildId, otherGuildId } = stage.sandbox;
  control.gateway({ action: 'shuffle' });
  for (const step of [1, 2, 3]) {
    for (const guild_id of [guildId, otherGuildId]) {
      control.guilds({ action: 'update', name: `${guild_id} ${step}`, guild_id });
      control.roles({ action: 'create', name: `Role ${step}`, guild_id });
    }
  }
  control.gateway({ action: 'release' });
  for (const id of [guildId, otherGuildId]) {
    await stage.row<{ count: string }>(
      "SELECT count(*) FROM guilds g JOIN roles r ON r.guild_id = g.id WHERE g.id = $1 AND g.name = $1 || ' 3' AND r.name LIKE 'Role _'",
      [id],
      ({ count }) => count === '3',
    );
    await stage.row<{ fresh: boolean }>(FRESH, [id], ({ fresh }) => fresh);
  }
});

test('a guild that is joined while a session begins is not taken for one that was left', async () => {
  const { control } = stage.sandbox;
  control.guilds({ action: 'remove_bot' });
  await stage.row<{ left_at: Date | null }>(FRESH, [stage.guildId], ({ left_at }) => left_at !== null);
  const { identifies } = stage.sandbox.getState().gateway;
  // Keeps the bot from looking up which of its guilds the session does not have.
  const keeper = await stage.test.database.pool.connect();
  try {
    await keeper.query('BEGIN');
    await keeper.query('LOCK TABLE tokens');
    control.gateway({ action: 'invalidate' });
    await stage.sandbox.until(({ gateway }) => gateway.identifies > identifies, 60_000, 'another session');
    control.guilds({ action: 'add_bot' });
    await stage.row('SELECT FROM guilds WHERE id = $1 AND left_at IS NULL', [stage.guildId]);
    await keeper.query('COMMIT');
  } finally {
    keeper.release();
  }
  await stage.row<{ fresh: boolean }>(FRESH, [stage.guildId], ({ fresh }) => fresh);
});

test('a connection that has died without a word is noticed and resumed, and what it kept back is found', async () => {
  verifies('H21');
  // A connection counts as dead when an answer takes longer than this; on a busy machine one may take a second.
  const frail = await setStage({ gateway: { heartbeatIntervalMs: 2_500 } });
  try {
    const identifies = frail.sandbox.getState().gateway.identifies;
    await grant(frail, 'Moderator', ['bans.write']);
    await frail.row(MEMBER, [frail.guildId, personOf(frail.sandbox, 'moderator')]);
    frail.sandbox.control.gateway({ action: 'freeze' });
    frail.sandbox.control.members({ action: 'remove_role', user: 'moderator', role: 'Moderator' });
    await frail.row(
      'SELECT FROM (SELECT count(*) FROM members WHERE guild_id = $1 AND user_id = $2) AS held WHERE count = 0',
      [frail.guildId, personOf(frail.sandbox, 'moderator')],
    );
    await frail.row<{ fresh: boolean }>(FRESH, [frail.guildId], ({ fresh }) => fresh);
    expect(frail.sandbox.getState().gateway.identifies).toBe(identifies);
  } finally {
    await frail.close();
  }
});

test('a bot that ends takes its heartbeat along', async () => {
  await stage.bot.stop();
  const { rows } = await stage.test.database.pool.query(FRESH, [stage.guildId]);
  expect(rows[0]?.fresh).toBe(false);
});

async function issueToken(by: string): Promise<string> {
  const { rows } = await stage.test.database.pool.query<{ id: string }>(
    `INSERT INTO tokens (guild_id, issuer_id, name, kind, secret_hash, secret_last_four, capabilities, ip_allowlist)
     VALUES ($1, $2, 'test', 'rest', decode(md5(random()::text), 'hex'), 'abcd', '{bans.write}', '{}') RETURNING id`,
    [stage.guildId, personOf(stage.sandbox, by)],
  );
  return rows[0]?.id ?? '';
}
