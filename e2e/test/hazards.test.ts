import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test, verifies } from '#src/testing.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The lowest versions without a published fault that reaches Bailiff. */
const FLOORS: readonly (readonly [name: string, floor: string, why: string])[] = [
  ['next', '16.2.11', 'CVE-2026-44574, CVE-2026-44575, CVE-2026-45109: authorisation passed over'],
  ['next-auth', '4.24.15', 'sessions'],
  ['react', '19.2.6', 'server components'],
  ['react-dom', '19.2.6', 'server components'],
  ['discord.js', '14.28.0', 'the gateway'],
  ['pg', '8.20.0', 'the protocol of PostgreSQL'],
  ['node', '24.0.0', 'a release line that is maintained'],
];

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>;
}

for (const [name, floor, why] of FLOORS)
  test(`every ${name} in the lock file is ${floor} or later: ${why}`, () => {
    verifies('H4');
    const { packages } = JSON.parse(read('package-lock.json')) as LockFile;
    const versions = Object.entries(packages)
      .filter(([path]) => path === `node_modules/${name}` || path.endsWith(`/node_modules/${name}`))
      .map(([, { version = '' }]) => version);
    expect(versions).not.toEqual([]);
    for (const version of versions) expect(isAtLeast(version, floor), `${name} ${version}`).toBe(true);
  });

test('a version is compared by its numbers, and one before a release is below it', () => {
  expect(isAtLeast('16.10.0', '16.9.9')).toBe(true);
  expect(isAtLeast('16.2.11', '16.2.11')).toBe(true);
  expect(isAtLeast('16.2.9', '16.2.11')).toBe(false);
  expect(isAtLeast('16.2.11-canary.3', '16.2.11')).toBe(false);
});

function isAtLeast(version: string, floor: string): boolean {
  const [numbers = '', prerelease] = version.split('-');
  const parts = numbers.split('.').map(Number);
  for (const [index, least] of floor.split('.').map(Number).entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part > least;
  }
  return prerelease === undefined;
}

test('no file is the framework’s place for middleware', () => {
  verifies('H3', 'G17');
  const names = '{proxy,middleware}.{ts,tsx,js,jsx,mjs,cjs}';
  const files = globSync(`{apps,packages,bench}/**/${names}`, {
    cwd: ROOT,
    exclude: (path) => /(^|\/)(node_modules|\.next)(\/|$)/.test(String(path)),
  });
  expect(files).toEqual([]);
});
