import { inTableOrder } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { listGrants } from '@bailiff/engine/guilds/guilds';
import { grantRole, type SeededGuild, seedGuild, seedToken, snowflake } from '@bailiff/engine/testing';
import { expect, it } from 'vitest';
import { guildForEachTest } from './each-test.ts';
import { call, callWithToken, ORIGIN, type Person, signedIn, type TestWeb } from './support.ts';

const BAN_MEMBERS = 1n << 2n;
const MANAGE_MESSAGES = 1n << 13n;
const MODERATE_MEMBERS = 1n << 40n;

let web: TestWeb;
let guild: SeededGuild;
let owner: Person;

guildForEachTest((given) => {
  ({ web, guild, owner } = given);
});

const path = () => `/api/guilds/${guild.id}/grants`;
const grant = (roleId: string, capabilities: readonly string[]) =>
  owner.call('PUT', path(), { grants: [{ role_id: roleId, capabilities }] });
const setPermissions = (roleId: string, bits: bigint) =>
  web.db.pool.query('UPDATE roles SET permissions = $3 WHERE guild_id = $1 AND id = $2', [
    guild.id,
    roleId,
    String(bits),
  ]);
const roleOf = async (roleId: string) =>
  (await owner.call('GET', path())).body.roles.find((role: { role_id: string }) => role.role_id === roleId);

it.each([
  ['Ban Members', BAN_MEMBERS, ['bans.read', 'bans.write', 'appeals.read', 'appeals.write']],
  ['Moderate Members', MODERATE_MEMBERS, ['strikes.read', 'strikes.write', 'mutes.read', 'mutes.write']],
  ['Manage Messages', MANAGE_MESSAGES, ['messages.purge']],
] as const)(
  '%s proposes its capabilities and what every moderator needs, and grants none before the owner confirms',
  async (_name, bits, own) => {
    const everybody = ['members.read', 'tickets.read', 'tickets.write', 'reports.read', 'reports.write'];
    const proposed = inTableOrder([...own, ...everybody]);
    verifies('capability.proposed.defaults', 'capability.proposed.confirm', 'capability.proposed.moderators');
    await web.db.pool.query('UPDATE guilds SET grants_confirmed_at = NULL WHERE id = $1', [guild.id]);
    await setPermissions(guild.moderatorRoleId, bits);
    expect(await roleOf(guild.moderatorRoleId)).toMatchObject({ capabilities: [], proposed });
    const moderator = await signedIn(web, guild.moderatorId);
    expect((await moderator.call('GET', `/api/guilds/${guild.id}/events`)).status).toBe(404);

    const confirmed = await grant(guild.moderatorRoleId, proposed);
    expect(confirmed.body.confirmed_at).not.toBeNull();
    expect(await roleOf(guild.moderatorRoleId)).toMatchObject({ capabilities: proposed });
  },
);

it('a grant and its withdrawal are met by the next call of the role’s member', async () => {
  verifies('dashboard.role-grants', 'capability.alias');
  const token = await seedToken(web.db, guild, { issuerId: guild.moderatorId });
  const effective = async () =>
    (await callWithToken(web.runtime, token.secret, 'GET', '/me')).body.effective_capabilities;
  const other = await seedGuild(web.db);
  await grantRole(web.db, other, other.id, ['tickets.read']);
  expect(await effective()).toEqual([]);
  await grant(guild.moderatorRoleId, ['enforcement_strike_add', 'bans.read']);
  expect(await effective()).toEqual(['strikes.write', 'bans.read']);
  await grant(guild.memberRoleId, ['audit.read']);
  expect(await effective()).toEqual(['strikes.write', 'bans.read']);
  await grant(guild.moderatorRoleId, []);
  expect(await effective()).toEqual([]);
});

it('each change leaves an audit row that says what was granted', async () => {
  await grant(guild.moderatorRoleId, ['bans.read']);
  const { rows } = await web.db.pool.query(
    "SELECT actor_source, actor_user_id, details FROM audit WHERE guild_id = $1 AND operation = 'grants.update'",
    [guild.id],
  );
  expect(rows).toEqual([
    {
      actor_source: 'dashboard',
      actor_user_id: guild.ownerId,
      details: { grants: [{ role_id: guild.moderatorRoleId, capabilities: ['bans.read'] }] },
    },
  ]);
});

