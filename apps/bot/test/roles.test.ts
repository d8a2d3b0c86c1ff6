import { verifies } from '@bailiff/core/testing';
import { PermissionFlagsBits } from 'discord.js';
import { expect, test } from 'vitest';
import { type ChatStage, chatGuildForEachTest } from './chat-harness.ts';
import { findFirstOut, grant, mint, overToken, refusalOf } from './harness.ts';

let stage: ChatStage;
chatGuildForEachTest({ Moderator: ['roles.write'] }, (next) => {
  stage = next;
  const { id, permissions } = roleOf('Moderator');
  const more = String(BigInt(permissions) | (1n << 28n));
  stage.sandbox.control.roles({ action: 'update', role: id, permissions: more });
});

const guild = () => {
  const found = stage.sandbox.getState(200).guilds.find(({ id }) => id === stage.guildId);
  if (found === undefined) throw new Error('The sandbox has no such guild');
  return found;
};
const roleOf = (name: string) => {
  const found = guild().roles.find((role) => role.name === name);
  if (found === undefined) throw new Error(`The guild has no role ${name}`);
  return found;
};
const troll = () => stage.people.troll ?? '';
const has = (name = 'Artist') =>
  guild().members.some(({ user_id, roles }) => user_id === troll() && roles.includes(name));
const give = (role = 'Artist', userId = troll(), by = 'owner', duration_minutes = 10_080) =>
  stage.act('roles.give', by, { user_id: userId, role_id: roleOf(role).id, duration_minutes });
const byHand = (action: 'add_role' | 'remove_role') =>
  stage.sandbox.control.members({ action, user: 'troll', role: 'Artist', by: 'owner' });
async function itIsTime(): Promise<void> {
  const { pool } = stage.test.database;
  await pool.query("UPDATE measures SET expires_at = now() - interval '1 second'");
  await pool.query("SELECT graphile_worker.add_job('overdue_bans', '{}')");
}
const ended = () =>
  stage.row<{ state: string }>(
    "SELECT state FROM actions WHERE operation = 'roles.end' AND actor_source = 'system' AND state NOT IN ('pending', 'running')",
  );
const measures = async () => (await stage.test.database.pool.query('SELECT kind FROM measures')).rows;

test('where Discord refuses nothing is on record, and a role whose answer was lost is found and ends', async () => {
  verifies('roles.crash');
  const fault = { route: '/guilds/*/members/*/roles/*', method: 'PUT', status: 500 } as const;
  stage.sandbox.control.addFault(fault);
  expect(await refusalOf(give())).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  stage.sandbox.control.addFault({
    ...fault,
    status: 403,
    body: { message: 'Missing Permissions', code: 50_013 },
  });
  expect(await refusalOf(give())).toMatchObject({
    details: { reason: 'BOT_MISSING_PERMISSION', permissions: ['Manage Roles'] },
  });
  expect([has(), await measures()]).toEqual([false, []]);
  stage.sandbox.control.addFault({ ...fault, status: 504, when: 'after' });
  expect((await give()).body).toMatchObject({ role: { user_id: troll(), expires_at: expect.any(String) } });
  expect(has()).toBe(true);
  await itIsTime();
  expect(await ended()).toEqual({ state: 'done' });
  expect([has(), await measures()]).toEqual([false, []]);
});

test('a role whose answer was lost is found also after the bot has changed the roles of many others', async () => {
  verifies('roles.crash');
  const { control, clientId } = stage.sandbox;
  control.addFault({ route: '/guilds/*/members/*/roles/*', method: 'PUT', status: 504, when: 'after' });
  control.addFault({ route: '/guilds/*/audit-logs', method: 'GET', status: 400 });
  expect(await refusalOf(give())).toMatchObject({ details: { outcome: 'unknown' } });
  control.clearFaults();
  for (let n = 0; n < 50; n += 1) {
    control.members({ action: 'add_role', user: 'helper', role: 'Artist', by: clientId });
    control.members({ action: 'remove_role', user: 'helper', role: 'Artist', by: clientId });
  }
  const { pool } = stage.test.database;
  await pool.query("UPDATE actions SET created_at = now() - interval '2 minutes', looked_at = NULL");
  await pool.query("SELECT graphile_worker.add_job('recover', '{}')");
  const ended = "SELECT state FROM actions WHERE operation = 'roles.give' AND state <> 'unknown'";
  expect(await stage.row(ended)).toEqual({ state: 'done' });
  expect(await measures()).toEqual([{ kind: 'role' }]);
});

