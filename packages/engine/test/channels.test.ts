import { DISCORD_PERMISSIONS, permissionsLacking } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import type { Queryable } from '@bailiff/prisma';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { inTransaction } from '#src/database/transaction.ts';
import { postingChannels } from '#src/guilds/channel-choices.ts';
import {
  listChannels,
  type MirroredChannel,
  putChannel,
  removeChannel,
  replaceChannels,
} from '#src/guilds/channels.ts';
import { keepChannelName, knownThings } from '#src/guilds/known-names.ts';
import {
  dropDueMeasure,
  dueMeasure,
  endDueMeasures,
  noteMeasureEndFailed,
  planMeasure,
  takeMeasure,
} from '#src/guilds/measures.ts';
import { putMembers, putRoles, replaceRoles } from '#src/guilds/mirror.ts';
import { stillOpen } from '#src/guilds/still-open.ts';
import { type SeededGuild, seedGuild, snowflake } from '#src/testing.ts';

let database: TestDatabase;
let guild: SeededGuild;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  guild = await seedGuild(database.database);
});

const NEEDED = ['ViewChannel', 'SendMessages', 'EmbedLinks'] as const;

function channel(change: Partial<MirroredChannel> = {}): MirroredChannel {
  return {
    id: snowflake(),
    kind: 'text',
    name: 'general',
    position: 0,
    parentId: null,
    overwrites: [],
    ...change,
  };
}

async function permit(roleId: string, ...permissions: (keyof typeof DISCORD_PERMISSIONS)[]): Promise<void> {
  const bits = permissions.reduce((all, name) => all | DISCORD_PERMISSIONS[name], 0n);
  const role = { id: roleId, name: 'Role', position: 1, color: 0, managed: false };
  await putRoles(database.database.pool, guild.id, [{ ...role, permissions: String(bits) }]);
}

async function giveBot(...roleIds: string[]): Promise<void> {
  const bot = {
    userId: guild.botId,
    username: 'bailiff',
    displayName: 'Bailiff',
    avatarHash: null,
    bot: true,
  };
  await putMembers(database.database.pool, guild.id, [{ ...bot, roleIds, joinedAt: null }]);
}

const listed = () => listChannels(database.database, guild.id);
const replace = (channels: MirroredChannel[], changed: string[] = []) =>
  replaceChannels(database.database.pool, guild.id, channels, new Set(changed));
const lackingIn = async (id: string) => {
  const bits = (await listed()).find((one) => one.id === id)?.permissions;
  return bits == null ? null : permissionsLacking(bits, NEEDED);
};

test('a guild with 500 channels and 500 roles is written with one statement for each list', async () => {
  verifies('bot.mirror-at-once');
  let statements = 0;
  const counted: Queryable = {
    query: (query) => {
      statements += 1;
      return database.database.pool.query(query);
    },
  };
  const gone = channel();
  await replace([gone]);
  const channels = Array.from({ length: 500 }, (_, position) => channel({ position }));
  const role = { name: 'Role', color: 0, permissions: '0', managed: false };
  const roles = Array.from({ length: 500 }, (_, position) => ({ ...role, id: snowflake(), position }));
  await replaceChannels(counted, guild.id, channels, new Set());
  await replaceRoles(counted, guild.id, roles, new Set());
  expect(statements).toBe(2);
  expect((await listed()).map(({ id }) => id)).toEqual(channels.map(({ id }) => id));
  const { rows } = await database.database.pool.query('SELECT id FROM roles WHERE guild_id = $1', [guild.id]);
  expect(rows.map(({ id }) => id).sort()).toEqual(roles.map(({ id }) => id).sort());
});

test('what is as it was is not written again, and nobody is told of it', async () => {
  const channels = [channel({ name: 'kept' }), channel({ name: 'renamed' })];
  await replace(channels);
  const versions = async () => {
    const { rows } = await database.database.pool.query(
      'SELECT name, xmin::text AS version FROM channels WHERE guild_id = $1',
      [guild.id],
    );
    return new Map(rows.map(({ name, version }) => [name, version]));
  };
  const before = await versions();
  await replace(channels.map((one) => (one.name === 'renamed' ? { ...one, name: 'other' } : one)));
  const after = await versions();
  expect([...after.keys()].sort()).toEqual(['kept', 'other']);
  expect(after.get('kept')).toBe(before.get('kept'));
});

test('a channel that an event changed while the list was read stays as the event left it', async () => {
  const [renamed, removed, created] = [channel(), channel(), channel({ name: 'new' })];
  await replace([renamed, removed]);
  await putChannel(database.database.pool, guild.id, { ...renamed, name: 'renamed' });
  await removeChannel(database.database.pool, guild.id, removed.id);
  await putChannel(database.database.pool, guild.id, created);
  await replace([renamed, removed], [renamed.id, removed.id, created.id]);
  expect((await listed()).map(({ name }) => name).sort()).toEqual(['new', 'renamed']);
});

