// Whether the product is built of the sources as they are: what turbo finds out in a third of a second. Plain JavaScript
// with only Node's own modules, because it runs on Node 20 with nothing installed.
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Relative to the checkout, as all paths here. */
const STAMP = '.bailiff/built';
const READ = [
  'apps',
  'packages',
  'prisma',
  'docs',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'turbo.json',
  'node_modules/.package-lock.json',
];
/** What a build makes, or does not read. */
const LEFT_OUT = /(?:^prisma\/client|\/(?:node_modules|\.next|\.turbo|dist|generated|test|next-env\.d\.ts))$/;
/** Of each task, a file that it makes. */
const MADE = [
  'prisma/client/client.ts',
  'apps/web/.next/BUILD_ID',
  'apps/mcp/dist/bailiff-mcp.mjs',
  'packages/client/dist/index.js',
];

/**
 * Changes with each file that a build reads. No file can be written without that its ctime changes, not even by an
 * unpacked archive or a checkout, which may bring back its mtime and its size.
 *
 * @param {string} root of the checkout
 */
export function sources(root) {
  const hash = createHash('sha256');
  /** @param {string} path */
  const add = (path) => {
    if (LEFT_OUT.test(path)) return;
    const { ino, size, ctimeMs, isDirectory } = stateOf(join(root, path));
    if (!isDirectory) return void hash.update(`${path} ${ino} ${size} ${ctimeMs}\n`);
    for (const name of readdirSync(join(root, path)).sort()) add(`${path}/${name}`);
  };
  const documents = readdirSync(root).filter((name) => name.endsWith('.md'));
  for (const path of [...READ, ...documents.sort()]) add(path);
  return hash.digest('hex');
}

/** @param {string} root */
function stampOf(root) {
  const made = MADE.map((path) => Object.values(stateOf(join(root, path))).join(' '));
  return made.some((state) => state === ABSENT) ? undefined : [sources(root), ...made].join('\n');
}

const NOTHING = { ino: 0, size: 0, ctimeMs: 0, isDirectory: false };
const ABSENT = Object.values(NOTHING).join(' ');

/** @param {string} path */
function stateOf(path) {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return NOTHING;
  return { ino: found.ino, size: found.size, ctimeMs: found.ctimeMs, isDirectory: found.isDirectory() };
}

/**
 * Whether the last build is of these sources, and what it made is there.
 *
 * @param {string} root
 */
export function isBuilt(root) {
  try {
    return readFileSync(join(root, STAMP), 'utf8') === stampOf(root);
  } catch {
    return false;
  }
}

/**
 * Notes that the product was built of sources, unless somebody has changed them meanwhile.
 *
 * @param {string} root
 * @param {string} before the sources when the build began
 */
export function noteBuilt(root, before) {
  const stamp = stampOf(root);
  const path = join(root, STAMP);
  rmSync(path, { force: true });
  if (stamp === undefined || sources(root) !== before) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, stamp);
}
