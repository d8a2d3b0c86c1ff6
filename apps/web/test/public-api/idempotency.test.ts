import { verifies } from '@bailiff/core/testing';
import { type FakePerformer, seedToken, seedWindow } from '@bailiff/engine/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ALL_NOTHING, NOTHING, type PublicApiHarness, sentinel, startPublicApi } from './harness.ts';

let api: PublicApiHarness;
let begun: PromiseWithResolvers<void>;
let mayEnd: PromiseWithResolvers<void>;

/** A mute performer that reports its start and waits until it may end. */
const heldUp: FakePerformer = {
  ...NOTHING,
  perform: async (action, signal) => {
    begun.resolve();
    await mayEnd.promise;
    return NOTHING.perform(action, signal);
  },
};

const nobodyKnows = async () => ({
  state: 'unknown' as const,
  isFinal: true as const,
  error: {
    code: 'UPSTREAM_UNAVAILABLE' as const,
    message: 'Nobody can know.',
    status: 502,
    details: { upstream: 'discord', outcome: 'unknown' } as const,
  },
});
/** A performer of which nobody will ever know whether it has done it. */
const inDoubt: FakePerformer = { perform: nobodyKnows, verify: nobodyKnows };

const notDone = async () => ({
  state: 'failed' as const,
  error: {
    code: 'UPSTREAM_UNAVAILABLE' as const,
    message: 'Discord is away.',
    status: 502,
    details: { upstream: 'discord', outcome: 'not_performed' } as const,
  },
});
const away: FakePerformer = { perform: notDone, verify: notDone };

beforeAll(async () => {
  const performers = {
    ...ALL_NOTHING,
    'mutes.add': heldUp,
    'bans.add': inDoubt,
    'members.kick': away,
  };
  api = await startPublicApi({ performers });
  await seedWindow(api.database, api.guild, api.token);
});

afterAll(async () => {
  await api.close();
});

beforeEach(async () => {
  begun = Promise.withResolvers();
  mayEnd = Promise.withResolvers();
  await api.database.pool.query('TRUNCATE budgets, cases CASCADE');
});

function addStrike(key: string | undefined, token = api.token) {
  const input = { user_id: api.guild.memberId, reason: 'spam', severity: 'minor' };
  const body = { ...input, _confirmation: sentinel('strikes.add', api.guild, input) };
  const headers = key === undefined ? {} : { 'Idempotency-Key': key };
  return api.inGuild('/strikes', { method: 'POST', token, body, headers });
}

async function strikes(): Promise<number> {
  return (await api.inGuild('/strikes')).body.data.length;
}

it('a key sent again while its call still runs gets an error that says to wait', async () => {
  verifies('idempotency.in-flight', 'G10');
  const mute = () =>
    api.inGuild('/mutes', {
      method: 'POST',
      body: { user_id: api.guild.memberId, reason: 'spam', duration_minutes: 10 },
      headers: { 'Idempotency-Key': 'running' },
    });
  const first = mute();
  await begun.promise;
  const again = await mute();
  expect(again.status).toBe(429);
  expect(again.body.error).toMatchObject({ code: 'RATE_LIMITED', details: { scope: 'idempotency_key' } });
  expect(again.headers.get('Retry-After')).toBe('1');
  expect(again.headers.get('Idempotent-Replayed'), 'there is no answer yet').toBeNull();
  mayEnd.resolve();
  expect((await first).status).toBe(201);
  const replayed = await mute();
  expect([replayed.status, replayed.headers.get('Idempotent-Replayed')]).toEqual([201, 'true']);
});

it('a key is kept for 24 hours, and then performs anew', async () => {
  verifies('idempotency.retention');
  const age = (interval: string) =>
    api.database.pool.query('UPDATE idempotency_keys SET created_at = now() - $1::interval', [interval]);
  const first = await addStrike('kept');
  await age('23 hours 59 minutes');
  expect((await addStrike('kept')).body).toEqual(first.body);
  expect(await strikes()).toBe(1);
  await age('24 hours 1 second');
  const anew = await addStrike('kept');
  expect([anew.status, anew.headers.get('Idempotent-Replayed')]).toEqual([201, null]);
  expect(anew.body.strike_id).not.toBe(first.body.strike_id);
  expect(await strikes()).toBe(2);
});

