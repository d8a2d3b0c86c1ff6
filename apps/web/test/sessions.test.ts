import { verifies } from '@bailiff/core/testing';
import { sessionsOf } from '@bailiff/engine/desk/sessions';
import { type SeededGuild, seedToken } from '@bailiff/engine/testing';
import { describe, expect, it } from 'vitest';
import { browserName } from '#src/browser-name.ts';
import { createDashboardApi } from '#src/dashboard-api/handler.ts';
import { sessionCookieName, sessionOf } from '#src/session.ts';
import { guildForEachTest } from './each-test.ts';
import { call, callWithToken, endWaiting, ORIGIN, type Person, signedIn, type TestWeb } from './support.ts';

let web: TestWeb;
let guild: SeededGuild;
let owner: Person;

guildForEachTest((given) => {
  ({ web, guild, owner } = given);
});

const live = async ({ cookie }: Person) =>
  (await sessionOf(web.runtime, new Headers({ Cookie: cookie }))) !== null;

/** Moves the sign-ins and last uses of all of the owner's sessions into the past. */
const age = (interval: string) =>
  web.db.pool.query(
    `UPDATE sessions SET signed_in_at = signed_in_at - $2::interval, seen_at = seen_at - $2::interval,
       expires_at = expires_at - $2::interval WHERE user_id = $1`,
    [guild.ownerId, interval],
  );

async function sessions(userId: string) {
  const found = [];
  for await (const session of sessionsOf(web.db, userId)) found.push(session);
  return found;
}

const APPEALS = {
  kinds: [],
  introduction: '',
  questions: [],
  cooldown_days: 0,
  votes_needed: 0,
  channel_id: null,
};

/** What a stolen session could use to get power over a guild. */
async function changes() {
  const token = await seedToken(web.db, guild);
  const bound = await seedToken(web.db, guild);
  await web.db.pool.query("UPDATE tokens SET ip_allowlist = '{192.0.2.0/24}' WHERE id = $1", [bound.id]);
  const refused = await callWithToken(web.runtime, token.secret, 'POST', `/guilds/${guild.id}/bans`, {
    user_id: guild.memberId,
    reason: 'raid',
    _confirmation: `BAN USER ${guild.memberId} IN GUILD ${guild.id} PERMANENT`,
  });
  const approvalId: string = refused.body.error.details.approval_id;
  const { rows } = await web.db.pool.query<{ id: string }>(
    `INSERT INTO game_servers (guild_id, name, host, port, password_sealed, created_by)
     VALUES ($1, 'Survival', '192.0.2.7', 25575, 'sealed', $2) RETURNING id`,
    [guild.id, guild.ownerId],
  );
  const { rows: devices } = await web.db.pool.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM device_authorizations',
  );
  const { body: device } = await web.runtime
    .deviceApi(
      new Request('http://bailiff.test/api/oauth/device/code', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ client_id: 'bailiff-mcp' }),
      }),
      { address: `203.0.113.${devices[0]?.n ?? 0}` },
    )
    .then(async (response) => ({ body: (await response.json()) as { user_code: string } }));
  const imports = await owner.call('POST', `/api/guilds/${guild.id}/imports`, {
    source: 'csv',
    file_name: 'old.csv',
    file_size: 1,
  });
  return [
    ['POST', '/api/api-tokens', { guild_id: guild.id, name: 'mine', kind: 'rest' }],
    ['POST', `/api/api-tokens/${token.id}/rotate`, {}],
    ['POST', `/api/approvals/${approvalId}`, { decision: 'call' }],
    ['POST', `/api/api-tokens/${token.id}/reauth-window`, undefined],
    ['POST', '/api/device/confirm', { user_code: device.user_code, guild_id: guild.id }],
    ['PATCH', `/api/guilds/${guild.id}/servers/${rows[0]?.id}`, { allow_patterns: ['op *', 'say *'] }],
    ['PATCH', `/api/guilds/${guild.id}/servers/${rows[0]?.id}`, { deny_patterns: [] }],
    [
      'PATCH',
      `/api/guilds/${guild.id}/servers/${rows[0]?.id}`,
      { templates: { kick: '', ban: '', unban: '', announce: 'say {reason}' } },
    ],
    ['DELETE', `/api/guilds/${guild.id}/servers/${rows[0]?.id}`, undefined],
    ['POST', `/api/api-tokens/${token.id}/renew`, { expires_in: '30d' }],
    ['PATCH', `/api/guilds/${guild.id}/settings`, { log_channel_id: guild.memberId }],
    ['PATCH', `/api/guilds/${guild.id}/settings`, { reports_channel_id: guild.memberId }],
    ['PATCH', `/api/guilds/${guild.id}/settings`, { log_topics: { bans: guild.memberId } }],
    ['PATCH', `/api/guilds/${guild.id}/appeal-settings`, { ...APPEALS, channel_id: guild.memberId }],
    ['PATCH', `/api/api-tokens/${bound.id}`, { ip_allowlist: [] }],
    ['PATCH', `/api/api-tokens/${bound.id}`, { ip_allowlist: ['192.0.2.0/28', '198.51.100.7'] }],
    [
      'PUT',
      `/api/guilds/${guild.id}/escalation`,
      {
        minor_points: 1,
        major_points: 2,
        decay_days: null,
        steps: [{ points: 1, sanction: 'ban', duration_minutes: null }],
      },
    ],
    ['POST', `/api/guilds/${guild.id}/imports`, { source: 'csv', file_name: 'new.csv', file_size: 1 }],
    ['POST', `/api/guilds/${guild.id}/imports/${imports.body.import_id}/rows`, { rows: [{}] }],
    ['POST', `/api/guilds/${guild.id}/imports/${imports.body.import_id}/undo`, undefined],
    ['POST', `/api/guilds/${guild.id}/archive`, undefined],
    [
      'PUT',
      `/api/guilds/${guild.id}/grants`,
      {
        grants: [
          { role_id: guild.memberRoleId, capabilities: [] },
          { role_id: guild.moderatorRoleId, capabilities: ['servers.rcon'] },
        ],
      },
    ],
  ] as const;
}

