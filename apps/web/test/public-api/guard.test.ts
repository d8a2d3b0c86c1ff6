import {
  CAPABILITIES,
  type Capability,
  encodeCursor,
  matchRoute,
  OPERATIONS,
  pathTemplate,
  type RestOperation,
} from '@bailiff/core';
import { inTime, verifies } from '@bailiff/core/testing';
import { grantRole, seedGuild, seedToken, seedWindow } from '@bailiff/engine/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exhaust } from '#test/support.ts';
import { type PublicApiHarness, sentinel, startPublicApi } from './harness.ts';
import { readCalls } from './read-calls.ts';

let api: PublicApiHarness;

beforeAll(async () => {
  api = await startPublicApi();
});

afterAll(async () => {
  await api.close();
});

const ME = '/me';

describe('the secret', () => {
  it('missing, malformed and unknown are one answer', async () => {
    verifies('secret.scheme', 'secret.syntax.length');
    const { secret } = api.token;
    const unusable = [
      undefined,
      `Basic ${secret}`,
      `Bearer ${secret.slice(0, -1)}`,
      `Bearer ${secret}A`,
      `Bearer "${secret}"`,
      `Bearer  ${secret}`,
      `Bearer ${secret.replace('svcpat_', 'othpat_')}`,
      `Bearer svcpat_${'U'.repeat(48)}`,
      `Bearer svcpat_${'0'.repeat(48)}`,
    ];
    const bodies = [];
    for (const authorization of unusable) {
      const headers = authorization === undefined ? {} : { Authorization: authorization };
      const answer = await api.call(ME, { token: '', headers });
      expect(answer.status, authorization).toBe(401);
      expect(answer.headers.get('WWW-Authenticate')).toBe(
        authorization === undefined || authorization.startsWith('Basic')
          ? 'Bearer realm="bailiff"'
          : 'Bearer realm="bailiff", error="invalid_token"',
      );
      const { request_id: _, ...error } = answer.body.error;
      bodies.push(error);
    }
    expect(bodies[0]).toMatchObject({ code: 'UNAUTHORIZED', details: { reason: 'TOKEN_INVALID' } });
    for (const body of bodies) expect(body).toEqual(bodies[0]);
  });

  it('of a revoked, an expired or a free guild’s token says so', async () => {
    verifies('tier.drop-answer', 'revocation.final');
    const guild = await seedGuild(api.database);
    const token = await seedToken(api.database, guild);
    const code = async () => (await api.call(ME, { token })).body.error?.code;
    expect(await code()).toBeUndefined();
    await api.database.pool.query("UPDATE guilds SET tier = 'free' WHERE id = $1", [guild.id]);
    expect(await code()).toBe('TOKEN_REVOKED');
    await api.database.pool.query("UPDATE guilds SET tier = 'operator' WHERE id = $1", [guild.id]);
    expect(await code()).toBeUndefined();
    await api.database.pool.query(
      'UPDATE tokens SET expires_at = now() - make_interval(secs => 1) WHERE id = $1',
      [token.id],
    );
    expect(await code()).toBe('TOKEN_EXPIRED');
    await api.database.pool.query('UPDATE tokens SET revoked_at = now() WHERE id = $1', [token.id]);
    expect(await code()).toBe('TOKEN_REVOKED');
  });

  it('before a rotation works for the overlap and not a moment longer', async () => {
    verifies('rotation.overlap', 'G11');
    const token = await seedToken(api.database, api.guild);
    await api.database.pool.query(
      `UPDATE tokens SET previous_secret_hash = secret_hash, previous_secret_expires_at = now() + interval '5 minutes',
         secret_hash = '\\x01' WHERE id = $1`,
      [token.id],
    );
    expect((await api.call(ME, { token })).status).toBe(200);
    await api.database.pool.query(
      'UPDATE tokens SET previous_secret_expires_at = now() - make_interval(secs => 1) WHERE id = $1',
      [token.id],
    );
    expect((await api.call(ME, { token })).body.error.code).toBe('UNAUTHORIZED');
  });
});

