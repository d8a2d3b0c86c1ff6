import { type Bucket, balanceAt, fullBucket, spendBoth, TIERS } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seedGuild, seedToken } from '#src/testing.ts';

let test: TestDatabase;

beforeAll(async () => {
  test = await createTestDatabase();
});

afterAll(() => test.drop());

const TIER = 'destructive_write';
const { capacity, refillPerMinute } = TIERS[TIER];

async function spend(tokenId: string) {
  const { rows } = await test.database.pool.query(
    "SELECT * FROM spend_budgets('guild', $1, 'user', $2, $3, $4)",
    [tokenId, TIER, capacity, refillPerMinute],
  );
  return rows[0];
}

/** Time passes by moving what is stored into the past. */
async function pass(ms: number) {
  await test.database.pool.query('UPDATE budgets SET updated_at = updated_at - make_interval(secs => $1)', [
    ms / 1000,
  ]);
}

describe('the database’s budgets', () => {
  it('refuse a read without noting it as a use of its token', async () => {
    verifies('G4');
    const guild = await seedGuild(test.database);
    const { id } = await seedToken(test.database, guild);
    const read = async () => {
      const { rows } = await test.database.pool.query(
        'SELECT refused_by IS NULL AS admitted FROM spend_read($1, $2, $3, 1, 1, true)',
        [guild.id, id, guild.ownerId],
      );
      return rows[0].admitted;
    };
    const lastUsed = async () =>
      (await test.database.pool.query('SELECT last_used_at FROM tokens WHERE id = $1', [id])).rows[0]
        .last_used_at;
    expect([await read(), await lastUsed()]).toEqual([true, expect.any(Date)]);
    await test.database.pool.query('UPDATE tokens SET last_used_at = NULL WHERE id = $1', [id]);
    expect([await read(), await lastUsed()]).toEqual([false, null]);
  });

  it('admit and refuse what the model does, with the same balances', async () => {
    verifies('G4', 'H9');
    const steps = fc.array(
      fc.record({ token: fc.constantFrom('tok_a', 'tok_b'), waitMs: fc.integer({ min: 0, max: 150_000 }) }),
      { minLength: 5, maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (calls) => {
        await test.database.pool.query('DELETE FROM budgets');
        const model: Record<string, Bucket> = {};
        const startedAt = performance.now();
        let waitedMs = 0;
        for (const { token, waitMs } of calls) {
          await pass(waitMs);
          waitedMs += waitMs;
          const askedAt = performance.now();
          const nowMs = waitedMs + askedAt - startedAt;
          const before = model[token] ?? fullBucket(TIER, nowMs);
          const user = model.user ?? fullBucket(TIER, nowMs);
          // Real time passes between the statements; a balance at the very edge of one call may fall either way.
          fc.pre([before, user].every((bucket) => Math.abs(balanceAt(TIER, bucket, nowMs) - 1) > 0.05));
          const expected = spendBoth(TIER, before, user, nowMs);
          const actual = await spend(token);
          // In three seconds more than that is refilled.
          fc.pre(performance.now() - askedAt < 2_000);
          expect(actual.refused_by === null).toBe(expected.ok);
          model[token] = expected.token;
          model.user = expected.user;
          if (expected.ok) {
            expect(Math.abs(actual.token_balance - balanceAt(TIER, expected.token, nowMs))).toBeLessThan(
              0.05,
            );
            expect(Math.abs(actual.user_balance - balanceAt(TIER, expected.user, nowMs))).toBeLessThan(0.05);
          } else {
            expect(Math.abs(actual.retry_after_seconds - expected.retryAfterSeconds)).toBeLessThan(5);
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  it('call the token’s the empty one where both are', async () => {
    await test.database.pool.query('DELETE FROM budgets');
    for (let call = 0; call < capacity; call += 1) expect((await spend('tok_a')).refused_by).toBeNull();
    expect((await spend('tok_a')).refused_by).toBe('token');
    expect((await spend('tok_b')).refused_by).toBe('user');
  });

  it('admit exactly the capacity of 200 calls at once by two tokens of one user', async () => {
    verifies('G4', 'H8');
    await test.database.pool.query('DELETE FROM budgets');
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, n) => spend(n % 2 === 0 ? 'tok_a' : 'tok_b')),
    );
    expect(results.filter(({ refused_by }) => refused_by === null)).toHaveLength(capacity);
  });
});
