import { expect, test } from 'vitest';
import { DatabaseAddressSetting, parseDatabaseAddress } from '#src/database-address.ts';
import { verifies } from '#src/testing.ts';

test('an address of one server is that server, and need not take writes', () => {
  const address = parseDatabaseAddress(
    'postgresql://bailiff:a%20secret@db.example:6432/bailiff?sslmode=verify-full',
  );
  expect(address?.servers).toEqual([
    {
      host: 'db.example',
      port: 6432,
      url: 'postgresql://bailiff:a%20secret@db.example:6432/bailiff?sslmode=verify-full',
      shown: 'db.example:6432',
    },
  ]);
  expect(address?.wantsPrimary).toBe(false);
  expect(address?.url.password).toBe('a%20secret');
  expect(address?.shown).toBe('db.example:6432/bailiff');
});

test('a list of servers is each of them in its order, with one login and one database', () => {
  const address = parseDatabaseAddress(
    'postgres://me:s3cret@one:6001,two,[::1]:6003/bailiff?sslmode=disable',
  );
  expect(address?.servers).toEqual([
    {
      host: 'one',
      port: 6001,
      url: 'postgres://me:s3cret@one:6001/bailiff?sslmode=disable',
      shown: 'one:6001',
    },
    { host: 'two', port: 5432, url: 'postgres://me:s3cret@two/bailiff?sslmode=disable', shown: 'two' },
    {
      host: '::1',
      port: 6003,
      url: 'postgres://me:s3cret@[::1]:6003/bailiff?sslmode=disable',
      shown: '[::1]:6003',
    },
  ]);
  expect(address?.wantsPrimary).toBe(true);
  expect(address?.url.href).toBe('postgres://me:s3cret@one:6001/bailiff?sslmode=disable');
  expect(address?.shown).toBe('one:6001,two,[::1]:6003/bailiff');
});

test.each(['read-write', 'primary'])('target_session_attrs=%s also holds for one server', (session) => {
  const address = parseDatabaseAddress(
    `postgresql://me@one/bailiff?target_session_attrs=${session}&sslmode=disable`,
  );
  expect(address?.wantsPrimary).toBe(true);
  expect(address?.servers.map(({ url }) => url)).toEqual(['postgresql://me@one/bailiff?sslmode=disable']);
});

test('a password may hold commas and what looks like a server', () => {
  const address = parseDatabaseAddress('postgresql://me:a,b@c@one,two/bailiff');
  expect(address?.servers.map(({ host }) => host)).toEqual(['one', 'two']);
  expect(address?.url.password).toBe('a,b%40c');
  expect(address?.shown).toBe('one,two/bailiff');
});

test.each(['50%', '%', '100%zz', '9%f', '%zz%41'])(
  'a password may hold a percent sign as it is: %s',
  (password) => {
    const text = `postgresql://me:${password}@one,two/bailiff`;
    expect(DatabaseAddressSetting.parse(text)).toBe(text);
    expect(parseDatabaseAddress(text)?.url.password).toBe(password);
  },
);

test.each([
  'postgresql://%ff@one/bailiff',
  'postgresql://5%:secret@one/bailiff',
  'postgresql://me@%zz/bailiff',
  'postgresql://me@one/50%',
  'postgresql://me:%ff@one/bailiff',
  'postgresql://me:5%-%80@one/bailiff',
])('%s is told to have a percent sign that is no escape', (text) => {
  expect(parseDatabaseAddress(text)).toBeNull();
  expect(DatabaseAddressSetting.safeParse(text).error?.issues[0]?.message).toBe(
    'must be an address such as postgresql://user:password@host:5432/bailiff, with each % in it written as %25',
  );
});

test('a socket is an address without a host', () => {
  const address = parseDatabaseAddress('postgresql:///bailiff?host=/var/run/postgresql');
  expect(address?.servers).toEqual([
    { host: '', port: 5432, url: 'postgresql:///bailiff?host=/var/run/postgresql', shown: '' },
  ]);
});

test.each([
  '',
  'db.example/bailiff',
  'mysql://me@one/bailiff',
  ' postgresql://me@one/bailiff',
  'see postgresql://me@one/bailiff',
  'postgres:me@one/bailiff',
  'postgresql://me@one:port/bailiff',
  'postgresql://me@one:6001,two:port/bailiff',
  'postgresql://me@one,,two/bailiff',
  'postgresql://me@,two/bailiff',
  'postgresql://one,,two/bailiff',
  'postgresql://,two/bailiff',
  'postgresql://me@one/bailiff\nand more',
  'postgresql://me@one,two/bailiff?target_session_attrs=read-only',
  'postgresql://me@one/bailiff?target_session_attrs=any',
  'postgresql://me@one:99999/bailiff',
])('%s is no address that Bailiff can use', (text) => {
  expect(parseDatabaseAddress(text)).toBeNull();
  expect(DatabaseAddressSetting.safeParse(text).error?.issues[0]?.message).toBe(
    'must be an address such as postgresql://user:password@host:5432/bailiff',
  );
});

test.each([
  ['postgresql://web:x@one/bailiff?user=owner', 'user'],
  ['postgresql://web:x@one/bailiff?sslmode=disable&password=y', 'password'],
  ['postgresql://web:x@one/bailiff?host=two,three', 'host'],
  ['postgresql://web:x@one/bailiff?%68ost=/var/run/postgresql', 'host'],
  ['postgresql://web:x@one,two/bailiff?port=6432', 'port'],
  ['postgresql://web:x@one/bailiff?hostaddr=192.0.2.1', 'hostaddr'],
  ['postgresql://web:x@one/bailiff?dbname=other', 'dbname'],
  ['postgresql:///bailiff?host=one', 'host'],
  ['postgresql:///bailiff?host=/var/run/postgresql&user=owner', 'user'],
])('%s does not say one thing before the query and another in it', (text, field) => {
  verifies('ops.database-url.query');
  expect(parseDatabaseAddress(text)).toBeNull();
  expect(DatabaseAddressSetting.safeParse(text).error?.issues[0]?.message).toBe(
    `must be an address such as postgresql://user:password@host:5432/bailiff, with login, server and database there and not as ?${field}= behind it`,
  );
});

test('a login at a socket stands before it', () => {
  const address = parseDatabaseAddress('postgresql://web:x@%2Frun%2Fpostgresql/bailiff');
  expect(address?.servers.map(({ host }) => host)).toEqual(['/run/postgresql']);
  expect(address?.url.username).toBe('web');
});

test('a setting stays as it was written', () => {
  const text = 'postgresql://me@one,two/bailiff';
  expect(DatabaseAddressSetting.parse(text)).toBe(text);
});
