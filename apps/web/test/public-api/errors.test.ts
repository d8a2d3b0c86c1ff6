import { CAPABILITIES, ERRORS, type ErrorCode } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import {
  type FakePerformer,
  grantRole,
  type SeededGuild,
  type SeededToken,
  seedGuild,
  seedToken,
  seedWindow,
} from '@bailiff/engine/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exhaust } from '#test/support.ts';
import {
  ALL_NOTHING,
  type Answer,
  type Call,
  NOTHING,
  type PublicApiHarness,
  sentinel,
  startPublicApi,
} from './harness.ts';

/** The codes of spec §7 and §9, and ALREADY_CLAIMED. */
const STATUSES: Record<ErrorCode, readonly number[]> = {
  UNAUTHORIZED: [401],
  FORBIDDEN: [403],
  CAPABILITY_DENIED: [403],
  INVALID_CONFIRMATION: [422],
  RE_AUTH_REQUIRED: [403],
  NOT_FOUND: [404, 405],
  VALIDATION_FAILED: [400, 413, 422],
  RATE_LIMITED: [429],
  UPSTREAM_UNAVAILABLE: [502, 503],
  TOKEN_EXPIRED: [401],
  TOKEN_REVOKED: [401],
  TOKEN_IP_NOT_ALLOWED: [403],
  CORS_DENIED: [403],
  INTERNAL_ERROR: [500],
  ALREADY_CLAIMED: [409],
};
const RETRYABLE: readonly string[] = ['RATE_LIMITED', 'UPSTREAM_UNAVAILABLE', 'INTERNAL_ERROR'];

const discordFails: FakePerformer = {
  ...NOTHING,
  perform: async () => ({
    state: 'failed',
    error: {
      code: 'UPSTREAM_UNAVAILABLE',
      status: 502,
      message: 'Discord answered 500.',
      details: { upstream: 'discord', outcome: 'not_performed' },
    },
  }),
};

let api: PublicApiHarness;
const broken: object[] = [];

beforeAll(async () => {
  api = await startPublicApi({
    performers: { ...ALL_NOTHING, 'mutes.add': discordFails },
    onError: (fields) => broken.push(fields),
  });
});

afterAll(async () => {
  await api.close();
});

beforeEach(() => api.database.pool.query('TRUNCATE budgets, rate_limits'));

interface Corner {
  readonly guild: SeededGuild;
  readonly token: SeededToken;
  /** A call below this guild's path with this token. */
  call(path: string, given?: Call): Promise<Answer>;
}

/** A guild with its own token, for tests that change either. */
async function corner(options: Parameters<typeof seedToken>[2] = {}): Promise<Corner> {
  const guild = await seedGuild(api.database);
  const token = await seedToken(api.database, guild, options);
  return {
    guild,
    token,
    call: (path, given) => api.call(`/guilds/${guild.id}${path}`, { token, ...given }),
  };
}

const sql = (text: string, ...values: unknown[]) => api.database.pool.query(text, values);
const expire = ({ id }: SeededToken) =>
  sql('UPDATE tokens SET expires_at = now() - make_interval(secs => 1) WHERE id = $1', id);
const revoke = ({ id }: SeededToken) => sql('UPDATE tokens SET revoked_at = now() WHERE id = $1', id);
const leaveTier = ({ id }: SeededGuild) => sql("UPDATE guilds SET tier = 'free' WHERE id = $1", id);

async function openTicket(guild: SeededGuild, claimedBy: string | null = null): Promise<string> {
  const { rows } = await sql(
    `INSERT INTO tickets (guild_id, number, subject, opened_by, claimed_by, claimed_at, status)
     SELECT $1, 1 + count(*), 'help', $2, $3, CASE WHEN $3::text IS NULL THEN NULL ELSE now() END,
       CASE WHEN $3::text IS NULL THEN 'open' ELSE 'claimed' END::"TicketStatus"
     FROM tickets WHERE guild_id = $1 RETURNING id`,
    guild.id,
    guild.memberId,
    claimedBy,
  );
  return rows[0].id;
}