const state = async () =>
  Promise.all(
    [
      'tokens',
      'windows',
      'approval_requests',
      'game_servers',
      'guilds',
      'escalation_steps',
      'imports',
      'device_authorizations',
      'role_grants',
      'log_topics',
      'appeal_settings',
      'audit_writes',
    ].map(async (name) => (await web.db.pool.query(`SELECT t::text FROM ${name} t ORDER BY 1`)).rows),
  );

describe('a sign-in of more than an hour ago', () => {
  it('gives nobody power, and a fresh one does', async () => {
    verifies('session.fresh');
    const all = await changes();
    await age('61 minutes');
    const before = await state();
    for (const [method, path, body] of all) {
      const answer = await owner.call(method, path, body);
      expect([path, answer.status, answer.body.error?.details]).toEqual([
        path,
        401,
        { reason: 'SIGN_IN_AGAIN' },
      ]);
    }
    expect(await state()).toEqual(before);
    const again = await signedIn(web, guild.ownerId);
    for (const [method, path, body] of all) {
      expect([path, (await again.call(method, path, body)).status]).toEqual([
        path,
        expect.toBeOneOf([200, 201]),
      ]);
    }
  });

  it('still refuses, closes, revokes and takes back', async () => {
    const [, [, rotatePath], [, approvalPath]] = await changes();
    const tokenPath = rotatePath.replace('/rotate', '');
    await age('61 minutes');
    expect((await owner.call('POST', approvalPath, { decision: 'refuse' })).status).toBe(200);
    expect((await owner.call('DELETE', `${tokenPath}/reauth-window`)).status).toBe(200);
    await web.db.pool.query("UPDATE tokens SET ip_allowlist = '{192.0.2.0/24,2001:db8::/32}'");
    const narrowed = { name: 'other', ip_allowlist: ['192.0.2.128/25', '192.0.2.7'] };
    expect((await owner.call('PATCH', tokenPath, narrowed)).body.token).toMatchObject(narrowed);
    expect((await owner.call('DELETE', tokenPath)).status).toBe(200);
    const grants = [{ role_id: guild.moderatorRoleId, capabilities: [] }];
    expect((await owner.call('PUT', `/api/guilds/${guild.id}/grants`, { grants })).status).toBe(200);
    expect(
      (await web.db.pool.query('SELECT FROM role_grants WHERE role_id = $1', [guild.moderatorRoleId]))
        .rowCount,
    ).toBe(0);
  });

  it('lets no call happen that its owner had refused, and a fresh one does', async () => {
    verifies('session.fresh');
    const [, , [, approvalPath]] = await changes();
    expect((await owner.call('POST', approvalPath, { decision: 'refuse' })).status).toBe(200);
    await age('61 minutes');
    const decide = (person: Person) => person.call('POST', approvalPath, { decision: 'call_after_refusal' });
    expect((await decide(owner)).body.error.details).toEqual({ reason: 'SIGN_IN_AGAIN' });
    expect((await decide(await signedIn(web, guild.ownerId))).status).toBe(200);
  });

  it('is asked for again before anything of an import is looked up', async () => {
    verifies('session.fresh');
    const imports = `/api/guilds/${guild.id}/imports`;
    const gone = `${imports}/imp_${'0'.repeat(32)}`;
    const all = [
      [imports, { source: 'csv', file_name: 'stopped.csv', file_size: 1 }, 201],
      [`${gone}/rows`, { rows: [{}] }, 404],
      [`${gone}/bans`, { after: '0', dry: true }, 404],
      [`${gone}/undo`, {}, 404],
    ] as const;
    const [[, stopped]] = all;
    expect((await owner.call('POST', imports, stopped)).status).toBe(201);
    await age('61 minutes');
    for (const [path, body] of all) {
      const answer = await owner.call('POST', path, body);
      expect([path, answer.status, answer.body.error?.details]).toEqual([
        path,
        401,
        { reason: 'SIGN_IN_AGAIN' },
      ]);
    }
    const again = await signedIn(web, guild.ownerId);
    for (const [path, body, status] of all) {
      expect([path, (await again.call('POST', path, body)).status]).toEqual([path, status]);
    }
  });

  it('is fresh also if the clock has stepped back a little since', async () => {
    verifies('session.fresh');
    await web.db.pool.query("UPDATE sessions SET signed_in_at = now() + interval '900 milliseconds'");
    const path = `/api/api-tokens/${(await seedToken(web.db, guild)).id}/reauth-window`;
    expect((await owner.call('POST', path)).status).toBe(200);
  });

  it('is not fresh because the clock went back', async () => {
    await web.db.pool.query("UPDATE sessions SET signed_in_at = now() + interval '2 hours'");
    const path = `/api/api-tokens/${(await seedToken(web.db, guild)).id}/reauth-window`;
    expect((await owner.call('POST', path)).status).toBe(401);
  });
});

