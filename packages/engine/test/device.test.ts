import { CAPABILITIES } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findSession } from '#src/desk/sessions.ts';
import { type SeededGuild, seedGuild, seedSession, seedToken } from '#src/testing.ts';
import { type AskingClient, type DevicePoll, pollDevice, startDevice } from '#src/tokens/device.ts';
import {
  type Consent,
  confirmDevice,
  type DeviceEntry,
  denyDevice,
  findDevice,
} from '#src/tokens/device-consent.ts';
import { mintToken } from '#src/tokens/mint.ts';
import { dropLapsed } from '#src/worker/housekeeping.ts';

let test: TestDatabase;
let guild: SeededGuild;
let owner: DeviceEntry;

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  guild = await seedGuild(test.database);
  owner = await signIn(guild.ownerId);
});

const query = async (sql: string, values: unknown[] = []) =>
  (await test.database.pool.query(sql, values)).rows;

let nextSession = 0;

async function signIn(userId: string): Promise<DeviceEntry> {
  const { database } = test;
  nextSession += 1;
  await seedSession(database, userId, `session ${nextSession}`);
  const session = await findSession(database, `session ${nextSession}`);
  return { userId, requestId: 'req_consent', address: '192.0.2.1', sessionKey: session?.key ?? '' };
}

const ASKING: AskingClient = {
  clientId: 'bailiff-mcp',
  clientName: null,
  scope: null,
  address: '198.51.100.7',
  tokenName: 'Bailiff MCP',
};
const start = (asking: Partial<AskingClient> = {}) => startDevice(test.database, { ...ASKING, ...asking });
const consentTo = (guildId: string, more: Partial<Consent> = {}): Consent => ({
  guildId,
  expiresIn: '90d',
  ipAllowlist: [],
  ...more,
});
const poll = (deviceCode: string, clientId = 'bailiff-mcp') =>
  pollDevice(test.database, { deviceCode, clientId, requestId: 'req_poll', address: '198.51.100.7' });
const errorOf = (answer: DevicePoll) => (answer.issued === null ? answer.error : 'none');
const confirmed = async () => {
  const codes = await start();
  await confirmDevice(test.database, owner, codes.userCode, consentTo(guild.id));
  return codes;
};
const tokensOf = () => query('SELECT * FROM tokens WHERE guild_id = $1', [guild.id]);
const find = (entry: DeviceEntry, typed: string) =>
  findDevice(test.database, entry, typed).then(
    () => 'found',
    (error) => error.code,
  );