function strikeBody(guild: SeededGuild, userId = guild.memberId) {
  const input = { user_id: userId, reason: 'spam', severity: 'minor' };
  return { ...input, _confirmation: sentinel('strikes.add', guild, input) };
}

const post = (body: unknown): Call => ({ method: 'POST', body });

/** A call for each code, each with its own guild. */
const CAUSES: readonly (readonly [ErrorCode, number, string, () => Promise<Answer>])[] = [
  ['UNAUTHORIZED', 401, 'no token', () => api.call('/me', { token: '' })],
  ['UNAUTHORIZED', 401, 'a malformed token', () => api.call('/me', { token: 'svcpat_x' })],
  ['UNAUTHORIZED', 401, 'an unknown token', () => api.call('/me', { token: `svcpat_${'0'.repeat(48)}` })],
  [
    'FORBIDDEN',
    403,
    'a target that is the owner',
    async () => {
      const { guild, token, call } = await corner();
      await seedWindow(api.database, guild, token);
      return call('/strikes', post(strikeBody(guild, guild.ownerId)));
    },
  ],
  ['FORBIDDEN', 403, 'another guild', () => api.call('/guilds/123456789012345678/strikes')],
  [
    'CAPABILITY_DENIED',
    403,
    'a missing capability',
    async () => (await corner({ capabilities: ['strikes.read'] })).call('/bans'),
  ],
  [
    'INVALID_CONFIRMATION',
    422,
    'a wrong sentinel',
    async () => {
      const { guild, token, call } = await corner();
      await seedWindow(api.database, guild, token);
      return call('/strikes', post({ ...strikeBody(guild), _confirmation: 'YES' }));
    },
  ],
  [
    'RE_AUTH_REQUIRED',
    403,
    'no window',
    async () => {
      const { guild, call } = await corner();
      return call('/strikes', post(strikeBody(guild)));
    },
  ],
  ['NOT_FOUND', 404, 'an absent strike', async () => (await corner()).call(`/strikes/str_${'0'.repeat(32)}`)],
  ['NOT_FOUND', 404, 'an unknown path', () => api.call('/nowhere')],
  ['NOT_FOUND', 405, 'another method', () => api.call('/me', { method: 'DELETE' })],
  ['VALIDATION_FAILED', 400, 'bad JSON', async () => (await corner()).call('/bans', post('{'))],
  ['VALIDATION_FAILED', 422, 'wrong fields', async () => (await corner()).call('/bans', post({}))],
  [
    'VALIDATION_FAILED',
    413,
    'a huge body',
    async () => (await corner()).call('/bans', post({ reason: 'x'.repeat(70_000) })),
  ],
  [
    'RATE_LIMITED',
    429,
    'a used up budget',
    async () => {
      const { guild, token, call } = await corner();
      await sql(
        "INSERT INTO budgets VALUES ($1, $2, 'read', 0, now() + interval '1 hour')",
        guild.id,
        token.id,
      );
      return call('/strikes');
    },
  ],
  [
    'RATE_LIMITED',
    429,
    'a used up address',
    async () => {
      await api.call('/me', { address: '198.51.100.40' });
      await exhaust(api.database, 'public:198.51.100.40');
      return api.call('/me', { address: '198.51.100.40' });
    },
  ],
  [
    'UPSTREAM_UNAVAILABLE',
    503,
    'a bot that is away',
    async () => {
      const { guild, call } = await corner();
      await sql('UPDATE guilds SET mirrored_at = NULL WHERE id = $1', guild.id);
      return call('/strikes');
    },
  ],
  [
    'UPSTREAM_UNAVAILABLE',
    502,
    'Discord failing',
    async () => {
      const { guild, call } = await corner();
      return call('/mutes', post({ user_id: guild.memberId, reason: 'spam', duration_minutes: 5 }));
    },
  ],
  [
    'TOKEN_EXPIRED',
    401,
    'an expired token',
    async () => {
      const { token, call } = await corner();
      await expire(token);
      return call('/strikes');
    },
  ],
  [
    'TOKEN_REVOKED',
    401,
    'a revoked token',
    async () => {
      const { token, call } = await corner();
      await revoke(token);
      return call('/strikes');
    },
  ],
  [
    'TOKEN_IP_NOT_ALLOWED',
    403,
    'another address',
    async () => (await corner({ ipAllowlist: ['203.0.113.0/24'] })).call('/strikes'),
  ],
  [
    'CORS_DENIED',
    403,
    'a browser',
    async () => (await corner()).call('/strikes', { headers: { Origin: 'https://example.com' } }),
  ],
  [
    'INTERNAL_ERROR',
    500,
    'a table that is gone',
    async () => {
      const { call } = await corner();
      await sql('ALTER TABLE tickets RENAME TO tickets_away');
      try {
        return await call('/tickets');
      } finally {
        await sql('ALTER TABLE tickets_away RENAME TO tickets');
      }
    },
  ],
  [
    'ALREADY_CLAIMED',
    409,
    'a ticket of another person',
    async () => {
      const { guild, call } = await corner();
      const id = await openTicket(guild, guild.moderatorId);
      return call(`/tickets/${id}/claim`, { method: 'POST' });
    },
  ],
];

