import fc from 'fast-check';
import { expect, test } from 'vitest';
import { entryOf, pathParams, REST_OPERATION_NAMES, readBody, readQuery } from '#src/index.ts';
import { STRIKE, USER } from '#src/testing-samples.ts';

const query = (text: string) => new URLSearchParams(text);

test('a query is read by the declared types, defaults filled in', () => {
  expect(readQuery('strikes.list', {}, query(`limit=10&active=false&user_id=${USER}`))).toEqual({
    ok: true,
    input: { limit: 10, active: false, user_id: USER },
  });
  expect(readQuery('strikes.list', {}, query('active=true'))).toEqual({
    ok: true,
    input: { limit: 50, active: true },
  });
  expect(readQuery('strikes.get', { strikeId: STRIKE }, query(''))).toEqual({
    ok: true,
    input: { strikeId: STRIKE },
  });
  expect(readQuery('strikes.list', {}, query(''))).toEqual({ ok: true, input: { limit: 50 } });
});

test.each([
  ['limit=', 'limit', 'must be a whole number'],
  ['limit=1e1', 'limit', 'must be a whole number'],
  ['limit=+5', 'limit', 'must be a whole number'],
  ['limit=true', 'limit', 'must be a whole number'],
  ['limit=0', 'limit', 'must be at least 1'],
  ['limit=101', 'limit', 'must be at most 100'],
  ['limit=99999999999999999999', 'limit', 'must be a whole number'],
  ['active=1', 'active', 'must be true or false'],
  ['active=TRUE', 'active', 'must be true or false'],
  ['user_id=5', 'user_id', 'must be a Discord id: a string of 17 to 20 digits'],
  [`user_id=0${USER}`, 'user_id', 'must be a Discord id: a string of 17 to 20 digits'],
  ['user_id=00000000000000001', 'user_id', 'must be a Discord id: a string of 17 to 20 digits'],
  ['user_id=18446744073709551616', 'user_id', 'must be a Discord id: a string of 17 to 20 digits'],
  ['severity=severe', 'severity', 'must be one of minor, major'],
  ['limit=5&limit=5', 'limit', 'is given more than once'],
  ['page=2', 'page', 'is not a parameter of this operation'],
  ['_confirmation=x', '_confirmation', 'is not a parameter of this operation'],
  ['__proto__=x', '__proto__', 'is not a parameter of this operation'],
  [`${'x'.repeat(150)}=x`, 'x'.repeat(100), 'is not a parameter of this operation'],
])('the query %j is 400, naming %s', (text, path, message) => {
  expect(readQuery('strikes.list', {}, query(text))).toEqual({
    ok: false,
    status: 400,
    issues: [{ path, message }],
  });
});

test('a path parameter is wrong with 400, and is not taken from the query', () => {
  expect(readQuery('strikes.get', { strikeId: 'x' }, query(''))).toMatchObject({ ok: false, status: 400 });
  expect(readQuery('strikes.get', { strikeId: STRIKE }, query(`strikeId=${STRIKE}`))).toMatchObject({
    ok: false,
    issues: [{ path: 'strikeId', message: 'is not a parameter of this operation' }],
  });
});

test('the confirmation is taken out of the body', () => {
  const body = { user_id: USER, reason: 'spam', _confirmation: 'BAN' };
  expect(readBody('bans.add', {}, body)).toEqual({
    ok: true,
    input: { user_id: USER, reason: 'spam' },
    confirmation: 'BAN',
  });
  expect(body).toHaveProperty('_confirmation');
});

test('an absent confirmation is no matter of the input, one that is not a string is', () => {
  expect(readBody('bans.lift', { userId: USER }, {})).toStrictEqual({ ok: true, input: { userId: USER } });
  for (const confirmation of [1, null, {}, ['x'], true]) {
    expect(readBody('bans.lift', { userId: USER }, { _confirmation: confirmation })).toEqual({
      ok: false,
      status: 422,
      issues: [{ path: '_confirmation', message: 'must be a string' }],
    });
  }
});

test('an absent body is an empty one', () => {
  expect(readBody('bans.lift', { userId: USER }, undefined)).toEqual({ ok: true, input: { userId: USER } });
});

test.each([null, [], 'x', 1, true])('a body that is %j is 422', (body) => {
  expect(readBody('bans.add', {}, body)).toEqual({
    ok: false,
    status: 422,
    issues: [{ path: '', message: 'must be a JSON object' }],
  });
});

