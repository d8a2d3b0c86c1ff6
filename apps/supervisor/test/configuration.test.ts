import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigurationError } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { SECRET_VARIABLES } from '@bailiff/engine/secret-files';
import { expect, test } from 'vitest';
import { type ClusterSize, readConfiguration } from '#src/configuration.ts';
import { OWN_ENVIRONMENT } from '#src/instance.ts';
import { nodeOptions } from '#src/node-options.ts';
import { loginsOf } from '#src/settings.ts';

function problemsOf(env: NodeJS.ProcessEnv, cluster?: ClusterSize): string[] {
  try {
    readConfiguration(env, cluster);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.problems.map(({ message }) => message);
  }
}

test('an empty environment, and one copied from .env.example, needs nothing else', () => {
  for (const env of [{}, { PORT: '', DATABASE_URL: '', DISCORD_TOKEN: '', BOT_SHARDS: '' }]) {
    const { settings } = readConfiguration(env);
    expect(settings).toMatchObject({ host: '127.0.0.1', port: 3000, sandboxPort: 3100, usesSandbox: true });
    expect(settings.databaseUrl).toBeUndefined();
  }
});

test.each([
  ['PORT', 'abc', 'PORT must be a port from 1 to 65535, or 0 for a free one.'],
  ['PORT', '65536', 'PORT must be a port from 1 to 65535, or 0 for a free one.'],
  ['PORT', '3000 ', 'PORT must be a port from 1 to 65535, or 0 for a free one.'],
  ['SANDBOX_PORT', '-1', 'SANDBOX_PORT must be a port from 1 to 65535, or 0 for a free one.'],
  ['DEFAULT_TIER', 'gold', 'DEFAULT_TIER must be one of free, pro, operator.'],
  ['REAUTH_WINDOW_MINUTES', '99', 'REAUTH_WINDOW_MINUTES must be a whole number from 1 to 60.'],
  [
    'TRUSTED_PROXIES',
    '10.0.0.5/8',
    'TRUSTED_PROXIES must be a list of addresses and networks, but "10.0.0.5/8" has host bits set; the network is 10.0.0.0/8.',
  ],
])('a wrong %s (%s) is one sentence that says what to write', (variable, value, message) => {
  expect(problemsOf({ [variable]: value })).toEqual([message]);
});

test.each<[NodeJS.ProcessEnv, string[]]>([
  [{ METRICS_PORT: '3000' }, ['METRICS_PORT and PORT are both 3000: set another port in one of them.']],
  [
    { METRICS_PORT: '9464', METRICS_WEB_PORT: '9464' },
    ['METRICS_WEB_PORT and METRICS_PORT are both 9464: set another port in one of them.'],
  ],
  [
    { METRICS_WEB_PORT: '8080', PORT: '8080', HOST: '0.0.0.0' },
    ['METRICS_WEB_PORT and PORT are both 8080: set another port in one of them.'],
  ],
  [
    { METRICS_PORT: '3100' },
    ['METRICS_PORT and SANDBOX_PORT are both 3100: set another port in one of them.'],
  ],
  // Each has an address of its own, or does not listen, or gets a free port.
  [{ METRICS_PORT: '3000', METRICS_HOST: '192.0.2.1' }, []],
  [{ METRICS_PORT: '3000', WEB: 'off' }, []],
  [{ METRICS_PORT: '0', METRICS_WEB_PORT: '0', PORT: '0' }, []],
  [{ METRICS_PORT: '9464', METRICS_WEB_PORT: '9465' }, []],
])('metrics have a port that nothing else listens on (%o)', (env, problems) => {
  expect(problemsOf(env)).toEqual(problems);
});

test.each<[NodeJS.ProcessEnv, string[]]>([
  [
    { METRICS_PORT: '9464', METRICS_WEB_PORT: '9474' },
    ['METRICS_WEB_PORT and METRICS_PORT both come to 9474'],
  ],
  [
    { METRICS_PORT: '9474', METRICS_WEB_PORT: '9464' },
    ['METRICS_WEB_PORT and METRICS_PORT both come to 9474'],
  ],
  [{ METRICS_PORT: '2990' }, ['METRICS_PORT and PORT both come to 3000']],
  [{ METRICS_WEB_PORT: '3090' }, ['METRICS_WEB_PORT and SANDBOX_PORT both come to 3100']],
  [{ METRICS_PORT: '9464', METRICS_WEB_PORT: '9464' }, ['METRICS_WEB_PORT and METRICS_PORT are both 9464']],
  [{ METRICS_PORT: '9464', METRICS_WEB_PORT: '9465' }, []],
  [{ METRICS_PORT: '0', METRICS_WEB_PORT: '10', PORT: '0' }, []],
])('so has each process of a cluster (%o)', (env, shared) => {
  const because = ', because further processes of a cluster have their metrics 10 ports higher';
  expect(problemsOf(env, { bots: 2, webs: 2 })).toEqual(
    shared.map((each) => `${each}${each.includes('come') ? because : ''}: set another port in one of them.`),
  );
});

