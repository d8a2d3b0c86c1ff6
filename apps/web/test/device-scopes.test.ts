// What a client asks for, and what the owner makes of it.
import { CAPABILITIES, DEVICE_GRANT_TYPE } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { type SeededGuild, seedGuild } from '@bailiff/engine/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  askAsClient,
  callWithToken,
  type Person,
  signedIn,
  startTestWeb,
  type TestWeb,
  testConfig,
} from './support.ts';

const CODE = '/api/oauth/device/code';
const CLIENT = 'bailiff-cli';

let web: TestWeb;
let guild: SeededGuild;
let owner: Person;
let address: string;
let nextAddress = 1;

beforeAll(async () => {
  web = await startTestWeb({ OAUTH_CLIENTS: 'acme-bot:Acme Bot, acme-backup:Acme Backup' });
});
afterAll(() => web.close());
beforeEach(async () => {
  guild = await seedGuild(web.db);
  owner = await signedIn(web, guild.ownerId);
  address = `198.51.100.${nextAddress++}`;
});

const ask = (fields: Record<string, string>) =>
  askAsClient(web, address, CODE, { client_id: CLIENT, ...fields });
const poll = async (device_code: string, client_id = CLIENT) =>
  (
    await askAsClient(web, address, '/api/oauth/device/token', {
      grant_type: DEVICE_GRANT_TYPE,
      device_code,
      client_id,
    })
  ).body;
const lookUp = async (user_code: string) =>
  (await owner.call('POST', '/api/device/lookup', { user_code })).body;
const confirm = (user_code: string, choices: object = {}) =>
  owner.call('POST', '/api/device/confirm', { user_code, guild_id: guild.id, ...choices });

/** The token answer for a request that the owner consents to. */
async function granted(fields: Record<string, string>, choices: object = {}) {
  const { device_code, user_code } = (await ask(fields)).body;
  expect((await confirm(user_code, choices)).status).toBe(200);
  return poll(device_code, fields.client_id);
}

describe('a scope', () => {
  it('is shown to the owner, and its token holds nothing beyond it', async () => {
    verifies('device.scope.narrows');
    const scope = 'bans.write strikes.read bans.write';
    const { device_code, user_code } = (await ask({ scope })).body;
    expect((await lookUp(user_code)).scope).toEqual(['strikes.read', 'bans.write']);
    await confirm(user_code);
    const answer = await poll(device_code);
    expect(answer.scope).toBe('strikes.read bans.write');
    const me = await callWithToken(web.runtime, answer.access_token, 'GET', '/me');
    expect(me.body.effective_capabilities).toEqual(['strikes.read', 'bans.write']);
    const bans = await callWithToken(web.runtime, answer.access_token, 'GET', `/guilds/${guild.id}/bans`);
    expect(bans.body.error).toMatchObject({ code: 'CAPABILITY_DENIED', details: { missing: ['bans.read'] } });
  });

  it.each([{}, { scope: '' }])('that is absent is all that the owner holds: %j', async (fields) => {
    verifies('device.scope.narrows');
    const { user_code } = (await ask(fields)).body;
    expect((await lookUp(user_code)).scope).toBeNull();
    expect((await granted(fields)).scope).toBe(CAPABILITIES.join(' '));
  });

  it.each([
    ['an unknown word', 'bans.read everything', 'everything'],
    ['10 KB', 'bans.read '.repeat(1024).trim(), '1000 characters'],
    ['quotes', '"bans.read"', 'words'],
    ['nothing but a space', ' ', 'words'],
  ])('with %s is invalid_scope, and no code is issued', async (_what, scope, why) => {
    verifies('device.scope.invalid', 'device.error.shape');
    const { status, body } = await ask({ scope });
    expect([status, body]).toEqual([
      400,
      { error: 'invalid_scope', error_description: expect.stringContaining(why) },
    ]);
    const { rows } = await web.db.pool.query('SELECT FROM device_authorizations WHERE address = $1', [
      address,
    ]);
    expect(rows).toEqual([]);
  });
});

