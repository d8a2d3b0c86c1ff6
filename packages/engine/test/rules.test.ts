import { glob, readFile } from 'node:fs/promises';
import { CAPABILITIES, type Capability, expectedSentinel } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { admit, liveMember } from '#src/calls/admission.ts';
import { TOKEN_CHECKS } from '#src/calls/authorize.ts';
import { submitCall, type WriteCall } from '#src/calls/submit.ts';
import { listCases } from '#src/cases/case-list.ts';
import type { CASE_STANDINGS } from '#src/cases/case-search.ts';
import { IN_FORCE } from '#src/cases/cases.ts';
import { patience } from '#src/database/database-errors.ts';
import { shardIsAlive } from '#src/guilds/gateway-shards.ts';
import {
  giveTime,
  grantRole,
  type SeededGuild,
  type SeededToken,
  seedGuild,
  seedToken,
  seedWindow,
} from '#src/testing.ts';
import { listTokens } from '#src/tokens/token-view.ts';

// Rules that are checked in SQL and in TypeScript, or in several statements, must give the same answer everywhere.

let test: TestDatabase;
let guild: SeededGuild;
let token: SeededToken;

beforeAll(() => giveTime('database'));
beforeAll(async () => {
  test = await createTestDatabase();
});

beforeEach(async () => {
  guild = await seedGuild(test.database);
  token = await seedToken(test.database, guild);
});

afterAll(() => test.drop());

const query = async (sql: string, values: unknown[] = []) =>
  (await test.database.pool.query(sql, values)).rows;

async function admitted({ secret }: SeededToken) {
  const found = await admit(test.database, secret);
  if (found === null) throw new Error('The seeded token was not admitted.');
  return found;
}

/** Code of the refusal of a confirmed ban by a token; null when it was admitted. */
async function submitBan(admittedToken: Awaited<ReturnType<typeof admitted>>): Promise<string | null> {
  await query('DELETE FROM budgets');
  const input = { user_id: guild.strangerId, reason: 'spam' };
  const call: WriteCall = {
    operation: 'bans.add',
    guildId: guild.id,
    input,
    actor: { source: 'token', token: admittedToken },
    requestId: 'req_rules',
    address: '192.0.2.1',
    confirmation: expectedSentinel('bans.add', guild.id, input).concrete,
  };
  const answer = await submitCall(test.database.pool, 'https://bailiff.test', call, patience());
  return 'refused' in answer ? answer.refused.code : null;
}