test('what the metrics and traces are set to is checked at the start', () => {
  expect(problemsOf({ METRICS_HOST: 'nonsense host', OTEL_EXPORTER_OTLP_HEADERS: 'key=a%0Ab' })).toEqual([
    'METRICS_HOST must be the address or the name of this machine that Prometheus asks, such as 127.0.0.1 or ::.',
    'OTEL_EXPORTER_OTLP_HEADERS must be a list such as name=value,other=value.',
  ]);
});

test('port 0 asks for a free one', () => {
  expect(readConfiguration({ PORT: '0', SANDBOX_PORT: '0' }).settings).toMatchObject({
    port: 0,
    sandboxPort: 0,
  });
});

test('a database of one’s own needs its secrets, and is named once where two processes read it', () => {
  expect(problemsOf({ DATABASE_URL: 'nonsense', SANDBOX: 'on' })).toEqual([
    'DATABASE_URL must be an address such as postgresql://user:password@host:5432/bailiff.',
    'SECRETS_KEY is not set: set it in the environment or in .env.',
    'NEXTAUTH_SECRET is not set: set it in the environment or in .env.',
  ]);
});

test('a database of one’s own is not given to the sandbox, unless that is said', () => {
  verifies('ops.sandbox-explicit');
  const env = {
    DATABASE_URL: 'postgresql://db.example/bailiff',
    SECRETS_KEY: Buffer.alloc(32).toString('base64'),
    NEXTAUTH_SECRET: 'a secret that is long enough for a test',
  };
  expect(problemsOf(env)).toEqual([
    'DISCORD_TOKEN is not set, and the sandbox is not started on the database of DATABASE_URL: set DISCORD_TOKEN, or ' +
      'SANDBOX=on if this database is only for trying things out.',
  ]);
  expect(problemsOf({ ...env, SANDBOX: 'on' })).toEqual([]);
  expect(problemsOf({ SANDBOX: 'yes' })).toEqual(['SANDBOX must be on, or not set.']);
});

test('the setting for the sandbox is not left over beside a real Discord', () => {
  verifies('ops.sandbox-explicit');
  const real = {
    DISCORD_TOKEN: 'some.bot.token',
    DISCORD_CLIENT_ID: '100000000000000000',
    DISCORD_CLIENT_SECRET: 'a secret',
  };
  expect(problemsOf(real)).toEqual([]);
  const problem = 'SANDBOX is on, and DISCORD_TOKEN is set: remove one of them.';
  expect(problemsOf({ ...real, SANDBOX: 'on' })).toEqual([problem]);
});

test('an instance for tests, the demo and benchmarks has nothing of what is configured here', async () => {
  verifies('ops.sandbox-explicit');
  const example = await readFile(new URL('../../../.env.example', import.meta.url), 'utf8');
  const ofThisMachine = ['BAILIFF_DIR', 'CHROMIUM_PATH', 'LOG_LEVEL'];
  for (const variable of Object.keys(parseEnv(example)).filter((name) => !ofThisMachine.includes(name)))
    expect(OWN_ENVIRONMENT, variable).toHaveProperty(variable);

  const directory = await mkdtemp(join(tmpdir(), 'bailiff-secrets-'));
  const named: Record<string, string> = {};
  for (const variable of SECRET_VARIABLES) {
    const path = join(directory, variable);
    await writeFile(path, 'postgresql://bailiff@production.example/bailiff');
    named[`${variable}_FILE`] = path;
  }
  const { settings } = readConfiguration({ ...named, ...OWN_ENVIRONMENT });
  await rm(directory, { recursive: true });
  expect(settings).toMatchObject({ usesSandbox: true, databaseUrl: undefined, processUrls: undefined });
});

test('what is missing is told beside what is wrong', () => {
  verifies('ops.all-problems');
  const problems = problemsOf({
    PORT: 'x',
    DATABASE_URL: 'postgresql://bailiff@db.example/bailiff',
    DATABASE_BOT_URL: 'postgresql://bailiff@db.example/bailiff',
    DATABASE_WEB_URL: 'postgresql://bailiff@db.example/bailiff',
  });
  expect(problems.map((problem) => problem.split(' ', 1)[0])).toEqual([
    'PORT',
    'DATABASE_WEB_URL,',
    'DISCORD_TOKEN',
    'SECRETS_KEY',
    'NEXTAUTH_SECRET',
  ]);
});

test('a real Discord needs the rest of the application', () => {
  expect(problemsOf({ DISCORD_TOKEN: 'some.bot.token', DISCORD_CLIENT_ID: '100000000000000000' })).toEqual([
    'DISCORD_CLIENT_SECRET is not set: set it in the environment or in .env.',
  ]);
});