describe('a device code', () => {
  it('redeemed by fifty polls at once gives one token, with one audit row, and none afterwards', async () => {
    verifies('G12', 'H20', 'device.token.once');
    const { deviceCode } = await confirmed();
    const answers = await Promise.all(Array.from({ length: 50 }, () => poll(deviceCode)));
    expect(answers.filter(({ issued }) => issued !== null)).toHaveLength(1);
    expect(new Set(answers.map(errorOf))).toEqual(new Set(['none', 'invalid_grant']));
    expect(errorOf(await poll(deviceCode))).toBe('invalid_grant');
    const tokens = await tokensOf();
    expect(tokens).toHaveLength(1);
    expect(
      await query("SELECT * FROM audit WHERE operation = 'tokens.create' AND guild_id = $1", [guild.id]),
    ).toMatchObject([
      {
        actor_source: 'dashboard',
        actor_user_id: guild.ownerId,
        target_id: tokens[0].id,
        request_id: 'req_poll',
        address: '198.51.100.7',
      },
    ]);
  });

  it('is of a client whom the audit log names with the token, and names none where the owner made it', async () => {
    const { deviceCode } = await confirmed();
    await poll(deviceCode);
    const wanted = {
      guildId: guild.id,
      name: 'own',
      kind: 'rest',
      expiresIn: '7d',
      ipAllowlist: [],
    } as const;
    await mintToken(test.database, owner, wanted);
    const rows = await query(
      "SELECT details->'client_id' AS client FROM audit WHERE operation = 'tokens.create' AND guild_id = $1 ORDER BY id",
      [guild.id],
    );
    expect(rows).toEqual([{ client: 'bailiff-mcp' }, { client: null }]);
  });

  it('gives a token of kind mcp with all that the owner holds, and none before it is fetched', async () => {
    verifies('G12', 'H20', 'token.snapshot.mcp-full', 'device.confirm.guild');
    const { deviceCode } = await confirmed();
    expect(await tokensOf()).toEqual([]);
    const { issued } = await poll(deviceCode);
    expect(issued?.token).toMatchObject({
      kind: 'mcp',
      guildId: guild.id,
      issuerId: guild.ownerId,
      capabilities: [...CAPABILITIES],
      ipAllowlist: [],
      name: 'Bailiff MCP',
    });
  });

  it('is kept as a hash only, and so is the secret it gives', async () => {
    verifies('G12', 'H20');
    const { deviceCode } = await confirmed();
    const { issued } = await poll(deviceCode);
    for (const table of ['device_authorizations', 'tokens', 'audit']) {
      for (const { row } of await query(`SELECT t::text AS row FROM ${table} t`)) {
        expect(row).not.toContain(deviceCode);
        expect(row).not.toContain(issued?.secret.slice(7));
      }
    }
  });

  it('and its audit row are one: without the row there is no token, and the code still gives one later', async () => {
    verifies('G12', 'H20');
    const { deviceCode } = await confirmed();
    await query(
      `CREATE FUNCTION no_audit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'full'; END $$`,
    );
    await query('CREATE TRIGGER no_audit BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION no_audit()');
    try {
      await expect(poll(deviceCode)).rejects.toThrow('full');
    } finally {
      await query('DROP TRIGGER no_audit ON audit');
      await query('DROP FUNCTION no_audit');
    }
    expect(await tokensOf()).toEqual([]);
    expect((await poll(deviceCode)).issued).not.toBeNull();
  });

  it('that nobody fetched in its lifetime gives none any more', async () => {
    verifies('G12', 'H20', 'device.error.expired-token');
    const { deviceCode } = await confirmed();
    await query("UPDATE device_authorizations SET expires_at = now() - interval '1 second'");
    expect(errorOf(await poll(deviceCode))).toBe('expired_token');
    expect(await tokensOf()).toEqual([]);
  });

  it('counts polls that come at once one by one: each early one adds five seconds', async () => {
    verifies('G12', 'H20', 'device.error.slow-down');
    const { deviceCode } = await start();
    const answers = await Promise.all(Array.from({ length: 4 }, () => poll(deviceCode)));
    expect(answers.map(errorOf).sort()).toEqual([
      'authorization_pending',
      'slow_down',
      'slow_down',
      'slow_down',
    ]);
    const [row] = await query(
      "SELECT interval_seconds FROM device_authorizations WHERE state = 'pending' ORDER BY id DESC LIMIT 1",
    );
    expect(row.interval_seconds).toBe(20);
  });

  it('is forgotten a day after it expired', async () => {
    verifies('G12', 'H20');
    const { deviceCode } = await start();
    await query("UPDATE device_authorizations SET expires_at = now() - interval '25 hours'");
    await dropLapsed(test.database);
    expect(errorOf(await poll(deviceCode))).toBe('invalid_grant');
  });
});

