import { CAPABILITIES, GUILD_TIERS } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { type SeededToken, seedGuild, seedToken } from '@bailiff/engine/testing';
import { mintToken } from '@bailiff/engine/tokens/mint';
import { renewToken, revokeToken, rotateToken } from '@bailiff/engine/tokens/tokens';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signedIn, startTestWeb } from '#test/support.ts';
import { asOwner, type PublicApiHarness, startPublicApi } from './harness.ts';

let api: PublicApiHarness;

beforeAll(async () => {
  api = await startPublicApi();
});

afterAll(async () => {
  await api.close();
});

beforeEach(() => api.database.pool.query('TRUNCATE budgets'));

async function mint(more: Partial<Parameters<typeof mintToken>[2]> = {}) {
  const { token, secret } = await mintToken(api.database, asOwner(api.guild), {
    guildId: api.guild.id,
    name: 'minted',
    kind: 'rest',
    expiresIn: '90d',
    ipAllowlist: [],
    ...more,
  });
  return { id: token.id, secret, token };
}

async function codeOf(token: SeededToken | string): Promise<string> {
  const { status, body } = await api.call('/me', { token });
  return status === 200 ? 'passes' : `${status} ${body.error.code}`;
}

const grow = ({ id }: { id: string }, age: string) =>
  api.database.pool.query('UPDATE tokens SET created_at = now() - $2::interval WHERE id = $1', [id, age]);

describe('a secret', () => {
  it('is random in each of its 48 places', async () => {
    verifies('secret.entropy');
    const { id, secret } = await mint();
    const secrets = [secret];
    for (let round = 0; round < 90; round += 1) {
      const rotated = await Promise.all(
        Array.from({ length: 10 }, () =>
          rotateToken(api.database, asOwner(api.guild), id, { overlap: false }),
        ),
      );
      secrets.push(...rotated.map((issued) => issued.secret));
    }
    expect(new Set(secrets).size).toBe(secrets.length);
    for (let place = 'svcpat_'.length; place < 55; place += 1) {
      const symbols = new Set(secrets.map((each) => each[place]));
      expect([...symbols].sort().join(''), `place ${place}`).toBe('0123456789ABCDEFGHJKMNPQRSTVWXYZ');
    }
  });

  it('is never what a request asks for', async () => {
    verifies('secret.entropy');
    const web = await startTestWeb();
    try {
      const guild = await seedGuild(web.db);
      const owner = await signedIn(web, guild.ownerId);
      const wanted = `svcpat_${'0'.repeat(48)}`;
      const body = { guild_id: guild.id, name: 'mine', kind: 'rest' };
      for (const field of ['secret', 'token', 'secret_hash']) {
        const refused = await owner.call('POST', '/api/api-tokens', { ...body, [field]: wanted });
        expect([refused.status, refused.body.error.code], field).toEqual([422, 'VALIDATION_FAILED']);
      }
      const minted = await owner.call('POST', '/api/api-tokens', body);
      const rotate = `/api/api-tokens/${minted.body.token.id}/rotate`;
      expect((await owner.call('POST', rotate, { secret: wanted })).status).toBe(422);
    } finally {
      await web.close();
    }
  });

  it('that was rotated without overlap is dead at once', async () => {
    verifies('rotation.old-dies');
    const { id, secret } = await mint();
    expect(await codeOf(secret)).toBe('passes');
    const rotated = await rotateToken(api.database, asOwner(api.guild), id, { overlap: false });
    expect(await codeOf(secret)).toBe('401 UNAUTHORIZED');
    expect(await codeOf(rotated.secret)).toBe('passes');
  });
});

