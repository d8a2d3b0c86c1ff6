import { randomBytes } from 'node:crypto';
import { NO_TEMPLATES, TEMPLATE_PRESETS } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { keyringOf, openPassword, sealingPair } from '@bailiff/engine/servers/sealing';
import { publishSealingKey } from '@bailiff/engine/servers/sealing-keys';
import { grantRole, type SeededGuild, seedGuild } from '@bailiff/engine/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { guildForEachTest } from './each-test.ts';
import {
  call,
  exhaust,
  ORIGIN,
  type Person,
  passTime,
  signedIn,
  startAnotherRuntime,
  type TestWeb,
  windowSeconds,
} from './support.ts';

const SECRETS_KEY = randomBytes(32);
const PASSWORD = 'correct horse battery';
const FIELDS = { name: 'Survival', host: 'play.example.com', port: 25_575, password: PASSWORD };
const ABSENT = `srv_${'0'.repeat(32)}`;

let web: TestWeb;
let guild: SeededGuild;
let owner: Person;

guildForEachTest((given) => {
  ({ web, guild, owner } = given);
});
beforeEach(async () => {
  await publishSealingKey(web.db, keyringOf(SECRETS_KEY));
  await web.db.pool.query('DELETE FROM graphile_worker._private_jobs');
});

const path = (rest = '') => `/api/guilds/${guild.id}/servers${rest}`;
const add = (fields: object = {}, person = owner) => person.call('POST', path(), { ...FIELDS, ...fields });
const list = async () => (await owner.call('GET', path())).body.data;
const stored = async (id: string) =>
  (await web.db.pool.query('SELECT * FROM game_servers WHERE id = $1', [id])).rows[0];
const passwordOf = async (id: string) => {
  const { host, port, password_sealed } = await stored(id);
  return openPassword([sealingPair(SECRETS_KEY)], { serverId: id, host, port }, password_sealed);
};
const auditOf = async (operation: string) =>
  (
    await web.db.pool.query('SELECT * FROM audit WHERE guild_id = $1 AND operation = $2 ORDER BY id', [
      guild.id,
      operation,
    ])
  ).rows;
const checksAsked = async () =>
  (await web.db.pool.query("SELECT payload->>'server_id' AS id FROM graphile_worker._private_jobs")).rows.map(
    ({ id }) => id,
  );

