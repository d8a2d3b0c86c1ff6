import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ConfigurationError, EX_CONFIG } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ROOT } from '#src/root.ts';
import { writeRunFile } from '#src/run-file.ts';
import { endedBy } from '#src/start-error.ts';
import { environmentIn } from '#src/web.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bailiff-web-'));
  await writeRunFile(directory, {
    web: 'http://localhost:3000',
    dashboard: 'http://dashboard.localhost:3000',
    sandbox: 'http://127.0.0.1:3100',
    application: { id: '100000000000000000', secret: 'sandbox-client-secret', token: 'sandbox-bot-token' },
    guild_id: '',
    people: {},
    channels: {},
    servers: [],
    pids: { supervisor: process.pid, bot: 0, sandbox: 0 },
  });
});

afterEach(() => rm(directory, { recursive: true, force: true }));

const OWN = { DATABASE_URL: 'postgresql://bailiff_web:c@db.example/bailiff' };
const REAL = { DISCORD_CLIENT_ID: '200000000000000000', DISCORD_CLIENT_SECRET: 'a real secret' };
const SANDBOX = {
  DISCORD_API_URL: 'http://127.0.0.1:3100/api',
  DISCORD_CLIENT_ID: '100000000000000000',
  DISCORD_CLIENT_SECRET: 'sandbox-client-secret',
};
const environment = (given: NodeJS.ProcessEnv) => environmentIn({ BAILIFF_DIR: directory, ...given });

test('in the folder of the sandbox, nobody signs in through it on a database of one’s own unless that is said', async () => {
  verifies('ops.sandbox-explicit');
  const attempt = environment(OWN);
  await expect(attempt).rejects.toThrow(ConfigurationError);
  await expect(attempt).rejects.toThrow('DISCORD_CLIENT_ID is not set, and the sandbox of the instance in');
  await expect(attempt).rejects.toThrow('or SANDBOX=on if this database is only for trying things out.');
  expect(await environment({ ...OWN, SANDBOX: 'on' })).toMatchObject({ ...OWN, ...SANDBOX });
});

test('a database of one’s own may be named by the login of web processes alone, and is as little the sandbox’s', async () => {
  verifies('ops.sandbox-explicit');
  const login = { DATABASE_WEB_URL: OWN.DATABASE_URL };
  expect(await environment({ ...login, ...REAL })).toMatchObject({ ...OWN, ...REAL });
  await expect(environment(login)).rejects.toThrow(/DISCORD_CLIENT_ID is not set, .* of DATABASE_WEB_URL/);
});

test('beside an instance that has no database yet it ends so that it is tried again, and not as with a wrong setting', async () => {
  const error = await environment({}).catch((thrown: unknown) => thrown);
  expect(endedBy(error)).toEqual({
    exitCode: 1,
    message: expect.stringContaining(`there is no embedded database in ${directory} yet`),
  });
});

test('the secret of a real application is not sent to the sandbox', async () => {
  verifies('ops.sandbox-explicit');
  const real = await environment({ ...OWN, ...REAL });
  expect(real).toMatchObject({ ...OWN, ...REAL });
  expect(real).not.toHaveProperty('DISCORD_API_URL');
  // What the sandbox's instance itself does not use of its .env, one more of its web processes does not use either.
  expect(await environment({ ...OWN, ...REAL, SANDBOX: 'on' })).toMatchObject({ ...OWN, ...SANDBOX });
});

test('another web process of an instance has the addresses of the first, both of them', async () => {
  expect(await environment({ ...OWN, ...REAL })).toMatchObject({
    PUBLIC_URL: 'http://localhost:3000',
    DASHBOARD_URL: 'http://dashboard.localhost:3000',
  });
});

test('a bot of Discord’s own is not mixed with the sandbox', async () => {
  verifies('ops.sandbox-explicit');
  const own = await environment({ ...OWN, DISCORD_TOKEN: 'a real token', SANDBOX: 'on' });
  expect(own).not.toHaveProperty('DISCORD_API_URL');
});

test('on the embedded database it has the login of web processes, and as little memory as the first', async () => {
  await mkdir(join(directory, 'postgres'));
  await writeFile(join(directory, 'postgres', 'connection.json'), '{"port":5433,"password":"pw"}');
  const { DATABASE_URL = '', NODE_OPTIONS } = await environment({});
  expect(new URL(DATABASE_URL)).toMatchObject({
    username: 'bailiff_web',
    port: '5433',
    pathname: '/bailiff',
  });
  expect(NODE_OPTIONS).toContain('--max-semi-space-size=');
});

/** How the command ends, and what it has printed. Once its web process is ready, it is asked to stop. */
async function endOf(env: NodeJS.ProcessEnv) {
  const command = spawn(
    process.execPath,
    ['--eval', "import('@bailiff/supervisor/web').then((command) => command.superviseWeb())"],
    {
      cwd: ROOT,
      env: { PATH: process.env.PATH, BAILIFF_DIR: directory, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let said = '';
  command.stdout.on('data', (chunk) => {
    said += chunk;
    command.kill();
  });
  const printed = text(command.stderr);
  const [code] = await once(command, 'close');
  return { code, said, printed: await printed };
}

/** The environment of the command with a web process that does this in place of its work. */
function doing(work: string): NodeJS.ProcessEnv {
  const source = `if (process.argv[1]?.endsWith('server.ts')) { ${work} }`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(source)}`;
  return { ...OWN, ...REAL, NEXTAUTH_SECRET: 's'.repeat(44), PORT: '0', NODE_OPTIONS };
}

test('the command ends with the code for a wrong configuration, also if only the web process finds it', async () => {
  const unsaid = { code: EX_CONFIG, printed: expect.stringContaining('DISCORD_CLIENT_ID is not set') };
  expect(await endOf(OWN)).toEqual({ ...unsaid, said: '' });
  // Both read the configuration in the same way, so the web process is made to find something.
  expect(await endOf(doing(`process.exit(${EX_CONFIG})`))).toMatchObject({ code: EX_CONFIG, said: '' });
});

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);

test.runIf(hasIpv6)('the command says where its web process is ready', async () => {
  const ready = doing("process.send('ready'); setInterval(() => {}, 1_000); await new Promise(() => {});");
  expect(await endOf({ ...ready, HOST: '::1' })).toMatchObject({
    code: 0,
    said: expect.stringMatching(/^The web process is ready on http:\/\/\[::1\]:[1-9]\d+\n$/),
  });
});