describe('every error', () => {
  it.each(CAUSES)('%s %i, of %s, is answered in one envelope', async (code, status, _what, cause) => {
    verifies(
      'errors.unauthorized.status',
      'errors.forbidden.status',
      'errors.capability-denied.status',
      'errors.invalid-confirmation.status',
      'errors.re-auth-required.status',
      'errors.not-found.status',
      'errors.rate-limited.status',
      'errors.rate-limited.retry-after',
      'errors.upstream-unavailable.status',
      'errors.internal-error.status',
      'envelope.wrapper',
      'envelope.retryable',
      'envelope.request-id',
      'envelope.request-id-header',
      'envelope.details',
      'envelope.json',
    );
    const answer = await cause();
    expect(answer.status, JSON.stringify(answer.body)).toBe(status);
    expect(answer.headers.get('Content-Type')).toMatch(/^application\/json/);
    expect(Object.keys(answer.body)).toEqual(['error']);
    const { error } = answer.body;
    expect(Object.keys(error)).toEqual(['code', 'message', 'retryable', 'request_id', 'details']);
    expect(error.code).toBe(code);
    expect(error.message).toEqual(expect.any(String));
    expect(error.retryable).toBe(RETRYABLE.includes(code));
    expect(error.request_id).toMatch(/^req_\w+$/);
    expect(error.request_id).toBe(answer.headers.get('X-Request-Id'));
    expect(error.details).toEqual(expect.any(Object));
    expect(Array.isArray(error.details)).toBe(false);
    const retryAfter = answer.headers.get('Retry-After');
    if (status === 429 || status === 503) expect(retryAfter).toMatch(/^[1-9]\d*$/);
    else expect(retryAfter).toBeNull();
    expect((await api.call('/nowhere')).body.error.request_id).not.toBe(error.request_id);
  });

  it('has a code of the locked list, with its status', () => {
    verifies('errors.locked-list', 'envelope.retryable');
    expect(Object.keys(ERRORS).sort()).toEqual(Object.keys(STATUSES).sort());
    expect(new Set(CAUSES.map(([code]) => code))).toEqual(new Set(Object.keys(STATUSES)));
    for (const [code, status] of CAUSES) expect(STATUSES[code], code).toContain(status);
    for (const [code, { status, retryable }] of Object.entries(ERRORS)) {
      expect(STATUSES[code as ErrorCode]).toContain(status);
      expect(retryable, code).toBe(RETRYABLE.includes(code));
    }
  });

  it('of ours is logged under the request id it tells', async () => {
    const failing = CAUSES.find(([code]) => code === 'INTERNAL_ERROR')?.[3];
    const answer = await failing?.();
    expect(broken.at(-1)).toMatchObject({ request_id: answer?.body.error.request_id });
    expect(JSON.stringify(answer?.body)).not.toMatch(/tickets|relation|SELECT/i);
  });

  it('success carries its request id too', async () => {
    verifies('envelope.request-id-header', 'envelope.json');
    const [first, second] = [await api.call('/me'), await api.call('/me')];
    for (const { status, headers } of [first, second]) {
      expect(status).toBe(200);
      expect(headers.get('Content-Type')).toMatch(/^application\/json/);
      expect(headers.get('X-Request-Id')).toMatch(/^req_\w+$/);
      expect(headers.get('Retry-After')).toBeNull();
    }
    expect(first.headers.get('X-Request-Id')).not.toBe(second.headers.get('X-Request-Id'));
  });
});