describe('adding a game server', () => {
  it('keeps the password so that only the bot can read it, and shows it to nobody', async () => {
    const { status, body } = await add({ deny_patterns: [' stop '], allow_patterns: [] });
    expect(status).toBe(201);
    expect(body.server).toMatchObject({
      guild_id: guild.id,
      name: 'Survival',
      host: 'play.example.com',
      port: 25_575,
      deny_patterns: ['stop'],
      allow_patterns: [],
      reachable: null,
      checked_at: null,
    });
    expect(await passwordOf(body.server.id)).toBe(PASSWORD);
    const rows = await web.db.pool.query('SELECT s::text AS row FROM game_servers s');
    for (const text of [JSON.stringify(body), JSON.stringify(await list()), rows.rows[0].row]) {
      expect(text).not.toContain(PASSWORD);
      expect(text).not.toContain(Buffer.from(PASSWORD).toString('hex'));
    }
    expect(Object.keys(body.server).some((field) => /password|sealed/.test(field))).toBe(false);
  });

  it('leaves an audit row without the password, and has the bot try it', async () => {
    const { body } = await add();
    const rows = await auditOf('servers.create');
    expect(rows).toMatchObject([
      {
        actor_source: 'dashboard',
        actor_user_id: guild.ownerId,
        target_id: body.server.id,
        address: '203.0.113.9',
      },
    ]);
    expect(JSON.stringify(rows)).not.toContain(PASSWORD);
    expect(await checksAsked()).toEqual([body.server.id]);
  });

  it.each([
    ['no name', { name: '' }, 'name'],
    ['a host with a scheme', { host: 'https://play.example.com' }, 'host'],
    ['a host with a port', { host: 'play.example.com:25575' }, 'host'],
    ['a host with a path', { host: 'play.example.com/x' }, 'host'],
    ['a number as host', { host: '2130706433' }, 'host'],
    ['a short address', { host: '127.1' }, 'host'],
    ['an address with a zone', { host: 'fe80::1%eth0' }, 'host'],
    ['an underscore in the host', { host: 'a_b.example' }, 'host'],
    ['port 0', { port: 0 }, 'port'],
    ['port 65536', { port: 65_536 }, 'port'],
    ['a port in words', { port: '25575' }, 'port'],
    ['an empty password', { password: '' }, 'password'],
    ['no password', { password: undefined }, 'password'],
    ['a NUL in the password', { password: 'a\u0000' }, 'password'],
    ['an empty pattern', { deny_patterns: ['stop', '  '] }, 'deny_patterns.1'],
    ['a pattern twice', { allow_patterns: ['say *', '/SAY  *'] }, 'allow_patterns.1'],
    ['a field of another', { reachable: true }, 'reachable'],
  ])('is refused with %s, and says where', async (_what, fields, wrong) => {
    const { status, body } = await add(fields);
    expect([status, body.error.code]).toEqual([422, 'VALIDATION_FAILED']);
    expect(body.error.details.issues.map((issue: { path: string }) => issue.path)).toEqual([wrong]);
    expect(await list()).toEqual([]);
  });

  it('is refused with too many patterns for the first of these alone, however many there are', async () => {
    const { body } = await add({ deny_patterns: Array.from({ length: 9_000 }, (_, n) => `${n}`) });
    const message = 'line 101 is one too many: a list has at most 100 patterns';
    expect(body.error.details.issues).toEqual([{ path: 'deny_patterns.100', message }]);
  });

  it.each(['192.168.1.20', '2001:db8::1', 'localhost', 'GAME.Example'])('takes the host %s', async (host) => {
    expect((await add({ host })).body.server.host).toBe(host.toLowerCase());
  });

  it('ends at 25 servers of a guild, also when two are added at once', async () => {
    for (let count = 1; count < 25; count += 1) await add({ name: `Server ${count}` });
    const answers = await Promise.all([add({ name: 'one' }), add({ name: 'two' })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 403]);
    expect((await add()).body.error.details).toEqual({ reason: 'SERVER_LIMIT' });
    expect(await list()).toHaveLength(25);
  });

  it('waits for a bot that can open what is sealed', async () => {
    await web.db.pool.query('DELETE FROM sealing_keys');
    expect(await add()).toMatchObject({ status: 503, body: { error: { details: { upstream: 'bot' } } } });
  });
});

describe('changing a game server', () => {
  let id: string;
  const change = (fields: object) => owner.call('PATCH', path(`/${id}`), fields);
  beforeEach(async () => {
    id = (await add()).body.server.id;
  });

  it('without a password keeps the one it has', async () => {
    const { status, body } = await change({ name: 'Creative', allow_patterns: ['list', 'say *'] });
    expect([status, body.server.name, body.server.allow_patterns]).toEqual([
      200,
      'Creative',
      ['list', 'say *'],
    ]);
    expect(await passwordOf(id)).toBe(PASSWORD);
    const [row] = await auditOf('servers.update');
    expect(row.details).toEqual({ name: 'Creative', allow_patterns: ['list', 'say *'], deny_patterns: [] });
  });

  it('to another address needs the password again, which the new address would be sent', async () => {
    for (const moved of [{ host: 'thief.example' }, { port: 1 }]) {
      const { status, body } = await change(moved);
      expect([status, body.error.details.issues[0].path]).toEqual([422, 'password']);
    }
    expect(await list()).toMatchObject([{ host: 'play.example.com', port: 25_575 }]);
    expect(await auditOf('servers.update')).toEqual([]);

    const { body } = await change({ host: 'new.example', password: 'another' });
    expect(body.server.host).toBe('new.example');
    expect(await passwordOf(id)).toBe('another');
    const [row] = await auditOf('servers.update');
    expect(row.details).toEqual({ name: 'Survival', host: 'new.example', password: 'changed' });
  });

  it('to the address it has needs no password', async () => {
    expect((await change({ host: 'play.example.com', port: 25_575 })).status).toBe(200);
    expect(await passwordOf(id)).toBe(PASSWORD);
  });

  it('to another password has the bot try it at once, and another name does not', async () => {
    await web.db.pool.query('DELETE FROM graphile_worker._private_jobs');
    expect((await change({ name: 'Creative' })).status).toBe(200);
    expect(await checksAsked()).toEqual([]);
    expect((await change({ password: 'another' })).status).toBe(200);
    expect(await checksAsked()).toEqual([id]);
  });

  it('with nothing in it is refused', async () => {
    expect((await change({})).status).toBe(422);
  });
});

