import { execFile } from 'node:child_process';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { ROOT } from '#src/root.ts';

test('the supervisor keeps none of the code that only a start needs', async () => {
  verifies('supervisor.small');
  const program = join(import.meta.dirname, 'fixtures', 'loaded-modules.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  const files = stdout
    .split('\n')
    .filter((url) => url.startsWith('file:'))
    .map((url) => relative(ROOT, fileURLToPath(url)));
  expect(files).toContain(join('apps', 'supervisor', 'src', 'supervise.ts'));
  const packages = new Set(files.map((file) => file.split('/').slice(0, 2).join('/')));
  // The database's own process is started with `pg`, and what it needs.
  const allowed = ['apps/supervisor', 'apps/bot', 'packages/core', 'prisma/src'];
  expect([...packages].filter((name) => !allowed.includes(name) && !isOfPg(name))).toEqual([]);
  expect(files.filter((file) => /^(apps\/bot|packages\/core)\//.test(file))).toEqual([
    join('packages', 'core', 'src', 'configuration-error.ts'),
    // Only a cluster needs this one, to divide the shards over its bots.
    join('apps', 'bot', 'src', 'shards.ts'),
    join('apps', 'bot', 'src', 'web-environment.ts'),
  ]);
});

function isOfPg(name: string): boolean {
  return /^node_modules\/(pg|postgres|xtend|split2)/.test(name);
}
