import { readFile } from 'node:fs/promises';
import {
  canBeDestructive,
  entryOf,
  exampleCall,
  isBotOperation,
  pathParams,
  REST_OPERATION_NAMES,
  type RestOperation,
} from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { seedToken, seedWindow, snowflake } from '@bailiff/engine/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_NOTHING, type Call, type PublicApiHarness, startPublicApi } from './harness.ts';

let api: PublicApiHarness;

beforeAll(async () => {
  api = await startPublicApi({ performers: ALL_NOTHING });
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

  const admitted = REST_OPERATION_NAMES.filter((name) => !canBeDestructive(name));
  /** Whether the bot would look for what the path names. Here, performers answer for it. */
  const isAnswered = (name: RestOperation) =>
    pathParams(name).length === 0 || isBotOperation(name) || entryOf(name).notFound === null;

  it.each(admitted.filter(isAnswered))('of %s is answered', async (name) => {
    const { status, body } = await run(name);
    expect(status, JSON.stringify(body)).toBe(entryOf(name).http.success);
  });

  it.each(admitted.filter((name) => !isAnswered(name)))(
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

it('the guide names every method whose calls can be repeated with a key', async () => {
  const page = async (name: string) =>
    (await readFile(new URL(`../../../../docs/${name}`, import.meta.url), 'utf8')).replaceAll('\n', ' ');
  const { paths } = JSON.parse(await page('openapi.json'));
  const methods = Object.entries<object>(paths)
    .filter(([path]) => path.startsWith('/guilds/'))
    .flatMap(([, operations]) => Object.entries(operations))
    .filter(([, operation]) => JSON.stringify(operation.parameters ?? []).includes('Idempotency'))
    .map(([method]) => method.toUpperCase());
  const named = [/such as a UUID\) with a ([A-Z, or]+),/, /Every ([A-Z, and]+) takes an optional/];
  const pages = [await page('public-api.md'), await page('decisions/idempotency.md')];
  for (const [index, sentence] of named.entries()) {
    const said = sentence.exec(pages[index] ?? '')?.[1]?.match(/[A-Z]+/g);
    expect(said?.toSorted()).toEqual([...new Set(methods)].toSorted());
  }
});

it('the guide’s job of many calls makes each of them once, and waits as long as it is told', async () => {
  verifies('limits.headers.budget');
  const guide = await readFile(new URL('../../../../docs/public-api.md', import.meta.url), 'utf8');
  const [, job = ''] = /```js\n[^`]+?(for \(const userId of readFileSync[\s\S]+?)```/.exec(guide) ?? [];
  const token = await seedToken(api.database, api.guild);
  await seedWindow(api.database, api.guild, token);
  await api.database.pool.query('DELETE FROM budgets');
  const users = Array.from({ length: 8 }, () => snowflake());
  const told: unknown[][] = [];
  const waits: number[] = [];
  const names: string[] = [];
  const surroundings = {
    readFileSync: () => users.join('\n'),
    process: { argv: ['node', 'unban-many.mjs', 'people.txt'] },
    TOKEN: token.secret,
    GUILD: api.guild.id,
    BAILIFF: 'http://api.test',
    console: { log: (...line: unknown[]) => told.push(line) },
    fetch: async (url: string, request: Call) => {
      const answer = await api.call(url.slice('http://api.test/api/public/v1'.length), request);
      names.push(answer.headers.get('RateLimit') ?? '');
      return { ...answer, ok: answer.status < 300, json: () => answer.body };
    },
    // Time moves by moving rows: the budgets are full again.
    setTimeout: (later: () => void, ms: number) => {
      waits.push(ms);
      void api.database.pool.query('DELETE FROM budgets').then(later);
    },
  };
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  await new AsyncFunction(...Object.keys(surroundings), job)(...Object.values(surroundings));
  expect(told).toEqual(users.map((user) => [user, 200, 'done', '']));
  expect(waits).toEqual([expect.any(Number)]);
  expect(waits[0]).toBeGreaterThanOrEqual(1_000);
  expect(names).toHaveLength(users.length + 1);
  for (const name of names) expect(name).toContain(';tier="destructive_write"');
  const { rows } = await api.database.pool.query(
    "SELECT count(*)::int AS made FROM actions WHERE operation = 'bans.lift' AND guild_id = $1",
    [api.guild.id],
  );
  expect(rows).toEqual([{ made: users.length }]);
});
