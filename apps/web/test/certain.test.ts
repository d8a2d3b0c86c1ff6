// 503 says that nothing happened and nothing will; what is not known is 502. The answers of the database are lost one
// after the other, with their connections: the database has done what it was asked, and the process does not hear it.
import { verifies } from '@bailiff/core/testing';
import { keyringOf } from '@bailiff/engine/servers/sealing';
import { publishSealingKey } from '@bailiff/engine/servers/sealing-keys';
import {
  type SeededGuild,
  type SeededToken,
  seedGuild,
  seedToken,
  seedWindow,
} from '@bailiff/engine/testing';
import { type Counter, startCounter } from '@bailiff/engine/testing-round-trips';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, callWithToken, type Person, signedIn, startTestWeb, type TestWeb } from './support.ts';

let web: TestWeb;
let counter: Counter;
let guild: SeededGuild;
let owner: Person;
let token: SeededToken;

beforeAll(async () => {
  web = await startTestWeb({}, async (url) => {
    counter = await startCounter(url);
    return counter.url;
  });
  guild = await seedGuild(web.db);
  owner = await signedIn(web, guild.ownerId);
  token = await seedToken(web.db, guild);
  await seedWindow(web.db, guild, token);
  await publishSealingKey(web.db, keyringOf(Buffer.alloc(32, 7)));
});
afterAll(async () => {
  await web.close();
  counter.close();
});

/** Tables that calls change; actions that were cancelled are as if they had not been. */
const CHANGED = [
  'cases',
  'windows',
  'game_servers',
  'reason_presets',
  'role_grants',
  'escalation_policies',
  'device_authorizations',
  'approval_requests',
  '(SELECT id, notifies_targets FROM guilds)',
  '(SELECT id, name, secret_hash, previous_secret_hash, revoked_at, expires_at FROM tokens)',
  '(SELECT token_hash FROM sessions)',
  "(SELECT id FROM actions WHERE state <> 'cancelled')",
];

async function everything(): Promise<string> {
  const parts = CHANGED.map(
    (from) => `(SELECT coalesce(json_agg(t ORDER BY t::text), '[]') FROM ${from} AS t)`,
  );
  const { rows } = await web.db.pool.query(
    `SELECT json_build_array(${parts.join(', ')})::text AS everything`,
  );
  return rows[0].everything;
}

/** Makes a call as often as it has answers of the database to lose, a different one each time. */
async function attack(prepare: () => Promise<() => Promise<Answer>>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (;;) {
    const call = await prepare();
    await inGuild('GET', '/servers'); // connects again
    const before = await everything();
    const hasLost = counter.loseAnswerAfter(answers.length);
    const answer = await call();
    if (!hasLost()) {
      counter.loseAnswerAfter(Number.POSITIVE_INFINITY);
      expect(answer.status).toBeLessThan(300);
      return answers;
    }
    const { code, details } = answer.body.error ?? {};
    const after = await everything();
    const told = [answer.status, code, details?.outcome];
    if (answer.status === 503) {
      expect(told).toEqual([503, 'UPSTREAM_UNAVAILABLE', 'not_performed']);
      expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
      expect(after, `after ${answers.length} answers, of which the next one was lost`).toBe(before);
    } else if (answer.status >= 300) expect(told).toEqual([502, 'UPSTREAM_UNAVAILABLE', 'unknown']);
    answers.push(answer);
  }
}

let given = 0;
const next = (what: string) => {
  given += 1;
  return `${what} ${given}`;
};

type Prepared = () => Promise<Answer>;

const strike = (headers = {}, reason = next('spam')): Promise<Answer> => {
  const user_id = guild.memberId;
  const _confirmation = `ADD STRIKE TO USER ${user_id} IN GUILD ${guild.id} SEVERITY MINOR`;
  const body = { user_id, severity: 'minor', reason, _confirmation };
  return callWithToken(web.runtime, token.secret, 'POST', `/guilds/${guild.id}/strikes`, body, headers);
};
const inGuild = (method: string, path: string, body?: unknown) =>
  owner.call(method, `/api/guilds/${guild.id}${path}`, body);
/** A call about a token of its own. */
const aboutToken = (method: string, path: string, body?: unknown) => async (): Promise<Prepared> => {
  const { id } = await seedToken(web.db, guild);
  return () => owner.call(method, `/api/api-tokens/${id}${path}`, body);
};
const aboutServer = (method: string, path: string) => async (): Promise<Prepared> => {
  const { rows } = await web.db.pool.query(
    `INSERT INTO game_servers (guild_id, name, host, port, password_sealed, created_by)
     VALUES ($1, $2, 'play.example.com', 25575, '', $3) RETURNING id`,
    [guild.id, next('server'), guild.ownerId],
  );
  return () => inGuild(method, `/servers/${rows[0].id}${path}`);
};

