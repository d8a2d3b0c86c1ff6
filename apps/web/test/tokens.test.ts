import { CAPABILITIES } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { type SeededGuild, seedGuild, seedToken } from '@bailiff/engine/testing';
import { describe, expect, it } from 'vitest';
import { guildForEachTest } from './each-test.ts';
import { call, callWithToken, type Person, signedIn, type TestWeb, windowSeconds } from './support.ts';

let web: TestWeb;
let guild: SeededGuild;
let owner: Person;

guildForEachTest((given) => {
  ({ web, guild, owner } = given);
});

const mint = (fields: object = {}, person = owner) =>
  person.call('POST', '/api/api-tokens', { guild_id: guild.id, name: 'deploy', kind: 'rest', ...fields });

const count = async (): Promise<number> => {
  const { rows } = await web.db.pool.query('SELECT count(*)::int AS n FROM tokens WHERE guild_id = $1', [
    guild.id,
  ]);
  return rows[0].n;
};

const auditOf = async (operation: string) => {
  const { rows } = await web.db.pool.query(
    'SELECT * FROM audit WHERE guild_id = $1 AND operation = $2 ORDER BY id',
    [guild.id, operation],
  );
  return rows;
};

const expire = (id: string) =>
  web.db.pool.query("UPDATE tokens SET expires_at = now() - interval '1 hour' WHERE id = $1", [id]);

const daysFrom = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 86_400_000;

