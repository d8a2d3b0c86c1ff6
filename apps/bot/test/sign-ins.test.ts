import { verifies } from '@bailiff/core/testing';
import { findSession, keepUser } from '@bailiff/engine/desk/sessions';
import { startSession } from '@bailiff/engine/desk/sign-ins';
import { expect, test } from 'vitest';
import { createLog } from '#src/log.ts';
import { askWhoseSession } from '#src/sign-ins.ts';
import { apiAnswering } from './answering.ts';
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
  stage.sandbox.control.addFault({ route: '/oauth2/@me', method: 'GET', status: 503, body: {}, times: null });
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

test('a sign-in at another application of the same person makes no session here', async () => {
  verifies('session.verified-by-bot');
  const { database } = stage.test;
  const userId = personOf(stage.sandbox, 'owner');
  await keepUser(database, { id: userId, name: 'Ada', image: null });
  const signIn = async (sessionToken: string, accessToken: string) => {
    const place = { browser: '', address: '192.0.2.1' };
    await startSession(stage.engine, { ...place, userId, sessionToken, before: undefined, accessToken });
    await stage.row(
      "SELECT FROM graphile_worker.jobs WHERE task_identifier = 'confirm_session' HAVING count(*) = 0",
    );
  };
  await signIn('there', stage.sandbox.accessToken(userId, '300000000000000000'));
  expect(await findSession(database, 'there')).toBeNull();
  await signIn('here', stage.sandbox.accessToken(userId));
  expect(await findSession(database, 'here')).toMatchObject({ userId });
});

test.each([
  ['was not the person whom the web process named', { isOwn: true, of: 'member' }],
  [
    'came from a sign-in at another application (300000000000000000) than that of the bot',
    { isOwn: false, of: 'owner' },
  ],
])('the log of the operator says that a session %s', async (fault, { isOwn, of }) => {
  verifies('session.verified-by-bot');
  const { database: db } = stage.test;
  const userId = personOf(stage.sandbox, 'owner');
  await keepUser(db, { id: userId, name: 'Ada', image: null });
  // The bot itself learns nothing, so that the question below is the one that counts.
  stage.sandbox.control.addFault({ route: '/oauth2/@me', method: 'GET', status: 503, body: {}, times: null });
  const place = { browser: '', address: '192.0.2.1' };
  const signIn = {
    ...place,
    userId,
    sessionToken: 'forged',
    before: undefined,
    accessToken: 'of a sign-in',
  };
  await startSession(stage.engine, signIn);
  const { session } = await stage.row<{ session: string }>(
    "SELECT payload->>'session' AS session FROM graphile_worker._private_jobs WHERE key LIKE 'confirm_session:%'",
  );
  const applicationId = stage.sandbox.clientId;
  const application = { id: isOwn ? applicationId : '300000000000000000' };
  const answer = JSON.stringify({ application, user: { id: personOf(stage.sandbox, of) } });
  const api = await apiAnswering((response) => {
    response.setHeader('content-type', 'application/json');
    response.end(answer);
  });
  const lines: { level: string; msg: string }[] = [];
  const log = createLog('info', [], (line) => lines.push(JSON.parse(line)));
  const deps = { db, api, keyring: stage.config.keyring, log, applicationId };
  await askWhoseSession(deps, session, AbortSignal.timeout(30_000));
  expect(await findSession(db, 'forged')).toBeNull();
  expect(lines.map(({ msg }) => msg)).toEqual([`a dashboard session ${fault}, and was ended`]);
  stage.sandbox.control.clearFaults();
});
