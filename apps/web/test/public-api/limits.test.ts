import { CAPABILITIES, type OperationName, REST_OPERATION_NAMES, TIERS, type Tier } from '@bailiff/core';
import { inTime, verifies } from '@bailiff/core/testing';
import {
  type SeededGuild,
  type SeededToken,
  seedGuild,
  seedToken,
  seedWindow,
  snowflake,
} from '@bailiff/engine/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exhaust } from '#test/support.ts';
import { destructiveCalls, openRemovable } from './destructive-calls.ts';
import { ALL_NOTHING, type Answer, type PublicApiHarness, startPublicApi } from './harness.ts';
import { readCalls, seedIdentity, seedTicketNote } from './read-calls.ts';

let api: PublicApiHarness;
let ticketId: string;

beforeAll(async () => {
  api = await startPublicApi({ performers: ALL_NOTHING });
  await seedWindow(api.database, api.guild, api.token);
  ticketId = await openTicket(api.guild);
});

afterAll(async () => {
  await api.close();
});

beforeEach(() => api.database.pool.query('TRUNCATE budgets, rate_limits'));

async function openTicket(guild: SeededGuild): Promise<string> {
  const { rows } = await api.database.pool.query(
    `INSERT INTO tickets (guild_id, number, subject, opened_by)
     SELECT $1, 1 + count(*), 'help', $2 FROM tickets WHERE guild_id = $1 RETURNING id`,
    [guild.id, guild.memberId],
  );
  return rows[0].id;
}

/** A purge that goes on after its caller was answered. @returns its id */
async function runningPurge(): Promise<string> {
  const { rows } = await api.database.pool.query<{ id: string }>(
    `INSERT INTO actions (guild_id, operation, input, digest, actor_source, actor_user_id, request_id, claim_by, state,
       progress)
     VALUES ($1, 'messages.purge', '{}', '', 'dashboard', $2, 'req_1', now(), 'running', '{"done": 3, "of": 9}')
     RETURNING id`,
    [api.guild.id, api.guild.ownerId],
  );
  return rows[0]?.id ?? '';
}

/** A call of each tier that can be repeated without limit. */
const CALLS: Record<Tier, (token?: SeededToken) => Promise<Answer>> = {
  read: (token = api.token) => api.inGuild('/strikes', { token }),
  reversible_write: (token = api.token) =>
    api.inGuild(`/tickets/${ticketId}/claim`, { method: 'POST', token }),
  destructive_write: (token = api.token) => {
    const [strike] = destructiveCalls(api.guild);
    const body = { ...strike?.body, _confirmation: strike?.concrete };
    return api.inGuild('/strikes', { method: 'POST', token, body });
  },
};

const HOLDERS = ['token', 'user'] as const;
const idOf = (holder: 'token' | 'user') => (holder === 'token' ? api.token.id : api.guild.ownerId);

/** Sets the balance of a budget `secondsAgo`. If that is in the future, nothing has refilled yet. */
async function setBudget(tier: Tier, holderId: string, balance: number, secondsAgo: number) {
  await api.database.pool.query(
    `INSERT INTO budgets (guild_id, holder_id, tier, balance, updated_at)
     VALUES ($1, $2, $3, $4, clock_timestamp() - make_interval(secs => $5))
     ON CONFLICT (guild_id, holder_id, tier) DO UPDATE SET balance = $4, updated_at = excluded.updated_at`,
    [api.guild.id, holderId, tier, balance, secondsAgo],
  );
}

const AN_HOUR_TO_COME = -3600;

/** Removes what has refilled since the last call, and lets nothing refill, so that slow and fast machines count alike. */
async function dropRefill(tier: Tier) {
  await api.database.pool.query(
    "UPDATE budgets SET balance = floor(balance), updated_at = now() + interval '1 hour' WHERE tier = $1",
    [tier],
  );
}

async function budgets(guildId = api.guild.id) {
  const { rows } = await api.database.pool.query<{ holder_id: string; tier: string; balance: number }>(
    'SELECT holder_id, tier, balance FROM budgets WHERE guild_id = $1 ORDER BY holder_id, tier',
    [guildId],
  );
  return rows;
}

function remaining(answer: Answer, holder: 'token' | 'user'): number {
  return Number(new RegExp(`"${holder}";r=(\\d+)`).exec(answer.headers.get('RateLimit') ?? '')?.[1]);
}

