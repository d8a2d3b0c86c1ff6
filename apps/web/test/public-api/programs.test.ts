// Programs of the documents, run against the real API on a real socket while the owner approves their calls.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { digestOf } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { type SeededGuild, type SeededToken, seedToken, snowflake } from '@bailiff/engine/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { guildForEachTest } from '#test/each-test.ts';
import type { Person, TestServer, TestWeb } from '#test/support.ts';
import { runProgram } from './run-program.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..', '..');

let web: TestWeb;
let guild: SeededGuild;
let owner: Person;
let token: SeededToken;
let server: TestServer;
let folder: string;

guildForEachTest((given) => {
  ({ web, server, guild, owner } = given);
});
beforeEach(async () => {
  token = await seedToken(web.db, guild);
  folder = await mkdtemp(join(tmpdir(), 'bailiff-program-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** The program in the documents whose first line names it so. */
async function documented(name: string): Promise<string> {
  const page = await readFile(join(ROOT, 'docs', 'public-api.md'), 'utf8');
  const blocks = [...page.matchAll(/^```(?:python|ts|js)\n(.*?)^```/gms)].map(([, code = '']) => code);
  const found = blocks.find((code) => code.split('\n')[0]?.includes(name));
  if (found === undefined) throw new Error(`docs/public-api.md shows no ${name}.`);
  await writeFile(join(folder, name), found);
  return found;
}

/** Runs a program to its end. Whenever it says where to approve, the owner decides so. */
const run = (command: string, args: readonly string[], decision: 'call' | 'window' | 'refuse') =>
  runProgram(command, args, {
    cwd: folder,
    env: {
      BAILIFF: server.base,
      BAILIFF_URL: server.base,
      GUILD: guild.id,
      TOKEN: token.secret,
      USER_ID: guild.memberId,
      BAILIFF_TOKEN: token.secret,
      PYTHONUNBUFFERED: '1',
    },
    decide: async (id) => {
      expect((await owner.call('POST', `/api/approvals/${id}`, { decision })).status).toBe(200);
    },
  });

const strikes = async () =>
  (await web.db.pool.query('SELECT user_id FROM cases WHERE guild_id = $1 ORDER BY case_number', [guild.id]))
    .rows;

it('the bulk example of the client waits for the owner, and a second run does nothing again', async () => {
  verifies('client.approvals', 'client.pacing');
  const nobody = snowflake();
  await writeFile(join(folder, 'people.txt'), `${guild.memberId}\n${nobody}\n${guild.moderatorId}\n`);
  const program = join(ROOT, 'packages', 'client', 'examples', 'strike-many.ts');
  for (const _run of [1, 2]) {
    const { code, printed, errors } = await run(process.execPath, [program, 'people.txt'], 'window');
    expect([code, errors]).toEqual([0, '']);
    expect(printed).toMatch(new RegExp(`${guild.memberId}: strike str_\\w+`));
    expect(printed).toMatch(new RegExp(`${guild.moderatorId}: strike str_\\w+`));
  }
  const given = (await strikes()).map(({ user_id }) => user_id);
  expect(given.filter((id) => id !== nobody)).toEqual([guild.memberId, guild.moderatorId]);
});

it.each([
  ['first-strike.py', 'python3'],
  ['first-strike.ts', process.execPath],
])('%s strikes a member from an empty folder, in at most 25 lines', async (name, command) => {
  verifies('docs.first-strike');
  const lines = (await documented(name)).trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(25);
  const { code, printed, errors } = await run(command, [name], 'call');
  expect([code, errors]).toEqual([0, '']);
  expect(printed).toMatch(/^Allow it once: http.*\nstr_\w+\n$/);
  expect(await strikes()).toEqual([{ user_id: guild.memberId }]);
});

it('the JavaScript example stops when the owner has to be asked, and asks once', async () => {
  await documented('unban-many.mjs');
  await writeFile(
    join(folder, 'people.txt'),
    `${guild.memberId}\n${guild.strangerId}\n${guild.moderatorId}\n`,
  );
  const { code, printed, errors } = await run(process.execPath, ['unban-many.mjs', 'people.txt'], 'window');
  expect([code, printed]).toEqual([1, '']);
  expect(errors).toMatch(/^Start again once the owner has allowed it: http\S+approval=apr_\w+\n$/);
  const { rows } = await web.db.pool.query('SELECT input FROM approval_requests WHERE token_id = $1', [
    token.id,
  ]);
  expect(rows).toMatchObject([{ input: { userId: guild.memberId } }]);
});

it.each([
  ['JavaScript', process.execPath, 'unban-many.mjs', 'bans.lift', 'amnesty-2026'],
  ['Python', 'python3', 'strike-many.py', 'strikes.add', 'no-show-2026-01'],
] as const)(
  'the %s example asks only once where an action may have happened, and goes on with the next person',
  async (_language, command, name, operation, key) => {
    await documented(name);
    const people = [guild.memberId, guild.strangerId];
    const ids: string[] = [];
    for (const userId of people) ids.push(await unknownAction(operation, userId, `${key}-${userId}`));
    await writeFile(join(folder, 'people.txt'), `${people.join('\n')}\n`);
    const { code, printed, errors } = await run(command, [name, 'people.txt'], 'window');
    expect([code, errors]).toEqual([0, '']);
    expect(printed.trim().split('\n')).toEqual(
      people.map((userId, at) => expect.stringMatching(new RegExp(`^${userId} .*${ids[at]}`))),
    );
  },
);

/** An action that ended without an answer of Discord, as the first call with this key left it. */
async function unknownAction(operation: 'bans.lift' | 'strikes.add', userId: string, key: string) {
  const input =
    operation === 'bans.lift'
      ? { userId }
      : { user_id: userId, severity: 'minor' as const, reason: 'Did not show up' };
  const digest = digestOf(operation, guild.id, input);
  const { rows } = await web.db.pool.query<{ action_id: string }>(
    `WITH named AS MATERIALIZED (SELECT new_id('act') AS id), action AS (
       INSERT INTO actions (id, guild_id, operation, input, digest, target_type, target_id, actor_source, actor_user_id,
         token_id, request_id, claim_by, state, error)
       SELECT id, $1, $2, $3, $4, 'user', $5, 'token', $6, $7, 'r', now(), 'unknown', jsonb_build_object(
         'code', 'UPSTREAM_UNAVAILABLE', 'message', 'Discord did not answer.', 'status', 502,
         'details', jsonb_build_object('upstream', 'discord', 'outcome', 'unknown', 'action_id', id))
       FROM named RETURNING id)
     INSERT INTO idempotency_keys (token_id, key, digest, action_id) SELECT $7, $8, $4, id FROM action
     RETURNING action_id`,
    [guild.id, operation, input, digest, userId, guild.ownerId, token.id, key],
  );
  return rows[0]?.action_id ?? '';
}

it('the Python example does a bulk job with approval, and a second run does nothing again', async () => {
  verifies('docs.bulk-python');
  await documented('strike-many.py');
  await writeFile(join(folder, 'people.txt'), `${guild.memberId}\n${guild.moderatorId}\n`);
  for (const _run of [1, 2]) {
    const { code, printed, errors } = await run('python3', ['strike-many.py', 'people.txt'], 'window');
    expect([code, errors]).toEqual([0, '']);
    expect(printed).toMatch(new RegExp(`${guild.memberId} str_\\w+\n${guild.moderatorId} str_\\w+\n$`));
  }
  expect(await strikes()).toEqual([{ user_id: guild.memberId }, { user_id: guild.moderatorId }]);
  await writeFile(join(folder, 'others.txt'), `${guild.strangerId}\n`);
  await web.db.pool.query('UPDATE windows SET closed_at = now() WHERE token_id = $1', [token.id]);
  const refused = await run('python3', ['strike-many.py', 'others.txt'], 'refuse');
  expect([refused.code, refused.errors]).toEqual([1, 'Not approved: refused\n']);
});