describe('the owner', () => {
  it('gives less, names the token and chooses its lifetime and addresses', async () => {
    verifies('device.consent.choices', 'device.scope.narrows');
    const choices = {
      capabilities: ['bans.read'],
      name: 'nightly cleanup',
      expires_in: '7d',
      ip_allowlist: ['192.0.2.0/24'],
    };
    const answer = await granted({ scope: 'bans.read bans.write' }, choices);
    expect(answer).toMatchObject({ scope: 'bans.read', expires_in: 7 * 86_400 });
    const { rows } = await web.db.pool.query('SELECT * FROM tokens WHERE id = $1', [answer.token_id]);
    const { expires_in: _, ...stored } = choices;
    expect(rows).toMatchObject([{ ...stored, lifetime_days: 7, kind: 'rest', client_id: CLIENT }]);
    const me = await callWithToken(web.runtime, answer.access_token, 'GET', '/me');
    expect(me.body.error.code).toBe('TOKEN_IP_NOT_ALLOWED');
    const audited = await web.db.pool.query(
      "SELECT details FROM audit WHERE guild_id = $1 AND operation = 'device.authorize'",
      [guild.id],
    );
    expect(audited.rows).toMatchObject([{ details: { client_id: CLIENT, capabilities: ['bans.read'] } }]);
  });

  it('without a choice has a token that is named after the client, without its address, and lives 90 days', async () => {
    verifies('device.consent.choices', 'privacy.addresses');
    const { user_code } = (await ask({})).body;
    expect((await lookUp(user_code)).token_name).toBe('Bailiff CLI');
    const { token_id, expires_in } = await granted({});
    expect(expires_in).toBe(90 * 86_400);
    const { rows } = await web.db.pool.query('SELECT name FROM tokens WHERE id = $1', [token_id]);
    expect(rows).toEqual([{ name: 'Bailiff CLI' }]);
  });

  it('has a token without an end, whose answer has no expires_in', async () => {
    verifies('device.consent.choices');
    expect(await granted({}, { expires_in: 'never' })).not.toHaveProperty('expires_in');
  });

  it.each([
    [
      'more than was asked for',
      { capabilities: ['bans.read', 'servers.rcon'] },
      'capabilities',
      'servers.rcon',
    ],
    ['nothing', { capabilities: [] }, 'capabilities', 'at least one'],
    ['a capability that there is not', { capabilities: ['everything'] }, 'capabilities.0', 'one of'],
    ['another lifetime', { expires_in: '1000d' }, 'expires_in', 'one of'],
    ['no address', { ip_allowlist: ['example.com'] }, 'ip_allowlist.0', 'address'],
    ['an empty name', { name: ' ' }, 'name', 'at least 1'],
  ])('cannot give %s; the client goes on waiting', async (_what, choices, path, why) => {
    verifies('device.consent.choices');
    const { device_code, user_code } = (await ask({ scope: 'bans.read' })).body;
    const { status, body } = await confirm(user_code, choices);
    expect(status).toBe(422);
    expect(body.error.details.issues).toMatchObject([{ path, message: expect.stringContaining(why) }]);
    expect((await poll(device_code)).error).toBe('authorization_pending');
  });
});

describe('a client', () => {
  it.each([
    ['acme-bot', 'Acme Bot'],
    ['acme-backup', 'Acme Backup'],
    ['bailiff-cli', 'Bailiff CLI'],
    ['bailiff-mcp', 'Bailiff MCP'],
  ])('%s is known, and the list of tokens says which one it was', async (client_id, name) => {
    verifies('device.clients', 'device.tokens.told-apart');
    const { user_code } = (await ask({ client_id })).body;
    expect(await lookUp(user_code)).toMatchObject({ client_id, client: name });
    const { token_id } = await granted({ client_id });
    const { data } = (await owner.call('GET', `/api/api-tokens?guild_id=${guild.id}`)).body;
    expect(data).toMatchObject([
      { id: token_id, client_id, kind: client_id === 'bailiff-mcp' ? 'mcp' : 'rest' },
    ]);
  });

  it.each(['acme', 'constructor', 'ACME-BOT', ' '])(
    '%j, which nobody has registered, is invalid_client',
    async (id) => {
      verifies('device.clients');
      const { status, body } = await ask({ client_id: id });
      expect([status, body.error]).toEqual([400, 'invalid_client']);
    },
  );

  it('that is registered wrongly stops the start with one sentence', () => {
    verifies('device.clients');
    const env = { DATABASE_URL: 'postgresql://bailiff@127.0.0.1/bailiff', OAUTH_CLIENTS: 'acme:Acme,Acme' };
    expect(() => testConfig(env)).toThrow(/^ {2}OAUTH_CLIENTS must list clients as id:Name.*"Acme".*\.$/m);
  });

  it('names itself, and the owner sees what nobody would see', async () => {
    verifies('device.client-name');
    const { user_code } = (await ask({ client_name: ' Büro\u202e-PC 🖥️ ' })).body;
    expect(await lookUp(user_code)).toMatchObject({
      client: 'Bailiff CLI',
      claimed_name: 'Büro\\u202e-PC 🖥️',
      token_name: 'Büro-PC 🖥️',
    });
    const unseen = (await ask({ client_name: '\u200b' })).body.user_code;
    expect(await lookUp(unseen)).toMatchObject({
      claimed_name: '\\u200b',
      token_name: 'Bailiff CLI',
    });
  });

  it.each([
    ['a control character', 'Acme\u001b[31m', 'control characters'],
    ['a line feed at its end', 'Acme\n', 'control characters'],
    ['65 characters', 'x'.repeat(65), 'at most 64 characters'],
    ['nothing but spaces', '  ', 'at least 1 character'],
  ])('whose name has %s is invalid_request', async (_what, client_name, why) => {
    verifies('device.client-name', 'device.error.shape');
    const { status, body } = await ask({ client_name });
    expect([status, body]).toEqual([
      400,
      { error: 'invalid_request', error_description: expect.stringContaining(why) },
    ]);
    expect((await ask({ client_name: 'x'.repeat(64) })).status).toBe(200);
  });
});
