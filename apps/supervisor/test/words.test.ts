import { ConfigurationError } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { describe, expect, test } from 'vitest';
import { consoleLine } from '#src/console.ts';
import { explained } from '#src/database-url.ts';
import { readyMessage } from '#src/ready-message.ts';
import { RestartPause } from '#src/restart-pause.ts';
import { endedBy, reasonOf, StartError } from '#src/start-error.ts';

const line = (entry: object) => JSON.stringify(entry);

test.each([
  ['a warning', line({ level: 40, msg: 'slow' }), 'stdout', 'bot warning: slow'],
  [
    'an error with its cause',
    line({ level: 50, msg: 'no', err: { message: 'why' } }),
    'stdout',
    'bot error: no: why',
  ],
  [
    'a cause that repeats the message',
    line({ level: 60, msg: 'no', err: { message: 'no' } }),
    'stdout',
    'bot fatal: no',
  ],
  ['information', line({ level: 30, msg: 'up' }), 'stdout', undefined],
  ['text on stdout', 'hello', 'stdout', undefined],
  ['text on stderr', 'Error: boom', 'stderr', 'Error: boom'],
  ['an empty line on stderr', ' ', 'stderr', undefined],
  ['half a log line on stderr', '{"level":50', 'stderr', '{"level":50'],
] as const)('the console shows %s as it should', (_what, text, stream, shown) => {
  expect(consoleLine('bot', text, stream)).toBe(shown);
});

describe('the pause before a start', () => {
  const minute = 60_000;

  test('stays short for a service that was ready, however often it ends', () => {
    verifies('ops.recovery');
    const pause = new RestartPause();
    const pauses = Array.from({ length: 20 }, () => pause.after({ ranMs: 5_000, wasReady: true }));
    expect(Math.max(...pauses)).toBe(2_000);
  });

  test('grows to a minute for one that does not get ready, and is short again once it did', () => {
    const pause = new RestartPause();
    const failed = Array.from({ length: 8 }, () => pause.after({ ranMs: 100, wasReady: false }));
    expect(failed).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, minute, minute]);
    expect(pause.after({ ranMs: 5_000, wasReady: true })).toBe(2_000);
    expect(pause.after({ ranMs: minute, wasReady: false })).toBe(1_000);
  });

  test('is a moment for one that has served, unless it ends again soon after', () => {
    verifies('ops.recovery');
    const pause = new RestartPause();
    const served = Array.from({ length: 3 }, () => pause.after({ ranMs: 10_000, wasReady: true }));
    expect(served).toEqual([100, 100, 100]);
    const looping = Array.from({ length: 3 }, () => pause.after({ ranMs: 1_500, wasReady: true }));
    expect(looping).toEqual([1_000, 2_000, 2_000]);
  });
});

test('the ready message begins with the line that says so, and names addresses and people', () => {
  const run = {
    web: 'http://localhost:3000',
    dashboard: 'http://localhost:3000',
    sandbox: 'http://127.0.0.1:3100',
    application: { id: '2', secret: 's', token: 't' },
    guild_id: '1',
    people: { owner: '11', member: '12' },
    channels: {},
    servers: [],
    pids: { supervisor: 1, bot: 2, sandbox: 3 },
  };
  const text = readyMessage(run, new Map([['11', 'Mira Voss']]), { startedMs: 4_250, hasWeb: true });
  expect(text.split('\n', 1)).toEqual(['Bailiff is ready (4.3 s)']);
  expect(text).toContain('API reference  http://localhost:3000/docs/api');
  // The API has an address of its own only where it is not the dashboard's.
  const api = /^ {2}API {2,}(\S+)$/m;
  expect(text).not.toMatch(api);
  const apart = readyMessage({ ...run, web: 'http://localhost:3001' }, new Map(), {
    startedMs: 0,
    hasWeb: true,
  });
  expect(api.exec(apart)?.[1]).toBe('http://localhost:3001');
  expect(text).toContain('Mira Voss  the guild owner');
  expect(text).toContain('member     a member like any other');
  const real = readyMessage({ ...run, sandbox: null, people: {} }, new Map(), { startedMs: 0, hasWeb: true });
  expect(real).toContain('off: a real Discord is connected');
  expect(real).not.toContain('pick a person');
  const two = readyMessage({ ...run, dashboard: 'https://bailiff.example' }, new Map(), {
    startedMs: 0,
    hasWeb: true,
  });
  expect(two).toContain('Dashboard      https://bailiff.example\n');
  expect(two).toContain('API            http://localhost:3000\n');
  expect(two).toContain('API reference  https://bailiff.example/docs/api');
});