describe('creating a token', () => {
  it('answers 201 with the token and a secret that works, and keeps only its hash', async () => {
    verifies(
      'token.create.response',
      'token.create.kind-rest',
      'token.snapshot.default',
      'token.expiry.default',
    );
    verifies('secret.stored-hash', 'token.timestamps', 'audit.dashboard-token-changes');
    const { status, body } = await mint();
    expect(status).toBe(201);
    expect(body.token).toMatchObject({
      guild_id: guild.id,
      name: 'deploy',
      kind: 'rest',
      state: 'active',
      capabilities: [...CAPABILITIES],
      ip_allowlist: [],
    });
    expect(body.secret).toMatch(/^svcpat_[0-9A-HJKMNP-TV-Z]{48}$/);
    expect(daysFrom(body.token.created_at, body.token.expires_at)).toBe(90);
    expect((await callWithToken(web.runtime, body.secret, 'GET', '/me')).status).toBe(200);
    const { rows } = await web.db.pool.query('SELECT t::text AS row FROM tokens t WHERE id = $1', [
      body.token.id,
    ]);
    expect(rows[0].row).not.toContain(body.secret.slice(7));
    expect(await auditOf('tokens.create')).toMatchObject([
      {
        actor_source: 'dashboard',
        actor_user_id: guild.ownerId,
        target_id: body.token.id,
        address: '203.0.113.9',
      },
    ]);
  });

  it('shows the secret in no later answer, only its last four characters', async () => {
    verifies('secret.shown-once', 'secret.last-four');
    const { body } = await mint();
    const list = await owner.call('GET', `/api/api-tokens?guild_id=${guild.id}`);
    expect(JSON.stringify(list.body)).not.toContain(body.secret);
    expect(list.body.data[0].secret_hint).toBe(`svcpat_…${body.secret.slice(-4)}`);
  });

  it('takes a subset of capabilities, an alias among them', async () => {
    verifies('token.snapshot.narrowed', 'capability.alias');
    const { body } = await mint({ capabilities: ['bans.read', 'enforcement_strike_add'] });
    expect(body.token.capabilities).toEqual(['strikes.write', 'bans.read']);
  });

  it.each([
    ['7d', 7],
    ['30d', 30],
    ['90d', 90],
  ])('with expires_in %s lives %i days', async (expires_in, days) => {
    verifies('token.expiry.options');
    const { body } = await mint({ expires_in });
    expect(daysFrom(body.token.created_at, body.token.expires_at)).toBe(days);
  });

  it('with expires_in never has no expiry', async () => {
    const { body } = await mint({ expires_in: 'never' });
    expect(body.token.expires_at).toBeNull();
  });

  it.each([
    ['another lifetime', { expires_in: '14d' }],
    ['another kind', { kind: 'mcp' }],
    ['an empty name', { name: '' }],
    ['a name of 65 characters', { name: 'x'.repeat(65) }],
    ['a NUL in the name', { name: 'a\u0000b' }],
    ['an unknown capability', { capabilities: ['bans.everything'] }],
    ['no capability at all', { capabilities: [] }],
    ['a list of guilds', { guild_ids: ['1'] }],
    ['a secret of its own', { secret: 'svcpat_' }],
    ['51 addresses', { ip_allowlist: Array.from({ length: 51 }, (_, n) => `10.0.0.${n}`) }],
    ['something that is no address', { ip_allowlist: ['localhost'] }],
  ])('is refused with %s, and mints none', async (_what, fields) => {
    verifies(
      'token.name.length',
      'token.expiry.options',
      'token.create.kind-rest',
      'token.scope.single-guild',
    );
    verifies('allowlist.max-50', 'allowlist.entry-syntax');
    const { status, body } = await mint(fields);
    expect(status).toBe(422);
    expect(body.error).toMatchObject({ code: 'VALIDATION_FAILED', retryable: false });
    expect(body.error.details.issues[0]).toHaveProperty('path');
    expect(await count()).toBe(0);
  });

  it.each(['pro', 'operator'])('of a guild on the tier %s is for this one guild', async (tier) => {
    verifies('token.scope.single-guild');
    const other = await seedGuild(web.db);
    await web.db.pool.query('UPDATE guilds SET tier = $2, owner_id = $3 WHERE id = ANY ($1)', [
      [guild.id, other.id],
      tier,
      guild.ownerId,
    ]);
    const both = [guild.id, other.id];
    for (const many of [{ guild_ids: both }, { guild_id: both }, { guild_id: '*' }, { guilds: both }]) {
      expect((await mint(many)).status).toBe(422);
    }
    const { body } = await mint();
    expect(body.token.guild_id).toBe(guild.id);
    const me = await callWithToken(web.runtime, body.secret, 'GET', '/me');
    expect(me.body).toMatchObject({ guild: { id: guild.id, tier } });
    const { rows } = await web.db.pool.query('SELECT guild_id FROM tokens WHERE guild_id = ANY ($1)', [both]);
    expect(rows).toEqual([{ guild_id: guild.id }]);
  });

  it('takes a name of 1 and of 64 characters, and 50 addresses', async () => {
    verifies('token.name.length', 'allowlist.max-50');
    expect((await mint({ name: 'x' })).status).toBe(201);
    const ip_allowlist = Array.from({ length: 50 }, (_, n) => `10.0.0.${n}`);
    expect((await mint({ name: 'x'.repeat(64), ip_allowlist })).status).toBe(201);
    // Spaces around it are nobody's intention, and would set two names apart that look alike.
    const { body } = await mint({ name: `  ${'y'.repeat(64)} ` });
    expect(body.token.name).toBe('y'.repeat(64));
  });

  it('names the network that an entry with host bits means', async () => {
    verifies('allowlist.host-bits');
    const { body } = await mint({ ip_allowlist: ['10.0.0.5/8'] });
    expect(body.error.message).toContain('10.0.0.0/8');
  });

  it('is for the owner: a moderator gets 403, a stranger 404, and none is minted', async () => {
    verifies('token.create.owner-only');
    await web.db.pool.query(
      "INSERT INTO role_grants (guild_id, role_id, capabilities, granted_by) VALUES ($1, $2, '{bans.write}', $3)",
      [guild.id, guild.moderatorRoleId, guild.ownerId],
    );
    const moderator = await mint({}, await signedIn(web, guild.moderatorId));
    expect([moderator.status, moderator.body.error.details.reason]).toEqual([403, 'OWNER_ONLY']);
    expect((await mint({}, await signedIn(web, guild.strangerId))).status).toBe(404);
    expect(await count()).toBe(0);
  });

  it('is for guilds on the paid tier', async () => {
    verifies('tier.free-no-tokens');
    await web.db.pool.query("UPDATE guilds SET tier = 'free' WHERE id = $1", [guild.id]);
    const { status, body } = await mint();
    expect([status, body.error.details.reason]).toEqual([403, 'GUILD_NOT_PAID']);
    expect(await count()).toBe(0);
  });

  it('is refused while the bot is away: the owner might not be the owner any more', async () => {
    await web.db.pool.query('UPDATE guilds SET mirrored_at = NULL WHERE id = $1', [guild.id]);
    const { status, body } = await mint();
    expect([status, body.error.code]).toEqual([503, 'UPSTREAM_UNAVAILABLE']);
    expect(await count()).toBe(0);
  });

  it('stops at 25 that are not revoked, however many come at once', async () => {
    verifies('token.create.limit-25');
    for (let n = 0; n < 23; n += 1) await seedToken(web.db, guild);
    await web.db.pool.query("UPDATE tokens SET expires_at = now() - interval '1 day' WHERE guild_id = $1", [
      guild.id,
    ]);
    const answers = await Promise.all(Array.from({ length: 6 }, () => mint()));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
    const refused = answers.find(({ status }) => status !== 201);
    expect([refused?.status, refused?.body.error.details.reason]).toEqual([403, 'TOKEN_LIMIT']);
    const minted = answers.find(({ status }) => status === 201);
    await owner.call('DELETE', `/api/api-tokens/${minted?.body.token.id}`);
    expect((await mint()).status).toBe(201);
  });

  it('takes 20 requests of a user per hour, and another user is unaffected', async () => {
    verifies('limits.ip.token-create');
    for (let n = 0; n < 20; n += 1) expect((await mint({ name: '' })).status).toBe(422);
    const { status, body, headers } = await mint();
    expect([status, body.error.code]).toEqual([429, 'RATE_LIMITED']);
    // The rest of an hour that began with the first of them.
    expect(Number(headers.get('Retry-After'))).toBeLessThanOrEqual(3600);
    expect(Number(headers.get('Retry-After'))).toBeGreaterThan(3500);
    guild = await seedGuild(web.db);
    expect((await mint({}, await signedIn(web, guild.ownerId))).status).toBe(201);
  });
});

