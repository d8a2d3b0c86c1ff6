// What every command does first, in a folder with a lock file, an npm that notes its calls, and a turbo.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const CHECKOUT = resolve(import.meta.dirname, '..', '..');
const NEEDED = [
  'scripts/prepare.mjs',
  'scripts/operate.mjs',
  'scripts/built.mjs',
  'scripts/in-turn.mjs',
  'apps/supervisor/src/processes.mjs',
];
const NODE = 'node_modules/.bin/node';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'prepare-'));
  for (const path of NEEDED) write(path, readFileSync(join(CHECKOUT, path), 'utf8'));
  write('package-lock.json', 'one');
  write(
    'run.mjs',
    `import * as prepared from './scripts/prepare.mjs';
     await prepared.runMain(async () => console.log(await prepared[process.argv[2]]()));`,
  );
  // It installs Node whether the rest succeeds or not.
  program('bin/npm', `echo called >>calls; mkdir -p node_modules/.bin; ln -sf "$OWN_NODE" ${NODE}`);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** A program that does this and says so, and ends with the code that a run gives it. */
function program(path: string, does: string): void {
  write(path, `#!/bin/sh\n${does}\necho it has said why\nexit "$ENDS_WITH"\n`);
  chmodSync(join(root, path), 0o755);
}

type Work = 'prepare' | 'build' | 'buildIfChanged';

const where = (endsWith = 0) => ({
  cwd: root,
  env: {
    PATH: `${join(root, 'bin')}:/usr/bin:/bin`,
    OWN_NODE: process.execPath,
    ENDS_WITH: String(endsWith),
  },
});

/** Does this work. What it calls ends with this code. */
function run(name: Work, endsWith = 0) {
  const options = { ...where(endsWith), encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['run.mjs', name], options);
  return { status, stdout, stderr };
}

/** Begins this work, and goes on. */
function begin(name: Work) {
  const child = spawn(process.execPath, ['run.mjs', name], where());
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
  const status = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { pid: child.pid, said: () => said, status };
}

const READY = { status: 0, stdout: expect.stringContaining('true\n'), stderr: '' };
const installs = () => readFileSync(join(root, 'calls'), 'utf8').trimEnd().split('\n').length;

/** What a build makes. */
const MADE = [
  'prisma/client/client.ts',
  'apps/web/.next/BUILD_ID',
  'apps/mcp/dist/bailiff-mcp.mjs',
  'packages/client/dist/index.js',
];

test('packages are installed once, and again when the lock file has changed or Node is gone', () => {
  expect([run('prepare'), installs()]).toEqual([READY, 1]);
  expect([run('prepare'), installs()]).toEqual([READY, 1]);
  write('package-lock.json', 'two');
  expect([run('prepare'), installs()]).toEqual([READY, 2]);
  rmSync(join(root, NODE));
  expect([run('prepare'), installs()]).toEqual([READY, 3]);
});

