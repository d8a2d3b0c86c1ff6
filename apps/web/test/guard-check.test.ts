import {
  grantRole,
  type SeededGuild,
  type SeededToken,
  seedGuild,
  seedToken,
  seedWindow,
} from '@bailiff/engine/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, exhaust, type Person, signedIn, startTestWeb, type TestWeb } from './support.ts';

let web: TestWeb;
let guild: SeededGuild;
let owner: Person;
let token: SeededToken;
/** An address for each test, because one over its limit stays blocked. */
let address = '';
let lastByte = 0;

beforeAll(async () => {
  web = await startTestWeb();
});
afterAll(() => web.close());
beforeEach(async () => {
  lastByte += 1;
  address = `203.0.113.${lastByte}`;
  guild = await seedGuild(web.db);
  owner = await signedIn(web, guild.ownerId);
  token = await seedToken(web.db, guild);
});

interface Sent {
  method?: string;
  path?: string;
  body?: string;
  origin?: string;
  idempotency_key?: string;
}

const checking = (sent: Sent, as: Person = owner, tokenId = token.id): Promise<Answer> =>
  as.call('POST', `/api/guilds/${guild.id}/guard-check`, {
    token_id: tokenId,
    address,
    method: 'POST',
    path: `/api/public/v1/guilds/${guild.id}/strikes`,
    ...sent,
  });

/** The same request sent to the API with the token's secret. */
async function making(
  sent: Sent,
): Promise<{ status: number; body: { error?: { code: string; message: string } } }> {
  const { method = 'POST', path = `/api/public/v1/guilds/${guild.id}/strikes`, body, origin } = sent;
  const headers = new Headers({
    Authorization: `Bearer ${token.secret}`,
    'Content-Type': 'application/json',
  });
  if (origin !== undefined) headers.set('Origin', origin);
  if (sent.idempotency_key !== undefined) headers.set('Idempotency-Key', sent.idempotency_key);
  const response = await web.runtime.publicApi(
    new Request(`http://bailiff.test${path}`, { method, headers, ...(body === undefined ? {} : { body }) }),
    { address },
  );
  return { status: response.status, body: (await response.json()) as { error?: never } };
}

const confirmation = (user = guild.memberId) =>
  `ADD STRIKE TO USER ${user} IN GUILD ${guild.id} SEVERITY MINOR`;
const strike = (more: object = {}) =>
  JSON.stringify({
    user_id: guild.memberId,
    player_name: 'Bob',
    in_game_id: '77',
    reason: 'griefing',
    category: 'conduct',
    severity: 'minor',
    ...more,
  });
const confirmed = () => strike({ _confirmation: confirmation() });

const set = (table: string, change: string, id: string) =>
  web.db.pool.query(`UPDATE ${table} SET ${change} WHERE id = $1`, [id]);

/** The states in which one check refuses, with the check and the request. */
/** Nothing comes back into a budget until then, however slow the machine is. */
const LATER = "now() + interval '1 hour'";