test('a role whose giving is found out late keeps the end that a moderator has given it since', async () => {
  verifies('roles.crash');
  await give('Artist', troll(), 'owner', 60);
  const later = (await give()).body;
  expect(await findFirstOut(stage)).toEqual(later);
  const { days } = await stage.row<{ days: number }>(
    `SELECT round(extract(epoch FROM run_at - now()) / 86400)::int AS days FROM graphile_worker.jobs
     WHERE task_identifier = 'end_measure'`,
  );
  expect(days).toBe(7);
});

test('/role temp gives a role for days, again gives it another end, and /role end takes it back', async () => {
  verifies('roles.temp', 'in-force.chat');
  const asked = { user: 'troll', role: roleOf('Artist').id, duration: '7 days', reason: 'Event' };
  const said = await stage.says('moderator', 'role temp', asked);
  expect(said).toMatch(/^Done\. <@\d+> has <@&\d+>; it is taken back <t:\d+:R>\.$/);
  expect(has()).toBe(true);
  const until = () =>
    stage.row<{ days: number }>(
      'SELECT round(extract(epoch FROM expires_at - taken_at) / 86400)::int AS days FROM measures',
    );
  expect(await until()).toEqual({ days: 7 });
  await stage.says('moderator', 'role temp', { ...asked, duration: '2 weeks' });
  expect(await until()).toEqual({ days: 14 });
  const given = new RegExp(`<@${troll()}> · <@&${asked.role}> · taken back <t:.*> · by <@\\d+> "Event"$`);
  expect(await stage.says('moderator', 'role list')).toMatch(given);
  expect(await stage.says('moderator', 'role list', { user: 'troll' })).toMatch(given);
  expect(await stage.says('moderator', 'role list', { user: 'helper' })).toMatch(
    / has no role for a while\.$/,
  );
  expect(await stage.says('moderator', 'role end', { user: 'troll', role: asked.role })).toMatch(
    /^Done\..* no more\.$/,
  );
  expect([has(), await measures()]).toEqual([false, []]);
  expect(await stage.says('moderator', 'role end', { user: 'troll', role: asked.role })).toMatch(
    /^Not done\. Bailiff has not/,
  );
});

test('a role that they had already, or were given again by somebody else, is left to them', async () => {
  verifies('roles.others');
  byHand('add_role');
  expect(await refusalOf(give())).toMatchObject({ details: { reason: 'HAS_ROLE' } });
  byHand('remove_role');
  await give();
  byHand('remove_role');
  byHand('add_role');
  await itIsTime();
  expect(await ended()).toEqual({ state: 'done' });
  expect([has(), await measures()]).toEqual([true, []]);
});

test('who takes back a role that somebody else has given since reads that it stays', async () => {
  verifies('roles.others');
  await give();
  byHand('remove_role');
  byHand('add_role');
  const { id } = roleOf('Artist');
  expect(await stage.says('moderator', 'role end', { user: 'troll', role: id })).toBe(
    `Done. <@${troll()}> keeps <@&${id}>, because somebody else has given it to them since.`,
  );
  expect([has(), await measures()]).toEqual([true, []]);
});

test('a role is taken back though somebody has given another one since', async () => {
  verifies('roles.others');
  await give();
  stage.sandbox.control.members({ action: 'add_role', user: 'troll', role: 'Helper', by: 'owner' });
  await itIsTime();
  expect(await ended()).toEqual({ state: 'done' });
  expect([has(), has('Helper'), await measures()]).toEqual([false, true, []]);
});