it('a client that is given a token with a code counts as one of the 20 tokens of an hour', async () => {
  verifies('limits.ip.token-create');
  const confirm = () =>
    owner.call('POST', '/api/device/confirm', { user_code: 'BBBB-BBBB', guild_id: guild.id });
  expect((await confirm()).status).toBe(404);
  for (let n = 0; n < 19; n += 1) expect((await mint({ name: '' })).status).toBe(422);
  for (const refused of [await mint(), await confirm()])
    expect([refused.status, refused.body.error.details.scope]).toEqual([429, 'session']);
});

describe('a token in the list', () => {
  it('stays with its reason when it is revoked, and when it has expired', async () => {
    verifies('token.list');
    const [expired, revoked] = [await seedToken(web.db, guild), await seedToken(web.db, guild)];
    await expire(expired.id);
    await owner.call('DELETE', `/api/api-tokens/${revoked.id}`);
    const { body } = await owner.call('GET', `/api/api-tokens?guild_id=${guild.id}`);
    expect(body.data).toMatchObject([
      { id: revoked.id, state: 'revoked', revoked_reason: 'owner' },
      { id: expired.id, state: 'expired', revoked_reason: null },
    ]);
  });

  it('needs the id of a guild', async () => {
    expect((await owner.call('GET', '/api/api-tokens?guild_id=x')).status).toBe(400);
  });
});