describe('the address', () => {
  it('outside the allowlist is refused, leaves last_used alone, and destructive calls leave a row', async () => {
    verifies(
      'allowlist.ipv4-cidr',
      'allowlist.mapped-ipv4',
      'token.last-used',
      'audit.refused.wrong-address',
      'G3',
    );
    const token = await seedToken(api.database, api.guild, { ipAllowlist: ['203.0.113.0/24'] });
    const lastUsed = async () => {
      const { rows } = await api.database.pool.query('SELECT last_used_at FROM tokens WHERE id = $1', [
        token.id,
      ]);
      return rows[0].last_used_at;
    };
    for (const address of ['203.0.114.1', '::ffff:203.0.114.1', '2001:db8::1', 'unknown']) {
      expect((await api.call(ME, { token, address })).body.error.code, address).toBe('TOKEN_IP_NOT_ALLOWED');
    }
    await api.inGuild('/bans', { method: 'POST', token, address: '203.0.114.1', body: {} });
    expect(await api.audit('bans.add')).toMatchObject([{ code: 'TOKEN_IP_NOT_ALLOWED', outcome: 'refused' }]);
    expect(await lastUsed()).toBeNull();
    expect((await api.call(ME, { token, address: '::ffff:203.0.113.77' })).status).toBe(200);
    expect(await lastUsed()).not.toBeNull();
  });

  it.each([
    ['55 seconds', false],
    ['61 seconds', true],
  ])('a read %s after the last use of its token notes that it is used: %s', async (age, isNoted) => {
    verifies('token.last-used');
    const token = await seedToken(api.database, api.guild);
    const { status, rows } = await inTime(4, async () => {
      await api.database.pool.query('UPDATE tokens SET last_used_at = now() - $2::interval WHERE id = $1', [
        token.id,
        age,
      ]);
      const { status } = await api.inGuild('/strikes', { token });
      const { rows } = await api.database.pool.query(
        "SELECT last_used_at > now() - interval '30 seconds' AS noted FROM tokens WHERE id = $1",
        [token.id],
      );
      return { status, rows };
    });
    expect([status, rows]).toEqual([200, [{ noted: isNoted }]]);
  });

  it('a write notes that its token is used, and one that is refused does not', async () => {
    verifies('token.last-used');
    const token = await seedToken(api.database, api.guild);
    const isUsed = async () => {
      const { rows } = await api.database.pool.query(
        'SELECT last_used_at IS NOT NULL AS used FROM tokens WHERE id = $1',
        [token.id],
      );
      return rows[0].used;
    };
    const path = `/members/${api.guild.memberId}/identities`;
    const write = (platform: string) =>
      api.inGuild(path, { method: 'POST', token, body: { platform, in_game_id: 'Ada' } });
    expect([(await write('abacus')).status, await isUsed()]).toEqual([422, false]);
    expect([(await write('other')).status, await isUsed()]).toEqual([201, true]);
  });
});

