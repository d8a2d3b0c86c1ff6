import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { DEVICE_GRANT_TYPE, hashSecret, secretFromBytes } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { keyringOf } from '@bailiff/engine/servers/sealing';
import { publishSealingKey } from '@bailiff/engine/servers/sealing-keys';
import { type SeededGuild, seedGuild } from '@bailiff/engine/testing';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDashboardApi } from '#src/dashboard-api/handler.ts';
import { createDeviceApi } from '#src/device-api/handler.ts';
import { createPublicApi } from '#src/public-api/handler.ts';
import type { Runtime } from '#src/runtime.ts';
import {
  type Answer,
  callWithToken,
  ORIGIN,
  type Person,
  signedIn,
  startTestWeb,
  type TestWeb,
} from './support.ts';

let web: TestWeb;
let runtime: Runtime;
let guild: SeededGuild;
let owner: Person;

/** Every logged line of every level. */
const logged: string[] = [];

/** Every answer except those that issue a secret. */
const answered: string[] = [];

/** The secrets that must not be stored or logged, by their names. */
const secrets = new Map<string, string>();

beforeAll(async () => {
  web = await startTestWeb();
  const log = pino(
    { level: 'trace' },
    new Writable({
      write(line, _encoding, done) {
        logged.push(String(line));
        done();
      },
    }),
  );
  const { config, db, changeFeed, pace, engine } = web.runtime;
  runtime = {
    ...web.runtime,
    log,
    publicApi: createPublicApi(engine, log, new AbortController().signal),
    dashboardApi: createDashboardApi({ config, log, db, engine, changeFeed, pace, build: 'tested' }),
    deviceApi: createDeviceApi({ config, db, log }),
  };
  guild = await seedGuild(web.db);
  owner = await signedIn({ ...web, runtime }, guild.ownerId);
  secrets.set('a session', owner.cookie.slice(owner.cookie.indexOf('=') + 1));
  await live();
});

afterAll(async () => {
  await web.close();
});

function heard(answer: Answer): Answer {
  answered.push(JSON.stringify([answer.body, ...answer.headers]));
  return answer;
}

/** Issues every kind of secret, and uses each in valid and invalid ways. */
async function live(): Promise<void> {
  const minted = await owner.call('POST', '/api/api-tokens', {
    guild_id: guild.id,
    name: 'nightly',
    kind: 'rest',
  });
  const { id } = minted.body.token;
  secrets.set('a minted token', minted.body.secret);
  const overlapping = await owner.call('POST', `/api/api-tokens/${id}/rotate`, { overlap: true });
  secrets.set('a token rotated with overlap', overlapping.body.secret);
  const rotated = await owner.call('POST', `/api/api-tokens/${id}/rotate`, { overlap: false });
  secrets.set('a token rotated at once', rotated.body.secret);
  secrets.set('a token that never was', secretFromBytes(randomBytes(30)));
  secrets.set('a token from the device flow', await throughDeviceFlow());
  await keepPassword();
  for (const secret of [...secrets.values()].filter((value) => value.startsWith('svcpat_')))
    await use(secret);
  const listed = heard(await owner.call('GET', `/api/api-tokens?guild_id=${guild.id}`));
  expect(listed.body.data ?? listed.body.tokens).not.toHaveLength(0);
  heard(await owner.call('DELETE', `/api/api-tokens/${id}`));
  await use(rotated.body.secret);
}

async function use(secret: string): Promise<void> {
  const call = async (method: string, path: string, body?: unknown, bearer = secret) =>
    heard(await callWithToken(runtime, bearer, method, path, body));
  const strikes = `/guilds/${guild.id}/strikes`;
  await call('GET', '/me');
  await call('GET', strikes);
  await call('GET', `${strikes}?limit=0`);
  await call('GET', '/guilds/123456789012345678/strikes');
  await call('GET', '/me', undefined, `${secret} `);
  await call('GET', '/me', undefined, `"${secret}"`);
  await call('GET', '/me', undefined, secret.slice(0, -1));
  await call('POST', strikes, { user_id: guild.memberId, reason: 'spam', severity: 'minor' });
  await call('POST', strikes, {
    user_id: guild.memberId,
    reason: 'spam',
    severity: 'minor',
    _confirmation: 'NO',
  });
  // A secret in the fields of a call that is refused.
  await call('POST', '/nowhere', { secret });
  heard(await owner.call('POST', '/api/api-tokens', { guild_id: guild.id, name: 'x', kind: secret }));
  // Errors on our side are logged with all their details.
  await web.db.pool.query('ALTER TABLE tickets RENAME TO tickets_away');
  const broken = await call('GET', `/guilds/${guild.id}/tickets`);
  await web.db.pool.query('ALTER TABLE tickets_away RENAME TO tickets');
  expect([401, 500]).toContain(broken.status);
}