describe('401', () => {
  it('is one body for a missing, a malformed and an unknown token', async () => {
    verifies('errors.unauthorized.status');
    const bodies = [];
    for (const token of ['', 'svcpat_x', `svcpat_${'0'.repeat(48)}`]) {
      const { request_id: _, ...error } = (await api.call('/me', { token })).body.error;
      bodies.push(error);
    }
    expect(bodies[0]).toMatchObject({ code: 'UNAUTHORIZED', details: { reason: 'TOKEN_INVALID' } });
    expect(bodies[1]).toEqual(bodies[0]);
    expect(bodies[2]).toEqual(bodies[0]);
  });

  it('challenges, and speaks of an invalid token where one was sent', async () => {
    verifies('errors.unauthorized.challenge');
    const plain = 'Bearer realm="bailiff"';
    const invalid = `${plain}, error="invalid_token"`;
    const challengeOf = async (given: Call) => {
      const { status, headers } = await api.call('/me', given);
      expect(status).toBe(401);
      return headers.get('WWW-Authenticate');
    };
    expect(await challengeOf({ token: '' })).toBe(plain);
    expect(await challengeOf({ token: '', headers: { Authorization: 'Basic dXNlcjpwYXNz' } })).toBe(plain);
    expect(await challengeOf({ token: '', headers: { Authorization: 'Bearer' } })).toBe(plain);
    expect(await challengeOf({ token: 'svcpat_x' })).toBe(invalid);
    expect(await challengeOf({ token: `svcpat_${'0'.repeat(48)}` })).toBe(invalid);
    const { token } = await corner();
    await expire(token);
    expect(await challengeOf({ token })).toBe(invalid);
    await revoke(token);
    expect(await challengeOf({ token })).toBe(invalid);
  });

  it.each([
    ['TOKEN_EXPIRED', expire],
    ['TOKEN_REVOKED', revoke],
  ] as const)('%s answers every call of the token', async (code, spoil) => {
    verifies('errors.token-expired.status', 'errors.token-revoked.status');
    const { guild, token, call } = await corner();
    await seedWindow(api.database, guild, token);
    expect((await call('/strikes')).status).toBe(200);
    await spoil(token);
    const answers = [
      await api.call('/me', { token }),
      await call('/strikes'),
      await call(`/strikes/str_${'0'.repeat(32)}`),
      await call(`/tickets/${await openTicket(guild)}/claim`, { method: 'POST' }),
      await call('/strikes', post(strikeBody(guild))),
      await call('/bans', post({})),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(401);
      expect(body.error).toMatchObject({ code, retryable: false });
    }
  });
});