const REFUSALS: readonly [step: string, prepare: () => Promise<unknown>, sent: () => Sent][] = [
  ['limit', () => exhaust(web.db, `public:${address}`), () => ({})],
  ['browser', async () => {}, () => ({ origin: 'https://evil.example' })],
  ['route', async () => {}, () => ({ path: `/api/public/v1/guilds/${guild.id}/nothing` })],
  ['route', async () => {}, () => ({ method: 'PATCH' })],
  ['address', () => set('tokens', "ip_allowlist = '{192.0.2.1}'", token.id), () => ({ body: confirmed() })],
  ['revoked', () => set('tokens', 'revoked_at = now()', token.id), () => ({ body: confirmed() })],
  [
    'expired',
    () => set('tokens', 'expires_at = now() - make_interval(secs => 1)', token.id),
    () => ({ body: confirmed() }),
  ],
  [
    'guild',
    async () => {},
    () => ({ path: '/api/public/v1/guilds/100000000000000009/strikes', body: confirmed() }),
  ],
  ['tier', () => set('guilds', "tier = 'free'", guild.id), () => ({ body: confirmed() })],
  ['mirror', () => set('guilds', 'mirrored_at = NULL', guild.id), () => ({ body: confirmed() })],
  [
    'capability',
    () => set('tokens', "capabilities = '{strikes.read}'", token.id),
    () => ({ body: confirmed() }),
  ],
  ['input', async () => {}, () => ({ body: strike({ severity: 'huge' }) })],
  ['input', async () => {}, () => ({ body: '{"user_id":' })],
  ['input', async () => {}, () => ({ body: confirmed(), idempotency_key: 'no space' })],
  [
    'input',
    async () => {
      await seedWindow(web.db, guild, token);
      await making({ body: confirmed(), idempotency_key: 'used' });
    },
    () => ({ body: strike({ reason: 'another', _confirmation: confirmation() }), idempotency_key: 'used' }),
  ],
  [
    'settings',
    () =>
      web.db.pool.query(
        `INSERT INTO game_servers (id, guild_id, name, host, port, password_sealed, allow_patterns, deny_patterns, created_by)
         VALUES ('srv_00000000000000000000000000000001', $1, 'one', '192.0.2.3', 1, '\\x01', '{}', '{stop*}', $2)`,
        [guild.id, guild.ownerId],
      ),
    () => ({
      path: `/api/public/v1/guilds/${guild.id}/servers/srv_00000000000000000000000000000001/rcon/run`,
      body: JSON.stringify({ command: 'stop now' }),
    }),
  ],
  ['window', async () => {}, () => ({ body: confirmed() })],
  ['sentinel', () => seedWindow(web.db, guild, token), () => ({ body: strike() })],
  [
    'budgets',
    async () => {
      await seedWindow(web.db, guild, token);
      await web.db.pool.query(
        `INSERT INTO budgets (guild_id, holder_id, tier, balance, updated_at)
         VALUES ($1, $2, 'destructive_write', 0.4, ${LATER}), ($1, $3, 'destructive_write', 6, ${LATER})`,
        [guild.id, token.id, guild.ownerId],
      );
    },
    () => ({ body: confirmed() }),
  ],
  [
    'budgets',
    () =>
      web.db.pool.query(
        `INSERT INTO budgets (guild_id, holder_id, tier, balance, updated_at)
         VALUES ($1, $2, 'read', 100, ${LATER}), ($1, $3, 'read', 0.1, ${LATER})`,
        [guild.id, token.id, guild.ownerId],
      ),
    () => ({ method: 'GET' }),
  ],
];

describe('a request that would be refused', () => {
  it.each(REFUSALS)('at %s is shown the error of the API', async (step, prepare, sent) => {
    await prepare();
    const { status, body } = await checking(sent());
    expect(status).toBe(200);
    const { error } = (await making(sent())).body;
    expect(body.checks.find(({ result }: { result: string }) => result === 'refused')).toMatchObject({
      step,
    });
    expect(body.refusal).toMatchObject({ code: error?.code, message: expect.any(String) });
    if (step !== 'limit' && step !== 'budgets') expect(body.refusal.message).toBe(error?.message);
    const after = body.checks.slice(
      body.checks.findIndex((check: { step: string }) => check.step === step) + 1,
    );
    for (const { result } of after) expect(['not_reached', 'not_needed']).toContain(result);
  });
});

describe('a request that would be admitted', () => {
  it('passes every check, says what it would do and which sentence it needs', async () => {
    await seedWindow(web.db, guild, token);
    const { body } = await checking({ body: confirmed() });
    expect(body.refusal).toBeNull();
    for (const { result } of body.checks) expect(result).toBe('passed');
    expect(body.call).toMatchObject({
      operation: 'strikes.add',
      sentence: expect.stringContaining(guild.memberId),
      sentinel: { expected: confirmation(), matches: true },
    });
    expect((await making({ body: confirmed() })).status).toBe(201);
  });

  it('is told that it confirms something else', async () => {
    await seedWindow(web.db, guild, token);
    const { body } = await checking({ body: strike({ _confirmation: confirmation(guild.ownerId) }) });
    expect(body.call.sentinel).toEqual({ expected: confirmation(), matches: false });
    expect(body.refusal).toMatchObject({ code: expect.any(String) });
  });

  it('needs neither window nor sentence where it destroys nothing', async () => {
    const { body } = await checking({ method: 'GET' });
    expect(body.refusal).toBeNull();
    expect(body.call.sentinel).toBeNull();
    const spared = body.checks.filter(({ result }: { result: string }) => result === 'not_needed');
    expect(spared.map(({ step }: { step: string }) => step)).toEqual(['window', 'sentinel']);
  });

  it('is named in the language of who checks it where it has no sentence of its own', async () => {
    const path = `/api/public/v1/guilds/${guild.id}/strikes`;
    const request = { token_id: token.id, address, method: 'GET', path };
    const german = { 'Accept-Language': 'de' };
    const { body } = await owner.call('POST', `/api/guilds/${guild.id}/guard-check`, request, german);
    expect(body.call.sentence).toBe('Verwarnungen auflisten');
  });

  it('needs no window where it has its answer already, under its key', async () => {
    await seedWindow(web.db, guild, token);
    const sent = { body: confirmed(), idempotency_key: 'done' };
    expect((await making(sent)).status).toBe(201);
    await web.db.pool.query('UPDATE windows SET closed_at = now() WHERE token_id = $1', [token.id]);
    const { refusal, is_replay, checks } = (await checking(sent)).body;
    expect([refusal, is_replay]).toEqual([null, true]);
    const spared = checks.filter(({ result }: { result: string }) => result === 'not_needed');
    const names = spared.map(({ step }: { step: string }) => step);
    expect(names).toEqual(['settings', 'window', 'sentinel', 'budgets']);
    expect((await making(sent)).status).toBe(201);
    expect((await checking({ body: confirmed() })).body.refusal.code).toBe('RE_AUTH_REQUIRED');
  });

  it('may be approved as this call only, and stays approved after it was checked', async () => {
    const asked = (await making({ body: confirmed() })).body.error as unknown as {
      details: { approval_id: string };
    };
    await owner.call('POST', `/api/approvals/${asked.details.approval_id}`, { decision: 'call' });
    expect((await checking({ body: confirmed() })).body.refusal).toBeNull();
    const other = strike({ reason: 'another', _confirmation: confirmation() });
    expect((await checking({ body: other })).body.refusal.code).toBe('RE_AUTH_REQUIRED');
    expect((await making({ body: confirmed() })).status).toBe(201);
  });
});