describe('a budget', () => {
  const sizes = [
    ['read', 120, 60],
    ['reversible_write', 30, 10],
    ['destructive_write', 6, 1],
  ] as const;
  const each = HOLDERS.flatMap((holder) => sizes.map((size) => [holder, ...size] as const));
  const other = (holder: 'token' | 'user') => (holder === 'token' ? 'user' : 'token');

  it.each(each)('of a %s for %s holds %i calls, and no more', async (holder, tier, capacity) => {
    verifies(
      'limits.token.read.capacity',
      'limits.token.reversible.capacity',
      'limits.token.destructive.capacity',
      'limits.user.size',
      'errors.rate-limited.status',
      'limits.token.details',
    );
    expect((await CALLS[tier]()).status).toBeLessThan(300);
    for (let made = 1; made < capacity; made += 1) {
      await dropRefill(tier);
      await setBudget(tier, idOf(other(holder)), capacity, AN_HOUR_TO_COME);
      expect((await CALLS[tier]()).status, `call ${made + 1}`).toBeLessThan(300);
    }
    await dropRefill(tier);
    await setBudget(tier, idOf(other(holder)), capacity, AN_HOUR_TO_COME);
    const refused = await CALLS[tier]();
    expect(refused.status).toBe(429);
    expect(refused.body.error).toMatchObject({ code: 'RATE_LIMITED', retryable: true });
    const { details } = refused.body.error;
    expect(details).toEqual({ scope: holder, tier, retry_after_seconds: expect.any(Number) });
    expect(refused.headers.get('Retry-After')).toBe(String(details.retry_after_seconds));
    expect(details.retry_after_seconds).toBeGreaterThanOrEqual(1);
    expect(details.retry_after_seconds).toBeLessThanOrEqual(60);
  });

  it.each(each)(
    'of a %s for %s, empty, refills up to %i, %i per minute',
    async (holder, tier, most, rate) => {
      verifies(
        'limits.token.read.refill',
        'limits.token.reversible.refill',
        'limits.token.destructive.refill',
        'limits.user.size',
      );
      const perCallSeconds = 60 / rate;
      // Meanwhile the budget refills: later than this, the answer would be another.
      const after = (seconds: number) =>
        inTime(perCallSeconds * 0.8, async () => {
          await setBudget(tier, idOf(other(holder)), most, 0);
          await setBudget(tier, idOf(holder), 0, seconds);
          return CALLS[tier]();
        });
      expect((await after(0)).status).toBe(429);
      expect((await after(perCallSeconds * 0.2)).status).toBe(429);
      expect(remaining(await after(perCallSeconds * 1.1), holder)).toBe(0);
      expect(remaining(await after(perCallSeconds * 4.1), holder)).toBe(3);
      expect(remaining(await after(perCallSeconds * most * 10), holder)).toBe(most - 1);
    },
  );

  it('of one tier that is used up leaves the others as they are', async () => {
    verifies('limits.token.separate-tiers');
    for (const { 0: spent } of sizes) {
      await api.database.pool.query('TRUNCATE budgets');
      for (const holder of HOLDERS) await setBudget(spent, idOf(holder), 0, AN_HOUR_TO_COME);
      for (const { 0: tier } of sizes) {
        const { status } = await CALLS[tier]();
        if (tier === spent) expect(status, tier).toBe(429);
        else expect(status, `${tier} beside ${spent}`).toBeLessThan(300);
      }
    }
  });

  it('of a user is shared by their tokens in a guild', async () => {
    verifies('limits.token.user-shared');
    const second = await seedToken(api.database, api.guild);
    await seedWindow(api.database, api.guild, second);
    for (let made = 0; made < TIERS.destructive_write.capacity; made += 1) {
      expect((await CALLS.destructive_write()).status).toBe(201);
      await dropRefill('destructive_write');
    }
    const refused = await CALLS.destructive_write(second);
    expect(refused.status).toBe(429);
    expect(refused.body.error.details.scope).toBe('user');
    const own = (await budgets()).find(({ holder_id }) => holder_id === second.id);
    expect(own).toMatchObject({ balance: TIERS.destructive_write.capacity });
  });

  it('of a user in one guild is not touched by their calls in another', async () => {
    verifies('limits.token.user-per-guild');
    const elsewhere = await seedGuild(api.database);
    await api.database.pool.query('UPDATE guilds SET owner_id = $2 WHERE id = $1', [
      elsewhere.id,
      api.guild.ownerId,
    ]);
    const token = await seedToken(api.database, elsewhere, { issuerId: api.guild.ownerId });
    await setBudget('read', api.guild.ownerId, 0, AN_HOUR_TO_COME);
    const there = await api.call(`/guilds/${elsewhere.id}/strikes`, { token });
    expect([there.status, remaining(there, 'user')]).toEqual([200, 119]);
    expect((await CALLS.read()).body.error.details.scope).toBe('user');
  });

  it.each(['read', 'reversible_write', 'destructive_write'] as const)(
    'for %s is not charged by a call that it, or the other one, refuses',
    async (tier) => {
      verifies('limits.token.refused-free', 'pipeline.budget-before-operation');
      const { rows: before } = await api.database.pool.query('SELECT count(*) FROM actions');
      for (const [token, user, scopes] of [
        [0.5, 5, ['token']],
        [5, 0.5, ['user']],
        [0.5, 0.5, HOLDERS],
      ] as const) {
        await setBudget(tier, idOf('token'), token, AN_HOUR_TO_COME);
        await setBudget(tier, idOf('user'), user, AN_HOUR_TO_COME);
        const kept = await budgets();
        const refused = await CALLS[tier]();
        expect(refused.status).toBe(429);
        expect(scopes).toContain(refused.body.error.details.scope);
        expect(await budgets()).toEqual(kept);
      }
      const { rows: after } = await api.database.pool.query('SELECT count(*) FROM actions');
      expect(after).toEqual(before);
    },
  );
});