it.each<[string, () => Promise<Prepared>]>([
  ['a strike by a script', async () => () => strike()],
  [
    'a strike with an Idempotency-Key',
    async () => {
      const key = { 'Idempotency-Key': next('key').replace(' ', '-') };
      return () => strike(key);
    },
  ],
  [
    'a strike in the dashboard',
    async () => {
      const input = { user_id: guild.memberId, severity: 'minor', reason: next('spam') };
      return () => inGuild('POST', '/actions', { operation: 'strikes.add', input });
    },
  ],
  [
    'minting a token',
    async () => () =>
      owner.call('POST', '/api/api-tokens', { guild_id: guild.id, name: next('token'), kind: 'rest' }),
  ],
  ['renaming a token', aboutToken('PATCH', '', { name: 'another' })],
  ['rotating a token', aboutToken('POST', '/rotate', { overlap: true })],
  ['revoking a token', aboutToken('DELETE', '')],
  ['opening a window', aboutToken('POST', '/reauth-window')],
  [
    'a change of settings',
    async () => {
      const { rows } = await web.db.pool.query('UPDATE guilds SET notifies_targets = true WHERE id = $1', [
        guild.id,
      ]);
      expect(rows).toEqual([]);
      return () => inGuild('PATCH', '/settings', { notifies_targets: false });
    },
  ],
  [
    'a preset',
    async () => () => inGuild('POST', '/presets', { kind: 'ban', name: next('preset'), reason: 'spam' }),
  ],
  ['removing a game server', aboutServer('DELETE', '')],
  [
    'ending a session',
    async () => {
      await signedIn(web, guild.ownerId);
      const { rows } = await web.db.pool.query('SELECT * FROM sessions WHERE user_id = $1', [guild.ownerId]);
      expect(rows.length).toBeGreaterThan(1);
      const other = await signedIn(web, guild.ownerId);
      return () => other.call('DELETE', '/api/sessions/current');
    },
  ],
])('%s: what is told is true, whichever answer of the database is lost', async (_name, prepare) => {
  verifies('errors.503-certain');
  expect((await attack(prepare)).length).toBeGreaterThan(2);
});

it('a call that is sent again and may have happened before is not said to have not', async () => {
  verifies('errors.503-certain');
  const key = { 'Idempotency-Key': 'sent-again' };
  const body = (await strike(key, 'once')).body;
  const again = () => strike(key, 'once');
  const action_id = await actionUnder('sent-again');
  const before = counter.count();
  expect((await again()).body).toEqual(body);
  const trips = counter.count() - before;
  const hasLost = counter.loseAnswerAfter(trips - 2); // the earlier result, and then the budgets
  const { status, body: told } = await again();
  expect([hasLost(), status, told.error.details]).toEqual([
    true,
    502,
    { upstream: expect.any(String), outcome: 'unknown', action_id },
  ]);
});

const actionUnder = async (key: string): Promise<string> => {
  const { rows } = await web.db.pool.query('SELECT action_id FROM idempotency_keys WHERE key = $1', [key]);
  return rows[0].action_id;
};

const mute = (headers = {}) =>
  callWithToken(
    web.runtime,
    token.secret,
    'POST',
    `/guilds/${guild.id}/mutes`,
    { user_id: guild.memberId, reason: 'spam', duration_minutes: 10 },
    headers,
  );

it.each<[string, (headers: object) => Promise<Answer>]>([
  ['strike', (headers) => strike(headers, 'under a key')],
  ['mute', mute],
])('a %s under a key names no action but the one that the key stands for', async (what, send) => {
  verifies('errors.503-certain');
  const key = `names-${what}`;
  await web.db.pool.query('TRUNCATE budgets');
  const named: unknown[] = [];
  /** Loses one answer after the other, until a call may have been made, or until there is none left to lose. */
  const lose = async (until: (status: number, isLost: boolean) => boolean) => {
    for (let answers = 0; ; answers += 1) {
      await inGuild('GET', '/servers'); // connects again
      const hasLost = counter.loseAnswerAfter(answers);
      const { status, body } = await send({ 'Idempotency-Key': key });
      if (status === 502) {
        expect(body.error).toMatchObject({ retryable: true, details: { outcome: 'unknown' } });
        named.push(body.error.details.action_id);
      }
      if (until(status, hasLost())) return;
    }
  };
  await lose((status) => status === 502);
  await lose((_status, isLost) => !isLost);
  counter.loseAnswerAfter(Number.POSITIVE_INFINITY);
  expect(named.length).toBeGreaterThan(1);
  const action = await actionUnder(key);
  expect(named.filter((id) => id !== undefined && id !== action)).toEqual([]);
});

it('a call without a key that may have been made names the action to look up', async () => {
  verifies('errors.503-certain');
  await web.db.pool.query('TRUNCATE budgets');
  let lookedUp: Answer | undefined;
  for (let answers = 0; lookedUp === undefined; answers += 1) {
    await inGuild('GET', '/servers'); // connects again
    const hasLost = counter.loseAnswerAfter(answers);
    const { status, body } = await mute();
    expect(hasLost(), 'an answer was lost, and the caller knows all the same').toBe(true);
    if (status !== 502) continue;
    counter.loseAnswerAfter(Number.POSITIVE_INFINITY);
    const path = `/guilds/${guild.id}/actions/${body.error.details.action_id}`;
    lookedUp = await callWithToken(web.runtime, token.secret, 'GET', path);
  }
  expect(lookedUp).toMatchObject({ status: 200, body: { action: { operation: 'mutes.add' } } });
});