test('why Bailiff itself takes a role back stands in Discord’s audit log in the language of the server', async () => {
  verifies('bot.own-reasons');
  await stage.test.database.pool.query("UPDATE guilds SET language = 'de' WHERE id = $1", [stage.guildId]);
  await give();
  await itIsTime();
  expect(await ended()).toEqual({ state: 'done' });
  const reasons = stage.sandbox.requests
    .filter(
      ({ method, path }) =>
        method === 'DELETE' && path.includes(`${stage.guildId}/members/${troll()}/roles/`),
    )
    .map(({ reason }) => reason);
  expect([...new Set(reasons)]).toEqual([expect.stringContaining('Die Zeit der Rolle ist um')]);
});

test('where Bailiff may not see who gave a role, it stays, and the moderators are told', async () => {
  verifies('roles.others');
  const log = stage.sandbox.channels.mod_log;
  await stage.test.database.pool.query('UPDATE guilds SET log_channel_id = $1', [log]);
  await give();
  byHand('remove_role');
  byHand('add_role');
  const { id, permissions } = roleOf('Bailiff');
  const hidden = String(BigInt(permissions) & ~PermissionFlagsBits.ViewAuditLog);
  stage.sandbox.control.roles({ action: 'update', role: id, permissions: hidden });
  await itIsTime();
  expect(await ended()).toEqual({ state: 'failed' });
  await stage.sandbox.until(() =>
    guild().channels.some(
      (each) => each.id === log && each.messages.some(({ content }) => content.includes('View Audit Log')),
    ),
  );
  expect([has(), await measures()]).toEqual([true, [{ kind: 'role' }]]);
});

test('nobody gives a role above their own or the bot’s, to themselves, or to who is not below them', async () => {
  verifies('roles.hierarchy');
  await stage.row('SELECT FROM members WHERE user_id = $1', [stage.people.moderator]);
  const reasonOf = async (call: Promise<unknown>) =>
    (await refusalOf(call)) as { details: { reason?: string } };
  const { moderator = '', admin = '' } = stage.people;
  expect(await reasonOf(give('Moderator', troll(), 'moderator'))).toMatchObject({
    details: { reason: 'ROLE_HIERARCHY' },
  });
  expect(await reasonOf(give('Admin'))).toMatchObject({ details: { reason: 'ROLE_HIERARCHY' } });
  expect(await reasonOf(give('Bailiff'))).toMatchObject({ details: { reason: 'ROLE_NOT_GIVEN' } });
  expect(await reasonOf(give('@everyone'))).toMatchObject({ details: { reason: 'ROLE_NOT_GIVEN' } });
  expect(await reasonOf(give('Artist', moderator, 'moderator'))).toMatchObject({
    details: { reason: 'TARGET_IS_SELF' },
  });
  expect(await reasonOf(give('Artist', admin, 'moderator'))).toMatchObject({
    details: { reason: 'ROLE_HIERARCHY' },
  });
  expect(await measures()).toEqual([]);
});

const permitIn = (channel: string, of: string, allow: string[]) =>
  stage.sandbox.control.channels({ action: 'update', channel, overwrite: { of, allow } });
const POWERLESS = { details: { reason: 'ROLE_GIVES_POWER' } };
const permit = (role: string, bits: bigint) =>
  stage.sandbox.control.roles({ action: 'update', role: roleOf(role).id, permissions: String(bits) });
test('a token gives no role that gives power, with which its holder would need no window', async () => {
  verifies('roles.power');
  const { secret } = await mint(stage, 'roles');
  const giveOver = (role: string) =>
    overToken(stage, secret, {
      operation: 'roles.give',
      body: { user_id: troll(), role_id: roleOf(role).id, duration_minutes: 60 },
    });
  permit('Regular', PermissionFlagsBits.BanMembers);
  expect(await refusalOf(giveOver('Regular'))).toMatchObject(POWERLESS);
  permit('Regular', 0n);
  await grant(stage, 'Regular', ['bans.write']);
  expect(await refusalOf(giveOver('Regular'))).toMatchObject(POWERLESS);
  await grant(stage, 'Regular', []);
  permit('Regular', PermissionFlagsBits.MuteMembers);
  expect(await refusalOf(giveOver('Regular'))).toMatchObject(POWERLESS);
  permit('Regular', 0n);
  permitIn('general', 'Regular', ['ManageMessages']);
  expect(await refusalOf(giveOver('Regular'))).toMatchObject(POWERLESS);
  expect(await measures()).toEqual([]);
  permitIn('general', 'Artist', ['SendMessages']);
  expect((await giveOver('Artist')).status).toBe(201);
});