describe('a call', () => {
  it('refused before the budgets costs nothing', async () => {
    verifies('limits.token.early-refusal-free');
    const guild = await seedGuild(api.database);
    const token = await seedToken(api.database, guild, {
      capabilities: CAPABILITIES.filter((name) => name !== 'servers.rcon'),
      ipAllowlist: ['192.0.2.1'],
    });
    const [strike] = destructiveCalls(guild);
    const body = { ...strike?.body, _confirmation: 'YES' };
    const path = `/guilds/${guild.id}/strikes`;
    const codeOf = async (given: Parameters<typeof api.call>[1], where = path) =>
      (await api.call(where, { token, ...given })).body.error?.code;
    const change = (sql: string) => api.database.pool.query(sql, [token.id]);

    await api.call('/me', { token: '', address: '192.0.2.77' });
    await exhaust(api.database, 'public:192.0.2.77');
    expect(await codeOf({ address: '192.0.2.77' })).toBe('RATE_LIMITED');
    expect(await codeOf({ headers: { Origin: 'https://example.com' } })).toBe('CORS_DENIED');
    expect(await codeOf({}, `${path}/a/b/c`)).toBe('NOT_FOUND');
    expect(await codeOf({ method: 'PUT' })).toBe('NOT_FOUND');
    expect(await codeOf({ token: token.secret.slice(1) })).toBe('UNAUTHORIZED');
    expect(await codeOf({ address: '192.0.2.2' })).toBe('TOKEN_IP_NOT_ALLOWED');
    await change('UPDATE tokens SET expires_at = now() - make_interval(secs => 1) WHERE id = $1');
    expect(await codeOf({})).toBe('TOKEN_EXPIRED');
    await change('UPDATE tokens SET expires_at = NULL WHERE id = $1');
    expect(await codeOf({}, `/guilds/${api.guild.id}/strikes`)).toBe('FORBIDDEN');
    const rcon = `/guilds/${guild.id}/servers/srv_${'0'.repeat(32)}/rcon/run`;
    expect(await codeOf({ method: 'POST', body: { command: 'x' } }, rcon)).toBe('CAPABILITY_DENIED');
    expect(await codeOf({}, `${path}?limit=0`)).toBe('VALIDATION_FAILED');
    expect(await codeOf({ method: 'POST', body: {} })).toBe('VALIDATION_FAILED');
    expect(await codeOf({ method: 'POST', body })).toBe('RE_AUTH_REQUIRED');
    await seedWindow(api.database, guild, token);
    expect(await codeOf({ method: 'POST', body })).toBe('INVALID_CONFIRMATION');
    await api.database.pool.query("UPDATE guilds SET tier = 'free' WHERE id = $1", [guild.id]);
    expect(await codeOf({})).toBe('TOKEN_REVOKED');
    expect(await budgets(guild.id)).toEqual([]);
  });

  it('that reaches its operation is charged, whatever comes of it', async () => {
    verifies('limits.token.early-refusal-free');
    const absent = `str_${'0'.repeat(32)}`;
    expect((await api.inGuild(`/strikes/${absent}`)).status).toBe(404);
    const remove = destructiveCalls(api.guild).find(({ operation }) => operation === 'strikes.remove');
    const body = { _confirmation: remove?.concrete };
    expect((await api.inGuild(`/strikes/${absent}`, { method: 'DELETE', body })).status).toBe(404);
    const spent = (await budgets()).map(({ tier, balance }) => [tier, Math.floor(balance)]);
    expect(spent.sort()).toEqual([
      ['destructive_write', 5],
      ['destructive_write', 5],
      ['read', 119],
      ['read', 119],
    ]);
  });

  it('of each operation is charged once, to its tier only', async () => {
    verifies('limits.token.tier.read', 'limits.token.tier.reversible', 'limits.token.tier.destructive');
    const guild = `/guilds/${api.guild.id}`;
    const removable = await openRemovable(api.database, api.guild);
    const post = (body?: object) => ({ method: 'POST', ...(body === undefined ? {} : { body }) });
    const mute = { user_id: api.guild.memberId, reason: 'spam', duration_minutes: 1440 };
    const channel = { channel_id: snowflake() };
    const held = { user_id: api.guild.memberId, role_id: snowflake() };
    type Made = readonly [OperationName, Tier, string, Parameters<typeof api.call>[1]?];
    const reads: Made[] = (await readCalls(api)).map(([name, path]) => [name, 'read', path]);
    const reversible: Made[] = [
      [
        'appeals.vote',
        'reversible_write',
        `${guild}/appeals/${removable.appealId}/vote`,
        post({ vote: 'for' }),
      ],
      ['tickets.claim', 'reversible_write', `${guild}/tickets/${ticketId}/claim`, post()],
      [
        'tickets.assign',
        'reversible_write',
        `${guild}/tickets/${ticketId}/assign`,
        post({ user_id: api.guild.ownerId }),
      ],
      ['tickets.unclaim', 'reversible_write', `${guild}/tickets/${ticketId}/unclaim`, post()],
      [
        'tickets.note',
        'reversible_write',
        `${guild}/tickets/${ticketId}/notes`,
        post({ text: 'Ask the guards' }),
      ],
      [
        'tickets.unnote',
        'reversible_write',
        `${guild}/tickets/${ticketId}/notes/${await seedTicketNote(api.database, api.guild, ticketId)}`,
        { method: 'DELETE' },
      ],
      ['reports.claim', 'reversible_write', `${guild}/reports/${removable.reportId}/claim`, post()],
      ['mutes.add', 'reversible_write', `${guild}/mutes`, post(mute)],
      [
        'channels.slowmode',
        'reversible_write',
        `${guild}/slowmodes`,
        post({ ...channel, slowmode_seconds: 5 }),
      ],
      ['channels.lock', 'reversible_write', `${guild}/locks`, post(channel)],
      ['channels.unlock', 'reversible_write', `${guild}/locks/${channel.channel_id}`, { method: 'DELETE' }],
      ['roles.give', 'reversible_write', `${guild}/roles`, post({ ...held, duration_minutes: 60 })],
      ['roles.end', 'reversible_write', `${guild}/roles`, { method: 'DELETE', body: held }],
      ['channels.reopen', 'reversible_write', `${guild}/lockdown`, { method: 'DELETE' }],
      ['bans.preview', 'reversible_write', `${guild}/mass-bans/previews`, post({})],
      ['mutes.preview', 'reversible_write', `${guild}/mass-mutes/previews`, post({})],
      [
        'cases.edit',
        'reversible_write',
        `${guild}/cases/${removable.warningId}`,
        { method: 'PATCH', body: { reason: 'advertising' } },
      ],
      [
        'cases.link',
        'reversible_write',
        `${guild}/cases/${removable.warningId}/links`,
        post({ other_number: 1 }),
      ],
      [
        'cases.unlink',
        'reversible_write',
        `${guild}/cases/${removable.warningId}/links`,
        { method: 'DELETE', body: { other_number: 1 } },
      ],
      [
        'identities.add',
        'reversible_write',
        `${guild}/members/${api.guild.memberId}/identities`,
        post({ platform: 'minecraft', in_game_id: 'Alex' }),
      ],
      [
        'identities.remove',
        'reversible_write',
        `${guild}/members/${api.guild.memberId}/identities/${await seedIdentity(api.database, api.guild)}`,
        { method: 'DELETE' },
      ],
      ['actions.stop', 'reversible_write', `${guild}/actions/${await runningPurge()}/stop`, post()],
    ];
    const destructive: Made[] = destructiveCalls(api.guild, removable).map(
      ({ operation, method, path, body, concrete }) => [
        operation,
        'destructive_write',
        `${guild}${path}`,
        { method, body: { ...body, _confirmation: concrete } },
      ],
    );
    const made = [...reads, ...reversible, ...destructive];
    expect([...new Set(made.map(([name]) => name))].sort()).toEqual([...REST_OPERATION_NAMES].sort());
    for (const [name, tier, path, given] of made) {
      await api.database.pool.query('TRUNCATE budgets');
      expect((await api.call(path, given)).status, name).toBeLessThan(300);
      const balance = TIERS[tier].capacity - 1;
      const both = [api.token.id, api.guild.ownerId].sort();
      expect(await budgets(), name).toEqual(
        both.map((holder_id) => ({ holder_id, tier, balance })).sort(byHolder),
      );
    }
  });

  const byHolder = (a: { holder_id: string }, b: { holder_id: string }) =>
    a.holder_id < b.holder_id ? -1 : 1;
});