describe('capabilities', () => {
  const [WRONG, ABSENT, UNREADABLE] = ['422 VALIDATION_FAILED', '404 NOT_FOUND', '400 VALIDATION_FAILED'];
  const UNAPPROVED = '403 RE_AUTH_REQUIRED';
  /** The result of each call that passes the check. */
  const calls: [RestOperation, string, string][] = [
    ['strikes.list', '/strikes', '200'],
    ['strikes.get', `/strikes/str_${'0'.repeat(32)}`, ABSENT],
    ['strikes.add', '/strikes', WRONG],
    ['strikes.remove', '/strikes/str_1', UNREADABLE],
    ['bans.list', '/bans', '200'],
    ['bans.get', '/bans/100000000000000001', ABSENT],
    ['bans.add', '/bans', WRONG],
    ['bans.lift', '/bans/1', UNREADABLE],
    ['mutes.list', '/mutes', '200'],
    ['mutes.add', '/mutes', WRONG],
    ['mutes.lift', '/mutes/1', UNREADABLE],
    ['tickets.list', '/tickets', '200'],
    ['tickets.get', `/tickets/tkt_${'0'.repeat(32)}`, ABSENT],
    ['tickets.claim', `/tickets/tkt_${'0'.repeat(32)}/claim`, ABSENT],
    ['tickets.assign', `/tickets/tkt_${'0'.repeat(32)}/assign`, WRONG],
    ['tickets.unclaim', `/tickets/tkt_${'0'.repeat(32)}/unclaim`, ABSENT],
    ['tickets.notes', `/tickets/tkt_${'0'.repeat(32)}/notes`, ABSENT],
    ['tickets.stats', '/ticket-statistics', '200'],
    ['tickets.note', `/tickets/tkt_${'0'.repeat(32)}/notes`, WRONG],
    ['tickets.unnote', `/tickets/tkt_${'0'.repeat(32)}/notes/tno_${'0'.repeat(32)}`, ABSENT],
    ['appeals.list', '/appeals', '200'],
    ['appeals.get', `/appeals/apl_${'0'.repeat(32)}`, ABSENT],
    ['appeals.vote', `/appeals/apl_${'0'.repeat(32)}/vote`, WRONG],
    ['appeals.refuse', `/appeals/apl_${'0'.repeat(32)}/refuse`, UNAPPROVED],
    ['reports.list', '/reports', '200'],
    ['reports.get', `/reports/rpt_${'0'.repeat(32)}`, ABSENT],
    ['reports.claim', `/reports/rpt_${'0'.repeat(32)}/claim`, ABSENT],
    ['reports.close', `/reports/rpt_${'0'.repeat(32)}/close`, UNAPPROVED],
    ['messages.purge', '/mass-purge', WRONG],
    ['messages.archive', `/archives/arc_${'0'.repeat(32)}`, ABSENT],
    ['servers.list', '/servers', '200'],
    ['servers.rcon', `/servers/srv_${'0'.repeat(32)}/rcon/run`, WRONG],
    ['members.get', '/members/100000000000000001', ABSENT],
    ['audit.list', '/audit', '200'],
  ];

  it.each(calls)(
    '%s is denied without its own, and the check passes with it alone',
    async (name, path, end) => {
      verifies(
        'capability.operation.strikes-read',
        'capability.operation.strikes-add',
        'capability.operation.strikes-remove',
        'capability.operation.bans-read',
        'capability.operation.bans-add',
        'capability.operation.bans-lift',
        'capability.operation.mutes-list',
        'capability.operation.mutes-add',
        'capability.operation.mutes-lift',
        'capability.operation.tickets-read',
        'capability.operation.tickets-claim',
        'capability.operation.tickets-unclaim',
        'capability.operation.messages-purge',
        'capability.operation.servers-list',
        'capability.operation.servers-rcon',
        'capability.operation.members-get',
        'capability.operation.audit-list',
      );
      const needed = OPERATIONS[name].capability as Capability;
      const { method } = OPERATIONS[name].http;
      const without = CAPABILITIES.filter((capability) => capability !== needed);
      const denied = await api.inGuild(path, {
        method,
        token: await seedToken(api.database, api.guild, { capabilities: without }),
      });
      expect(denied.status).toBe(403);
      expect(denied.body.error).toMatchObject({ code: 'CAPABILITY_DENIED', details: { missing: [needed] } });
      const passed = await api.inGuild(path, {
        method,
        token: await seedToken(api.database, api.guild, { capabilities: [needed] }),
      });
      expect([passed.status, passed.body.error?.code ?? []].flat().join(' ')).toBe(end);
    },
  );

  it('are what the issuer may do now, within what they could at issuance', async () => {
    verifies(
      'capability.live-removal',
      'capability.ceiling',
      'capability.empty-intersection',
      'capability.reads-survive',
      'capability.operation.me',
      'capability.role-grants',
      'me.effective',
      'audit.refused.missing-capability',
      'G2',
    );
    const guild = await seedGuild(api.database);
    await grantRole(api.database, guild, guild.moderatorRoleId, ['bans.read', 'bans.write']);
    const token = await seedToken(api.database, guild, {
      issuerId: guild.moderatorId,
      capabilities: ['bans.read', 'bans.write'],
    });
    const bans = () => api.call(`/guilds/${guild.id}/bans`, { token });
    const ban = () => api.call(`/guilds/${guild.id}/bans`, { token, method: 'POST', body: {} });
    expect((await bans()).status).toBe(200);

    await grantRole(api.database, guild, guild.moderatorRoleId, ['bans.read', 'strikes.read']);
    expect((await bans()).status).toBe(200);
    expect((await ban()).body.error.details.missing).toEqual(['bans.write']);
    expect((await api.call(`/guilds/${guild.id}/strikes`, { token })).body.error.code).toBe(
      'CAPABILITY_DENIED',
    );

    await grantRole(api.database, guild, guild.moderatorRoleId, []);
    expect((await bans()).body.error.code).toBe('CAPABILITY_DENIED');
    expect((await ban()).body.error.code).toBe('CAPABILITY_DENIED');
    const me = await api.call(ME, { token });
    expect(me.body).toMatchObject({ snapshot: ['bans.read', 'bans.write'], effective_capabilities: [] });
    const { rows } = await api.database.pool.query(
      `SELECT audit.code, count FROM audit JOIN refusal_counts ON audit_id = audit.id
       WHERE audit.guild_id = $1 AND outcome = 'refused'`,
      [guild.id],
    );
    expect(rows).toEqual([{ code: 'CAPABILITY_DENIED', count: 2 }]);
  });

  it('cannot be known from a stale mirror', async () => {
    verifies('capability.mirror-stale', 'G2', 'H23');
    const guild = await seedGuild(api.database);
    const token = await seedToken(api.database, guild);
    const call = () => api.call(`/guilds/${guild.id}/strikes`, { token });
    expect((await call()).status).toBe(200);
    const heartbeatBefore = (seconds: number) =>
      api.database.pool.query('UPDATE gateway_shards SET heartbeat_at = now() - make_interval(secs => $1)', [
        seconds,
      ]);
    // A minute; a busy machine takes a few seconds for a call.
    await heartbeatBefore(55);
    expect((await call()).status).toBe(200);
    await heartbeatBefore(61);
    expect((await call()).status).toBe(503);
    await heartbeatBefore(0);
    expect((await call()).status).toBe(200);
    await api.database.pool.query('UPDATE guilds SET mirrored_at = NULL WHERE id = $1', [guild.id]);
    const answer = await call();
    expect(answer.status).toBe(503);
    expect(answer.body.error).toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      details: { upstream: 'bot', outcome: 'not_performed' },
    });
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
  });

  it('of an action are those of its operation', async () => {
    verifies('capability.operation.actions-get', 'actions.get');
    await seedWindow(api.database, api.guild, api.token);
    const input = { user_id: api.guild.memberId, reason: 'spam', severity: 'minor' };
    await api.inGuild('/strikes', {
      method: 'POST',
      body: { ...input, _confirmation: sentinel('strikes.add', api.guild, input) },
    });
    const { rows } = await api.database.pool.query(
      "SELECT id FROM actions WHERE guild_id = $1 AND operation = 'strikes.add'",
      [api.guild.id],
    );
    const get = async (capabilities: Capability[]) =>
      api.inGuild(`/actions/${rows[0].id}`, {
        token: await seedToken(api.database, api.guild, { capabilities }),
      });
    expect((await get(['bans.write'])).body.error.details.missing).toEqual(['strikes.write']);
    expect((await get(['strikes.write'])).body.action).toMatchObject({
      operation: 'strikes.add',
      state: 'done',
      outcome: 'performed',
      result: { severity: 'minor' },
    });
  });
});