describe('the commands of a game', () => {
  const TEMPLATES = TEMPLATE_PRESETS.minecraft;
  const wrongIn = async (fields: object, id: string) => {
    const { status, body } = await owner.call('PATCH', path(`/${id}`), fields);
    expect([status, body.error?.code]).toEqual([422, 'VALIDATION_FAILED']);
    return body.error.details.issues;
  };

  it('are none at first, and are kept with an audit row that has them', async () => {
    verifies('servers.templates');
    const { id, game, templates } = (await add()).body.server;
    expect([game, templates]).toEqual(['other', NO_TEMPLATES]);
    const fields = { game: 'minecraft', templates: { ...TEMPLATES, ban: ' ban {player} ' } };
    const { status, body } = await owner.call('PATCH', path(`/${id}`), fields);
    const kept = { game: 'minecraft', templates: { ...TEMPLATES, ban: 'ban {player}' } };
    expect([status, body.server]).toMatchObject([200, kept]);
    expect(await list()).toMatchObject([kept]);
    const [row] = await auditOf('servers.update');
    expect(row).toMatchObject({ actor_user_id: guild.ownerId, details: { name: 'Survival', ...kept } });
  });

  it('come with a new server too', async () => {
    verifies('servers.templates');
    const { body } = await add({ game: 'minecraft', templates: TEMPLATES });
    expect(body.server).toMatchObject({ game: 'minecraft', templates: TEMPLATES });
    expect((await auditOf('servers.create'))[0].details).toMatchObject({ templates: TEMPLATES });
    const denied = await add({ game: 'minecraft', templates: TEMPLATES, deny_patterns: ['pardon *'] });
    expect([denied.status, denied.body.error.details.issues[0].path]).toEqual([422, 'templates.unban']);
    expect(await list()).toHaveLength(1);
  });

  it('are refused when one is not one command, and nothing of the change stays', async () => {
    verifies('servers.templates.checked');
    const { id } = (await add()).body.server;
    const templates = { ...TEMPLATES, kick: 'kick {player}; op alex', announce: 'say hello' };
    const issues = await wrongIn({ name: 'Renamed', game: 'minecraft', templates }, id);
    expect(issues.map((issue: { path: string }) => issue.path)).toEqual([
      'templates.kick',
      'templates.announce',
    ]);
    expect(await list()).toMatchObject([{ name: 'Survival', game: 'other', templates: NO_TEMPLATES }]);
    expect(await auditOf('servers.update')).toEqual([]);
  });

  it('are refused when the policy denies one, also when only the policy changes', async () => {
    verifies('servers.templates.checked');
    const { id } = (await add({ allow_patterns: ['kick *', 'say *', 'pardon *'] })).body.server;
    const wanted = { game: 'minecraft', templates: TEMPLATES };
    expect(await wrongIn(wanted, id)).toEqual([
      {
        path: 'templates.ban',
        message: expect.stringMatching(
          /^“ban BlockBreaker Griefing at spawn” .*the command policy denies it/,
        ),
      },
    ]);
    expect((await owner.call('PATCH', path(`/${id}`), { ...wanted, allow_patterns: [] })).status).toBe(200);
    expect(await wrongIn({ deny_patterns: ['ban *'] }, id)).toMatchObject([{ path: 'templates.ban' }]);
    expect(await list()).toMatchObject([{ deny_patterns: [], templates: TEMPLATES }]);
  });

  it.each([
    ['a game that nobody knows', { game: 'chess' }, 'game'],
    ['only some of the commands', { templates: { kick: 'kick {player}' } }, 'templates.ban'],
    ['a command of another kind', { templates: { ...TEMPLATES, stop: 'stop' } }, 'templates.stop'],
    ['what is no text', { templates: { ...TEMPLATES, kick: null } }, 'templates.kick'],
  ])('are refused with %s', async (_what, fields, wrong) => {
    verifies('servers.templates.checked');
    const { id } = (await add()).body.server;
    const [issue] = await wrongIn(fields, id);
    expect(issue.path).toBe(wrong);
  });

  it('are changed by nobody but the owner', async () => {
    verifies('servers.templates');
    const { id } = (await add()).body.server;
    const stranger = await signedIn(web, (await seedGuild(web.db)).ownerId);
    const answer = await stranger.call('PATCH', path(`/${id}`), { game: 'rust' });
    expect(answer.status).toBe(404);
    expect(await list()).toMatchObject([{ game: 'other' }]);
  });
});