it('a key is one token’s own', async () => {
  verifies('idempotency.per-token');
  const other = await seedToken(api.database, api.guild);
  await seedWindow(api.database, api.guild, other);
  const first = await addStrike('mine');
  const second = await addStrike('mine', other);
  expect([second.status, second.headers.get('Idempotent-Replayed')]).toEqual([201, null]);
  expect(second.body.strike_id).not.toBe(first.body.strike_id);
  expect(await strikes()).toBe(2);
});

it('a key is free again when its call certainly did not happen, and no other key is', async () => {
  verifies('idempotency.replay');
  await addStrike('of-another-call');
  const input = { user_id: api.guild.memberId, reason: 'spam' };
  const kick = () =>
    api.inGuild('/kicks', {
      method: 'POST',
      body: { ...input, _confirmation: sentinel('members.kick', api.guild, input) },
      headers: { 'Idempotency-Key': 'away' },
    });
  for (const _time of [1, 2]) {
    const { status, headers } = await kick();
    expect([status, headers.get('Idempotent-Replayed')]).toEqual([502, null]);
  }
  expect((await addStrike('of-another-call')).headers.get('Idempotent-Replayed')).toBe('true');
});

it('a revoked token gets no replay', async () => {
  verifies('idempotency.replay-needs-token');
  const token = await seedToken(api.database, api.guild);
  await seedWindow(api.database, api.guild, token);
  expect((await addStrike('before', token)).status).toBe(201);
  expect((await addStrike('before', token)).headers.get('Idempotent-Replayed')).toBe('true');
  await api.database.pool.query('UPDATE tokens SET revoked_at = now() WHERE id = $1', [token.id]);
  const refused = await addStrike('before', token);
  expect([refused.status, refused.body.error.code]).toEqual([401, 'TOKEN_REVOKED']);
});

it('a key is optional, and else 1 to 255 visible ASCII characters', async () => {
  verifies('idempotency.key-syntax');
  expect((await addStrike(undefined)).status).toBe(201);
  for (const key of ['k', '!~', '"quoted"', 'a'.repeat(255)]) {
    expect((await addStrike(key)).status, key).toBe(201);
  }
  const performed = await strikes();
  await api.database.pool.query('TRUNCATE budgets');
  for (const key of ['', 'a'.repeat(256), 'a b', 'a\tb', 'ü']) {
    const refused = await addStrike(key);
    expect([refused.status, refused.body.error.code], key).toEqual([400, 'VALIDATION_FAILED']);
  }
  expect(await strikes()).toBe(performed);

  const { rows } = await api.database.pool.query(
    "INSERT INTO tickets (guild_id, number, subject, opened_by) VALUES ($1, 1, 'help', $2) RETURNING id",
    [api.guild.id, api.guild.memberId],
  );
  const absent = `str_${'0'.repeat(32)}`;
  for (const [method, path] of [
    ['POST', `/tickets/${rows[0].id}/claim`],
    ['POST', '/bans'],
    ['DELETE', `/strikes/${absent}`],
    ['DELETE', `/bans/${api.guild.memberId}`],
  ] as const) {
    const refused = await api.inGuild(path, { method, headers: { 'Idempotency-Key': 'a b' } });
    expect([refused.status, refused.body.error.code], path).toEqual([400, 'VALIDATION_FAILED']);
  }
});

