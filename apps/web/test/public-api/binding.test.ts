import {
  canBeDestructive,
  entryOf,
  pathParams,
  REST_OPERATION_NAMES,
  type RestOperation,
} from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { twoValuesOf } from '@bailiff/core/testing-samples';
import { seedWindow } from '@bailiff/engine/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ALL_NOTHING, type PublicApiHarness, sentinel, startPublicApi } from './harness.ts';

let api: PublicApiHarness;

beforeAll(async () => {
  api = await startPublicApi({ performers: ALL_NOTHING });
  await seedWindow(api.database, api.guild, api.token);
});

afterAll(async () => {
  await api.close();
});

beforeEach(() => api.database.pool.query('DELETE FROM budgets'));

const STRIKE = 'str_0190b7c44a3c7d3a9c3f2f6f0e8a1b2c';
const SERVER = 'srv_0190b7c44a3c7d3a9c3f2f6f0e8a1b2c';
const OTHER = '0190b7c44a3c7d3a9c3f2f6f0e8a1b2d';
const USER = '234567890123456789';

/** A value, and another valid one. */
type Field = readonly [value: unknown, other: unknown];

interface Bound {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** The ids in the path. */
  readonly params: Readonly<Record<string, Field>>;
  /** Every field that the body can have. */
  readonly body: Readonly<Record<string, Field>>;
}

const REASON: Field = ['griefing', 'griefing!'];

const WRITTEN: Readonly<Record<string, Bound>> = {
  'strikes.add': {
    method: 'POST',
    path: '/strikes',
    params: {},
    body: {
      user_id: [USER, '234567890123456780'],
      player_name: ['Block', 'block'],
      in_game_id: ['steam:1', 'steam:2'],
      reason: REASON,
      category: ['griefing', 'spam'],
      severity: ['minor', 'major'],
    },
  },
  'strikes.remove': {
    method: 'DELETE',
    path: '/strikes/{strikeId}',
    params: { strikeId: [STRIKE, `str_${OTHER}`] },
    body: { reason: REASON },
  },
  'bans.add': {
    method: 'POST',
    path: '/bans',
    params: {},
    body: {
      user_id: [USER, '234567890123456780'],
      reason: REASON,
      duration_minutes: [60, 600],
      delete_message_seconds: [0, 604_800],
    },
  },
  'bans.lift': {
    method: 'DELETE',
    path: '/bans/{userId}',
    params: { userId: [USER, '234567890123456780'] },
    body: { reason: REASON },
  },
  'mutes.add': {
    method: 'POST',
    path: '/mutes',
    params: {},
    body: { user_id: [USER, '234567890123456780'], reason: REASON, duration_minutes: [1441, 14_410] },
  },
  'mutes.lift': {
    method: 'DELETE',
    path: '/mutes/{userId}',
    params: { userId: [USER, '234567890123456780'] },
    body: { reason: REASON },
  },
  'messages.purge': {
    method: 'POST',
    path: '/mass-purge',
    params: {},
    body: {
      channel_id: ['334567890123456789', '334567890123456780'],
      count: [10, 100],
      user_id: [USER, '234567890123456780'],
      contains: ['nitro', 'Nitro'],
      bots_only: [true, false],
      before: ['2026-01-31T12:00:00Z', '2026-01-31T13:00:00Z'],
      after: ['444567890123456789', '444567890123456780'],
      include_pinned: [false, true],
      reason: REASON,
    },
  },
  'servers.rcon': {
    method: 'POST',
    path: '/servers/{serverId}/rcon/run',
    params: { serverId: [SERVER, `srv_${OTHER}`] },
    body: { command: ['say hello', 'stop'] },
  },
};

/** Operations that are not written out, with values that their schemas take. */
const GENERATED: Readonly<Record<string, Bound>> = Object.fromEntries(
  REST_OPERATION_NAMES.filter((name) => canBeDestructive(name) && !Object.hasOwn(WRITTEN, name)).map(
    (name) => [name, generated(name)],
  ),
);