describe('revoking', () => {
  it('refuses the very next call, permanently, and is recorded once', async () => {
    verifies('revocation.explicit', 'revocation.audit', 'revocation.final', 'G1');
    const token = await seedToken(web.db, guild);
    expect((await owner.call('DELETE', `/api/api-tokens/${token.id}`)).status).toBe(200);
    const me = await callWithToken(web.runtime, token.secret, 'GET', '/me');
    expect([me.status, me.body.error.code]).toEqual([401, 'TOKEN_REVOKED']);
    await owner.call('DELETE', `/api/api-tokens/${token.id}`);
    expect(await auditOf('tokens.revoke')).toHaveLength(1);
  });
});

describe('renewing', () => {
  it('extends an active token by 90 days or the chosen length, and keeps the secret', async () => {
    verifies('renewal.active', 'renewal.same-secret', 'renewal.audit');
    const token = await seedToken(web.db, guild);
    const path = `/api/api-tokens/${token.id}/renew`;
    const once = (await owner.call('POST', path)).body.token;
    expect(daysFrom(once.created_at, once.expires_at)).toBeCloseTo(180, 2);
    const twice = (await owner.call('POST', path, { expires_in: '7d' })).body.token;
    expect(daysFrom(once.expires_at, twice.expires_at)).toBe(7);
    expect((await callWithToken(web.runtime, token.secret, 'GET', '/me')).status).toBe(200);
    expect(await auditOf('tokens.renew')).toHaveLength(2);
  });

  it('leaves a token without expiry as it is, unless a length is named, and records which it was', async () => {
    const { body: minted } = await mint({ expires_in: 'never' });
    const path = `/api/api-tokens/${minted.token.id}/renew`;
    expect((await owner.call('POST', path)).body.token.expires_at).toBeNull();
    const { body } = await owner.call('POST', path, { expires_in: '7d' });
    expect(daysFrom(new Date().toISOString(), body.token.expires_at)).toBeCloseTo(7, 2);
    expect((await auditOf('tokens.renew')).map(({ details }) => details)).toEqual([
      { expires_in: 'never' },
      { expires_in: '7d' },
    ]);
  });

  it('makes an expired token active again, counted from now', async () => {
    verifies('renewal.expired');
    const token = await seedToken(web.db, guild);
    await expire(token.id);
    const { body } = await owner.call('POST', `/api/api-tokens/${token.id}/renew`, { expires_in: '30d' });
    expect(body.token.state).toBe('active');
    expect(daysFrom(new Date().toISOString(), body.token.expires_at)).toBeCloseTo(30, 2);
  });

  it.each(['renew', 'rotate'])(
    'a revoked token with %s is 409 TOKEN_REVOKED and it stays revoked',
    async (verb) => {
      verifies('renewal.revoked', 'rotation.revoked', 'revocation.final');
      const token = await seedToken(web.db, guild);
      await owner.call('DELETE', `/api/api-tokens/${token.id}`);
      const { status, body } = await owner.call('POST', `/api/api-tokens/${token.id}/${verb}`);
      expect([status, body.error.code]).toEqual([409, 'TOKEN_REVOKED']);
      expect((await callWithToken(web.runtime, token.secret, 'GET', '/me')).body.error.code).toBe(
        'TOKEN_REVOKED',
      );
    },
  );
});

