import { findSession, keepUser } from '@bailiff/engine/desk/sessions';
import { startSession } from '@bailiff/engine/desk/sign-ins';
import { expect, test } from 'vitest';
import { guildForEachTest } from './each-test.ts';
import { personOf, type Stage } from './harness.ts';

let stage: Stage;
guildForEachTest((next) => {
  stage = next;
});

test('a new session stays while Discord cannot say whose it is, and ends once Discord says that it is nobody’s', async () => {
  const { database } = stage.test;
  const userId = personOf(stage.sandbox, 'owner');
  await keepUser(database, { id: userId, name: 'Ada', image: null });
  stage.sandbox.control.addFault({ route: '/users/@me', method: 'GET', status: 503, body: {}, times: null });
  const place = { browser: '', address: '192.0.2.1' };
  const signIn = { ...place, userId, sessionToken: 'new', before: undefined, accessToken: 'nobody' };
  await startSession(stage.engine, signIn);
  const job = "FROM graphile_worker.jobs WHERE task_identifier = 'confirm_session'";
  await stage.row(`SELECT ${job} HAVING count(*) FILTER (WHERE attempts = 0 OR locked_at IS NOT NULL) = 0`);
  expect(await findSession(database, 'new')).toMatchObject({ userId });
  stage.sandbox.control.clearFaults();
  await database.pool.query(
    'UPDATE graphile_worker._private_jobs SET run_at = now() WHERE key = (SELECT max(key) FROM graphile_worker.jobs WHERE task_identifier = $1)',
    ['confirm_session'],
  );
  await stage.row(`SELECT ${job} HAVING count(*) = 0`);
  expect(await findSession(database, 'new')).toBeNull();
});