describe('what changed between consent and redemption', () => {
  it.each([
    ['the guild has another owner', "UPDATE guilds SET owner_id = '1' WHERE id = $1"],
    ['the bot left the guild', 'UPDATE guilds SET left_at = now() WHERE id = $1'],
    ['the guild fell off the paid tier', "UPDATE guilds SET tier = 'free' WHERE id = $1"],
  ])('%s: access is denied permanently', async (_what, change) => {
    verifies('device.confirm.owner-only', 'device.error.access-denied');
    const { deviceCode } = await confirmed();
    await query(change, [guild.id]);
    const answer = await poll(deviceCode);
    expect(errorOf(answer)).toBe('access_denied');
    await query("UPDATE guilds SET owner_id = $2, left_at = NULL, tier = 'pro' WHERE id = $1", [
      guild.id,
      guild.ownerId,
    ]);
    expect(errorOf(await poll(deviceCode))).toBe('access_denied');
    expect(await tokensOf()).toEqual([]);
  });

  it('the guild has 25 tokens: access is denied and the client is told why', async () => {
    const { deviceCode } = await confirmed();
    for (let n = 0; n < 25; n += 1) await seedToken(test.database, guild);
    expect(await poll(deviceCode)).toMatchObject({
      issued: null,
      error: 'access_denied',
      why: expect.stringContaining('25 tokens'),
    });
    expect(await poll(deviceCode)).toMatchObject({ why: expect.stringContaining('25 tokens') });
    expect(await tokensOf()).toHaveLength(25);
  });

  it('the owner holds none of what was authorised: invalid_scope, and no token', async () => {
    verifies('device.scope.nothing-left', 'device.refusal.stays');
    const { deviceCode } = await confirmed();
    // As if an update had taken the capabilities away.
    await query("UPDATE device_authorizations SET capabilities = '{no_more.read}'");
    const answer = await poll(deviceCode);
    expect(answer).toMatchObject({ error: 'invalid_scope', why: expect.stringContaining('holds none') });
    expect(await poll(deviceCode)).toEqual(answer);
    expect(await tokensOf()).toEqual([]);
  });

  it('the bot went away: the client waits, and gets its token once the bot is back', async () => {
    const { deviceCode } = await confirmed();
    await query('UPDATE guilds SET mirrored_at = NULL WHERE id = $1', [guild.id]);
    expect(errorOf(await poll(deviceCode))).toBe('authorization_pending');
    expect(await tokensOf()).toEqual([]);
    await query('UPDATE guilds SET mirrored_at = now() WHERE id = $1', [guild.id]);
    expect((await poll(deviceCode)).issued).not.toBeNull();
  });
});

describe('consent', () => {
  it('is given by one: of two owners who confirm at once the other meets a wrong code', async () => {
    const other = await seedGuild(test.database);
    const { userCode, deviceCode } = await start();
    const rival = await signIn(other.ownerId);
    const outcomes = await Promise.allSettled([
      confirmDevice(test.database, owner, userCode, consentTo(guild.id)),
      confirmDevice(test.database, rival, userCode, consentTo(other.id)),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const { issued } = await poll(deviceCode);
    expect(issued?.token.guildId).toBe(outcomes[0]?.status === 'fulfilled' ? guild.id : other.id);
  });

  it('said twice is said once; the other word afterwards changes nothing', async () => {
    const { userCode, deviceCode } = await confirmed();
    await confirmDevice(test.database, owner, userCode, consentTo(guild.id));
    await expect(denyDevice(test.database, owner, userCode)).rejects.toMatchObject({ status: 409 });
    const rows = await query("SELECT * FROM audit WHERE operation = 'device.authorize' AND guild_id = $1", [
      guild.id,
    ]);
    expect(rows).toHaveLength(1);
    expect((await poll(deviceCode)).issued).not.toBeNull();
  });

  it('said again, once the client was refused because the guild has changed, is refused', async () => {
    const { userCode, deviceCode } = await confirmed();
    for (let n = 0; n < 25; n += 1) await seedToken(test.database, guild);
    expect(errorOf(await poll(deviceCode))).toBe('access_denied');
    const again = confirmDevice(test.database, owner, userCode, consentTo(guild.id));
    await expect(again).rejects.toMatchObject({ status: 409 });
  });

  it('that differs from the one before changes nothing', async () => {
    verifies('device.consent.choices');
    const { userCode, deviceCode } = await start();
    const narrow = consentTo(guild.id, { capabilities: ['bans.read'], name: 'narrow', expiresIn: '7d' });
    await confirmDevice(test.database, owner, userCode, narrow);
    await confirmDevice(test.database, owner, userCode, narrow);
    const others: Partial<Consent>[] = [
      { capabilities: ['bans.write'] },
      { expiresIn: 'never' },
      { ipAllowlist: ['::1'] },
    ];
    for (const wider of others) {
      const again = confirmDevice(test.database, owner, userCode, { ...narrow, ...wider });
      await expect(again).rejects.toMatchObject({ status: 409 });
    }
    const { issued } = await poll(deviceCode);
    expect(issued?.token).toMatchObject({ name: 'narrow', capabilities: ['bans.read'], ipAllowlist: [] });
  });

  it('to a scope of which the owner holds nothing is refused with the reason, and the client goes on waiting', async () => {
    verifies('device.scope.nothing-left', 'device.refusal.stays');
    const { userCode, deviceCode } = await start({ scope: ['bans.read'] });
    // As if an update had taken the capability away.
    await query("UPDATE device_authorizations SET scope = 'no_more.read' WHERE user_code = $1", [userCode]);
    await expect(confirmDevice(test.database, owner, userCode, consentTo(guild.id))).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('capabilities that you do not hold'),
    });
    expect(errorOf(await poll(deviceCode))).toBe('authorization_pending');
  });

  it('refused is final', async () => {
    const { userCode, deviceCode } = await start();
    await denyDevice(test.database, owner, userCode);
    await denyDevice(test.database, owner, userCode);
    await expect(confirmDevice(test.database, owner, userCode, consentTo(guild.id))).rejects.toMatchObject({
      status: 409,
    });
    expect(errorOf(await poll(deviceCode))).toBe('access_denied');
  });
});