describe('403', () => {
  it('meets every call from outside the allowlist, reads included', async () => {
    verifies('errors.token-ip-not-allowed.status');
    const { guild, token, call } = await corner({ ipAllowlist: ['203.0.113.0/24', '2001:db8::/32'] });
    const answers = [
      await api.call('/me', { token }),
      await call('/strikes'),
      await call(`/tickets/${await openTicket(guild)}/claim`, { method: 'POST' }),
      await call('/strikes', post(strikeBody(guild))),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(403);
      expect(body.error).toMatchObject({ code: 'TOKEN_IP_NOT_ALLOWED', retryable: false });
    }
    expect((await call('/strikes', { address: '203.0.113.9' })).status).toBe(200);
  });

  it('names the missing capability', async () => {
    verifies('errors.capability-denied.status');
    const { call } = await corner({ capabilities: CAPABILITIES.filter((name) => name !== 'bans.read') });
    const { status, body } = await call('/bans');
    expect(status).toBe(403);
    expect(body.error).toMatchObject({ code: 'CAPABILITY_DENIED', retryable: false });
    expect(body.error.details).toEqual({ missing: ['bans.read'] });
  });

  it('meets another guild’s path, whether the guild exists or not', async () => {
    verifies('errors.forbidden.other-guild');
    const other = await corner();
    const codes = [];
    for (const id of [other.guild.id, '123456789012345678']) {
      const { status, body } = await api.call(`/guilds/${id}/strikes`);
      const { request_id: _, ...error } = body.error;
      expect([status, error.code]).toEqual([403, 'FORBIDDEN']);
      codes.push(error);
    }
    expect(codes[0]).toEqual(codes[1]);
  });

  it('guards the owner and oneself', async () => {
    verifies(
      'errors.forbidden.target-is-owner',
      'errors.forbidden.target-is-self',
      'errors.forbidden.status',
    );
    const guild = await seedGuild(api.database);
    await grantRole(api.database, guild, guild.moderatorRoleId, ['strikes.write']);
    const issuers = [guild.ownerId, guild.moderatorId];
    for (const issuerId of issuers) {
      const token = await seedToken(api.database, guild, { issuerId });
      await seedWindow(api.database, guild, token);
      const reasonFor = async (userId: string) => {
        const body = strikeBody(guild, userId);
        const answer = await api.call(`/guilds/${guild.id}/strikes`, { token, method: 'POST', body });
        expect(answer.status).toBe(403);
        expect(answer.body.error).toMatchObject({ code: 'FORBIDDEN', retryable: false });
        return answer.body.error.details.reason;
      };
      expect(await reasonFor(guild.ownerId)).toBe('TARGET_IS_OWNER');
      if (issuerId === guild.moderatorId) expect(await reasonFor(issuerId)).toBe('TARGET_IS_SELF');
    }
    const { rows } = await sql('SELECT FROM cases WHERE guild_id = $1', guild.id);
    expect(rows).toEqual([]);
  });

  it('meets a browser with any Origin, and nothing is performed', async () => {
    verifies('errors.cors-denied.status');
    const { guild, token, call } = await corner();
    await seedWindow(api.database, guild, token);
    const body = strikeBody(guild);
    for (const origin of ['https://example.com', 'http://dashboard.test', 'null', 'garbage']) {
      const answer = await call('/strikes', { method: 'POST', body, headers: { Origin: origin } });
      expect(answer.status, origin).toBe(403);
      expect(answer.body.error).toMatchObject({ code: 'CORS_DENIED', retryable: false });
    }
    const { rows } = await sql('SELECT FROM actions WHERE guild_id = $1', guild.id);
    expect(rows).toEqual([]);
    expect((await call('/strikes', { method: 'POST', body })).status).toBe(201);
  });
});

