import { verifies } from '@bailiff/core/testing';
import { forgetGuild } from '@bailiff/engine/guilds/forget';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Bot } from '#src/bot.ts';
import type { Handover } from '#src/handover.ts';
import {
  bot,
  configFor,
  countLostTrust,
  grant,
  newMember,
  personOf,
  type Stage,
  setStage,
} from './harness.ts';

const NAME = 'SELECT display_name FROM members WHERE guild_id = $1 AND user_id = $2';
const SHARDS =
  'SELECT count(*) FROM gateway_shards WHERE lost_at IS NULL AND heartbeat_at > now() - $1::interval';
const LOCK_GUILDS = 'LOCK TABLE guilds IN SHARE MODE';

let stage: Stage;
let next: Bot | undefined;
beforeEach(async () => {
  stage = await setStage({ gateway: { shards: 2, maxConcurrency: 2 } }, { BOT_SHARDS: '2' });
});
afterEach(async () => {
  await next?.stop();
  next = undefined;
  const { violations } = stage.sandbox;
  await stage.close();
  expect(violations).toEqual([]);
});

/** A second bot that has begun all but its connections. */
async function standingBy(
  config = stage.config,
): Promise<{ takeOver(handover: Handover | null): Promise<Bot> }> {
  const isReady = Promise.withResolvers<void>();
  const given = Promise.withResolvers<Handover | null>();
  const starting = bot(config, undefined, {
    standBy: () => {
      isReady.resolve();
      return given.promise;
    },
  });
  await Promise.race([isReady.promise, starting]);
  return {
    takeOver: async (handover) => {
      given.resolve(handover);
      next = await starting;
      await next.settled;
      return next;
    },
  };
}

const identifies = () => stage.sandbox.getState().gateway.identifies;
const listings = () =>
  stage.sandbox.requests.filter(({ route }) => route === '/guilds/{guild_id}/members').length;

/** What the bot hands over after `work`, while a lock keeps others from writing. */
async function handOverWhile(lock: string, work: () => Promise<void>): Promise<Handover> {
  const connection = await stage.test.database.pool.connect();
  try {
    await connection.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
    await connection.query(lock);
    await work();
    return await stage.bot.handOver();
  } finally {
    await connection.query('ROLLBACK');
    connection.release();
  }
}

/** Resolves once so many writes wait for a lock. */
const waitingForLock = (query: string, writes = 1) =>
  stage.row<{ count: number }>(
    `SELECT count(*)::int FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`,
    [`%${query}%`],
    ({ count }) => count >= writes,
  );

test('a bot that goes on with the shards of another one refuses no call, compares nothing and misses no event', async () => {
  verifies('bot.handover');
  const { control } = stage.sandbox;
  // The owner is in the mirror whatever their roles.
  const owner = [stage.guildId, personOf(stage.sandbox, 'owner')];
  const timesLost = await countLostTrust(stage);
  const before = { identifies: identifies(), listings: listings() };
  const second = await standingBy();

  control.members({ action: 'nick', user: 'owner', nick: 'Before' });
  const handover = await stage.bot.handOver();
  expect(handover.sessions.map(({ shardId }) => shardId).sort()).toEqual([0, 1]);
  const written = await stage.test.database.pool.query(NAME, owner);
  expect(written.rows).toEqual([{ display_name: 'Before' }]);
  const ban = () => stage.act('bans.add', 'owner', { user_id: newMember(stage.sandbox), reason: 'Spam' });
  expect(await ban(), 'nobody is connected').toMatchObject({ status: 201 });
  const bannedByHand = newMember(stage.sandbox);
  control.bans({ user: bannedByHand, by: 'owner' });
  control.members({ action: 'nick', user: 'owner', nick: 'Between' });
  const options = { user: newMember(stage.sandbox), reason: 'Asked between the two' };
  const asked = control.interact({ type: 'command', command: 'ban', user: 'owner', options });

  await second.takeOver(handover);
  await stage.bot.stop();
  expect(await asked).toMatchObject({ state: 'answered' });
  await stage.row<{ display_name: string }>(NAME, owner, ({ display_name }) => display_name === 'Between');
  await stage.row('SELECT FROM cases WHERE guild_id = $1 AND user_id = $2', [stage.guildId, bannedByHand]);
  await stage.row<{ count: string }>(SHARDS, ['30 seconds'], ({ count }) => count === '2');
  expect(await ban()).toMatchObject({ status: 201 });
  expect(await timesLost()).toBe(0);
  expect({ identifies: identifies(), listings: listings() }).toEqual(before);
});