describe('guessing user codes', () => {
  it('fifty guesses of a session at once are five, and then the right code is refused too', async () => {
    verifies('G12', 'H20', 'device.wrong-codes');
    const { userCode } = await start();
    const guesses = await Promise.all(Array.from({ length: 50 }, () => find(owner, 'BBBB-BBBB')));
    expect(guesses.filter((code) => code === 'NOT_FOUND')).toHaveLength(5);
    expect(guesses.filter((code) => code === 'RATE_LIMITED')).toHaveLength(45);
    expect(await find(owner, userCode)).toBe('RATE_LIMITED');
  });

  it('a person who signs in again and again has twenty in ten minutes', async () => {
    verifies('G12', 'H20');
    const { userCode } = await start();
    // Somebody else, who is known before.
    const other = await signIn(guild.moderatorId);
    for (let session = 0; session < 4; session += 1) {
      const entry = await signIn(guild.ownerId);
      for (let n = 0; n < 5; n += 1) expect(await find(entry, 'BBBB-BBBB')).toBe('NOT_FOUND');
    }
    expect(await find(await signIn(guild.ownerId), userCode)).toBe('RATE_LIMITED');
    expect(await find(other, userCode)).toBe('found');
    await query(
      "UPDATE users SET wrong_codes_at = ARRAY(SELECT at - interval '10 minutes' FROM unnest(wrong_codes_at) AS at)",
    );
    expect(await find(await signIn(guild.ownerId), userCode)).toBe('found');
  });

  it('a code somebody else decided, an expired one and one that can be none are wrong alike', async () => {
    verifies('G12', 'H20');
    const { userCode } = await confirmed();
    const stranger = await signIn(guild.strangerId);
    expect(await find(stranger, userCode)).toBe('NOT_FOUND');
    const late = await start();
    await query(
      "UPDATE device_authorizations SET expires_at = now() - interval '1 second' WHERE user_code = $1",
      [late.userCode],
    );
    expect(await find(stranger, late.userCode)).toBe('NOT_FOUND');
    expect(await find(stranger, 'a\u0000b')).toBe('NOT_FOUND');
    const [row] = await query('SELECT cardinality(wrong_codes_at) AS wrong FROM users WHERE id = $1', [
      guild.strangerId,
    ]);
    expect(row.wrong).toBe(3);
  });

  it("one's own code, decided before, is not counted as wrong", async () => {
    verifies('G12', 'H20');
    const { userCode } = await confirmed();
    for (let n = 0; n < 6; n += 1) expect(await find(owner, userCode)).toBe('VALIDATION_FAILED');
    expect(await find(owner, (await start()).userCode)).toBe('found');
  });
});