describe('the tokens of a former owner', () => {
  const handOver = async () => {
    await web.db.pool.query('UPDATE guilds SET owner_id = $2 WHERE id = $1', [guild.id, guild.moderatorId]);
    return signedIn(web, guild.moderatorId);
  };

  it.each([
    ['renew', 'active'],
    ['renew', 'expired'],
    ['rotate', 'active'],
    ['rotate', 'expired'],
  ])(
    'do not let the new owner act in the name of the former: to %s an %s one is refused',
    async (verb, state) => {
      const token = await seedToken(web.db, guild);
      if (state === 'expired') await expire(token.id);
      const rowOf = async () =>
        (await web.db.pool.query('SELECT t::text FROM tokens t WHERE id = $1', [token.id])).rows;
      const before = await rowOf();
      const successor = await handOver();
      const { status, body } = await successor.call('POST', `/api/api-tokens/${token.id}/${verb}`);
      expect([status, body.error?.code, body.error?.details]).toEqual([
        403,
        'FORBIDDEN',
        { reason: 'NOT_ISSUER' },
      ]);
      expect(body.error.message).toMatch(/^A former owner .* Revoke it, and create one of your own\.$/);
      expect(await rowOf()).toEqual(before);
      expect(await auditOf(`tokens.${verb}`)).toEqual([]);
    },
  );

  it('are listed for the new owner, who can revoke them', async () => {
    const token = await seedToken(web.db, guild);
    const successor = await handOver();
    const { body } = await successor.call('GET', `/api/api-tokens?guild_id=${guild.id}`);
    expect(body.data).toMatchObject([{ id: token.id, issuer_id: guild.ownerId }]);
    expect((await successor.call('DELETE', `/api/api-tokens/${token.id}`)).status).toBe(200);
    expect((await callWithToken(web.runtime, token.secret, 'GET', '/me')).body.error.code).toBe(
      'TOKEN_REVOKED',
    );
  });
});

describe('rotating', () => {
  const rotate = (id: string, body?: object) => owner.call('POST', `/api/api-tokens/${id}/rotate`, body);
  const works = async (secret: string) =>
    (await callWithToken(web.runtime, secret, 'GET', '/me')).status === 200;

  it('gives a new secret; the old one dies at once and the rest stays', async () => {
    verifies(
      'rotation.response',
      'rotation.keeps',
      'rotation.audit',
      'token.timestamps',
      'secret.shown-once',
      'G11',
    );
    const { body: minted } = await mint({ capabilities: ['bans.read'], ip_allowlist: ['203.0.113.0/24'] });
    const { status, body } = await rotate(minted.token.id);
    expect(status).toBe(200);
    const { name, guild_id, capabilities, expires_at, ip_allowlist } = minted.token;
    expect(body.token).toMatchObject({ name, guild_id, capabilities, expires_at, ip_allowlist });
    expect(body.token.rotated_at).not.toBeNull();
    expect([await works(minted.secret), await works(body.secret)]).toEqual([false, true]);
    expect(await auditOf('tokens.rotate')).toHaveLength(1);
  });

  it('with overlap both work for five minutes, and a second rotation ends the first overlap', async () => {
    verifies('rotation.overlap', 'rotation.overlap-again', 'G11', 'H15');
    const first = await seedToken(web.db, guild);
    const second = (await rotate(first.id, { overlap: true })).body;
    expect([await works(first.secret), await works(second.secret)]).toEqual([true, true]);
    const left = Date.parse(second.token.previous_secret_expires_at) - Date.parse(second.token.rotated_at);
    expect(left / 1000).toBeCloseTo(300, 0);
    const third = (await rotate(first.id, { overlap: true })).body;
    expect([await works(first.secret), await works(second.secret), await works(third.secret)]).toEqual([
      false,
      true,
      true,
    ]);
    await web.db.pool.query(
      'UPDATE tokens SET previous_secret_expires_at = now() - make_interval(secs => 1) WHERE id = $1',
      [first.id],
    );
    expect([await works(second.secret), await works(third.secret)]).toEqual([false, true]);
    const { body } = await owner.call('GET', `/api/api-tokens?guild_id=${guild.id}`);
    expect(body.data).toMatchObject([{ id: first.id, previous_secret_expires_at: null }]);
  });

  it('makes an expired token active again for its original lifetime', async () => {
    verifies('rotation.expired');
    const { body: minted } = await mint({ expires_in: '7d' });
    await expire(minted.token.id);
    const { body } = await rotate(minted.token.id);
    expect(body.token.state).toBe('active');
    expect(daysFrom(new Date().toISOString(), body.token.expires_at)).toBeCloseTo(7, 2);
  });

  it('makes no expired token live for ever: one that was given an end later has that length again', async () => {
    verifies('rotation.expired');
    const { body: minted } = await mint({ expires_in: 'never' });
    const { id } = minted.token;
    await owner.call('POST', `/api/api-tokens/${id}/renew`, { expires_in: '7d' });
    const daysAfterRotation = async () => {
      await expire(id);
      const { body } = await rotate(id);
      return body.token.expires_at && daysFrom(new Date().toISOString(), body.token.expires_at);
    };
    expect(await daysAfterRotation()).toBeCloseTo(7, 2);
    // It was given its end before anybody kept how long that was.
    await web.db.pool.query('UPDATE tokens SET lifetime_days = NULL WHERE id = $1', [id]);
    expect(await daysAfterRotation()).toBeCloseTo(90, 2);
  });
});

