import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { obstaclesTo } from '#src/calls/target-refusals.ts';
import { type SeededGuild, seedGuild, snowflake } from '#src/testing.ts';

const OPERATIONS = ['strikes.add', 'mutes.add', 'members.kick', 'bans.add', 'bans.lift'] as const;
const BAN_MEMBERS = 4;
const ADMINISTRATOR = 8;

let test: TestDatabase;
let guild: SeededGuild;
let botId: string;
const ROLES = { bot: snowflake(), low: snowflake(), high: snowflake(), admin: snowflake() };
const query = (sql: string, ...values: unknown[]) => test.database.pool.query(sql, values);

beforeAll(async () => {
  test = await createTestDatabase();
  guild = await seedGuild(test.database);
  const { rows } = await query(
    'SELECT bot_user_id FROM gateway_shards s JOIN guilds g ON g.shard_id = s.shard_id WHERE g.id = $1',
    guild.id,
  );
  botId = rows[0]?.bot_user_id;
  await query(
    `INSERT INTO roles (guild_id, id, name, position, permissions)
     VALUES ($1, $2, 'bot', 50, $6::int | 2 | (1::bigint << 40)), ($1, $3, 'low', 1, 0), ($1, $4, 'high', 60, 0),
       ($1, $5, 'admin', 2, $7)`,
    guild.id,
    ROLES.bot,
    ROLES.low,
    ROLES.high,
    ROLES.admin,
    BAN_MEMBERS,
    ADMINISTRATOR,
  );
  await query(
    `INSERT INTO members (guild_id, user_id, username, display_name, bot, role_ids) VALUES ($1, $2, 'bot', 'Bot', true, $3)
     ON CONFLICT (guild_id, user_id) DO UPDATE SET role_ids = excluded.role_ids`,
    guild.id,
    botId,
    [ROLES.bot],
  );
});
afterAll(() => test?.drop());

/** The reasons for an owner of the guild, or for somebody else, by operation; those without one are left out. */
async function reasons(
  target: { userId: string; inGuild?: boolean | null; roleIds?: readonly string[] },
  actorId = guild.ownerId,
) {
  const asked = { inGuild: true, roleIds: [], ...target };
  const found = await obstaclesTo(test.database.pool, { guildId: guild.id, actorId }, asked, OPERATIONS);
  return Object.fromEntries(
    [...found].flatMap(([operation, obstacle]) => (obstacle === null ? [] : [[operation, obstacle]])),
  );
}

const everywhere = (reason: string) => Object.fromEntries(OPERATIONS.map((name) => [name, { reason }]));

it('nothing keeps an owner from acting on an ordinary member', async () => {
  verifies('members.page-obstacles');
  expect(await reasons({ userId: snowflake(), roleIds: [ROLES.low] })).toEqual({});
});

it('the owner, the bot, oneself and a higher role are out of reach', async () => {
  verifies('members.page-obstacles');
  expect(await reasons({ userId: guild.ownerId })).toEqual(everywhere('TARGET_IS_OWNER'));
  expect(await reasons({ userId: botId })).toEqual(everywhere('TARGET_IS_BOT'));
  const { moderatorId } = guild;
  expect(await reasons({ userId: moderatorId }, moderatorId)).toEqual(everywhere('TARGET_IS_SELF'));
  // A role above the bot's, of somebody whom only Discord knows.
  expect(await reasons({ userId: snowflake(), roleIds: [ROLES.high] })).toEqual(everywhere('ROLE_HIERARCHY'));
});

it('who left can be banned and struck, and neither muted nor kicked; an administrator cannot be muted', async () => {
  verifies('members.page-obstacles');
  const reason = 'NOT_A_MEMBER';
  expect(await reasons({ userId: snowflake(), inGuild: false })).toEqual({
    'mutes.add': { reason },
    'members.kick': { reason },
  });
  expect(await reasons({ userId: snowflake(), inGuild: null })).toEqual({});
  expect(await reasons({ userId: snowflake(), roleIds: [ROLES.admin] })).toEqual({
    'mutes.add': { reason: 'TARGET_IS_ADMIN' },
  });
});

it('a permission that the bot lacks is named', async () => {
  verifies('members.page-obstacles');
  await query(
    'UPDATE roles SET permissions = permissions & ~$2::bigint WHERE id = $1',
    ROLES.bot,
    BAN_MEMBERS,
  );
  const lacking = { reason: 'BOT_MISSING_PERMISSION', permissions: ['Ban Members'] };
  expect(await reasons({ userId: snowflake() })).toEqual({ 'bans.add': lacking, 'bans.lift': lacking });
  // An administrator has every permission.
  await query('UPDATE roles SET permissions = $2 WHERE id = $1', ROLES.bot, ADMINISTRATOR);
  expect(await reasons({ userId: snowflake() })).toEqual({});
});

it('a permission that everybody in the guild has is one of the bot too', async () => {
  verifies('members.page-obstacles');
  await query('UPDATE roles SET permissions = $2::bigint WHERE id = $1', ROLES.bot, 2n | (1n << 40n));
  const lacking = { reason: 'BOT_MISSING_PERMISSION', permissions: ['Ban Members'] };
  expect(await reasons({ userId: snowflake() })).toEqual({ 'bans.add': lacking, 'bans.lift': lacking });
  await query('UPDATE roles SET permissions = $2 WHERE id = $1', guild.id, BAN_MEMBERS);
  expect(await reasons({ userId: snowflake() })).toEqual({});
});