test('every problem of all three readers is told at once', () => {
  const problems = problemsOf({
    PORT: 'x',
    LOG_LEVEL: 'loud',
    BOT_SHARDS: 'all',
    REAUTH_WINDOW_MINUTES: '0',
  });
  expect(problems.map((problem) => problem.split(' ', 1)[0]).toSorted()).toEqual([
    'BOT_SHARDS',
    'LOG_LEVEL',
    'PORT',
    'REAUTH_WINDOW_MINUTES',
  ]);
});

const OWN_DATABASE = {
  DATABASE_URL: 'postgresql://bailiff:a@db.example/bailiff',
  DATABASE_BOT_URL: 'postgresql://bailiff_bot:b@db.example/bailiff',
  DATABASE_WEB_URL: 'postgresql://bailiff_web:c@db.example/bailiff',
  SECRETS_KEY: Buffer.alloc(32).toString('base64'),
  NEXTAUTH_SECRET: 'a secret that is long enough for a test',
  SANDBOX: 'on',
};

test('the logins of the processes are set all together, and each is another one', () => {
  const { settings } = readConfiguration(OWN_DATABASE);
  expect(settings.processUrls).toEqual({
    bot: OWN_DATABASE.DATABASE_BOT_URL,
    web: OWN_DATABASE.DATABASE_WEB_URL,
  });
  const { DATABASE_WEB_URL: _web, DATABASE_BOT_URL: _bot, ...alone } = OWN_DATABASE;
  expect(readConfiguration(alone).settings.processUrls).toBeUndefined();
  const together = 'is not set: set DATABASE_URL, DATABASE_BOT_URL and DATABASE_WEB_URL, or the first alone.';
  expect(problemsOf({ ...OWN_DATABASE, DATABASE_WEB_URL: '' })).toEqual([`DATABASE_WEB_URL ${together}`]);
  expect(problemsOf({ ...OWN_DATABASE, DATABASE_BOT_URL: '' })).toEqual([`DATABASE_BOT_URL ${together}`]);
  expect(problemsOf({ ...OWN_DATABASE, DATABASE_WEB_URL: OWN_DATABASE.DATABASE_BOT_URL })).toEqual([
    'DATABASE_WEB_URL, DATABASE_BOT_URL and DATABASE_URL must have three logins: make one for each process.',
  ]);
  expect(problemsOf({ ...OWN_DATABASE, DATABASE_BOT_URL: 'postgresql://db.example/bailiff' })).toEqual([
    'DATABASE_BOT_URL must name the login of its process, as in postgresql://user:password@host:5432/bailiff.',
  ]);
});

test.each([
  ['?user=bailiff', ', with login, server and database there and not as ?user= behind it'],
  ['?host=other.example', ', with login, server and database there and not as ?host= behind it'],
  ['?target_session_attrs=any', ''],
  [':99999/bailiff', ''],
])('no address of the database may have %s: it would be another one than is checked here', (end, instead) => {
  verifies('ops.database-url.query');
  for (const variable of ['DATABASE_URL', 'DATABASE_BOT_URL', 'DATABASE_WEB_URL'] as const) {
    const address = OWN_DATABASE[variable];
    const wrong = end.startsWith(':') ? address.replace(/\/bailiff$/, end) : address + end;
    const said = `${variable} must be an address such as postgresql://user:password@host:5432/bailiff${instead}.`;
    expect(problemsOf({ ...OWN_DATABASE, [variable]: wrong })).toEqual([said]);
  }
});

test('a login with a special character in its name is the one that gets its rights', () => {
  const [bot, web] = ['postgresql://bot%40a:x@db.example/b', 'postgresql://web%2Fa:x@db.example/b'];
  expect(loginsOf({ bot, web })).toEqual({ bot: 'bot@a', web: 'web/a' });
});

test('the key before the present one is for the bot, and keeps no start from going on', () => {
  const SECRETS_KEY_PREVIOUS = Buffer.alloc(32, 1).toString('base64');
  expect(problemsOf({ ...OWN_DATABASE, SECRETS_KEY_PREVIOUS })).toEqual([]);
});

test('secrets may be in files, and what is wrong with the files is told with everything else', () => {
  verifies('ops.secret-files');
  expect(
    problemsOf({
      DATABASE_URL_FILE: '/absent/url',
      DATABASE_BOT_URL: 'postgresql://bot@db.example/bailiff',
      DATABASE_BOT_URL_FILE: '/absent/bot-url',
      PORT: 'x',
    }),
  ).toEqual([
    'DATABASE_URL_FILE names a file that cannot be read (/absent/url: ENOENT): let this user read it.',
    'DATABASE_BOT_URL_FILE and DATABASE_BOT_URL are both set: remove one.',
    'PORT must be a port from 1 to 65535, or 0 for a free one.',
  ]);
});

test("the processes get the operator's options of Node after ours, so that those count", () => {
  expect(nodeOptions(undefined)).toBe('--max-semi-space-size=8');
  expect(nodeOptions('--max-semi-space-size=32')).toBe('--max-semi-space-size=8 --max-semi-space-size=32');
});
