import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { admit } from '#src/calls/admission.ts';
import { type SeededGuild, type SeededToken, seedGuild, seedToken, seedWindow } from '#src/testing.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');

let database: TestDatabase;
let guild: SeededGuild;
let token: SeededToken;
let other: SeededToken;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  guild = await seedGuild(database.database);
  token = await seedToken(database.database, guild, { name: 'deploy' });
  other = await seedToken(database.database, guild, { name: 'a "name"\u001b[2J' });
});

/** What `npm run tokens` runs, without npm, which takes as long again. */
function tokens(...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/tokens.ts', ...words], {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: database.url },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const standing = async ({ secret }: SeededToken) =>
  (await admit(database.database, secret))?.revoked === true ? 'revoked' : 'live';

async function auditOf({ id }: SeededToken): Promise<unknown[]> {
  const { rows } = await database.database.pool.query(
    `SELECT actor_source, token_name, operation, outcome, details->>'reason' AS reason FROM audit WHERE token_id = $1`,
    [id],
  );
  return rows;
}

test('the operator sees the tokens of a guild or of all, and no secret', async () => {
  const elsewhere = await seedToken(database.database, await seedGuild(database.database));
  const ofGuild = tokens('list', guild.id);
  expect(ofGuild).toMatchObject({ status: 0, stderr: '' });
  const lines = ofGuild.stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain(
    `${token.id}  active   rest  guild ${guild.id} "Seeded"  issuer ${guild.ownerId}  "deploy"`,
  );
  // A name cannot speak to the terminal.
  expect(lines[1]).toContain('"a \\"name\\"\\u001b[2J"');
  const all = tokens('list');
  for (const { id } of [token, other, elsewhere]) expect(all.stdout).toContain(id);
  for (const { secret } of [token, other, elsewhere]) {
    expect(all.stdout).not.toContain(secret.slice(7, 20));
    expect(all.stdout).not.toContain(secret.slice(-4));
  }
});

test('the operator revokes one token: its next call is refused, its window closed, and it is recorded once', async () => {
  verifies('revocation.final');
  const windowId = await seedWindow(database.database, guild, token);
  expect(tokens('revoke', token.id)).toEqual({
    status: 0,
    stdout: `Tokens permanently revoked: ${token.id}.\n`,
    stderr: '',
  });
  expect([await standing(token), await standing(other)]).toEqual(['revoked', 'live']);
  const { rows } = await database.database.pool.query(
    `SELECT t.revoked_reason, w.closed_at IS NOT NULL AS closed FROM tokens t JOIN windows w ON w.token_id = t.id
     WHERE w.id = $1`,
    [windowId],
  );
  expect(rows).toEqual([{ revoked_reason: 'operator', closed: true }]);
  expect(tokens('revoke', token.id).stdout).toContain('none was live');
  expect(await auditOf(token)).toEqual([
    {
      actor_source: 'operator',
      token_name: 'deploy',
      operation: 'tokens.revoke',
      outcome: 'performed',
      reason: 'operator',
    },
  ]);
});

test('the operator revokes all tokens of a guild, and those of no other', async () => {
  const elsewhere = await seedToken(database.database, await seedGuild(database.database));
  const { stdout } = tokens('revoke', '--guild', guild.id, 'all');
  expect(stdout).toContain(token.id);
  expect(stdout).toContain(other.id);
  expect(await Promise.all([token, other, elsewhere].map(standing))).toEqual(['revoked', 'revoked', 'live']);
  expect(await auditOf(other)).toHaveLength(1);
});

test.each([
  ['nothing', [], 64, 'Usage'],
  ['a guild without "all"', ['revoke', '--guild', '123456789012345678'], 64, 'Usage'],
  ['a secret in place of an id', ['revoke', `svcpat_${'0'.repeat(48)}`], 64, 'Usage'],
  ['an unknown token', ['revoke', `tok_${'0'.repeat(32)}`], 1, 'There is no token tok_000'],
  ['an unknown guild', ['revoke', '--guild', '123456789012345678', 'all'], 1, 'does not know the guild'],
])('the operator who types %s is told so, and nothing is revoked', async (_what, words, status, message) => {
  const answer = tokens(...words);
  expect(answer).toMatchObject({ status, stdout: '', stderr: expect.stringContaining(message) });
  expect(await standing(token)).toBe('live');
});