test('where Node cannot become the other one, a command ends as it ends under that, and a stop reaches it', async () => {
  expect(run('prepare')).toEqual(READY);
  rmSync(join(root, NODE)); // a link to the Node that runs this
  const repeat = (endsWith: number) =>
    spawn(process.execPath, ['run.mjs', 'prepare'], {
      ...where(endsWith),
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
  const statusOf = async (child: ReturnType<typeof repeat>) => (await once(child, 'close'))[0];
  program(NODE, 'echo "$@"');
  expect(await statusOf(repeat(7))).toBe(7);
  program(NODE, "trap 'exit 9' TERM; echo begun; while true; do sleep 0.05; done");
  const stopped = repeat(7);
  const ended = statusOf(stopped);
  stopped.stdout?.once('data', () => stopped.kill('SIGTERM'));
  expect(await ended).toBe(9);
});

test('an installation that failed ends the command with its reason, and is tried again', () => {
  const failed = { status: 1, stderr: 'npm install failed (exit code 7):\nit has said why\n\n' };
  expect([run('prepare', 7), installs()]).toEqual([expect.objectContaining(failed), 1]);
  expect([run('prepare'), installs()]).toEqual([READY, 2]);
});

test('a build that failed ends the command with its reason, and does not count as one', () => {
  program('node_modules/.bin/turbo', ':');
  const failed = { status: 1, stderr: 'The build failed:\nit has said why\n\n' };
  expect(run('build', 7)).toMatchObject(failed);
  expect(existsSync(join(root, '.bailiff', 'built'))).toBe(false);
  const tooSlow = 'Is this machine busy? Call it again: what was finished already is kept.\n\n';
  expect(run('build', 124).stderr).toBe(`The build failed:\nit has said why\n${tooSlow}`);
});

test("an operator's command prepares what it loads where nothing was built, and replaces nothing", () => {
  program(
    'node_modules/.bin/turbo',
    'echo "$2" >>calls; mkdir -p prisma/client; echo made >prisma/client/client.ts',
  );
  write('command.mjs', 'console.log(...process.argv.slice(2));');
  const operate = () => {
    const command = ['scripts/operate.mjs', 'command.mjs', 'list', '--all'];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { ...where(), encoding: 'utf8' });
    return { status, stdout, stderr, calls: readFileSync(join(root, 'calls'), 'utf8') };
  };
  const answered = { status: 0, stdout: expect.stringMatching(/(^|\n)list --all\n$/), stderr: '' };
  expect(operate()).toEqual({ ...answered, calls: 'called\ngenerate\n' });
  write('package-lock.json', 'of an update that was not started yet');
  expect(operate()).toEqual({ ...answered, calls: 'called\ngenerate\n' });
});

test.each(['prepare', 'buildIfChanged'] as const)(
  'of two processes that %s at once one does it',
  async (name) => {
    // Slow work, until the test lets it end, or has ended.
    const slow = 'echo called >>calls; while [ -e calls ] && [ ! -e go ]; do sleep 0.05; done';
    if (name === 'prepare')
      program('bin/npm', `${slow}; mkdir -p node_modules/.bin; ln -sf "$OWN_NODE" ${NODE}`);
    else {
      for (const path of MADE) mkdirSync(dirname(join(root, path)), { recursive: true });
      const made = MADE.map((path) => `echo made >${path}`);
      program('node_modules/.bin/turbo', [slow, ...made].join('; '));
    }
    const first = begin(name);
    await expect.poll(() => existsSync(join(root, 'calls'))).toBe(true);
    const second = begin(name);
    await expect.poll(second.said).toContain(`Waiting for process ${first.pid}`);
    write('go', '');
    expect([await first.status, await second.status, installs()]).toEqual([0, 0, 1]);
  },
);

test('what a process left behind that was killed, or had its time, keeps nobody', () => {
  const { pid: gone } = spawnSync(process.execPath, ['--version']);
  write('.bailiff/preparing', String(gone));
  expect([run('prepare'), installs()]).toEqual([READY, 1]);
  write('package-lock.json', 'two');
  // Its number may be another process's by now.
  write('.bailiff/preparing', String(process.pid));
  const before = new Date(Date.now() - 3_600_000);
  utimesSync(join(root, '.bailiff', 'preparing'), before, before);
  expect([run('prepare'), installs()]).toEqual([READY, 2]);
  expect(existsSync(join(root, '.bailiff', 'preparing'))).toBe(false);
});

test('what a start notes of the checkout is there, wherever the data is, and the guide says so', () => {
  const made = MADE.map((path) => `mkdir -p ${dirname(path)}; echo made >${path}`);
  program('node_modules/.bin/turbo', made.join('; '));
  for (const path of ['apps', 'packages', 'prisma', 'docs']) mkdirSync(join(root, path), { recursive: true });
  const { cwd, env } = where();
  const elsewhere = { cwd, env: { ...env, BAILIFF_DIR: join(root, 'elsewhere') } };
  for (const work of ['prepare', 'buildIfChanged'])
    expect(spawnSync(process.execPath, ['run.mjs', work], elsewhere).status).toBe(0);
  const noted = readdirSync(join(root, '.bailiff')).sort();
  expect([noted, existsSync(elsewhere.env.BAILIFF_DIR)]).toEqual([['built', 'installed'], false]);
  const [, part = ''] = readFileSync(join(CHECKOUT, 'docs', 'operations.md'), 'utf8').split(
    '## Where data is stored',
  );
  const [told = ''] = part.split('\n## ');
  const [inside] = told.match(/^\|.*\|$/gms) ?? [];
  expect(inside).toContain('`secrets.json`');
  for (const name of noted) {
    expect(inside).not.toContain(`\`${name}\``);
    expect(told).toContain(`\`.bailiff/${name}\``);
  }
});

/** One line, which says why and what to do. */
const notHere = (code: string) =>
  expect.stringMatching(
    new RegExp(
      `^Packages or the build are missing, .* ${root} \\(${code}: .*\\)\\. Make room .*, or start as .*\\.\n$`,
    ),
  );

test('a start in a folder that it may not write in says so, once something has to be done there', () => {
  expect(run('prepare')).toEqual(READY);
  write('package-lock.json', 'two');
  rmSync(join(root, '.bailiff'), { recursive: true });
  // Root may write everywhere but here.
  write('.bailiff', 'a file where the directory should be');
  expect(run('prepare')).toMatchObject({ status: 1, stderr: notHere('EEXIST') });
});

test('a start that finds no room on the disk says so, and keeps no later one waiting', () => {
  // No file can have any content, as on a full disk; what is printed goes into pipes.
  const full = spawnSync('sh', ['-c', 'ulimit -f 0; exec "$OWN_NODE" run.mjs prepare'], {
    ...where(),
    encoding: 'utf8',
  });
  expect(full).toMatchObject({ status: 1, stderr: notHere('EFBIG') });
  expect(existsSync(join(root, '.bailiff', 'preparing'))).toBe(false);
  expect([run('prepare'), installs()]).toEqual([READY, 1]);
});

test('whoever waits says so, also when nobody knows for whom', async () => {
  const path = '.bailiff/preparing';
  write(path, '');
  const waiting = begin('prepare');
  await expect
    .poll(waiting.said)
    .toMatch(/Waiting for another process, .* left \S+\/\.bailiff\/preparing behind/);
  rmSync(join(root, path));
  expect(await waiting.status).toBe(0);
  expect(waiting.said().match(/Waiting/g)).toHaveLength(1);
});