describe('the command policy of a game server', () => {
  it('denies a command also without a window, and takes every one where it is empty', async () => {
    verifies('rcon.policy.denied', 'rcon.policy.empty');
    const { rows } = await api.database.pool.query(
      `INSERT INTO game_servers (guild_id, name, host, port, password_sealed, deny_patterns, created_by)
       VALUES ($1, 'arena', 'game.example', 27015, '\\x00', '{op *}', $2) RETURNING id`,
      [api.guild.id, api.guild.ownerId],
    );
    const token = await seedToken(api.database, api.guild);
    const run = (command: string) =>
      api.inGuild(`/servers/${rows[0].id}/rcon/run`, { method: 'POST', token, body: { command } });
    expect(await run('/OP troll')).toMatchObject({
      status: 403,
      body: { error: { code: 'FORBIDDEN', details: { reason: 'COMMAND_NOT_ALLOWED' } } },
    });
    expect((await run('list')).body.error.code).toBe('RE_AUTH_REQUIRED');
    await api.database.pool.query("UPDATE game_servers SET deny_patterns = '{}'");
    expect((await run('/op troll')).body.error.code).toBe('RE_AUTH_REQUIRED');
    await api.database.pool.query('DELETE FROM game_servers');
  });
});

describe('another guild', () => {
  it('gets the same answer whether it exists or not', async () => {
    const other = await seedGuild(api.database);
    const existing = await api.call(`/guilds/${other.id}/strikes`);
    const absent = await api.call('/guilds/123456789012345678/strikes');
    const garbage = await api.call('/guilds/xyz/strikes');
    for (const { status, body } of [existing, absent, garbage]) {
      expect(status).toBe(403);
      expect(body.error).toMatchObject({ code: 'FORBIDDEN', details: { reason: 'OTHER_GUILD' } });
    }
  });
});