test('the process of a further shard announces no dashboard', () => {
  verifies('ops.shards.announced');
  const run = {
    web: 'http://localhost:3000',
    dashboard: 'http://localhost:3000',
    sandbox: null,
    application: null,
    guild_id: '',
    people: {},
    channels: {},
    servers: [],
    pids: { supervisor: 1, bot: 2, sandbox: null },
  };
  const text = readyMessage(run, new Map(), { startedMs: 0, hasWeb: false });
  expect(text).toContain('Dashboard  not here: the process of the first shard has it');
  expect(text).not.toContain('localhost');
});

test('a start that failed ends with the code of its error, and says what people need of it', () => {
  const wrong = new ConfigurationError([{ variable: 'PORT', message: 'PORT is wrong.' }]);
  expect(endedBy(wrong)).toEqual({ exitCode: 78, message: wrong.message });
  expect(endedBy(new StartError('No room.'))).toEqual({ exitCode: 1, message: 'No room.' });
  // What another process found wrong with the configuration: systemd must not start that again.
  expect(endedBy(new StartError('PORT is wrong.', 78))).toEqual({ exitCode: 78, message: 'PORT is wrong.' });
  expect(reasonOf('not even an error')).toBe('not even an error');
  const fault = new TypeError('x is not a function');
  expect(endedBy(fault)).toEqual({ exitCode: 1, message: fault.stack });
});

test.each([
  ['ENOTFOUND', 'getaddrinfo ENOTFOUND db.example'],
  ['EAI_AGAIN', 'getaddrinfo EAI_AGAIN db.example'],
  ['EHOSTUNREACH', 'connect EHOSTUNREACH 192.0.2.1:5432'],
  ['ENETUNREACH', 'connect ENETUNREACH 2001:db8::1:5432'],
  ['ETIMEDOUT', 'connect ETIMEDOUT 192.0.2.1:5432'],
  ['28P01', 'password authentication failed for user "bailiff"'],
  ['28000', 'role "bailiff" does not exist'],
  ['3D000', 'database "bailiff" does not exist'],
  ['', 'timeout expired'],
])(
  'the error %s of a database at a start is told with its address, without the password',
  (code, message) => {
    verifies('ops.database-url.named');
    const url = 'postgresql://bailiff:a-password@db.example:5432/bailiff';
    const told = explained(url, Object.assign(new Error(message), { code }));
    expect(told).toBeInstanceOf(StartError);
    expect(String(told)).toContain(
      `The database of DATABASE_URL (db.example:5432/bailiff) cannot be used: ${message}.`,
    );
    expect(String(told)).not.toContain('a-password');
  },
);

test.each([
  ['53300', 'sorry, too many clients already', 'Try again once its server takes connections.'],
  ['57P03', 'the database system is starting up', 'Try again once its server takes connections.'],
  ['25006', 'it takes no writes', 'Name the server that takes writes, or let it take them.'],
])('the error %s of a database that is there is told with what helps', (code, message, remedy) => {
  verifies('ops.database-url.named');
  const told = explained('postgresql://db.example/bailiff', Object.assign(new Error(message), { code }));
  expect(told).toEqual(
    new StartError(`The database of DATABASE_URL (db.example/bailiff) cannot be used: ${message}. ${remedy}`),
  );
});

test('a database that cannot be reached at a start is told with DATABASE_URL, and any other error as it is', () => {
  verifies('ops.database-url.named');
  const url = 'postgresql://bailiff:a-password@db.example:5432/bailiff';
  const refused = Object.assign(new Error('connect ECONNREFUSED 192.0.2.1:5432'), { code: 'ECONNREFUSED' });
  expect(explained(url, refused)).toMatchObject({
    name: 'StartError',
    message:
      'The database of DATABASE_URL (db.example:5432/bailiff) cannot be used: connect ECONNREFUSED 192.0.2.1:5432. ' +
      'Check the address, and that its server runs.',
  });
  // What Node says if a name has several addresses, of which none answers.
  const everywhere = Object.assign(new AggregateError([refused, refused]), { code: 'ECONNREFUSED' });
  expect(explained(url, everywhere)).toMatchObject({
    message: expect.stringContaining(' cannot be used: ECONNREFUSED. '),
  });
  const own = new Error('Migration 1 failed');
  expect(explained(url, own)).toBe(own);
});