it('every answer to a known token tells both budgets, errors included', async () => {
  verifies('limits.token.ietf-headers');
  const guild = await seedGuild(api.database);
  const token = await seedToken(api.database, guild, {
    capabilities: ['strikes.read', 'strikes.write'],
    ipAllowlist: ['192.0.2.1'],
  });
  const path = `/guilds/${guild.id}/strikes`;
  const [strike] = destructiveCalls(guild);
  const answers: [number, Answer][] = [
    [200, await api.call('/me', { token })],
    [404, await api.call(`${path}/str_${'0'.repeat(32)}`, { token })],
    [400, await api.call(`${path}?limit=0`, { token })],
    [403, await api.call(path, { token, address: '192.0.2.2' })],
    [403, await api.call(`/guilds/${guild.id}/bans`, { token })],
    [403, await api.call(`/guilds/${api.guild.id}/strikes`, { token })],
    [422, await api.call(path, { token, method: 'POST', body: {} })],
    [403, await api.call(path, { token, method: 'POST', body: { ...strike?.body } })],
  ];
  await api.database.pool.query("UPDATE budgets SET balance = 0, updated_at = now() + interval '1 hour'");
  answers.push([429, await api.call(path, { token })]);
  await api.database.pool.query('UPDATE guilds SET mirrored_at = NULL WHERE id = $1', [guild.id]);
  answers.push([503, await api.call(path, { token })]);
  await api.database.pool.query(
    'UPDATE tokens SET expires_at = now() - make_interval(secs => 1) WHERE id = $1',
    [token.id],
  );
  answers.push([401, await api.call(path, { token })]);
  await api.database.pool.query('UPDATE tokens SET revoked_at = now() WHERE id = $1', [token.id]);
  answers.push([401, await api.call(path, { token })]);
  for (const [status, { status: given, headers, body }] of answers) {
    expect(given, JSON.stringify(body)).toBe(status);
    expect(headers.get('RateLimit')).toMatch(
      /^"token";r=\d+;t=\d+;tier="\w+", "user";r=\d+;t=\d+;tier="\w+"$/,
    );
    expect(headers.get('RateLimit-Policy')).toMatch(
      /^"token";q=\d+;w=\d+;tier="\w+", "user";q=\d+;w=\d+;tier="\w+"$/,
    );
  }
});

