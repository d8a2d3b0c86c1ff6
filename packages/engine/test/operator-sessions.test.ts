import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findSession, keepUser } from '#src/desk/sessions.ts';
import { seedSession, snowflake } from '#src/testing.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** What `npm run sessions` runs, without npm, which takes as long again. */
function sessions(...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/sessions.ts', ...words], {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: database.url },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

async function signIn(userId: string, value: string, browser = 'curl'): Promise<void> {
  await seedSession(database.database, userId, value, { browser, address: '203.0.113.7' });
  await keepUser(database.database, { id: userId, name: 'Rob', image: null });
}

test('the operator sees the live sessions, and ends one or all of a person', async () => {
  verifies('session.operator');
  const [robbed, other] = [snowflake(), snowflake()];
  await signIn(robbed, 'first', 'a "browser"\u001b[2J');
  await signIn(robbed, 'second');
  await signIn(robbed, 'third');
  await signIn(other, 'other');
  const live = async (value: string) => (await findSession(database.database, value)) !== null;

  const ofRobbed = sessions('list', robbed);
  expect(ofRobbed).toMatchObject({ status: 0, stderr: '' });
  const lines = ofRobbed.stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(3);
  // What a browser says of itself cannot speak to the terminal.
  const first = lines.find((line) => line.includes('from 203.0.113.7  "a \\"browser\\"\\u001b[2J"')) ?? '';
  expect(sessions('list').stdout.trimEnd().split('\n')).toHaveLength(4);
  expect(ofRobbed.stdout).not.toContain('first');

  const id = first.split(' ', 1)[0] ?? '';
  expect(sessions('end', id)).toEqual({ status: 0, stdout: 'Sessions ended: 1.\n', stderr: '' });
  expect([await live('first'), await live('second')]).toEqual([false, true]);
  expect(sessions('end', '--user', robbed, 'all').stdout).toBe('Sessions ended: 2.\n');
  expect([await live('third'), await live('other')]).toEqual([false, true]);
});

test('a mistyped command ends nothing and says why', async () => {
  const person = snowflake();
  await signIn(person, 'kept');
  for (const words of [[], ['end'], ['end', 'all'], ['end', '--user', person], ['list', 'me']]) {
    const { status, stderr } = sessions(...words);
    expect([status, ...stderr.trimEnd().split('\n')]).toEqual([
      64,
      'Usage: npm run sessions -- list [user id]',
      '       npm run sessions -- end <session id>',
      '       npm run sessions -- end --user <user id> all',
    ]);
  }
  expect(sessions('end', `ses_${'0'.repeat(32)}`)).toMatchObject({ status: 1, stdout: '' });
  expect(await findSession(database.database, 'kept')).not.toBeNull();
});
