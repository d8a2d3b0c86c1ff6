// The guard of reads and their charges exist twice: for one call in TypeScript and `spend_budgets`, and for many calls
// together in SQL. Both must say the same of every call.
import { CAPABILITIES, hashSecret, parseNetwork, secretFromBytes } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { admit } from '#src/calls/admission.ts';
import { capabilityOf, TOKEN_CHECKS } from '#src/calls/authorize.ts';
import { snowflake } from '#src/testing.ts';

let test: TestDatabase;

beforeAll(async () => {
  test = await createTestDatabase();
  await query(`INSERT INTO gateway_shards (shard_id, shard_count, bot_user_id, heartbeat_at)
    VALUES (0, 2, '1', now()), (1, 2, '1', now() - interval '10 minutes')`);
});
afterAll(() => test.drop());

const query = async (sql: string, values: unknown[] = []) =>
  (await test.database.pool.query(sql, values)).rows;

const OPERATIONS = ['strikes.list', 'rules.get'] as const;
const STEPS = ['token', ...TOKEN_CHECKS.map(({ name }) => name), null];

/** An address of either family, written in full. */
const bytesOf = (count: number) => fc.array(fc.nat(255), { minLength: count, maxLength: count });
const textOf = (bytes: readonly number[]) =>
  bytes.length === 4
    ? bytes.join('.')
    : Array.from({ length: 8 }, (_, n) =>
        (((bytes[2 * n] ?? 0) << 8) | (bytes[2 * n + 1] ?? 0)).toString(16),
      ).join(':');

/** The canonical text of an address, or of a network with this address. */
function canonical(bytes: readonly number[], bits = bytes.length * 8): string {
  const masked = bytes.map(
    (byte, index) => byte & (0xff << (8 - Math.min(8, Math.max(0, bits - index * 8)))) & 0xff,
  );
  const parsed = parseNetwork(`${textOf(masked)}/${bits}`);
  if (!parsed.ok) throw new Error(parsed.issue.message);
  return bits === bytes.length * 8 ? parsed.text.replace(/\/\d+$/, '') : parsed.text;
}

const mostly = <T>(usual: T, ...others: T[]) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );

const callers = fc.oneof(bytesOf(4), bytesOf(16));
type Entry = string | { own: true; bits: number } | { other: number[]; bits: number };
const allowlists: fc.Arbitrary<Entry[]> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Entry[]>([]) },
  {
    weight: 4,
    arbitrary: fc.array(
      fc.oneof<fc.WeightedArbitrary<Entry>[]>(
        { weight: 3, arbitrary: fc.record({ own: fc.constant(true as const), bits: fc.nat(128) }) },
        { weight: 3, arbitrary: fc.record({ other: callers, bits: fc.nat(128) }) },
        { weight: 1, arbitrary: fc.constant('no network') },
      ),
      { minLength: 1, maxLength: 3 },
    ),
  },
);

const scenes = fc.record({
  operation: fc.constantFrom(...OPERATIONS),
  caller: callers,
  isAddress: mostly(true, false),
  allowlist: allowlists,
  secret: mostly('present' as const, 'previous', 'lapsed', 'unknown'),
  revoked: mostly(false, true),
  expiresIn: mostly(3_600, -3_600, null),
  guild: mostly('own' as const, 'other', 'no guild'),
  tier: mostly('pro' as const, 'free', 'operator'),
  mirror: mostly('fresh' as const, 'never', 'left', 'silent'),
  snapshot: fc.constantFrom(CAPABILITIES, ['strikes.read', 'bans.read'], ['bans.read'], []),
  issuer: fc.constantFrom(
    'owner' as const,
    'granted',
    'granted everyone',
    'granted something else',
    'granted and timed out',
    'granted and timed out before',
    'no member',
  ),
});
type Scene = typeof scenes extends fc.Arbitrary<infer Value> ? Value : never;