describe('removing and testing a game server', () => {
  it('removes it with its password, and leaves an audit row', async () => {
    const { body } = await add();
    const removed = await owner.call('DELETE', path(`/${body.server.id}`));
    expect([removed.status, removed.body.server.id]).toEqual([200, body.server.id]);
    expect(await stored(body.server.id)).toBeUndefined();
    expect(await auditOf('servers.delete')).toMatchObject([{ target_id: body.server.id }]);
    expect((await owner.call('DELETE', path(`/${body.server.id}`))).status).toBe(404);
  });

  it('asks the bot once, however often it is pressed', async () => {
    const { id } = (await add()).body.server;
    for (let press = 0; press < 3; press += 1) {
      expect((await owner.call('POST', path(`/${id}/check`))).status).toBe(202);
    }
    expect(await checksAsked()).toEqual([id]);
  });
});

describe('trying a connection is limited, or Bailiff would find out who listens where', () => {
  const check = (id: string, person = owner) => person.call('POST', path(`/${id}/check`));

  it('to thirty in ten minutes for a guild, whichever way they are asked for', async () => {
    verifies('servers.tests-limited');
    const { id } = (await add()).body.server;
    for (let n = 2; n <= 30; n += 1) expect((await check(id)).status).toBe(202);
    const elsewhere = { host: 'another.example', password: PASSWORD };
    for (const refused of [
      await check(id),
      await add({ name: 'Second' }),
      await owner.call('PATCH', path(`/${id}`), elsewhere),
    ]) {
      expect(refused.status).toBe(429);
      expect(refused.body.error.message).toMatch(/^Too many connection tests .* Try again in \d+ s\.$/);
    }
    expect(await list()).toMatchObject([{ host: FIELDS.host }]);
    // What connects nowhere goes on.
    expect((await owner.call('PATCH', path(`/${id}`), { name: 'Renamed' })).status).toBe(200);
    await passTime(web.db, 601);
    const later = await startAnotherRuntime(web);
    const headers = { Cookie: owner.cookie, Origin: ORIGIN };
    expect((await call(later, 'POST', path(`/${id}/check`), undefined, headers)).status).toBe(202);
    await later.close();
  });

  it('and for an owner over all guilds', async () => {
    verifies('servers.tests-limited');
    const key = `server-test:owner:${guild.ownerId}`;
    await exhaust(web.db, key, 59);
    expect((await add()).status).toBe(201);
    expect(await windowSeconds(web, key)).toBe(600);
    expect((await add({ name: 'Second' })).status).toBe(429);
  });

  it('by nobody but the owner, who loses no test to strangers', async () => {
    verifies('servers.tests-limited');
    const { id } = (await add()).body.server;
    const stranger = await signedIn(web, (await seedGuild(web.db)).ownerId);
    for (let n = 0; n < 40; n += 1) expect((await check(id, stranger)).status).toBe(404);
    expect((await check(id)).status).toBe(202);
  });
});