it.each([
  [
    502,
    {
      code: 'UPSTREAM_UNAVAILABLE',
      message: 'Discord is away.',
      status: 502,
      details: { upstream: 'discord', outcome: 'not_performed' },
    },
  ],
  [403, { code: 'RE_AUTH_REQUIRED', message: 'The window was closed before this was done.' }],
] as const)('a call that ended with %i and certainly did not happen frees its key', async (status, error) => {
  let isThere = false;
  const unlucky: FakePerformer = {
    ...NOTHING,
    perform: async () =>
      isThere ? { state: 'done', write: async () => ({ ban: {} }) as never } : { state: 'failed', error },
  };
  const own = await startPublicApi({ performers: { ...ALL_NOTHING, 'bans.add': unlucky } });
  try {
    await seedWindow(own.database, own.guild, own.token);
    const input = { user_id: own.guild.strangerId, reason: 'spam' };
    const body = { ...input, _confirmation: sentinel('bans.add', own.guild, input) };
    const ban = () => own.inGuild('/bans', { method: 'POST', body, headers: { 'Idempotency-Key': 'again' } });
    expect((await ban()).status).toBe(status);
    isThere = true;
    expect((await ban()).status).toBe(201);
    const replayed = await ban();
    expect([replayed.status, replayed.headers.get('Idempotent-Replayed')]).toEqual([201, 'true']);
  } finally {
    await own.close();
  }
});

it('a replayed error says that it is one', async () => {
  verifies('idempotency.replayed-error');
  const absent = `str_${'0'.repeat(32)}`;
  const body = { _confirmation: sentinel('strikes.remove', api.guild, { strikeId: absent }) };
  const remove = () =>
    api.inGuild(`/strikes/${absent}`, { method: 'DELETE', body, headers: { 'Idempotency-Key': 'absent' } });
  const first = await remove();
  expect([first.status, first.headers.get('Idempotent-Replayed')]).toEqual([404, null]);
  const again = await remove();
  expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([404, 'true']);
  expect(again.body.error.message).toBe(first.body.error.message);
});

it('a command that was run has its answer again, also where the owner has denied it since', async () => {
  verifies('idempotency.replay');
  const { rows } = await api.database.pool.query(
    `INSERT INTO game_servers (guild_id, name, host, port, password_sealed, created_by)
     VALUES ($1, 'arena', 'game.example', 27015, '\\x00', $2) RETURNING id`,
    [api.guild.id, api.guild.ownerId],
  );
  const input = { serverId: rows[0].id, command: 'op alex' };
  const run = (key: string) =>
    api.inGuild(`/servers/${input.serverId}/rcon/run`, {
      method: 'POST',
      body: { command: input.command, _confirmation: sentinel('servers.rcon', api.guild, input) },
      headers: { 'Idempotency-Key': key },
    });
  const first = await run('run');
  expect(first.status).toBe(200);
  await api.database.pool.query("UPDATE game_servers SET deny_patterns = '{op *}'");
  const again = await run('run');
  expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, 'true']);
  expect(again.body).toEqual(first.body);
  const refused = { status: 403, body: { error: { details: { reason: 'COMMAND_NOT_ALLOWED' } } } };
  expect(await run('another')).toMatchObject(refused);
  const outcomes = (await api.audit('servers.rcon')).map(({ outcome, code }) => [outcome, code]);
  expect(outcomes).toEqual([
    ['requested', null],
    ['performed', null],
    ['refused', 'FORBIDDEN'],
  ]);
});

it('a call whose outcome nobody knows may be sent again with its key, and not without one', async () => {
  verifies('envelope.retryable');
  const input = { user_id: api.guild.memberId, reason: 'spam' };
  const body = { ...input, _confirmation: sentinel('bans.add', api.guild, input) };
  const ban = (headers: Record<string, string>) => api.inGuild('/bans', { method: 'POST', body, headers });
  const doubt = { code: 'UPSTREAM_UNAVAILABLE', details: { outcome: 'unknown' } };
  expect((await ban({ 'Idempotency-Key': 'in-doubt' })).body.error).toMatchObject({
    ...doubt,
    retryable: true,
  });
  expect((await ban({})).body.error).toMatchObject({ ...doubt, retryable: false });
});
