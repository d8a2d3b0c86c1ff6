// What every command does first, in a folder with a lock file, an npm that notes its calls, and a turbo.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const CHECKOUT = resolve(import.meta.dirname, '..', '..');
const NEEDED = ['scripts/prepare.mjs', 'scripts/built.mjs', 'apps/supervisor/src/processes.mjs'];
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

/** Runs `prepare` or `build`. What they call ends with this code. */
function run(name: 'prepare' | 'build', endsWith = 0) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['run.mjs', name], {
    cwd: root,
    env: {
      PATH: `${join(root, 'bin')}:/usr/bin:/bin`,
      OWN_NODE: process.execPath,
      ENDS_WITH: String(endsWith),
    },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const READY = { status: 0, stdout: expect.stringContaining('true\n'), stderr: '' };
const installs = () => readFileSync(join(root, 'calls'), 'utf8').trimEnd().split('\n').length;

test('packages are installed once, and again when the lock file has changed or Node is gone', () => {
  expect([run('prepare'), installs()]).toEqual([READY, 1]);
  expect([run('prepare'), installs()]).toEqual([READY, 1]);
  write('package-lock.json', 'two');
  expect([run('prepare'), installs()]).toEqual([READY, 2]);
  rmSync(join(root, NODE));
  expect([run('prepare'), installs()]).toEqual([READY, 3]);
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
});