describe('404', () => {
  it('is the same for what is absent and what is another guild’s', async () => {
    verifies('errors.not-found.not-visible', 'errors.not-found.status');
    const foreign = await corner();
    await seedWindow(api.database, foreign.guild, foreign.token);
    const struck = await foreign.call('/strikes', post(strikeBody(foreign.guild)));
    const { rows } = await sql('SELECT id FROM actions WHERE guild_id = $1', foreign.guild.id);
    await sql(
      "INSERT INTO person_lists (action_id, guild_id, kind, people) VALUES ($1, $2, 'ban', 0)",
      ...[rows[0].id, foreign.guild.id],
    );
    const ticket = await openTicket(foreign.guild);
    const { call } = await corner();
    for (const [path, id] of [
      ['/strikes/{}', struck.body.strike_id],
      ['/tickets/{}', ticket],
      ['/actions/{}', rows[0].id],
      ['/actions/{}/people', rows[0].id],
    ] as const) {
      const absentId = `${id.slice(0, 4)}${'0'.repeat(32)}`;
      const there = await call(path.replace('{}', id));
      const absent = await call(path.replace('{}', absentId));
      for (const answer of [there, absent]) {
        expect(answer.status, path).toBe(404);
        expect(answer.body.error).toMatchObject({ code: 'NOT_FOUND', retryable: false });
      }
      expect(there.body.error.message.replaceAll(id, absentId)).toBe(absent.body.error.message);
      expect(there.body.error.details).toEqual(absent.body.error.details);
      expect((await foreign.call(path.replace('{}', id))).status).toBe(200);
    }
    const claimed = await call(`/tickets/${ticket}/claim`, { method: 'POST' });
    expect([claimed.status, claimed.body.error.code]).toEqual([404, 'NOT_FOUND']);
  });

  it('is for unknown paths; a known one with another method is 405 with Allow', async () => {
    verifies('errors.not-found.unknown-path', 'errors.not-found.method');
    const guild = `/guilds/${api.guild.id}`;
    for (const path of ['', '/', '/you', '/me/', '/guilds', guild, `${guild}/strike`, `${guild}/bans/1/2`]) {
      const { status, body } = await api.call(path);
      expect([status, body.error.code], path).toEqual([404, 'NOT_FOUND']);
    }
    for (const [method, path, allow] of [
      ['POST', '/me', 'GET'],
      ['PATCH', `${guild}/strikes`, 'GET, POST'],
      ['GET', `${guild}/mass-purge`, 'POST'],
      ['DELETE', `${guild}/tickets/1/claim`, 'POST'],
      ['PUT', `${guild}/bans/1`, 'GET, PATCH, DELETE'],
    ] as const) {
      const { status, body, headers } = await api.call(path, { method });
      expect([status, body.error.code], path).toEqual([405, 'NOT_FOUND']);
      expect(headers.get('Allow')?.split(', ').sort(), path).toEqual(allow.split(', ').sort());
    }
  });
});