it('a role of another guild changes nothing at all', async () => {
  const { moderatorRoleId } = await seedGuild(web.db);
  const { status } = await owner.call('PUT', path(), {
    grants: [
      { role_id: guild.moderatorRoleId, capabilities: ['bans.write'] },
      { role_id: moderatorRoleId, capabilities: ['bans.write'] },
    ],
  });
  expect(status).toBe(422);
  expect((await roleOf(guild.moderatorRoleId)).capabilities).toEqual([]);
});

it('only the owner sees and changes grants, and only from our own pages', async () => {
  const body = { grants: [] };
  await grant(guild.moderatorRoleId, ['bans.read']);
  const moderator = await signedIn(web, guild.moderatorId);
  expect((await moderator.call('GET', path())).body.error.details.reason).toBe('OWNER_ONLY');
  expect((await moderator.call('PUT', path(), body)).status).toBe(403);
  expect((await (await signedIn(web, guild.strangerId)).call('PUT', path(), body)).status).toBe(404);
  expect((await call(web.runtime, 'PUT', path(), body, { Origin: ORIGIN })).status).toBe(401);
  expect((await owner.call('PUT', path(), body, { Origin: 'https://evil.example' })).status).toBe(403);
});

const addRole = (id: string, position: number, more: { permissions?: bigint; managed?: boolean } = {}) =>
  web.db.pool.query(
    `INSERT INTO roles (guild_id, id, name, position, permissions, managed) VALUES ($1, $2::text, $2::text, $3, $4, $5)`,
    [guild.id, id, position, String(more.permissions ?? 0n), more.managed ?? false],
  );

it('grants of 500 roles are confirmed at once, and of a role that is named twice the last list counts', async () => {
  verifies('dashboard.grants.many-roles');
  const ids = Array.from({ length: 500 }, () => snowflake());
  await web.db.pool.query(
    `INSERT INTO roles (guild_id, id, name, position, permissions) SELECT $1, id, id, 1, 0 FROM unnest($2::text[]) AS id`,
    [guild.id, ids],
  );
  const grants = ids.map((role_id) => ({ role_id, capabilities: ['bans.read'] }));
  expect((await owner.call('PUT', path(), { grants })).status).toBe(200);
  const [first = ''] = ids;
  const twice = [['audit.read'], [], ['mutes.read']].map((capabilities) => ({
    role_id: first,
    capabilities,
  }));
  expect((await owner.call('PUT', path(), { grants: twice })).status).toBe(200);
  const granted = (await listGrants(web.db, guild.id)).filter(({ capabilities }) => capabilities.length > 0);
  expect(granted).toHaveLength(500);
  expect(await roleOf(first)).toMatchObject({ capabilities: ['mutes.read'] });
});

it('each role says how it moderates in Discord, and whether the bot could act on those who have it', async () => {
  verifies('dashboard.grants.role-facts');
  const administrator = 1n << 3n;
  const [higher, beside, app] = [snowflake(), snowflake(), snowflake()];
  await addRole(higher, 4, { permissions: administrator | BAN_MEMBERS });
  await addRole(beside, 3, { permissions: BAN_MEMBERS | MANAGE_MESSAGES | 1n });
  await addRole(app, 1, { managed: true });
  const roles = new Map((await listGrants(web.db, guild.id)).map((role) => [role.roleId, role]));
  expect(roles.get(higher)).toMatchObject({
    permissions: ['Administrator'],
    isAboveBot: true,
    managed: false,
  });
  // At the bot's own position, and younger: Discord puts it below.
  expect(roles.get(beside)).toMatchObject({
    permissions: ['BanMembers', 'ManageMessages'],
    isAboveBot: false,
  });
  expect(roles.get(app)).toMatchObject({ permissions: [], managed: true });
  expect(roles.get(guild.moderatorRoleId)).toMatchObject({ isAboveBot: false });
});