describe('an address', () => {
  it('may send 600 requests in 5 minutes; another one is not affected', async () => {
    verifies('limits.ip.public', 'errors.rate-limited.retry-after');
    const address = '198.51.100.20';
    for (let sent = 0; sent < 600; sent += 50) {
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => api.call('/me', { address, token: '' })),
      );
      for (const { status } of answers) expect(status).toBe(401);
    }
    for (const given of [{ address }, { address, token: '' }]) {
      const refused = await api.call('/me', given);
      expect(refused.status).toBe(429);
      expect(refused.body.error).toMatchObject({ code: 'RATE_LIMITED', retryable: true });
      const retryAfter = refused.headers.get('Retry-After') ?? '';
      expect(retryAfter).toMatch(/^[1-9]\d*$/);
      expect(Number(retryAfter)).toBeLessThanOrEqual(300);
      expect(Number(retryAfter)).toBeGreaterThan(200);
    }
    expect((await api.call('/me', { address: '198.51.100.21' })).status).toBe(200);
  });

  it('is counted for what is malformed, unauthenticated or goes nowhere', async () => {
    verifies('limits.ip.malformed-counted');
    const address = '198.51.100.22';
    const sent: Parameters<typeof api.call>[] = [
      ['/me', { token: '' }],
      ['/me', { token: 'svcpat_nonsense' }],
      ['/nowhere', {}],
      ['/%E0%A4%A', { token: '' }],
      ['/me', { method: 'PUT' }],
      ['/me', { headers: { Origin: 'https://example.com' } }],
      [`/guilds/${api.guild.id}/bans`, { method: 'POST', body: '{' }],
      [`/guilds/x/bans`, { method: 'POST', body: [] }],
    ];
    for (const [index, [path, given]] of sent.entries()) {
      const { status, headers } = await api.call(path, { ...given, address });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(headers.get('X-RateLimit-Remaining')).toBe(String(599 - index));
    }
  });
});