test('while a channel is hidden from the bot, a role that may have power there is given only by who can give it in Discord', async () => {
  verifies('roles.power');
  const { secret } = await mint(stage, 'roles');
  const giveOver = () =>
    overToken(stage, secret, {
      operation: 'roles.give',
      body: { user_id: troll(), role_id: roleOf('Artist').id, duration_minutes: 60 },
    });
  const see = (permission: 'allow' | 'deny') =>
    stage.sandbox.control.channels({
      action: 'update',
      channel: 'off-topic',
      overwrite: { of: 'Bailiff', [permission]: ['ViewChannel'] },
    });
  permitIn('off-topic', 'Artist', ['ManageMessages']);
  see('deny');
  const hidden = {
    details: { reason: 'BOT_MISSING_PERMISSION', permissions: ['View Channel'], channel_name: 'off-topic' },
  };
  expect(await refusalOf(giveOver())).toMatchObject(hidden);
  expect((await give('Artist', troll(), 'moderator')).status).toBe(201);
  await stage.act('roles.end', 'owner', { user_id: troll(), role_id: roleOf('Artist').id });
  const { permissions } = roleOf('Moderator');
  permit('Moderator', BigInt(permissions) & ~PermissionFlagsBits.ManageRoles);
  await stage.row('SELECT FROM roles WHERE id = $1 AND permissions & $2 = 0', [
    roleOf('Moderator').id,
    String(PermissionFlagsBits.ManageRoles),
  ]);
  expect(await refusalOf(give('Artist', troll(), 'moderator'))).toMatchObject(hidden);
  expect(await measures()).toEqual([]);
  expect((await give()).status).toBe(201);
  await stage.act('roles.end', 'owner', { user_id: troll(), role_id: roleOf('Artist').id });
  see('allow');
  expect(await refusalOf(giveOver())).toMatchObject(POWERLESS);
  permitIn('off-topic', 'Artist', []);
  expect((await giveOver()).status).toBe(201);
});

test('a person gives only a role whose power they have', async () => {
  verifies('roles.power');
  const byModerator = () => give('Artist', troll(), 'moderator');
  permit('Artist', PermissionFlagsBits.ManageGuild);
  expect(await refusalOf(byModerator())).toMatchObject(POWERLESS);
  permit('Artist', PermissionFlagsBits.ManageRoles);
  await grant(stage, 'Artist', ['bans.write', 'roles.write']);
  expect(await refusalOf(byModerator())).toMatchObject(POWERLESS);
  await grant(stage, 'Artist', ['roles.write']);
  permitIn('general', 'Artist', ['ManageWebhooks']);
  expect(await refusalOf(byModerator())).toMatchObject(POWERLESS);
  permitIn('general', 'Moderator', ['ManageWebhooks']);
  expect((await byModerator()).status).toBe(201);
  permitIn('general', 'Moderator', []);
  await grant(stage, 'Artist', ['bans.write']);
  expect((await give()).status).toBe(201);
});

test('nothing is left to do for who left, nor for a role that was deleted', async () => {
  verifies('roles.temp');
  await give();
  await give('Regular');
  stage.sandbox.control.roles({ action: 'delete', role: 'Regular' });
  stage.sandbox.control.members({ action: 'leave', user: 'troll' });
  await itIsTime();
  await stage.row('SELECT FROM (VALUES (1)) AS one WHERE NOT EXISTS (SELECT FROM measures)');
  expect(await refusalOf(give())).toMatchObject({ code: 'NOT_FOUND' });
});