async function throughDeviceFlow(): Promise<string> {
  const ask = async (path: string, form: Record<string, string>) => {
    const response = await runtime.deviceApi(
      new Request(`${ORIGIN}/api/oauth/device/${path}`, { method: 'POST', body: new URLSearchParams(form) }),
      { address: '203.0.113.9' },
    );
    return response.json();
  };
  const client = { client_id: 'bailiff-mcp' };
  const codes = await ask('code', client);
  secrets.set('a device code', codes.device_code);
  const poll = () =>
    ask('token', { ...client, grant_type: DEVICE_GRANT_TYPE, device_code: codes.device_code });
  const confirmed = heard(
    await owner.call('POST', '/api/device/confirm', { user_code: codes.user_code, guild_id: guild.id }),
  );
  expect(confirmed.status, JSON.stringify(confirmed.body)).toBe(200);
  const { access_token: secret } = await poll();
  answered.push(JSON.stringify(await poll()));
  return secret;
}

async function keepPassword(): Promise<void> {
  const password = randomBytes(18).toString('base64url');
  const later = randomBytes(18).toString('base64url');
  secrets.set('a password of a game server', password);
  secrets.set('a changed password of a game server', later);
  const key = randomBytes(32);
  secrets.set('the key of the passwords', key.toString('base64url'));
  await publishSealingKey(web.db, keyringOf(key));
  const servers = `/api/guilds/${guild.id}/servers`;
  const wanted = { name: 'arena', host: 'game.example', port: 25_575, password };
  const added = heard(await owner.call('POST', servers, wanted));
  expect(added.status, JSON.stringify(added.body)).toBe(201);
  heard(await owner.call('PATCH', `${servers}/${added.body.server.id}`, { password: later }));
  heard(await owner.call('POST', servers, { ...wanted, port: password }));
  heard(await owner.call('GET', servers));
}

/** All rows of all tables, the queue's included, as text. */
async function dump(): Promise<string> {
  const { rows: tables } = await web.db.pool.query<{ name: string }>(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
  );
  const dumps = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await web.db.pool.query<{ row: string }>(`SELECT t::text AS row FROM ${name} AS t`);
      return rows.map(({ row }) => `${name} ${row}`).join('\n');
    }),
  );
  return dumps.join('\n');
}

/** The common encodings of bytes or text. */
function spellings(secret: string): string[] {
  const forms = [secret, secret.replace(/^svcpat_/, '')].flatMap((text) => [
    text,
    ...(['hex', 'base64', 'base64url'] as const).map((coding) =>
      Buffer.from(text).toString(coding).replace(/=+$/, ''),
    ),
  ]);
  return forms.flatMap((form) => [form, form.toLowerCase(), encodeURIComponent(form)]);
}

function found(text: string): string[] {
  const folded = text.toLowerCase();
  return [...secrets].flatMap(([what, secret]) =>
    spellings(secret).some((form) => folded.includes(form.toLowerCase())) ? [what] : [],
  );
}

describe('of every secret that was given out', () => {
  it('there are all kinds', () => {
    verifies('G18');
    expect(secrets.size).toBe(10);
    for (const [what, secret] of secrets) expect(secret, what).toMatch(/^.{20,}$/);
  });

  it('nothing is in any row of any table but a hash', async () => {
    verifies('G18', 'secret.stored-hash');
    const text = await dump();
    // The dump would contain a stored secret.
    const hash = hashSecret(secrets.get('a token rotated at once') ?? '').toString('hex');
    expect(text).toContain(hash);
    for (const table of ['audit_writes', 'audit_reads', 'approval_requests', 'game_servers', 'sessions']) {
      expect(text, table).toContain(`public.${table}`);
    }
    expect(found(text)).toEqual([]);
  });

  it('nothing is in the logs, not even of what broke', () => {
    verifies('G18');
    const text = logged.join('');
    expect(logged.length).toBeGreaterThan(50);
    expect(text).toContain('"status":401');
    expect(text).toContain('tickets');
    expect(found(text)).toEqual([]);
  });

  it('nothing is in an answer but the one that gives it out', () => {
    verifies('G18');
    expect(answered.length).toBeGreaterThan(50);
    expect(found(answered.join('\n'))).toEqual([]);
  });

  it('what looks for them would find each', () => {
    verifies('G18');
    for (const [what, secret] of secrets) {
      for (const form of [
        secret,
        Buffer.from(secret).toString('hex'),
        Buffer.from(secret).toString('base64'),
      ]) {
        expect(found(`x ${form} y`), what).toContain(what);
      }
    }
  });
});