it('a command can be tried against a policy before it is saved', async () => {
  const judge = async (command: string, deny_patterns = ['op *']) =>
    owner.call('POST', path('/judge-command'), { command, allow_patterns: ['say *', 'op *'], deny_patterns });
  expect((await judge('say hi')).body).toEqual({ allowed: true, pattern: 'say *' });
  expect((await judge('/OP alex')).body).toEqual({ allowed: false, pattern: 'op *' });
  expect((await judge('stop')).body).toEqual({ allowed: false, pattern: null });
  const wrong = await judge('stop', ['op *', '']);
  expect(wrong.body.error.details.issues).toMatchObject([{ path: 'deny_patterns.1' }]);
});

it('only the owner sees and changes them; to others the guild does not exist', async () => {
  const { id } = (await add()).body.server;
  await grantRole(web.db, guild, guild.moderatorRoleId, ['servers.read', 'servers.rcon']);
  const requests = [
    ['GET', path()],
    ['POST', path(), FIELDS],
    ['PATCH', path(`/${id}`), { name: 'mine' }],
    ['DELETE', path(`/${id}`)],
    ['POST', path(`/${id}/check`)],
  ] as const;
  const moderator = await signedIn(web, guild.moderatorId);
  const stranger = await signedIn(web, (await seedGuild(web.db)).ownerId);
  for (const [method, to, body] of requests) {
    expect(await moderator.call(method, to, body)).toMatchObject({
      status: 403,
      body: { error: { details: { reason: 'OWNER_ONLY' } } },
    });
    expect((await stranger.call(method, to, body)).status).toBe(404);
    expect((await call(web.runtime, method, to, body)).status).toBe(401);
  }
  expect(await list()).toMatchObject([{ id, name: 'Survival' }]);
});

it('nothing is changed from another site’s page', async () => {
  const { id } = (await add()).body.server;
  for (const [method, to] of [
    ['POST', path()],
    ['PATCH', path(`/${id}`)],
    ['DELETE', path(`/${id}`)],
  ] as const) {
    const foreign = await owner.call(method, to, FIELDS, { Origin: 'https://evil.example' });
    expect(foreign).toMatchObject({
      status: 403,
      body: { error: { details: { reason: 'FOREIGN_ORIGIN' } } },
    });
  }
  expect(await list()).toHaveLength(1);
});

it('the server of another guild is as absent as one that never was', async () => {
  const { id } = (await add()).body.server;
  const other = await seedGuild(web.db);
  const otherOwner = await signedIn(web, other.ownerId);
  for (const [method, rest, body] of [
    ['PATCH', '', { name: 'x' }],
    ['DELETE', ''],
    ['POST', '/check'],
  ] as const) {
    const answers = await Promise.all(
      [id, ABSENT].map((server) =>
        otherOwner.call(method, `/api/guilds/${other.id}/servers/${server}${rest}`, body),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    expect(answers[0]?.body.error.message.replace(id, ABSENT)).toBe(answers[1]?.body.error.message);
  }
  expect(await list()).toMatchObject([{ name: 'Survival' }]);
});

it('an owner whose bot is away can remove a server and change none', async () => {
  const { id } = (await add()).body.server;
  await web.db.pool.query("UPDATE gateway_shards SET heartbeat_at = now() - interval '5 minutes'");
  expect((await add()).status).toBe(503);
  expect((await owner.call('PATCH', path(`/${id}`), { name: 'x' })).status).toBe(503);
  expect((await owner.call('DELETE', path(`/${id}`))).status).toBe(200);
});