/** Writes the guild and the token of a scene as rows for many of them at once. */
function rowsOf(scene: Scene, n: number) {
  const guildId = snowflake();
  const issuerId = snowflake();
  const secret = secretFromBytes(Buffer.from(String(n).padStart(30, '0')));
  const isKnown = scene.secret === 'present';
  const address = scene.isAddress ? canonical(scene.caller) : `nowhere ${n}`;
  return {
    guild_id: guildId,
    owner_id: scene.issuer === 'owner' ? issuerId : '1',
    tier: scene.tier,
    mirrored: scene.mirror !== 'never',
    gone: scene.mirror === 'left',
    shard: scene.mirror === 'silent' ? 1 : 0,
    issuer_id: issuerId,
    is_member: scene.issuer.startsWith('granted'),
    grant_to: scene.issuer === 'granted everyone' ? guildId : '77',
    timed_out_for: { 'granted and timed out': 600, 'granted and timed out before': -600 }[
      scene.issuer as string
    ],
    granted: scene.issuer === 'granted something else' ? ['bans.read'] : ['strikes.read'],
    secret,
    secret_hash: `\\x${hashSecret(isKnown ? secret : `another ${secret}`).toString('hex')}`,
    previous_hash: /previous|lapsed/.test(scene.secret) ? `\\x${hashSecret(secret).toString('hex')}` : null,
    previous_for: scene.secret === 'previous' ? 600 : -600,
    allowlist: scene.allowlist.map((entry) => {
      if (typeof entry === 'string') return entry;
      const of = 'own' in entry ? scene.caller : entry.other;
      return canonical(of, entry.bits % (of.length * 8 + 1));
    }),
    revoked: scene.revoked,
    expires_in: scene.expiresIn,
    snapshot: scene.snapshot,
    operation: scene.operation,
    address,
    asked_guild: scene.guild === 'own' ? guildId : scene.guild,
  };
}
type Row = ReturnType<typeof rowsOf>;

async function insert(rows: readonly Row[]): Promise<void> {
  await query('UPDATE gateway_shards SET heartbeat_at = now() WHERE shard_id = 0');
  const given = `json_to_recordset($1) AS row (guild_id text, owner_id text, tier "GuildTier", mirrored bool, gone bool,
    shard int, issuer_id text, is_member bool, timed_out_for int, grant_to text, granted text[], secret_hash bytea, previous_hash bytea,
    previous_for int, allowlist text[], revoked bool, expires_in int, snapshot text[])`;
  for (const sql of [
    `INSERT INTO guilds (id, name, owner_id, tier, mirrored_at, left_at, shard_id)
     SELECT guild_id, 'G', owner_id, tier, CASE WHEN mirrored THEN now() END, CASE WHEN gone THEN now() END, shard FROM ${given}`,
    `INSERT INTO roles (guild_id, id, name, position, permissions) SELECT guild_id, grant_to, 'R', 1, 0 FROM ${given}`,
    `INSERT INTO role_grants (guild_id, role_id, capabilities, granted_by) SELECT guild_id, grant_to, granted, '1' FROM ${given}`,
    `INSERT INTO members (guild_id, user_id, username, display_name, role_ids, timed_out_until)
     SELECT guild_id, issuer_id, 'm', 'm', '{77}', now() + make_interval(secs => timed_out_for) FROM ${given} WHERE is_member`,
    `INSERT INTO tokens (guild_id, issuer_id, name, kind, secret_hash, secret_last_four, previous_secret_hash,
       previous_secret_expires_at, capabilities, ip_allowlist, revoked_at, expires_at)
     SELECT guild_id, issuer_id, 't', 'rest', secret_hash, 'xxxx', previous_hash, now() + make_interval(secs => previous_for),
       snapshot, allowlist, CASE WHEN revoked THEN now() END, now() + make_interval(secs => expires_in) FROM ${given}`,
  ]) {
    await query(sql, [JSON.stringify(rows)]);
  }
}

/** The first of TOKEN_CHECKS that refuses the call. */
async function refusedInTypeScript(row: Row): Promise<string | null> {
  const token = await admit(test.database, row.secret);
  if (token === null) return 'token';
  const { operation, address, asked_guild: guildId } = row;
  const readInput = () => Promise.reject(new Error('The checks come before the input.'));
  const call = { operation, address, guildId, params: {}, requestId: 'req_1', readInput };
  return TOKEN_CHECKS.find(({ refusal }) => refusal(token, call) !== null)?.name ?? null;
}

async function refusedInSql(rows: readonly Row[]): Promise<Map<string, string | null>> {
  const refusals = new Map<string, string | null>();
  for (const operation of OPERATIONS) {
    const calls = rows.filter((row) => row.operation === operation);
    const answers = await query('SELECT * FROM admit_reads($1, $2, $3, $4) ORDER BY call_no', [
      calls.map(({ secret }) => hashSecret(secret)),
      calls.map(({ address }) => address),
      calls.map(({ asked_guild }) => asked_guild),
      capabilityOf(operation),
    ]);
    for (const [index, { secret }] of calls.entries()) refusals.set(secret, answers[index]?.refused_at);
  }
  return refusals;
}

