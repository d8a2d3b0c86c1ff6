import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { beforeAll, expect, test } from 'vitest';

const HERE = join(import.meta.dirname, '..');
const DIST = join(HERE, 'dist');

beforeAll(() => promisify(execFile)(process.execPath, [join(HERE, 'build.ts')]));

test('the published manifest has no dependency, and publint finds nothing in it', async () => {
  const manifest = JSON.parse(await readFile(join(DIST, 'package.json'), 'utf8'));
  expect(manifest).toMatchObject({
    name: '@bailiff/mcp',
    mcpName: expect.stringMatching(/^[\w.-]+\/[\w.-]+$/),
  });
  for (const field of ['dependencies', 'devDependencies', 'private', 'scripts'])
    expect(manifest).not.toHaveProperty(field);
  expect((await publint({ pkgDir: DIST, strict: true })).messages).toEqual([]);
});