describe('changing', () => {
  it('a name or an allowlist changes exactly what is given', async () => {
    verifies('token.patch', 'audit.dashboard-token-changes');
    const { body: minted } = await mint({ ip_allowlist: ['192.0.2.1'] });
    const path = `/api/api-tokens/${minted.token.id}`;
    const renamed = (await owner.call('PATCH', path, { name: 'other' })).body.token;
    expect([renamed.name, renamed.ip_allowlist]).toEqual(['other', ['192.0.2.1']]);
    const opened = (await owner.call('PATCH', path, { ip_allowlist: [] })).body.token;
    expect([opened.name, opened.ip_allowlist]).toEqual(['other', []]);
    expect((await owner.call('PATCH', path, {})).status).toBe(422);
    expect(await auditOf('tokens.update')).toHaveLength(2);
  });

  it('a refused allowlist leaves the stored one', async () => {
    verifies('allowlist.entry-syntax');
    const { body: minted } = await mint({
      ip_allowlist: ['192.0.2.1', '2001:db8::/32', '2001:db8::1', '198.51.100.0/24'],
    });
    expect(
      (await owner.call('PATCH', `/api/api-tokens/${minted.token.id}`, { ip_allowlist: ['::1%lo'] })).status,
    ).toBe(422);
    const { body } = await owner.call('GET', `/api/api-tokens?guild_id=${guild.id}`);
    expect(body.data[0].ip_allowlist).toHaveLength(4);
  });

  it('snoozing puts the warning away and is recorded', async () => {
    verifies('rotation.snooze', 'audit.dashboard-token-changes');
    const token = await seedToken(web.db, guild);
    const { body } = await owner.call('POST', `/api/api-tokens/${token.id}/snooze-warning`);
    expect(body.token.rotation_warning_dismissed_at).not.toBeNull();
    expect(await auditOf('tokens.snooze')).toHaveLength(1);
    const rotated = await owner.call('POST', `/api/api-tokens/${token.id}/rotate`);
    expect(rotated.body.token.rotation_warning_dismissed_at).toBeNull();
  });
});