describe('what belongs to another guild', () => {
  it('is absent for a token that may do something else: neither its kind nor its settings are told', async () => {
    const other = await seedGuild(api.database);
    const insert = async (text: string): Promise<string> => {
      const { rows } = await api.database.pool.query(text, [other.id, other.ownerId]);
      return rows[0].id;
    };
    const actionId = await insert(
      `INSERT INTO actions (guild_id, operation, input, digest, state, actor_source, actor_user_id, request_id, claim_by)
       VALUES ($1, 'strikes.add', '{}', '', 'done', 'chat', $2, 'req_other', now()) RETURNING id`,
    );
    const token = await seedToken(api.database, api.guild, { capabilities: ['bans.write', 'servers.rcon'] });
    const action = await api.inGuild(`/actions/${actionId}`, { token });
    expect([action.status, action.body.error.code]).toEqual([404, 'NOT_FOUND']);
    const serverId = await insert(
      `INSERT INTO game_servers (guild_id, name, host, port, password_sealed, deny_patterns, created_by)
       VALUES ($1, 'theirs', 'game.example', 27015, '\\x00', '{op *}', $2) RETURNING id`,
    );
    const run = await api.inGuild(`/servers/${serverId}/rcon/run`, {
      method: 'POST',
      token,
      body: { command: 'op troll' },
    });
    expect(run.body.error.code).toBe('RE_AUTH_REQUIRED');
    await api.database.pool.query('DELETE FROM game_servers WHERE id = $1', [serverId]);
  });
});