const CALLS: Readonly<Record<string, Bound>> = { ...WRITTEN, ...GENERATED };

function generated(name: RestOperation): Bound {
  const { http } = entryOf(name);
  if (http.method === 'GET') throw new Error(`${name} only reads.`);
  const fields = Object.entries(twoValuesOf(name));
  const inPath = pathParams(name);
  return {
    method: http.method,
    path: http.path,
    params: Object.fromEntries(fields.filter(([field]) => inPath.includes(field))),
    body: Object.fromEntries(fields.filter(([field]) => !inPath.includes(field))),
  };
}

const pick = (fields: Readonly<Record<string, Field>>, changed: string, which: 0 | 1) =>
  Object.fromEntries(
    Object.entries(fields).map(([field, values]) => [field, values[field === changed ? which : 0]]),
  );

function callOf(name: string): Bound {
  const call = CALLS[name];
  if (call === undefined) throw new Error(`${name} is not among the calls.`);
  return call;
}

/** Sends the call with one field changed and with one left out, both with the sentinel of the original call. */
async function send(name: string, changed = '', leftOut = '') {
  const { method, path, params, body } = callOf(name);
  await api.database.pool.query('DELETE FROM budgets');
  const original = { ...pick(params, '', 0), ...pick(body, '', 0) };
  const { [leftOut]: _, ...fields } = pick(body, changed, 1);
  const named = pick(params, changed, 1);
  const answer = await api.inGuild(
    path.replace(/\{(\w+)\}/g, (_match, field) => String(named[field])),
    { method, body: { ...fields, _confirmation: sentinel(name as RestOperation, api.guild, original) } },
  );
  const { rows } = await api.database.pool.query<{ digest: string; outcome: string }>(
    'SELECT digest, outcome FROM audit WHERE request_id = $1 ORDER BY id',
    [answer.headers.get('X-Request-Id')],
  );
  return { code: answer.body.error?.code ?? 'admitted', digest: rows[0]?.digest };
}

describe.each(Object.keys(CALLS))('%s', (name) => {
  const { params, body } = callOf(name);

  it('has no field that its sentinel and its digest both pass over', async () => {
    verifies('G9', 'H18');
    const original = await send(name);
    expect(original.digest).toMatch(/^[0-9a-f]{64}$/);
    expect((await send(name)).digest).toBe(original.digest);
    const digests = new Set([original.digest]);
    let variants = 1;
    for (const field of [...Object.keys(params), ...Object.keys(body)]) {
      const changed = await send(name, field);
      if (changed.code === 'INVALID_CONFIRMATION') continue;
      digests.add(changed.digest);
      variants += 1;
    }
    expect(digests.size, 'a change of a field left the digest as it was').toBe(variants);
  });

  it('is another call without any one of its optional fields', async () => {
    verifies('H18');
    const original = await send(name);
    for (const field of Object.keys(body)) {
      const { code, digest } = await send(name, '', field);
      if (code === 'INVALID_CONFIRMATION' || code === 'VALIDATION_FAILED') continue;
      // A field left out has its default, which was the original value.
      const isDefault = field === 'include_pinned';
      expect(digest === original.digest, field).toBe(isDefault);
    }
  });
});

it('every field of every destructive operation is among those', async () => {
  const { DOCUMENTED } = await import('./contract.ts');
  for (const { name, body, parameters } of DOCUMENTED) {
    if (body?.properties?._confirmation === undefined) continue;
    const call = callOf(name);
    const { _confirmation: _, ...fields } = body.properties;
    expect(Object.keys(call.body).sort(), name).toEqual(Object.keys(fields).sort());
    const inPath = parameters.filter((each) => each.in === 'path' && each.name !== 'guildId');
    expect(Object.keys(call.params), name).toEqual(inPath.map((each) => each.name));
  }
});
