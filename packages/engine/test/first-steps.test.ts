import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { noteLogChannel } from '#src/cases/case-posts.ts';
import { attentionFor, countAttention } from '#src/desk/attention.ts';
import { guildSettings, updateGuildSettings } from '#src/guilds/guild-settings.ts';
import { grantRole, type SeededGuild, seedGuild, seedToken, snowflake } from '#src/testing.ts';

let test: TestDatabase;
let guild: SeededGuild;

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  guild = await seedGuild(test.database);
  await sql('UPDATE guilds SET grants_confirmed_at = NULL WHERE id = $1');
});

const sql = (text: string, ...more: unknown[]) => test.database.pool.query(text, [guild.id, ...more]);
const confirm = () => sql('UPDATE guilds SET grants_confirmed_at = now() WHERE id = $1');
const setLogChannel = (channelId: string | null) =>
  sql('UPDATE guilds SET log_channel_id = $2 WHERE id = $1', channelId);
const addPanelRow = (outcome: string) =>
  sql(
    `INSERT INTO audit (guild_id, actor_source, actor_user_id, operation, outcome)
     VALUES ($1, 'chat', '1', 'tickets.panel', $2::"AuditOutcome")`,
    outcome,
  );

async function done({ isOwner } = { isOwner: true }) {
  const counted = await countAttention(test.database, guild.id);
  return counted && attentionFor(counted, { isOwner, capabilities: [] }).firstStepsDone;
}

it('a new guild has nothing done, and only its owner is told', async () => {
  verifies('dashboard.first-steps');
  expect(await done()).toEqual([]);
  expect(await done({ isOwner: false })).toBeNull();
});

it('each step is done when the data say so, in that guild only', async () => {
  verifies('dashboard.first-steps');
  const other = await seedGuild(test.database);
  await grantRole(test.database, guild, guild.moderatorRoleId, ['bans.read']);
  expect(await done()).toEqual([]); // not in force
  await confirm();
  expect(await done()).toEqual(['roles', 'moderator']);
  await sql('UPDATE members SET role_ids = $2 WHERE guild_id = $1 AND user_id <> $3', [], guild.ownerId);
  expect(await done()).toEqual(['roles']);

  await sql(
    `INSERT INTO reason_presets (guild_id, kind, name, reason) VALUES ($1, 'ban', 'Raid', 'Part of a raid')`,
  );
  await sql('INSERT INTO escalation_policies (guild_id) VALUES ($1)');
  expect(await done()).toEqual(['roles', 'reasons']);
  await sql(`INSERT INTO escalation_steps (guild_id, points, sanction) VALUES ($1, 3, 'ban')`);
  await seedToken(test.database, guild);
  expect(await done()).toEqual(['roles', 'reasons', 'escalation', 'token']);
  await addPanelRow('failed');
  expect(await done()).not.toContain('tickets');
  await addPanelRow('performed');
  expect(await done()).toContain('tickets');
  await sql('UPDATE tokens SET revoked_at = now() WHERE guild_id = $1');
  expect(await done()).toEqual(['roles', 'reasons', 'escalation', 'tickets']);

  guild = other;
  expect(await done()).toEqual([]);
});

it('the log channel is chosen once something was posted there', async () => {
  verifies('dashboard.first-steps');
  const { database } = test;
  const channelId = snowflake();
  await setLogChannel(channelId);
  expect(await done()).toEqual([]);
  await noteLogChannel(database, guild.id, channelId, 'missing_permission');
  expect(await done()).toEqual([]);
  await noteLogChannel(database, guild.id, channelId, null);
  expect(await done()).toEqual(['logChannel']);
  await noteLogChannel(database, guild.id, channelId, 'unknown_channel');
  expect(await done()).toEqual([]);
  await noteLogChannel(database, guild.id, channelId, null);
  await setLogChannel(snowflake());
  expect(await done()).toEqual([]); // nothing has arrived in the other one
});

it('the owner puts the steps away and brings them back, and both are on record', async () => {
  verifies('dashboard.first-steps.hide');
  const call = { userId: guild.ownerId, requestId: 'req_test', address: '192.0.2.1' };
  for (const hidesFirstSteps of [true, false]) {
    await updateGuildSettings(test.database, call, guild.id, { hidesFirstSteps });
    expect(await guildSettings(test.database, guild.id)).toMatchObject({ hidesFirstSteps });
    expect(await done()).toEqual(hidesFirstSteps ? null : []);
  }
  const { rows } = await sql(
    `SELECT details FROM audit WHERE guild_id = $1 AND operation = 'settings.update' ORDER BY id`,
  );
  expect(rows.map(({ details }) => details)).toEqual([
    { hides_first_steps: true },
    { hides_first_steps: false },
  ]);
});