describe('a session', () => {
  it('ends 14 days after its last use', async () => {
    verifies('session.lifetime');
    await age('13 days 23 hours');
    expect(await live(owner)).toBe(true); // which is a use
    await age('13 days 23 hours');
    expect(await live(owner)).toBe(true);
    await age('14 days 1 minute');
    expect(await live(owner)).toBe(false);
  });

  it('ends 30 days after the sign-in, however often it is used', async () => {
    verifies('session.lifetime');
    for (const interval of ['10 days', '10 days', '9 days 23 hours']) {
      await age(interval);
      expect(await live(owner)).toBe(true);
    }
    await age('2 hours');
    expect(await live(owner)).toBe(false);
  });

  it('is ended by its person, one or all, and by nobody else', async () => {
    verifies('session.list-end');
    const laptop = await signedIn(web, guild.ownerId);
    const phone = await signedIn(web, guild.ownerId);
    const stranger = await signedIn(web, guild.strangerId);
    expect(await sessions(guild.ownerId)).toHaveLength(3);
    const { id } = (await sessionOf(web.runtime, new Headers({ Cookie: laptop.cookie }))) ?? { id: '' };

    expect((await stranger.call('DELETE', `/api/sessions/${id}`)).status).toBe(404);
    expect(await live(laptop)).toBe(true);
    expect((await owner.call('DELETE', `/api/sessions/${id}`)).body).toEqual({ ended: 1 });
    expect([await live(laptop), await live(phone), await live(owner)]).toEqual([false, true, true]);
    expect((await owner.call('DELETE', `/api/sessions/${id}`)).status).toBe(404);

    const everywhere = await owner.call('DELETE', '/api/sessions');
    expect(everywhere.body).toEqual({ ended: 2 });
    expect(everywhere.headers.get('Set-Cookie')).toMatch(/^bailiff\.session=; .*Max-Age=0/);
    expect([await live(phone), await live(owner), await live(stranger)]).toEqual([false, false, true]);
  });

  it('is listed with the hour of its last use, and no longer once it is over', async () => {
    verifies('session.list-end');
    const listed = async () => {
      const [first] = await sessions(guild.ownerId);
      // Not `-0`: the database keeps whole milliseconds, which may be rounded up.
      return first && Math.abs(Math.round((Date.now() - first.seenAt.getTime()) / 60_000));
    };
    await age('59 minutes');
    expect(await live(owner)).toBe(true);
    expect(await listed()).toBe(59);
    await age('2 minutes');
    expect(await live(owner)).toBe(true); // which is a use
    expect(await listed()).toBe(0);
    await age('14 days 1 minute');
    expect(await listed()).toBeUndefined();
  });

  it('of this browser ends at sign-out, and the person’s others stay', async () => {
    verifies('session.list-end');
    const phone = await signedIn(web, guild.ownerId);
    expect((await owner.call('DELETE', '/api/sessions/current')).body).toEqual({ ended: 1 });
    expect([await live(owner), await live(phone)]).toEqual([false, true]);
  });

  it('of an https dashboard is forgotten by the browser, which takes its cookie back only with Secure', async () => {
    const config = { ...web.runtime.config, dashboardUrl: ORIGIN.replace('http:', 'https:') };
    const dashboardApi = createDashboardApi({ ...web.runtime, config });
    const cookie = owner.cookie.replace(/^[^=]+/, sessionCookieName(config.dashboardUrl));
    const headers = { Cookie: cookie, Origin: config.dashboardUrl };
    const runtime = { ...web.runtime, dashboardApi };
    const answer = await call(runtime, 'DELETE', '/api/sessions/current', undefined, headers);
    expect(answer.body).toEqual({ ended: 1 });
    // RFC 6265bis §4.1.3.2: without Secure and Path=/ a cookie of this name is ignored.
    expect(answer.headers.get('Set-Cookie')).toBe(
      '__Host-bailiff.session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure',
    );
  });

  it('that could not be ended is not called ended', async () => {
    verifies('session.sign-out');
    const blocker = await web.db.pool.connect();
    try {
      await blocker.query('BEGIN; LOCK TABLE sessions IN EXCLUSIVE MODE');
      const ending = owner.call('DELETE', '/api/sessions/current');
      await endWaiting(web.db);
      const answer = await ending;
      expect([answer.status, answer.body.error.code]).toEqual([503, 'UPSTREAM_UNAVAILABLE']);
      expect(answer.headers.get('Set-Cookie')).toBeNull();
    } finally {
      await blocker.query('ROLLBACK');
      blocker.release();
    }
    expect(await live(owner)).toBe(true);
  });
});

it('a browser is named by what it says of itself', () => {
  const agents = {
    'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0': ['Firefox', 'Linux'],
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/141.0 Safari/537.36 Edg/141.0': [
      'Edge',
      'Windows',
    ],
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Safari/604.1': [
      'Safari',
      'iPhone',
    ],
    'Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/141.0 Mobile Safari/537.36': [
      'Chrome',
      'Android',
    ],
    'curl/8.14': [null, null],
  };
  for (const [agent, [browser, system]] of Object.entries(agents))
    expect(browserName(agent)).toEqual({ browser, system });
});