test.each([
  [{ reason: 'x' }, 'user_id', 'is required'],
  [{ user_id: 123456789012345680, reason: 'x' }, 'user_id', 'must be a string'],
  [{ user_id: `${USER} `, reason: 'x' }, 'user_id', 'must be a Discord id: a string of 17 to 20 digits'],
  [{ user_id: USER, reason: '' }, 'reason', 'must have at least 1 character'],
  [{ user_id: USER, reason: 'x'.repeat(513) }, 'reason', 'must have at most 512 characters'],
  [{ user_id: USER, reason: 'a\u0000' }, 'reason', 'must not contain the character U+0000'],
  [{ user_id: USER, reason: 'a\udc00' }, 'reason', 'must not contain a lone surrogate'],
  [{ user_id: USER, reason: 'x', duration_minutes: 1.5 }, 'duration_minutes', 'must be a whole number'],
  [{ user_id: USER, reason: 'x', duration_minutes: '60' }, 'duration_minutes', 'must be a number'],
  [{ user_id: USER, reason: 'x', duration_minutes: 1e300 }, 'duration_minutes', 'must be at most 525600'],
  [{ user_id: USER, reason: 'x', guildId: '1' }, 'guildId', 'is not a field of this operation'],
  [
    JSON.parse(`{"user_id":"${USER}","reason":"x","__proto__":{}}`),
    '__proto__',
    'is not a field of this operation',
  ],
])('the body %j is 422, naming %s', (body, path, message) => {
  const read = readBody('bans.add', {}, body);
  expect(read).toMatchObject({ ok: false, status: 422 });
  expect(read).toHaveProperty('issues', expect.arrayContaining([{ path, message }]));
});

test.each(['soon', '2014-12-31T23:59:59Z', '2100-01-01T00:00:00Z'])(
  'where a message or a moment is meant, %s is told both forms, and the years there are',
  (text) => {
    const body = { channel_id: USER, count: 5, before: text, after: text };
    const message =
      'must be a message id, or a time in ISO 8601 UTC between 2015 and 2099, such as 2026-01-31T12:00:00Z';
    expect(readBody('messages.purge', {}, body)).toMatchObject({
      ok: false,
      issues: [
        { path: 'before', message },
        { path: 'after', message },
      ],
    });
  },
);

test('a field of the body cannot stand in for a path parameter', () => {
  expect(readBody('bans.lift', { userId: USER }, { userId: USER })).toEqual({
    ok: false,
    status: 422,
    issues: [{ path: 'userId', message: 'is part of the path, not a field of the body' }],
  });
  for (const body of [{}, { reason: 5 }]) {
    expect(readBody('bans.lift', { userId: 'x' }, body)).toMatchObject({ ok: false, status: 400 });
  }
});

test('a body or query of thousands of wrong fields is answered with twenty issues', () => {
  const body = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`field${index}`, index]));
  const read = readBody('tickets.claim', { ticketId: 'x' }, body);
  expect(read.ok ? [] : read.issues).toHaveLength(20);
  const asked = readQuery('bans.list', {}, query(Object.keys(body).join('&')));
  expect(asked.ok ? [] : asked.issues).toHaveLength(20);
});

test('a deeply nested body is refused like any other', () => {
  const bomb: unknown = JSON.parse(`${'['.repeat(30_000)}${']'.repeat(30_000)}`);
  expect(readBody('bans.add', {}, { user_id: bomb, reason: 'x' })).toMatchObject({ status: 422 });
  expect(readBody('bans.add', {}, { user_id: USER, reason: 'x', extra: bomb })).toMatchObject({
    status: 422,
  });
  expect(readBody('bans.add', {}, { user_id: USER, reason: 'x', _confirmation: bomb })).toMatchObject({
    status: 422,
  });
});

test('any JSON is read or refused with issues, never thrown at', () => {
  fc.assert(
    fc.property(fc.constantFrom(...REST_OPERATION_NAMES), fc.jsonValue(), (name, value) => {
      const params = Object.fromEntries(pathParams(name).map((param) => [param, JSON.stringify(value)]));
      const read = readBody(name, params, value);
      if (!read.ok) expect(read.issues.length).toBeGreaterThan(0);
    }),
  );
});

test('what is read is what the schema gives', () => {
  fc.assert(
    fc.property(
      fc.record({ user_id: fc.constant(USER), reason: fc.string({ minLength: 1, maxLength: 512 }) }),
      (body) => {
        expect(readBody('bans.add', {}, body)).toEqual({
          ok: true,
          input: entryOf('bans.add').input.parse(body),
        });
      },
    ),
  );
});