describe('what cannot be read or is wrong', () => {
  const cases: readonly (readonly [string, string, Call, number, string])[] = [
    ['bad JSON', '/bans', post('{"user_id":'), 400, ''],
    [
      'another content type',
      '/bans',
      { ...post('user_id=1'), headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
      400,
      '',
    ],
    ['a bad query parameter', '/strikes?limit=many', {}, 400, 'limit'],
    ['a bad filter', '/strikes?severity=huge', {}, 400, 'severity'],
    ['an unknown parameter', '/strikes?colour=red', {}, 400, 'colour'],
    ['a bad path parameter', '/bans/me', {}, 400, 'userId'],
    ['a bad path parameter of a write', '/bans/me', { method: 'DELETE', body: {} }, 400, 'userId'],
    ['a missing field', '/bans', post({ user_id: '123456789012345678' }), 422, 'reason'],
    ['a wrong field', '/bans', post({ user_id: 7, reason: 'x' }), 422, 'user_id'],
    [
      'a further field',
      '/bans',
      post({ user_id: '123456789012345678', reason: 'x', colour: 'red' }),
      422,
      'colour',
    ],
  ];
  it.each(cases)('%s: its issues name it', async (_what, path, given, status, field) => {
    verifies(
      'errors.validation-failed.unreadable',
      'errors.validation-failed.parameter',
      'errors.validation-failed.fields',
      'errors.validation-failed.issues',
    );
    const answer = await api.inGuild(path, given);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatchObject({ code: 'VALIDATION_FAILED', retryable: false });
    const { issues } = answer.body.error.details;
    expect(issues).toEqual([{ path: field, message: expect.stringMatching(/.{5}/) }]);
  });
});

describe('of two reasons to refuse, the earlier step of the pipeline is reported', () => {
  it('address budget before browser', async () => {
    verifies('pipeline.ip-budget-before-cors');
    const given = { address: '198.51.100.50', headers: { Origin: 'https://example.com' } };
    expect((await api.call('/me', given)).body.error.code).toBe('CORS_DENIED');
    await exhaust(api.database, 'public:198.51.100.50');
    const refused = await api.call('/me', given);
    expect([refused.status, refused.body.error.code]).toEqual([429, 'RATE_LIMITED']);
  });

  it('browser before route, route before token', async () => {
    verifies('pipeline.cors-before-route', 'pipeline.route-before-token');
    const browser = await api.call('/nowhere', { headers: { Origin: 'https://example.com' } });
    expect([browser.status, browser.body.error.code]).toEqual([403, 'CORS_DENIED']);
    expect((await api.call('/nowhere', { token: '' })).status).toBe(404);
    expect((await api.call('/me', { token: '', method: 'PUT' })).status).toBe(405);
  });

  it('allowlist before revoked before expired before guild', async () => {
    verifies(
      'pipeline.allowlist-before-state',
      'pipeline.revoked-before-expired',
      'pipeline.state-before-guild',
    );
    for (const [spoil, code] of [
      [[expire], 'TOKEN_EXPIRED'],
      [[revoke], 'TOKEN_REVOKED'],
      [[expire, revoke], 'TOKEN_REVOKED'],
    ] as const) {
      const { token, call } = await corner({ ipAllowlist: ['203.0.113.1'] });
      for (const each of spoil) await each(token);
      const outside = await call('/strikes');
      expect([outside.status, outside.body.error.code]).toEqual([403, 'TOKEN_IP_NOT_ALLOWED']);
      const inside = await call('/strikes', { address: '203.0.113.1' });
      expect([inside.status, inside.body.error.code]).toEqual([401, code]);
      const elsewhere = `/guilds/${api.guild.id}/strikes`;
      const foreign = await api.call(elsewhere, { token, address: '203.0.113.1' });
      expect([foreign.status, foreign.body.error.code]).toEqual([401, code]);
    }
  });

  it('guild before tier before capability before input', async () => {
    verifies(
      'pipeline.guild-before-tier',
      'pipeline.tier-before-capability',
      'pipeline.capability-before-input',
    );
    const { guild, token, call } = await corner({ capabilities: ['strikes.read'] });
    for (const [path, given] of [
      ['/bans?limit=0', {}],
      ['/bans/me', {}],
      ['/bans', post({})],
      ['/bans', post('{')],
    ] as const) {
      expect((await call(path, given)).body.error.code, path).toBe('CAPABILITY_DENIED');
    }
    await leaveTier(guild);
    expect((await call('/bans')).body.error.code).toBe('TOKEN_REVOKED');
    expect((await call('/bans')).status).toBe(401);
    const foreign = await api.call(`/guilds/${api.guild.id}/strikes`, { token });
    expect([foreign.status, foreign.body.error.code]).toEqual([403, 'FORBIDDEN']);
  });

  it('window and sentinel before budget, budget before operation', async () => {
    verifies('pipeline.sentinel-before-budget', 'pipeline.budget-before-operation');
    const { guild, token, call } = await corner();
    await sql(
      "INSERT INTO budgets VALUES ($1, $2, 'destructive_write', 0, now() + interval '1 hour')",
      guild.id,
      token.id,
    );
    const body = strikeBody(guild);
    expect((await call('/strikes', post(body))).body.error.code).toBe('RE_AUTH_REQUIRED');
    await seedWindow(api.database, guild, token);
    const wrong = await call('/strikes', post({ ...body, _confirmation: 'YES' }));
    expect(wrong.body.error.code).toBe('INVALID_CONFIRMATION');
    const right = await call('/strikes', post(body));
    expect([right.status, right.body.error.code]).toEqual([429, 'RATE_LIMITED']);
    const { rows } = await sql('SELECT FROM cases WHERE guild_id = $1', guild.id);
    expect(rows).toEqual([]);
  });
});