test('a bot that goes on answers the commands of a shard meant for another process, which had no session yet', async () => {
  verifies('bot.handover');
  const { control, otherGuildId } = stage.sandbox;
  const meantFor = configFor(stage.sandbox, stage.test.processUrls.bot, { BOT_SHARDS: '0/2' });
  const second = await standingBy(meantFor);
  const handover = await stage.bot.handOver();
  const sessions = handover.sessions.filter(({ shardId }) => shardId === 0);
  await second.takeOver({ ...handover, sessions });
  await stage.bot.stop();
  const guilds = [
    { user: 'owner', guild_id: stage.guildId, channel: 'general' },
    { user: 'other_owner', guild_id: otherGuildId, channel: 'other_general' },
  ];
  for (const where of guilds) {
    const answer = await control.interact({ type: 'command', command: 'whoami', ...where });
    expect(answer.state).toBe('answered');
  }
});

test('a bot goes on with the shards of another one although Discord fails for a moment', async () => {
  verifies('bot.handover');
  const before = identifies();
  const second = await standingBy();
  const handover = await stage.bot.handOver();
  const failure = stage.sandbox.control.addFault({ route: '/gateway/bot', status: 502 });
  await second.takeOver(handover);
  await stage.bot.stop();
  expect(stage.sandbox.requests.filter(({ fault }) => fault === failure.id)).toHaveLength(1);
  await stage.row<{ count: string }>(SHARDS, ['30 seconds'], ({ count }) => count === '2');
  expect(identifies()).toBe(before);
});

test('a bot whose sessions Discord no longer knows begins new ones', async () => {
  verifies('bot.handover');
  const second = await standingBy();
  const handover = await stage.bot.handOver();
  const sessions = handover.sessions.map((session) => ({ ...session, sessionId: 'unknown' }));
  await second.takeOver({ ...handover, sessions });
  await stage.bot.stop();
  await stage.row<{ count: string }>(SHARDS, ['30 seconds'], ({ count }) => count === '2');
  const ban = stage.act('bans.add', 'owner', { user_id: newMember(stage.sandbox), reason: 'Spam' });
  expect(await ban).toMatchObject({ status: 201 });
});

test('a ticket whose channel was deleted is closed by the bot that goes on if the one before could not, and no other', async () => {
  verifies('bot.handover', 'bot.ticket-channel-gone');
  const { pool } = stage.test.database;
  const open = async (by: string) => {
    const { body } = await stage.act('tickets.open', by, { subject: 'Griefed' });
    return (body as { ticket: { id: string; channel_id: string } }).ticket;
  };
  const other = await open('member2'); // is looked at before the later one
  const ticket = await open('member');
  const second = await standingBy();
  const connection = await pool.connect();
  let handover: Handover;
  try {
    await connection.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
    await connection.query('LOCK TABLE tickets IN SHARE MODE');
    stage.sandbox.control.channels({ action: 'delete', channel: ticket.channel_id });
    await stage.row('SELECT WHERE NOT EXISTS (SELECT FROM channels WHERE id = $1)', [ticket.channel_id]);
    handover = await stage.bot.handOver();
    await stage.bot.stop();
  } finally {
    await connection.query('ROLLBACK');
    connection.release();
  }
  await second.takeOver(handover);
  await stage.row("SELECT FROM tickets WHERE id = $1 AND status = 'closed'", [ticket.id]);
  const { rows } = await pool.query('SELECT id, status FROM tickets ORDER BY id');
  expect(rows).toEqual([
    { id: other.id, status: 'open' },
    { id: ticket.id, status: 'closed' },
  ]);
});

test('a guild that was being compared is compared by the bot that goes on', async () => {
  verifies('bot.handover');
  const { control } = stage.sandbox;
  const second = await standingBy();
  const held = control.addFault({ route: '/guilds/*/members', method: 'GET', held: true, times: null });
  await grant(stage, 'Artist', ['bans.read']);
  await stage.sandbox.until(() => stage.sandbox.requests.some(({ fault }) => fault === held.id));
  const handover = await stage.bot.handOver();
  expect(handover.comparing).toContain(stage.guildId);
  control.clearFaults();
  await second.takeOver(handover);
  await stage.bot.stop();
  await stage.row('SELECT FROM members WHERE guild_id = $1 AND user_id = $2', [
    stage.guildId,
    stage.people.member2,
  ]);
});