it.each(['https://evil.example\nX-Other: 1', 'https://evil.example\u0000', 'é\u{1f600}'])(
  'an origin that no header can carry is refused as such: %j',
  async (origin) => {
    const { status, body } = await checking({ origin });
    expect([status, body.error.code, body.error.details.issues[0].path]).toEqual([
      422,
      'VALIDATION_FAILED',
      'origin',
    ]);
  },
);

it('a check performs, charges, asks and records nothing', async () => {
  const everything = async () => {
    const { rows } = await web.db.pool.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, relname) AS name FROM pg_stat_user_tables
       WHERE schemaname IN ('public', 'graphile_worker') AND relname NOT IN ('gateway_shards', 'rate_limits', 'sessions') ORDER BY 1`,
    );
    const contents: Record<string, unknown> = {};
    for (const { name } of rows) {
      const { rows: kept } = await web.db.pool.query(`SELECT t::text AS row FROM ${name} t ORDER BY 1`);
      contents[name] = kept;
    }
    return contents;
  };
  await seedWindow(web.db, guild, token);
  const before = await everything();
  expect(Object.keys(before)).toContain('public.audit_writes');
  const ban = JSON.stringify({
    user_id: guild.memberId,
    reason: 'x',
    _confirmation: `BAN USER ${guild.memberId} IN GUILD ${guild.id} PERMANENT`,
  });
  expect((await checking({ body: confirmed() })).body.refusal).toBeNull();
  expect((await checking({ body: confirmed(), idempotency_key: 'k1' })).body.refusal).toBeNull();
  expect(
    (await checking({ path: `/api/public/v1/guilds/${guild.id}/bans`, body: ban })).body.refusal,
  ).toBeNull();
  expect((await checking({ body: strike() })).body.refusal.code).toBe('INVALID_CONFIRMATION');
  expect((await checking({ method: 'GET' })).body.refusal).toBeNull();
  await set('windows', 'closed_at = now()', await seedWindow(web.db, guild, token));
  const other = await seedToken(web.db, guild);
  const between = await everything();
  expect((await checking({ body: confirmed() }, owner, other.id)).body.refusal.code).toBe('RE_AUTH_REQUIRED');
  expect(await everything()).toEqual(between);
  expect(between['public.audit_writes']).toEqual(before['public.audit_writes']);
  expect(between['public.actions']).toEqual(before['public.actions']);
  expect(between['public.budgets']).toEqual(before['public.budgets']);
});

describe('who may check', () => {
  it('the owner alone: a moderator is refused, to others the guild does not exist', async () => {
    await grantRole(web.db, guild, guild.moderatorRoleId, ['strikes.write']);
    const moderator = await signedIn(web, guild.moderatorId);
    const refused = await checking({}, moderator);
    expect([refused.status, refused.body.error.details.reason]).toEqual([403, 'OWNER_ONLY']);
    const stranger = await signedIn(web, (await seedGuild(web.db)).ownerId);
    expect((await checking({}, stranger)).status).toBe(404);
  });

  it('and with tokens of that guild alone', async () => {
    const elsewhere = await seedToken(web.db, await seedGuild(web.db));
    const foreign = await checking({}, owner, elsewhere.id);
    const absent = await checking({}, owner, 'tok_00000000000000000000000000000000');
    expect([foreign.status, absent.status]).toEqual([404, 404]);
    expect(foreign.body.error.message).toBe(absent.body.error.message);
  });
});