test('what the bot may do in a channel follows its roles', async () => {
  verifies('bot.mirror-channels');
  const [open, closed] = [
    channel(),
    channel({
      overwrites: [{ id: guild.id, allow: '0', deny: String(DISCORD_PERMISSIONS.SendMessages) }],
    }),
  ];
  await replace([open, closed]);
  await permit(guild.id, 'ViewChannel', 'SendMessages');
  await permit(guild.memberRoleId, 'EmbedLinks');
  await giveBot();
  expect(await lackingIn(open.id)).toEqual(['EmbedLinks']);
  await giveBot(guild.memberRoleId);
  expect(await lackingIn(open.id)).toEqual([]);
  expect(await lackingIn(closed.id)).toEqual(['SendMessages']);
  await permit(guild.memberRoleId, 'Administrator');
  expect(await lackingIn(closed.id)).toEqual([]);
});

test('of a guild without a bot nothing is said about what it may do', async () => {
  const one = channel();
  await replace([one]);
  await database.database.pool.query('DELETE FROM members WHERE guild_id = $1 AND user_id = $2', [
    guild.id,
    guild.botId,
  ]);
  expect(await lackingIn(one.id)).toBeNull();
});

test('a name that Discord hides is remembered, and one that it never told is not invented', async () => {
  verifies('bot.mirror-channels');
  const [known, unknown] = [channel({ name: 'mod-log' }), channel({ name: null, position: 1 })];
  await replace([known]);
  const denied = { id: guild.id, allow: '0', deny: String(DISCORD_PERMISSIONS.ViewChannel) };
  await replace([{ ...known, name: null, overwrites: [denied] }, unknown]);
  expect((await listed()).map(({ name }) => name)).toEqual(['mod-log', null]);
});

test('a record about a channel names it as it is called now, and a deleted one as it was called', async () => {
  const [here, gone] = [channel({ name: 'renamed' }), channel()];
  await replace([here]);
  for (const { id } of [here, gone]) {
    await keepChannelName(database.database, { guildId: guild.id, channelId: id, name: 'before' });
  }
  const things = await knownThings(database.database, guild.id, [here.id, gone.id]);
  expect(things.toSorted((a, b) => (a.id === here.id ? -1 : b.id === here.id ? 1 : 0))).toEqual([
    { id: here.id, name: '#renamed' },
    { id: gone.id, name: '#before' },
  ]);
});

test('the bot posts in a voice channel only if it may connect to it', async () => {
  await permit(guild.id, ...NEEDED);
  await giveBot();
  const kinds = ['text', 'voice', 'stage'] as const;
  await replace(kinds.map((kind, position) => channel({ kind, position })));
  const lacking = async () =>
    (await postingChannels(database.database, guild.id)).channels.map((each) => each.lacking);
  expect(await lacking()).toEqual([[], ['Connect'], ['Connect']]);
  await permit(guild.id, ...NEEDED, 'Connect');
  expect(await lacking()).toEqual([[], [], []]);
});

test('of roles that may write by themselves a lockdown names neither those of bots nor administrators', async () => {
  verifies('locks.guild');
  const { SendMessages, Administrator } = DISCORD_PERMISSIONS;
  const role = (name: string, bits: bigint, managed = false) => ({
    ...{ id: snowflake(), name, position: 1, color: 0, managed },
    permissions: String(bits),
  });
  const writers = role('Writers', SendMessages);
  await putRoles(database.database.pool, guild.id, [
    ...[writers, role('Music bot', SendMessages, true), role('Admins', SendMessages | Administrator)],
    role('Readers', 0n),
  ]);
  const { role_ids } = await inTransaction(database.database, (tx) => stillOpen(tx, guild.id));
  expect(role_ids).toEqual([writers.id]);
});

test('a lockdown names a channel in which a role writes that may not write elsewhere, but not one of moderators', async () => {
  verifies('locks.guild');
  const { SendMessages, SendMessagesInThreads, ManageMessages } = DISCORD_PERMISSIONS;
  const role = (bits: bigint, managed = false) => ({
    ...{ id: snowflake(), name: 'Role', position: 1, color: 0, managed },
    permissions: String(bits),
  });
  const verified = role(0n);
  const [writers, moderators, bot] = [role(SendMessages), role(ManageMessages), role(0n, true)];
  const [support, readers] = [role(0n), role(0n)];
  await putRoles(database.database.pool, guild.id, [verified, writers, moderators, bot, support, readers]);
  await database.database.pool.query(
    `INSERT INTO role_grants (guild_id, role_id, capabilities, granted_by)
     VALUES ($1, $2, '{tickets.read,tickets.write}', $4), ($1, $3, '{servers.read,members.read}', $4)`,
    [guild.id, support.id, readers.id, guild.ownerId],
  );
  const open = (position: number, id: string, allow: bigint) =>
    channel({ position, overwrites: [{ id, allow: String(allow), deny: '0' }] });
  const channels = [
    open(0, verified.id, SendMessages),
    open(1, guild.id, SendMessagesInThreads),
    // Who may only read in Bailiff does not moderate.
    open(2, readers.id, SendMessages),
    // The role is named already; those who moderate should go on writing.
    open(3, writers.id, SendMessages),
    open(4, moderators.id, SendMessages),
    open(5, bot.id, SendMessages),
    open(6, snowflake(), SendMessages), // a member
    open(7, support.id, SendMessages),
  ];
  await replace(channels);
  const named = await inTransaction(database.database, (tx) => stillOpen(tx, guild.id));
  expect(named).toEqual({ role_ids: [writers.id], channel_ids: channels.slice(0, 3).map(({ id }) => id) });
});

