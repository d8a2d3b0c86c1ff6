import { expect, test } from 'vitest';
import {
  DatabaseTooSlow,
  databaseErrorCode,
  databaseUnavailable,
  isDatabaseUnavailable,
  patience,
  wasNotExecuted,
} from '#src/database/database-errors.ts';

const withCode = (code: unknown) => Object.assign(new Error('pg'), { code });
const wrapped = (cause: object) =>
  Object.assign(new Error('prisma'), { meta: { driverAdapterError: { cause } } });

/** Code, whether the database is unavailable, whether the statement certainly had no effect. */
test.each([
  ['08006', true, false],
  ['53300', true, true],
  ['57P01', true, false],
  ['57P03', true, true],
  ['58030', true, false],
  ['40001', true, true],
  ['40P01', true, true],
  ['55P03', true, true],
  ['57014', true, true],
  ['25P03', true, false],
  ['25006', true, true],
  ['ECONNREFUSED', true, true],
  ['ECONNRESET', true, false],
  ['EPIPE', true, false],
  ['ETIMEDOUT', true, false],
  // The name is looked up before anything is sent.
  ['ENOTFOUND', true, true],
  ['EAI_AGAIN', true, true],
  ['EHOSTUNREACH', true, false],
  ['ENETUNREACH', true, false],
  ['23505', false, false],
  ['42601', false, false],
  ['22508', false, false],
  ['22540', false, false],
])('of the code %s: unavailable %s, certainly not executed %s', (code, unavailable, notExecuted) => {
  const error = withCode(code);
  expect([isDatabaseUnavailable(error), wasNotExecuted(error)]).toEqual([unavailable, notExecuted]);
});

test.each([
  ['connect', true],
  ['open', false],
  [undefined, false],
])('a file that is missing for the call %s: unavailable %s', (syscall, expected) => {
  const error = Object.assign(withCode('ENOENT'), { syscall });
  expect([isDatabaseUnavailable(error), wasNotExecuted(error)]).toEqual([expected, expected]);
});

test.each([
  ['timeout exceeded when trying to connect', true, true],
  ['Connection terminated unexpectedly', true, false],
  ['Query read timeout', true, false],
  ['Client has encountered a connection error and is not queryable', true, false],
  ['syntax error', false, false],
])('of an error without a code, “%s”: unavailable %s, certainly not executed %s', (message, ...expected) => {
  const error = new Error(message);
  expect([isDatabaseUnavailable(error), wasNotExecuted(error)]).toEqual(expected);
});

test('what is no error of the database says nothing about it', () => {
  for (const thrown of [null, undefined, 'timeout exceeded when trying to connect', { code: '08006' }]) {
    expect([isDatabaseUnavailable(thrown), wasNotExecuted(thrown)]).toEqual([false, false]);
  }
});

test('the code of an error is found where pg or Prisma Client has put it', () => {
  expect(databaseErrorCode(withCode('23505'))).toBe('23505');
  expect(databaseErrorCode(withCode(5))).toBe('');
  expect(databaseErrorCode(new Error('x'))).toBe('');
  expect(databaseErrorCode(wrapped({ kind: 'UniqueConstraintViolation', originalCode: '23505' }))).toBe(
    '23505',
  );
  expect(databaseErrorCode(wrapped({ kind: 'DatabaseNotReachable' }))).toBe('ECONNREFUSED');
  expect(databaseErrorCode(wrapped({ kind: 'ConnectionClosed' }))).toBe('ECONNRESET');
  expect(databaseErrorCode(wrapped({ kind: 'SocketTimeout' }))).toBe('ETIMEDOUT');
  expect(databaseErrorCode(wrapped({ kind: 'Another' }))).toBe('');
});

test('a caller learns whether something may have happened, and the id under which to ask', () => {
  const nothing = databaseUnavailable('not_performed', 'act_1');
  expect([nothing.status, nothing.message]).toEqual([
    503,
    'The database does not answer. Nothing was done; try again in a few seconds.',
  ]);
  const upstream = 'database';
  expect(nothing.details).toEqual({ upstream, outcome: 'not_performed', retry_after_seconds: 5 });
  const unknown = databaseUnavailable('unknown', 'act_1');
  // Not a 503, which says that nothing happened and when to try again.
  expect([unknown.status, unknown.message]).toEqual([
    502,
    'The database does not answer. Whether this happened is not known yet.',
  ]);
  expect(unknown.details).toEqual({ upstream, outcome: 'unknown', action_id: 'act_1' });
  expect(databaseUnavailable('unknown').details).toStrictEqual({ upstream, outcome: 'unknown' });
});

test('who has no time left is told so; who has, gets the answer', async () => {
  const tooSlow = await patience(0)
    .within(new Promise(() => {}))
    .catch((error: unknown) => error);
  expect(String(tooSlow)).toBe('DatabaseTooSlow: The database did not answer in time');
  expect(tooSlow).toBeInstanceOf(DatabaseTooSlow);
  expect([isDatabaseUnavailable(tooSlow), patience(-1).leftMs()]).toEqual([true, 0]);
  expect(await patience(60_000).within(Promise.resolve('answer'))).toBe('answer');
  await expect(patience(60_000).within(Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});

test('what is waited for aside uses up none of the time', async () => {
  const startedAt = performance.now();
  const { aside, leftMs } = patience(60_000);
  const work = Promise.withResolvers<number>();
  const waiting = aside(work.promise);
  const asideFrom = performance.now();
  setTimeout(() => work.resolve(performance.now() - asideFrom), 20);
  const asideMs = await waiting;
  const left = leftMs();
  const usedMs = performance.now() - startedAt - asideMs;
  expect(left).toBeGreaterThanOrEqual(60_000 - usedMs);
  expect(left).toBeLessThanOrEqual(60_000);
});