describe('who may change tokens', () => {
  const everyChange = (id: string): [string, string, unknown?][] => [
    ['POST', '/api/api-tokens', { guild_id: guild.id, name: 'x', kind: 'rest' }],
    ['DELETE', `/api/api-tokens/${id}`],
    ['PATCH', `/api/api-tokens/${id}`, { name: 'x' }],
    ['POST', `/api/api-tokens/${id}/renew`],
    ['POST', `/api/api-tokens/${id}/rotate`],
    ['POST', `/api/api-tokens/${id}/snooze-warning`],
  ];
  const snapshot = async () =>
    (await web.db.pool.query('SELECT t::text FROM tokens t WHERE guild_id = $1', [guild.id])).rows;

  it('nobody without a session', async () => {
    verifies('dashboard.session-required');
    const token = await seedToken(web.db, guild);
    const before = await snapshot();
    for (const [method, path, body] of [
      ...everyChange(token.id),
      ['GET', `/api/api-tokens?guild_id=${guild.id}`] as const,
    ]) {
      const answer = await call(web.runtime, method, path, body, { Origin: 'http://bailiff.test' });
      expect([path, answer.status, answer.body.error.details]).toEqual([
        path,
        401,
        { reason: 'SESSION_REQUIRED' },
      ]);
    }
    expect(await snapshot()).toEqual(before);
  });

  it('nobody over a token', async () => {
    verifies('dashboard.session-required');
    const token = await seedToken(web.db, guild);
    const before = await snapshot();
    for (const [method, path, body] of everyChange(token.id)) {
      const headers = { Origin: 'http://bailiff.test', Authorization: `Bearer ${token.secret}` };
      expect((await call(web.runtime, method, path, body, headers)).status).toBe(401);
    }
    expect(await snapshot()).toEqual(before);
  });

  it.each([
    undefined,
    'null',
    'https://evil.example',
    'http://bailiff.test.evil.example',
    'http://bailiff.test:81',
  ])('no other site: Origin %s', async (origin) => {
    verifies('dashboard.same-origin');
    const token = await seedToken(web.db, guild);
    const before = await snapshot();
    for (const [method, path, body] of everyChange(token.id)) {
      const headers = { Cookie: owner.cookie, ...(origin === undefined ? {} : { Origin: origin }) };
      const answer = await call(web.runtime, method, path, body, headers);
      expect([path, answer.status, answer.body.error.details]).toEqual([
        path,
        403,
        { reason: 'FOREIGN_ORIGIN' },
      ]);
    }
    expect(await snapshot()).toEqual(before);
  });

  it('nobody who may have lost the guild: what gives rights waits for the bot, and what takes them does not', async () => {
    const token = await seedToken(web.db, guild);
    const path = `/api/api-tokens/${token.id}`;
    await web.db.pool.query('UPDATE guilds SET mirrored_at = NULL WHERE id = $1', [guild.id]);
    for (const [method, at, body] of [
      ['PATCH', path, { name: 'x' }],
      ['POST', `${path}/renew`],
      ['POST', `${path}/rotate`],
    ] as const) {
      const answer = await owner.call(method, at, body);
      expect([at, answer.status, answer.body.error?.code]).toEqual([at, 503, 'UPSTREAM_UNAVAILABLE']);
    }
    expect((await owner.call('POST', `${path}/snooze-warning`)).status).toBe(200);
    expect((await owner.call('DELETE', path)).status).toBe(200);
  });

  it('not the owner of a guild that Bailiff has left', async () => {
    const token = await seedToken(web.db, guild);
    await web.db.pool.query('UPDATE guilds SET left_at = now() WHERE id = $1', [guild.id]);
    const { status, body } = await owner.call('DELETE', `/api/api-tokens/${token.id}`);
    expect([status, body.error.code]).toEqual([404, 'NOT_FOUND']);
  });

  it('no other owner: a foreign token and an absent one are the same answer', async () => {
    const token = await seedToken(web.db, guild);
    const before = await snapshot();
    const other = await signedIn(web, (await seedGuild(web.db)).ownerId);
    const absent = 'tok_00000000000070008000000000000000';
    for (const [method, path, body] of everyChange(token.id).slice(1)) {
      const foreign = await other.call(method, path, body);
      const missing = await other.call(method, path.replace(token.id, absent), body);
      expect([path, foreign.status]).toEqual([path, 404]);
      expect({ ...foreign.body.error, request_id: '' }).toEqual({ ...missing.body.error, request_id: '' });
    }
    expect(await snapshot()).toEqual(before);
  });
});

it('a session takes 600 requests a minute, and another session is unaffected', async () => {
  verifies('limits.ip.api-session');
  const other = await signedIn(web, guild.ownerId);
  await owner.call('GET', '/api/nowhere');
  expect(await windowSeconds(web, 'api:session:%')).toBe(60);
  const some = async (length: number) => {
    const answers = await Promise.all(Array.from({ length }, () => owner.call('GET', '/api/nowhere')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
  };
  await some(9);
  for (let n = 1; n < 60; n += 1) await some(10);
  const refused = await owner.call('GET', '/api/nowhere');
  expect([refused.status, refused.body.error.details.scope]).toEqual([429, 'session']);
  expect((await other.call('GET', '/api/nowhere')).status).toBe(404);
});