describe('a window', () => {
  const seconds = (...values: number[]) => fc.constantFrom(...values);

  it('is open for the admission of a call where it is open for people', async () => {
    const windows = fc.record({
      openedAgo: seconds(-600, 0, 300, 3_600),
      expiresIn: seconds(-600, -300, 300, 600),
      closed: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(windows, async ({ openedAgo, expiresIn, closed }) => {
        await query('UPDATE actions SET window_id = NULL');
        await query('DELETE FROM windows');
        await query(
          `INSERT INTO windows (token_id, guild_id, opened_by, opened_at, expires_at, closed_at)
           VALUES ($1, $2, $3, now() - make_interval(secs => $4), now() + make_interval(secs => $5), $6)`,
          [token.id, guild.id, guild.ownerId, openedAgo, expiresIn, closed ? new Date() : null],
        );
        const expected = !closed && expiresIn > 0 && openedAgo >= 0;
        const [seen] = await listTokens(test.database, guild.ownerId, guild.id);
        expect(seen?.window !== null).toBe(expected);
        expect(await submitBan(await admitted(token))).toBe(expected ? null : 'RE_AUTH_REQUIRED');
        const [over] = await query('SELECT window_is_over(expires_at, closed_at) AS over FROM windows');
        expect(over.over).toBe(closed || expiresIn < 0);
      }),
      { numRuns: 30 },
    );
  });
});

describe('a case', () => {
  it('is in force for its own row where the filter of the list finds it', async () => {
    const at = fc.option(fc.constantFrom(-3_600, -300, 300, 3_600), { nil: null });
    const cases = fc.record({
      kind: fc.constantFrom('strike', 'warning', 'ban', 'mute'),
      ended: at,
      expires: at,
    });
    const viewer = { id: guild.id, isOwner: true, capabilities: CAPABILITIES };
    const numbersOf = async (standing: (typeof CASE_STANDINGS)[number], words?: string) =>
      (await listCases(test.database, viewer, { standing, words }, { limit: 100 })).rows.map(
        (row) => row.case_number,
      );
    await fc.assert(
      fc.asyncProperty(fc.array(cases, { minLength: 1, maxLength: 12 }), async (generated) => {
        await query('DELETE FROM cases');
        const inForce: number[] = [];
        const ended: number[] = [];
        for (const [index, { kind, ended: endedAt, expires }] of generated.entries()) {
          // A strike or warning has no term, a mute always has one.
          const term = kind === 'ban' ? expires : kind === 'mute' ? (expires ?? 300) : null;
          await query(
            `INSERT INTO cases (id, guild_id, case_number, kind, user_id, reason, issued_by, expires_at, ended_at)
             VALUES ($1, $2, $3, $4, 'u', 'spam', 'm', now() + make_interval(secs => $5), now() + make_interval(secs => $6))`,
            [`case_${index}`, guild.id, index, kind, term, endedAt],
          );
          (endedAt === null && (term === null || term > 0) ? inForce : ended).unshift(index);
        }
        const rows = await query(`SELECT case_number FROM cases WHERE ${IN_FORCE} ORDER BY case_number DESC`);
        expect(rows.map((row) => row.case_number)).toEqual(inForce);
        const overdue = await query(
          'SELECT FROM cases WHERE case_is_overdue(ended_at, expires_at) AND case_is_in_force(ended_at, expires_at)',
        );
        expect(overdue).toEqual([]);
        for (const words of [undefined, 'spam']) {
          expect((await numbersOf('in_force', words)).sort((a, b) => b - a)).toEqual(inForce);
          expect((await numbersOf('ended', words)).sort((a, b) => b - a)).toEqual(ended);
        }
      }),
      { numRuns: 25 },
    );
  });
});

describe('a capability', () => {
  it('is what roles were granted to who is not timed out, for people, for the admission of a token and for the submission of its call', async () => {
    const some = fc.subarray<Capability>(['bans.write', 'bans.read', 'strikes.read']);
    const generated = fc.record({
      everyone: some,
      ownRole: some,
      otherRole: some,
      snapshot: some,
      whose: fc.constantFrom('owner', 'member', 'stranger'),
      timedOutFor: fc.constantFrom(null, -60, 60),
      administrator: fc.constantFrom('nobody', 'everyone', 'ownRole', 'otherRole'),
    });
    await fc.assert(
      fc.asyncProperty(generated, async (scene) => {
        const { everyone, ownRole, otherRole, snapshot, whose, timedOutFor, administrator } = scene;
        guild = await seedGuild(test.database);
        await grantRole(test.database, guild, guild.id, everyone);
        await grantRole(test.database, guild, guild.memberRoleId, ownRole);
        await grantRole(test.database, guild, guild.moderatorRoleId, otherRole);
        const issuerId = { owner: guild.ownerId, member: guild.memberId, stranger: guild.strangerId }[whose];
        token = await seedToken(test.database, guild, { issuerId, capabilities: snapshot });
        await seedWindow(test.database, guild, token);

        await query('UPDATE members SET timed_out_until = now() + make_interval(mins => $1)', [timedOutFor]);
        const administrators = {
          nobody: null,
          everyone: guild.id,
          ownRole: guild.memberRoleId,
          otherRole: guild.moderatorRoleId,
        }[administrator];
        await query('UPDATE roles SET permissions = 12 WHERE id = $1', [administrators]);

        // Nobody times the owner or an administrator out.
        const isSilenced =
          timedOutFor === 60 && !(administrator === 'everyone' || administrator === 'ownRole');
        const live: readonly Capability[] = {
          owner: CAPABILITIES,
          member: isSilenced
            ? []
            : CAPABILITIES.filter((name) => everyone.includes(name) || ownRole.includes(name)),
          stranger: [],
        }[whose];
        const expected = live.filter((name) => snapshot.includes(name));
        expect((await liveMember(test.database, guild.id, issuerId))?.capabilities).toEqual(live);
        const found = await admitted(token);
        expect(found.capabilities).toEqual(expected);
        expect(await submitBan(found)).toBe(expected.includes('bans.write') ? null : 'CAPABILITY_DENIED');
      }),
      { numRuns: 60 },
    );
  });
});

describe('the mirror', () => {
  it('can be trusted while its shard is alive: the same heartbeat says both', async () => {
    for (const [agoSeconds, expected] of [
      [0, true],
      [55, true],
      [65, false],
      [-55, true],
      [-65, false],
    ] as const) {
      await query('UPDATE gateway_shards SET heartbeat_at = now() - make_interval(secs => $1)', [agoSeconds]);
      expect([agoSeconds, (await admitted(token)).mirrorFresh]).toEqual([agoSeconds, expected]);
      expect([agoSeconds, await shardIsAlive(test.database, 0)]).toEqual([agoSeconds, expected]);
    }
    await query('DELETE FROM gateway_shards');
    expect((await admitted(token)).mirrorFresh).toBe(false);
  });
});

describe('the order of checks', () => {
  it('is the same at admission and in the transaction that records the call', async () => {
    const flaws = fc.record({
      revoked: fc.boolean(),
      expired: fc.boolean(),
      unpaid: fc.boolean(),
      incapable: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(flaws, async ({ revoked, expired, unpaid, incapable }) => {
        guild = await seedGuild(test.database);
        token = await seedToken(test.database, guild);
        await seedWindow(test.database, guild, token);
        const before = await admitted(token);
        await query(
          `UPDATE tokens SET revoked_at = CASE WHEN $2 THEN now() END,
             expires_at = CASE WHEN $3 THEN now() - interval '1 hour' END,
             capabilities = CASE WHEN $4 THEN '{}' ELSE capabilities END WHERE id = $1`,
          [token.id, revoked, expired, incapable],
        );
        if (unpaid) await query("UPDATE guilds SET tier = 'free' WHERE id = $1", [guild.id]);

        const after = await admitted(token);
        const call = {
          operation: 'bans.add',
          params: {},
          guildId: guild.id,
          address: '192.0.2.1',
          requestId: 'req_rules',
          readInput: () => Promise.reject(new Error('The checks come before the input.')),
        } as const;
        const refusals = TOKEN_CHECKS.map(({ refusal }) => refusal(after, call)?.code);
        const first = refusals.find((code) => code !== undefined) ?? null;
        expect(await submitBan(before)).toBe(first);
      }),
      { numRuns: 25 },
    );
  });
});

it.each([
  ['windows that are open', 'windows WHERE window_is_open(opened_at, expires_at, closed_at)'],
  [
    'mutes of a guild in force',
    "cases WHERE guild_id = '1' AND kind = 'mute' AND case_is_in_force(ended_at, expires_at)",
  ],
])('%s are found by an index, not among all there ever were', async (_what, from) => {
  verifies('rules.indexed');
  const connection = await test.database.pool.connect();
  try {
    await connection.query('ALTER TABLE cases DISABLE TRIGGER USER'); // no job for each of these cases
    await connection.query(
      `INSERT INTO cases (id, guild_id, case_number, kind, user_id, reason, issued_by, expires_at)
       SELECT 'old_' || n, $1, n, 'mute', 'u', 'spam', 'm', now() - make_interval(mins => n)
       FROM generate_series(1, 5000) AS n`,
      [guild.id],
    );
    await connection.query('ANALYZE cases');
    // Small tables are scanned whatever their indexes are, so the plan has to say what is possible.
    await connection.query('SET enable_seqscan = off');
    const { rows } = await connection.query(`EXPLAIN SELECT FROM ${from.replace("'1'", `'${guild.id}'`)}`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/Index Cond: .*statement_timestamp/);
  } finally {
    await connection.query('DELETE FROM cases; ALTER TABLE cases ENABLE TRIGGER USER');
    await connection.query('RESET ALL');
    connection.release();
  }
});

it('no statement spells out a rule that has a function', async () => {
  const spelled: Record<string, RegExp> = {
    window_is_open: /closed_at IS NULL/,
    case_is_in_force: /ended_at IS NULL AND \(/,
    case_is_enforced: /action_id <> (\w+\.)?\w*import_id/,
    heartbeat_is_fresh: /heartbeat_at\s*(>|BETWEEN)/,
    may_use_grants: /timed_out_until\s*[<>]/,
    grant_reaches: /role_id = ANY \(\w+\.(role_ids)|role_id = ANY \("roleIds"\)/,
  };
  const found: string[] = [];
  const cwd = new URL('../../..', import.meta.url);
  for await (const path of glob(
    ['packages/engine/src/**/*.ts', 'apps/*/src/**/*.ts', 'prisma/{functions,views}/*.sql'],
    {
      cwd: cwd.pathname,
    },
  )) {
    const source = await readFile(new URL(path, cwd), 'utf8');
    for (const [name, pattern] of Object.entries(spelled)) {
      if (pattern.test(source) && !path.endsWith(`${name}.sql`)) found.push(`${path}: use ${name}`);
    }
  }
  expect(found).toEqual([]);
});