describe('a browser', () => {
  it('is refused by its Origin or its preflight, without Access-Control headers', async () => {
    verifies('cors.preflight', 'cors.no-allow-headers', 'cors.sec-fetch-mode');
    const preflight = await api.inGuild('/strikes', { method: 'OPTIONS' });
    const direct = await api.inGuild('/strikes', { headers: { Origin: 'https://example.com' } });
    for (const answer of [preflight, direct]) {
      expect(answer.status).toBe(403);
      expect(answer.body.error.code).toBe('CORS_DENIED');
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
    expect((await api.inGuild('/strikes', { headers: { 'Sec-Fetch-Mode': 'cors' } })).status).toBe(200);
  });
});

describe('what cannot be read', () => {
  const cases: [string, string, Parameters<PublicApiHarness['inGuild']>[1], number, string][] = [
    ['broken JSON', '/bans', { method: 'POST', body: '{"user_id":' }, 400, 'VALIDATION_FAILED'],
    [
      'another content type',
      '/bans',
      { method: 'POST', body: '{}', headers: { 'Content-Type': 'text/plain' } },
      400,
      'VALIDATION_FAILED',
    ],
    [
      'a body over 64 KiB',
      '/bans',
      { method: 'POST', body: `{"reason":"${'x'.repeat(65_536)}"}` },
      413,
      'VALIDATION_FAILED',
    ],
    ['an array', '/bans', { method: 'POST', body: [] }, 422, 'VALIDATION_FAILED'],
    [
      'a numeric id',
      '/bans',
      { method: 'POST', body: { user_id: 1, reason: 'x' } },
      422,
      'VALIDATION_FAILED',
    ],
    [
      'a NUL in a text',
      '/bans',
      { method: 'POST', body: { user_id: '123456789012345678', reason: 'a\u0000' } },
      422,
      'VALIDATION_FAILED',
    ],
    [
      'a lone surrogate',
      '/bans',
      { method: 'POST', body: '{"user_id":"123456789012345678","reason":"\\ud800"}' },
      422,
      'VALIDATION_FAILED',
    ],
    [
      'an extra field',
      '/bans',
      { method: 'POST', body: { user_id: '123456789012345678', reason: 'x', extra: 1 } },
      422,
      'VALIDATION_FAILED',
    ],
    [
      'a field of a write in the query',
      '/bans?reason=x',
      { method: 'POST', body: {} },
      400,
      'VALIDATION_FAILED',
    ],
    ['an id that is no snowflake', '/bans/12', {}, 400, 'VALIDATION_FAILED'],
    ['a limit of 0', '/strikes?limit=0', {}, 400, 'VALIDATION_FAILED'],
    ['a limit of 101', '/strikes?limit=101', {}, 400, 'VALIDATION_FAILED'],
    ['an unknown filter', '/strikes?colour=red', {}, 400, 'VALIDATION_FAILED'],
    ['a foreign cursor', '/strikes?cursor=abc', {}, 400, 'VALIDATION_FAILED'],
    ['a NUL in the query', '/audit?target=%00', {}, 400, 'VALIDATION_FAILED'],
    ['an unknown path', '/nothing', {}, 404, 'NOT_FOUND'],
    ['a malformed escape', '/strikes/%E0%A4%A', {}, 404, 'NOT_FOUND'],
    ['a doubled slash', '//strikes', {}, 404, 'NOT_FOUND'],
    ['a known path, another method', '/strikes', { method: 'PUT' }, 405, 'NOT_FOUND'],
    [
      'a bad Idempotency-Key',
      '/bans',
      { method: 'POST', body: {}, headers: { 'Idempotency-Key': 'a b' } },
      400,
      'VALIDATION_FAILED',
    ],
  ];

  it.each(cases)('%s is answered in the envelope', async (_what, path, given, status, code) => {
    const answer = await api.inGuild(path, given);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatchObject({ code, request_id: answer.headers.get('X-Request-Id') });
    expect(answer.body.error.message.length).toBeGreaterThan(5);
    expect(answer.headers.get('X-RateLimit-Limit')).toBe('600');
    if (status === 405) expect(answer.headers.get('Allow')).toBe('GET, POST');
  });

  it('is answered with the budget of most such calls, where the length of a mute cannot be read', async () => {
    const { status, headers } = await api.inGuild('/mutes', { method: 'POST', body: '{' });
    expect([status, headers.get('RateLimit-Policy')]).toEqual([
      400,
      expect.stringContaining('tier="reversible_write"'),
    ]);
  });

  it('costs neither budget', async () => {
    const token = await seedToken(api.database, api.guild, { issuerId: api.guild.ownerId });
    for (const [, path, given] of cases) await api.inGuild(path, { ...given, token });
    const { rows } = await api.database.pool.query('SELECT * FROM budgets WHERE holder_id = $1', [token.id]);
    expect(rows).toEqual([]);
  });
});

it('the owner under another spelling of their id is no other person', async () => {
  verifies('format.snowflake.canonical');
  await seedWindow(api.database, api.guild, api.token);
  for (const id of [`0${api.guild.ownerId}`, `00${api.guild.ownerId}`, '18446744073709551616']) {
    const input = { user_id: id, reason: 'spam' };
    const body = { ...input, _confirmation: `BAN USER ${id} IN GUILD ${api.guild.id} PERMANENT` };
    const refused = await api.inGuild('/bans', { method: 'POST', body });
    expect([refused.status, refused.body.error.code]).toEqual([422, 'VALIDATION_FAILED']);
    expect((await api.inGuild(`/members/${id}`)).status).toBe(400);
  }
});

it('a cursor made by hand is 400, whatever it leads to', async () => {
  verifies('paging.cursor.forged');
  for (const after of ['\0', 'str_\0', "str_'", '\ud800']) {
    const cursor = encodeCursor({ list: 'strikes.list', guildId: api.guild.id, filters: {}, after });
    const refused = await api.inGuild(`/strikes?cursor=${cursor}`);
    expect([after, refused.status, refused.body.error.code]).toEqual([after, 400, 'VALIDATION_FAILED']);
  }
});

it('a cursor made by hand for a place that no such list has is 400 in every list', async () => {
  verifies('paging.cursor.forged');
  const guild = await seedGuild(api.database);
  const token = await seedToken(api.database, guild);
  const answered: [string, string, number[]][] = [];
  const expected: typeof answered = [];
  for (const [list, path] of await readCalls({ database: api.database, guild, token })) {
    if ((await api.call(path, { token })).body.next_cursor === undefined) continue;
    const route = matchRoute('GET', path);
    const filters = 'params' in route ? route.params : {};
    const statusAt = async (after: string) => {
      const cursor = encodeCursor({ list, guildId: guild.id, filters, after });
      return (await api.call(`${path}?cursor=${cursor}`, { token })).status;
    };
    for (const place of ['123', `str_${'0'.repeat(32)}`]) {
      answered.push([list, place, [await statusAt(place), await statusAt(`${place}@0`)]]);
      // Only this list goes by the numbers of cases.
      const isOfList = (place === '123') === (list === 'cases.search');
      expected.push([list, place, isOfList ? expect.arrayContaining([200]) : [400, 400]]);
    }
  }
  expect(answered).toEqual(expected);
});

describe('the address limit', () => {
  it('counts malformed requests too, and answers 429 in the envelope', async () => {
    verifies('limits.ip.details');
    const address = '198.51.100.7';
    const first = await api.call('/nowhere', { address, token: '' });
    expect(first.headers.get('X-RateLimit-Remaining')).toBe('599');
    await exhaust(api.database, 'public:198.51.100.7');
    const refused = await api.call(pathTemplate('me'), { address });
    expect(refused.status).toBe(429);
    expect(refused.body.error.details).toMatchObject({ scope: 'ip' });
    expect(Number(refused.headers.get('Retry-After'))).toBe(refused.body.error.details.retry_after_seconds);
    expect((await api.call(ME)).status).toBe(200);
  });
});