test('after a bot whose release did not know who is timed out, each guild is compared and stays trusted', async () => {
  verifies('bot.handover');
  const moderator = [stage.guildId, stage.people.moderator];
  const timedOut = () =>
    stage.row(
      'SELECT FROM members WHERE guild_id = $1 AND user_id = $2 AND timed_out_until > now()',
      moderator,
    );
  const timesLost = await countLostTrust(stage);
  stage.sandbox.control.members({ action: 'timeout', by: 'owner', user: 'moderator', minutes: 60 });
  await timedOut();
  const second = await standingBy();
  const { mirrorsTimeouts, ...handover } = await stage.bot.handOver();
  expect(mirrorsTimeouts).toBe(true);
  await stage.test.database.pool.query('UPDATE members SET timed_out_until = NULL');
  await second.takeOver(handover);
  await stage.bot.stop();
  await timedOut();
  expect(await timesLost()).toBe(0);
});

test('a guild of which an event could not be written is not trusted by the bot that goes on until it is compared', async () => {
  verifies('bot.handover');
  const { control } = stage.sandbox;
  const { guildId } = stage;
  const { pool } = stage.test.database;
  const timesLost = await countLostTrust(stage);
  const second = await standingBy();
  await pool.query("UPDATE roles SET name = 'Long ago' WHERE guild_id = $1 AND name = 'Moderator'", [
    guildId,
  ]);
  // Nobody can mark the guild as not trusted.
  const handover = await handOverWhile(`SELECT FROM guilds WHERE id = '${guildId}' FOR UPDATE`, async () => {
    const data = { guild_id: guildId, role: null };
    control.gateway({ action: 'dispatch', event: 'GUILD_ROLE_UPDATE', data });
    await waitingForLock('SET mirrored_at = NULL');
  });
  expect(await timesLost()).toBe(0);
  expect(handover.comparing).toContain(guildId);
  const held = control.addFault({ route: '/guilds/*/members', method: 'GET', held: true, times: null });
  const going = second.takeOver(handover);
  await stage.sandbox.until(() => stage.sandbox.requests.some(({ fault }) => fault === held.id));
  const { rows } = await pool.query('SELECT mirror_fresh FROM live_guilds WHERE id = $1', [guildId]);
  expect(rows).toEqual([{ mirror_fresh: false }]);
  control.clearFaults();
  await going;
  await stage.bot.stop();
  await stage.row("SELECT FROM roles WHERE guild_id = $1 AND name = 'Moderator'", [guildId]);
  await stage.row('SELECT FROM live_guilds WHERE id = $1 AND mirror_fresh', [guildId]);
});

test('a guild that removed the bot when nothing could be written is none of the bot that goes on', async () => {
  verifies('bot.handover');
  const { control } = stage.sandbox;
  const guild = [stage.guildId];
  const before = identifies();
  const second = await standingBy();
  const handover = await handOverWhile(LOCK_GUILDS, async () => {
    control.guilds({ action: 'remove_bot', guild_id: stage.guildId });
    await waitingForLock('left_at = coalesce');
  });
  await stage.row('SELECT FROM guilds WHERE id = $1 AND left_at IS NULL', guild);
  const going = second.takeOver(handover);
  await stage.row('SELECT FROM guilds WHERE id = $1 AND left_at IS NOT NULL', guild);
  await going;
  await stage.bot.stop();
  control.guilds({ action: 'add_bot', guild_id: stage.guildId });
  await stage.row('SELECT FROM live_guilds WHERE id = $1 AND left_at IS NULL AND mirror_fresh', guild);
  expect(identifies()).toBe(before);
});

