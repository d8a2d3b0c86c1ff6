import {
  canBeDestructive,
  exampleCall,
  pathParams,
  REST_OPERATION_NAMES,
  type RestOperation,
} from '@bailiff/core';
import { seedToken, seedWindow } from '@bailiff/engine/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PublicApiHarness, startPublicApi } from './harness.ts';

let api: PublicApiHarness;

beforeAll(async () => {
  api = await startPublicApi();
});

afterAll(async () => {
  await api.close();
});

/** Sends the example of an operation exactly as its curl line would. */
async function run(name: RestOperation, token = api.token) {
  const { method, url, headers, body } = exampleCall(name, {
    origin: 'http://api.test',
    guildId: api.guild.id,
    token: token.secret,
  });
  const path = url.slice('http://api.test/api/public/v1'.length);
  return api.call(path, { method, headers, ...(body === undefined ? {} : { body }) });
}

describe('the documented example', () => {
  it.each(REST_OPERATION_NAMES.filter((name) => canBeDestructive(name)))(
    'of %s is stopped by nothing but the missing window',
    async (name) => {
      const { status, body } = await run(name, await seedToken(api.database, api.guild));
      expect([status, body.error?.code], JSON.stringify(body)).toEqual([403, 'RE_AUTH_REQUIRED']);
    },
  );

  it.each(REST_OPERATION_NAMES.filter((name) => !canBeDestructive(name) && pathParams(name).length === 0))(
    'of %s is answered',
    async (name) => {
      const { status, body } = await run(name);
      expect(status, JSON.stringify(body)).toBe(200);
    },
  );

  it.each(REST_OPERATION_NAMES.filter((name) => !canBeDestructive(name) && pathParams(name).length > 0))(
    'of %s is understood, and its target is absent',
    async (name) => {
      const { status, body } = await run(name);
      expect([status, body.error?.code], JSON.stringify(body)).toEqual([404, 'NOT_FOUND']);
      expect(body.error.message).not.toContain('/api/public/v1');
    },
  );

  it('of strikes.add adds the strike once a window is open, and strikes.list lists it', async () => {
    await seedWindow(api.database, api.guild, api.token);
    const added = await run('strikes.add');
    expect(added.status, JSON.stringify(added.body)).toBe(201);
    expect((await run('strikes.list')).body.data).toEqual([added.body.strike]);
  });
});
