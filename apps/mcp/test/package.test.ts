import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { verifies } from '@bailiff/core/testing';
import { publint } from 'publint';
import { beforeAll, expect, onTestFinished, test } from 'vitest';

const HERE = join(import.meta.dirname, '..');
const DIST = join(HERE, 'dist');

const run = promisify(execFile);

beforeAll(() => run(process.execPath, [join(HERE, 'build.ts')]));

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

/** What Node 20 does not have yet. */
const NEWER = [
  'Map.groupBy',
  'Object.groupBy',
  'Promise.withResolvers',
  'Promise.try',
  'URL.parse',
  'Array.fromAsync',
  'RegExp.escape',
  'Iterator',
];

test('the one file that people download runs in a project of CommonJS, with what Node 20 has', async () => {
  verifies('mcp.package');
  const project = await mkdtemp(join(tmpdir(), 'bailiff-mcp-'));
  onTestFinished(() => rm(project, { recursive: true }));
  await writeFile(join(project, 'package.json'), '{ "type": "commonjs" }');
  await copyFile(join(DIST, 'bailiff-mcp.mjs'), join(project, 'bailiff-mcp.mjs'));
  const older = `data:text/javascript,${NEWER.map((each) => `delete globalThis.${each};`).join('')}`;
  for (const asked of ['--version', '--help']) {
    const { stdout, stderr } = await run(process.execPath, ['--import', older, 'bailiff-mcp.mjs', asked], {
      cwd: project,
    });
    expect({ asked, stdout, stderr }).toEqual({ asked, stdout: expect.stringMatching(/\S/), stderr: '' });
  }
});