test('a guild that came when nothing could be written is followed by the bot that goes on', async () => {
  verifies('bot.handover');
  const { control, otherGuildId } = stage.sandbox;
  // The bot is new to one of them, and comes back to the other one.
  const guildIds = [stage.guildId, otherGuildId];
  const both = (condition: string) =>
    stage.row<{ count: string }>(
      `SELECT count(*) FROM live_guilds WHERE id = ANY ($1) AND ${condition}`,
      [guildIds],
      ({ count }) => count === '2',
    );
  for (const guild_id of guildIds) control.guilds({ action: 'remove_bot', guild_id });
  await both('left_at IS NOT NULL');
  await forgetGuild(stage.test.database, otherGuildId);
  const before = identifies();
  const second = await standingBy();
  const handover = await handOverWhile(LOCK_GUILDS, async () => {
    for (const guild_id of guildIds) control.guilds({ action: 'add_bot', guild_id });
    await waitingForLock('INSERT INTO guilds', 2);
  });
  expect(handover.comparing.toSorted()).toEqual(guildIds.toSorted());
  await second.takeOver(handover);
  await stage.bot.stop();
  await both('left_at IS NULL AND mirror_fresh');
  for (const guild_id of guildIds) control.guilds({ action: 'update', guild_id, name: 'Afterwards' });
  await both("name = 'Afterwards'");
  expect(identifies()).toBe(before);
});

test('a guild that came and removed the bot when nothing could be written is none of the bot that goes on', async () => {
  verifies('bot.handover');
  const { control, otherGuildId } = stage.sandbox;
  const guild = [otherGuildId];
  control.guilds({ action: 'remove_bot', guild_id: otherGuildId });
  await stage.row('SELECT FROM guilds WHERE id = $1 AND left_at IS NOT NULL', guild);
  await forgetGuild(stage.test.database, otherGuildId);
  const second = await standingBy();
  const handover = await handOverWhile(LOCK_GUILDS, async () => {
    control.guilds({ action: 'add_bot', guild_id: otherGuildId });
    await waitingForLock('INSERT INTO guilds');
    control.guilds({ action: 'remove_bot', guild_id: otherGuildId });
    // Its removal has arrived too, once what comes after it has.
    control.guilds({ action: 'update', guild_id: stage.guildId, name: 'Later' });
    await waitingForLock('INSERT INTO guilds', 2);
  });
  // It is ready only once it has compared every guild that it follows.
  await second.takeOver(handover);
  await stage.bot.stop();
  control.guilds({ action: 'add_bot', guild_id: otherGuildId });
  await stage.row('SELECT FROM live_guilds WHERE id = $1 AND mirror_fresh', guild);
});

test('a guild whose outage is over, and which was not compared since, is compared by the bot that goes on', async () => {
  verifies('bot.handover', 'H22');
  const { control } = stage.sandbox;
  const guild = [stage.guildId];
  const second = await standingBy();
  control.gateway({ action: 'unavailable' });
  await stage.row("SELECT FROM guilds WHERE id = $1 AND mirror_problem = 'outage'", guild);
  const held = control.addFault({ route: '/guilds/*/members', method: 'GET', held: true, times: null });
  control.gateway({ action: 'available' });
  await stage.sandbox.until(() => stage.sandbox.requests.some(({ fault }) => fault === held.id));
  const handover = await stage.bot.handOver();
  control.clearFaults();
  await second.takeOver(handover);
  await stage.bot.stop();
  await stage.row('SELECT FROM live_guilds WHERE id = $1 AND mirror_fresh', guild);
});

test('a guild whose outage could not be written is not trusted by the bot that goes on until the outage is over', async () => {
  verifies('bot.handover', 'H22');
  const { control } = stage.sandbox;
  const guild = [stage.guildId];
  const second = await standingBy();
  const handover = await handOverWhile(LOCK_GUILDS, async () => {
    control.gateway({ action: 'unavailable' });
    await waitingForLock('SET mirrored_at = NULL');
  });
  await stage.row('SELECT FROM guilds WHERE id = $1 AND mirrored_at IS NOT NULL', guild);
  await second.takeOver(handover);
  await stage.bot.stop();
  const state = 'SELECT mirror_state, mirror_problem FROM live_guilds WHERE id = $1';
  const { rows } = await stage.test.database.pool.query(state, guild);
  expect(rows).toEqual([{ mirror_state: 'waiting', mirror_problem: 'outage' }]);
  control.gateway({ action: 'available' });
  await stage.row('SELECT FROM live_guilds WHERE id = $1 AND mirror_fresh', guild);
});