test('a lock that is given another end was taken when it was taken first', async () => {
  verifies('locks.prolonged');
  const key = { guildId: guild.id, kind: 'lock', subjectId: snowflake() } as const;
  const lockedAt = async (at: string, minutes: number) => {
    const { rows } = await database.database.pool.query<{ id: string }>(
      `INSERT INTO actions (guild_id, operation, input, digest, actor_source, actor_user_id, request_id, claim_by, created_at)
       VALUES ($1, 'channels.lock', '{}', '', 'chat', $2, 'req_lock', now(), $3) RETURNING id`,
      [guild.id, guild.ownerId, at],
    );
    const action = { actionId: rows[0]?.id ?? '', before: {}, after: {} };
    if (minutes === 60) await planMeasure(database.database, key, action);
    return inTransaction(database.database, (tx) => takeMeasure(tx, key, action, minutes));
  };
  const first = new Date('2026-11-01T10:00:00Z');
  const end = (time: string) => ({ takenAt: first, expiresAt: new Date(`2026-11-01T${time}Z`), after: {} });
  expect(await lockedAt(first.toISOString(), 60)).toEqual(end('11:00:00'));
  expect(await lockedAt('2026-11-01T10:30:00Z', 120)).toEqual(end('12:30:00'));
});

test('a measure whose end the clock, which stepped back, has in less than a second is over', async () => {
  const key = { guildId: guild.id, kind: 'slowmode', subjectId: snowflake() } as const;
  const endIn = (left: string) =>
    database.database.pool.query(
      `INSERT INTO measures (guild_id, kind, subject_id, action_id, before, after, taken_at, expires_at)
       VALUES ($1, 'slowmode', $2, 'act_slow', '{"seconds":5}', '{}', now(), now() + $3::interval)
       ON CONFLICT (guild_id, kind, subject_id) DO UPDATE SET expires_at = EXCLUDED.expires_at`,
      [guild.id, key.subjectId, left],
    );
  const look = () => dueMeasure(database.database, key);
  const kept = async () =>
    (await database.database.pool.query('SELECT FROM measures WHERE guild_id = $1', [guild.id])).rowCount;
  await endIn('1 minute');
  await dropDueMeasure(database.database, key);
  expect([await look(), await kept()]).toEqual([null, 1]);
  await endIn('900 milliseconds');
  expect(await look()).toEqual({ before: { seconds: 5 }, wasRefused: false });
  await dropDueMeasure(database.database, key);
  expect(await kept()).toBe(0);
});

test('measures that are over where the bot has left wait until it is back, and of those that could not end some are tried', async () => {
  verifies('locks.end');
  const { pool } = database.database;
  await pool.query(
    `INSERT INTO measures (guild_id, kind, subject_id, action_id, before, after, expires_at, end_failed_at)
     SELECT $1, kind::"MeasureKind", n::text, 'act_' || n, '{}', '{}', now(),
       CASE WHEN n > 1 THEN now() - make_interval(mins => n) END
     FROM unnest(ARRAY['slowmode', 'lock']) AS kind, generate_series(1, 8) AS n`,
    [guild.id],
  );
  const tried = async () => {
    await pool.query(
      "SELECT graphile_worker.remove_job(key) FROM graphile_worker.jobs WHERE key LIKE 'end_%'",
    );
    await endDueMeasures(pool);
    const { rows } = await pool.query<{ tried: string }>(
      `SELECT payload->>'kind' || ' ' || string_agg(payload->>'subject_id', ' ' ORDER BY payload->>'subject_id') AS tried
       FROM graphile_worker._private_jobs WHERE payload->>'guild_id' = $1 GROUP BY payload->>'kind' ORDER BY 1`,
      [guild.id],
    );
    return rows.map((row) => row.tried);
  };
  await pool.query('UPDATE guilds SET left_at = now() WHERE id = $1', [guild.id]);
  expect(await tried()).toEqual([]);
  await pool.query('UPDATE guilds SET left_at = NULL WHERE id = $1', [guild.id]);
  expect(await tried()).toEqual(['lock 1 4 5 6 7 8', 'slowmode 1 4 5 6 7 8']);
  const failAgain = (subjectId: string) =>
    inTransaction(database.database, (tx) =>
      noteMeasureEndFailed(tx, { guildId: guild.id, kind: 'lock', subjectId }),
    );
  expect([await failAgain('1'), await failAgain('8')]).toEqual([true, false]);
  expect(await tried()).toEqual(['lock 3 4 5 6 7', 'slowmode 1 4 5 6 7 8']);
});