describe('a token', () => {
  it('of kind mcp and one of kind rest live the same life', async () => {
    verifies('token.kind.identical');
    const lives = [];
    const other = await seedGuild(api.database);
    for (const kind of ['mcp', 'rest'] as const) {
      const { id, secret, token } = await mint({ kind });
      const owner = asOwner(api.guild);
      const life: unknown[] = [
        /^svcpat_[0-9A-HJKMNP-TV-Z]{48}$/.test(secret),
        token.state,
        token.capabilities,
      ];
      const step = async (now: string) => life.push(await codeOf(secret), await codeOf(now));
      await step(secret);
      const elsewhere = await api.call(`/guilds/${other.id}/strikes`, { token: secret });
      life.push(elsewhere.status, elsewhere.body.error.code);
      await api.database.pool.query(
        'UPDATE tokens SET expires_at = now() - make_interval(secs => 1) WHERE id = $1',
        [id],
      );
      await step(secret);
      const renewed = await renewToken(api.database, owner, id, undefined);
      life.push(renewed.state, Math.round((Number(renewed.expiresAt) - Date.now()) / 86_400_000));
      await step(secret);
      const overlapping = await rotateToken(api.database, owner, id, { overlap: true });
      await step(overlapping.secret);
      const rotated = await rotateToken(api.database, owner, id, { overlap: false });
      await step(rotated.secret);
      await revokeToken(api.database, owner, id);
      await step(rotated.secret);
      const revived = await renewToken(api.database, owner, id, undefined).catch(({ code }) => code);
      life.push(revived);
      lives.push(life);
    }
    expect(lives[0]).toEqual([
      ...[true, 'active', CAPABILITIES],
      ...['passes', 'passes', 403, 'FORBIDDEN'],
      ...['401 TOKEN_EXPIRED', '401 TOKEN_EXPIRED', 'active', 90],
      ...['passes', 'passes'],
      ...['passes', 'passes'],
      ...['401 UNAUTHORIZED', 'passes'],
      ...['401 UNAUTHORIZED', '401 TOKEN_REVOKED', 'TOKEN_REVOKED'],
    ]);
    expect(lives[1]).toEqual(lives[0]);
  });

  it('that never expires has no end, however old it is', async () => {
    verifies('token.expiry.never');
    const minted = await mint({ expiresIn: 'never' });
    expect(minted.token.expiresAt).toBeNull();
    for (const age of ['1 day', '91 days', '10 years', '100 years']) {
      await grow(minted, age);
      const { status, body } = await api.call('/me', { token: minted });
      expect([status, body.token.expires_at], age).toEqual([200, null]);
    }
  });

  it('works on past 90, 180 and 270 days without a rotation', async () => {
    verifies('rotation.keeps-working');
    const minted = await mint({ expiresIn: 'never' });
    for (const days of [91, 181, 271]) {
      await grow(minted, `${days} days`);
      expect(await codeOf(minted), `${days} days`).toBe('passes');
    }
    const { rows } = await api.database.pool.query('SELECT revoked_at FROM tokens WHERE id = $1', [
      minted.id,
    ]);
    expect(rows).toEqual([{ revoked_at: null }]);
  });
});

describe('the tier of a guild', () => {
  it('is one of three', async () => {
    verifies('tier.values');
    expect(GUILD_TIERS).toEqual(['free', 'pro', 'operator']);
    const guild = await seedGuild(api.database);
    const set = (tier: string) =>
      api.database.pool.query('UPDATE guilds SET tier = $2 WHERE id = $1', [guild.id, tier]);
    for (const tier of ['free', 'pro', 'operator']) await set(tier);
    for (const tier of ['gold', 'PRO', '']) await expect(set(tier), tier).rejects.toThrow(/GuildTier/);
    await expect(
      api.database.pool.query('UPDATE guilds SET tier = NULL WHERE id = $1', [guild.id]),
    ).rejects.toThrow(/null/);
  });

  it('operator is paid as pro is, free is not', async () => {
    verifies('tier.operator-paid');
    const guild = await seedGuild(api.database);
    const token = await seedToken(api.database, guild);
    const answers = [];
    for (const tier of ['pro', 'operator']) {
      await api.database.pool.query('TRUNCATE budgets');
      await api.database.pool.query('UPDATE guilds SET tier = $2 WHERE id = $1', [guild.id, tier]);
      const me = await api.call('/me', { token });
      expect(me.body.guild.tier).toBe(tier);
      const strikes = await api.call(`/guilds/${guild.id}/strikes`, { token });
      answers.push([me.status, me.body.effective_capabilities, strikes.status, strikes.body]);
    }
    expect(answers[0]).toEqual([200, CAPABILITIES, 200, { data: [], next_cursor: null }]);
    expect(answers[1]).toEqual(answers[0]);
    await api.database.pool.query("UPDATE guilds SET tier = 'free' WHERE id = $1", [guild.id]);
    expect(await codeOf(token)).toBe('401 TOKEN_REVOKED');
  });
});