const AT_ONCE = 400;
const RUNS = 26;

it('the guard of many reads refuses what that of one call refuses, at the same check', async () => {
  verifies('reads.guard-in-sql');
  const seen = new Map<string | null, number>();
  let made = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(scenes, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (generated) => {
      const rows = generated.map((scene, n) => rowsOf(scene, made + n));
      made += rows.length;
      await insert(rows);
      const inSql = await refusedInSql(rows);
      const expected = await Promise.all(rows.map(refusedInTypeScript));
      const flaws = rows.flatMap((row, index) => {
        const [one, many] = [expected[index] ?? null, inSql.get(row.secret)];
        seen.set(one, (seen.get(one) ?? 0) + 1);
        return one === many ? [] : [{ row, one, many }];
      });
      expect(flaws.slice(0, 3)).toEqual([]);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
  expect(made).toBeGreaterThanOrEqual(10_000);
  for (const step of STEPS)
    expect([step, seen.get(step) ?? 0]).toEqual([step, expect.toSatisfy((n) => n > 50)]);
});

it('reads that arrive together cost what they cost one after the other', async () => {
  verifies('reads.charged-in-turn', 'G4', 'H9');
  const calls = fc.array(fc.record({ token: fc.nat(4), guild: fc.nat(1) }), { minLength: 1, maxLength: 50 });
  // Eighths, which add up exactly, and what is taken for a whole call.
  const balance = fc.oneof(
    fc.nat(96).map((eighths) => eighths / 8),
    fc.constant(1 - 1e-10),
  );
  const balances = fc.array(balance, { minLength: 14, maxLength: 14 });
  // Nothing comes back into a budget meanwhile.
  const budget = [12, 1e-9];
  await fc.assert(
    fc.asyncProperty(calls, balances, async (generated, held) => {
      await query('DELETE FROM budgets');
      /** The same call in a guild of its own for each way. */
      const ids = (way: string, { token, guild }: { token: number; guild: number }) =>
        [`${way} ${guild}`, `tok ${token}`, `user ${token % 2}`] as const;
      for (const way of ['one', 'many']) {
        for (const guild of [0, 1]) {
          for (const [n, id] of ['tok 0', 'tok 1', 'tok 2', 'tok 3', 'tok 4', 'user 0', 'user 1'].entries()) {
            const balance = held[guild * 7 + n] ?? 0;
            // A budget that was never charged has no row.
            if (balance >= 11) continue;
            await query(
              "INSERT INTO budgets (guild_id, holder_id, tier, balance, updated_at) VALUES ($1, $2, 'read', $3, now())",
              [`${way} ${guild}`, id, balance],
            );
          }
        }
      }
      const one = [];
      for (const call of generated) {
        const [row] = await query(`SELECT * FROM spend_budgets($1, $2, $3, 'read', $4, $5)`, [
          ...ids('one', call),
          ...budget,
        ]);
        one.push(row);
      }
      const asked = generated.map((call) => ids('many', call));
      const many = await query('SELECT * FROM spend_reads($1, $2, $3, $4, $5, $6, $7) ORDER BY call_no', [
        asked.map((_, n) => n + 1),
        ...[0, 1, 2].map((n) => asked.map((call) => call[n])),
        asked.map(() => true),
        ...budget,
      ]);
      expect(many.map(({ refused_by }) => refused_by)).toEqual(one.map(({ refused_by }) => refused_by));
      for (const [n, row] of many.entries()) {
        expect(row.token_balance).toBeCloseTo(one[n].token_balance, 4);
        expect(row.user_balance).toBeCloseTo(one[n].user_balance, 4);
      }
      const left = async (way: string) =>
        (
          await query(
            'SELECT guild_id, holder_id, balance FROM budgets WHERE guild_id LIKE $1 ORDER BY 1, 2',
            [`${way} %`],
          )
        ).map(({ guild_id, holder_id, balance }) => [
          guild_id.slice(-1),
          holder_id,
          Math.round(balance * 1e4),
        ]);
      expect(await left('many')).toEqual(await left('one'));
    }),
    { numRuns: 40 },
  );
});
