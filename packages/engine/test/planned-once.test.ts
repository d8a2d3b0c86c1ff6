import { verifies } from '@bailiff/core/testing';
import { openDatabase } from '@bailiff/prisma';
import { createTestDatabase, LONG_LIMITS } from '@bailiff/prisma/testing';
import { expect, test } from 'vitest';
import { admit } from '#src/calls/admission.ts';
import { seedGuild, seedToken } from '#src/testing.ts';

const CALLS = 20;
/** PostgreSQL plans a statement for its values as often before it compares such a plan with one for any values. */
const TRIED = 5;

test('what admits a caller is planned for a connection, and not for every call', async () => {
  verifies('calls.planned-once');
  const { database, url, drop } = await createTestDatabase();
  const guild = await seedGuild(database);
  const token = await seedToken(database, guild);
  const one = openDatabase(url, { ...LONG_LIMITS, applicationName: 'test', max: 1 });
  // Its connection stays, and with it what was planned.
  one.pool.options.idleTimeoutMillis = 0;
  try {
    for (let call = 0; call < CALLS; call += 1) expect((await admit(one, token.secret))?.id).toBe(token.id);
    const { rows } = await one.pool.query<{ generic_plans: string; custom_plans: string }>(
      "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement LIKE '%AS new_action_id%'",
    );
    expect(rows).toEqual([{ generic_plans: String(CALLS - TRIED), custom_plans: String(TRIED) }]);
  } finally {
    await one.close();
    await drop();
  }
});
