import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { verifies } from '@bailiff/core/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isBuilt, noteBuilt, sources } from '../built.mjs';

const PAGE = 'apps/web/app/page.tsx';
const SOURCES = [
  PAGE,
  'packages/client/package.json',
  'prisma/schema.prisma',
  'docs/start.md',
  'README.md',
  'turbo.json',
  'package-lock.json',
];
const MADE = [
  'prisma/client/client.ts',
  'apps/web/.next/BUILD_ID',
  'apps/mcp/dist/bailiff-mcp.mjs',
  'packages/client/dist/index.js',
];

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'built-'));
  for (const path of SOURCES) write(path, 'one');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function build(): void {
  const before = sources(root);
  for (const path of MADE) write(path, 'made');
  noteBuilt(root, before);
}

test('nothing counts as built before a build, and everything after it', () => {
  verifies('ops.start.no-needless-build');
  expect(isBuilt(root)).toBe(false);
  build();
  expect(isBuilt(root)).toBe(true);
});

test.each([
  [PAGE, 'a longer text'],
  ['docs/start.md', 'a longer text'],
  ['README.md', 'a longer text'],
  ['package-lock.json', 'a longer text'],
  ['turbo.json', 'a longer text'],
  ['prisma/functions/new.sql', 'SELECT'],
  ['packages/client/src/new.ts', 'export {};'],
  ['node_modules/.package-lock.json', 'of other packages'],
])('a start builds again after a change of %s', (path, text) => {
  verifies('ops.start.no-needless-build');
  build();
  write(path, text);
  expect(isBuilt(root)).toBe(false);
  build();
  expect(isBuilt(root)).toBe(true);
});

test('a source that is overwritten with as long a text and its old time counts as changed', () => {
  verifies('ops.start.no-needless-build');
  build();
  const path = join(root, PAGE);
  const { ctimeMs, mtime } = statSync(path);
  // The file system notes times in steps of a few milliseconds.
  while (statSync(path).ctimeMs === ctimeMs) {
    write(PAGE, 'two');
    utimesSync(path, mtime, mtime);
  }
  expect(isBuilt(root)).toBe(false);
});

test('a source that is gone counts as changed', () => {
  build();
  rmSync(join(root, PAGE));
  expect(isBuilt(root)).toBe(false);
});

test.each(MADE)('a start builds again if %s is gone', (path) => {
  verifies('ops.start.no-needless-build');
  build();
  rmSync(join(root, path));
  expect(isBuilt(root)).toBe(false);
});

test('what a build does not read changes nothing', () => {
  verifies('ops.start.no-needless-build');
  build();
  for (const path of [
    'apps/web/test/new.test.ts',
    'apps/web/.next/trace',
    'apps/web/node_modules/x.js',
    'bench/x.ts',
  ])
    write(path, 'new');
  expect(isBuilt(root)).toBe(true);
});

test('a build of sources that somebody changed meanwhile does not count', () => {
  verifies('ops.start.no-needless-build');
  const before = sources(root);
  write(PAGE, 'a longer text');
  for (const path of MADE) write(path, 'made');
  noteBuilt(root, before);
  expect(isBuilt(root)).toBe(false);
});
