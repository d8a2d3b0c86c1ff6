import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { afterAll, beforeAll, expect, test } from 'vitest';

const HERE = join(import.meta.dirname, '..');
const DIST = join(HERE, 'dist');
const MODULES = resolve(HERE, '..', '..', 'node_modules');
const run = promisify(execFile);

/** A project of an integrator's with the published package in it, and nothing else of ours. */
let project: string;

beforeAll(async () => {
  await run(process.execPath, [join(HERE, 'build.ts')]);
  project = await mkdtemp(join(tmpdir(), 'bailiff-integrator-'));
  await cp(DIST, join(project, 'node_modules', '@bailiff', 'client'), { recursive: true });
  await mkdir(join(project, 'node_modules', '@types'));
  for (const types of ['@types/node', 'undici-types'])
    await symlink(join(MODULES, types), join(project, 'node_modules', types));
  await cp(join(HERE, 'examples'), project, { recursive: true });
  await writeFile(join(project, 'package.json'), '{ "type": "module" }');
});
afterAll(() => rm(project, { recursive: true, force: true }));

test('the published package has no dependency, and publint finds nothing in it', async () => {
  const manifest = JSON.parse(await readFile(join(DIST, 'package.json'), 'utf8'));
  for (const field of ['dependencies', 'devDependencies', 'private', 'scripts'])
    expect(manifest).not.toHaveProperty(field);
  expect((await publint({ pkgDir: DIST, strict: true })).messages).toEqual([]);
  for (const name of (await readdir(DIST)).filter((each) => /\.(js|d\.ts)$/.test(each))) {
    const imported = [
      ...(await readFile(join(DIST, name), 'utf8')).matchAll(/from '([^']+)'|from "([^"]+)"/g),
    ];
    expect(
      imported.filter(([, one = '', two = '']) => !(one || two).startsWith('./')),
      name,
    ).toEqual([]);
  }
});

test('the examples compile against it, with the libraries checked', async () => {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2024',
    types: ['node'],
  };
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  const compiled = await run(join(MODULES, '.bin', 'tsc'), ['-p', project]).catch(({ stdout }) => ({
    stdout,
  }));
  expect(compiled.stdout).toBe('');
});

test('the README installs it from a clone of Bailiff, and from no registry', async () => {
  const readme = await readFile(join(HERE, 'README.md'), 'utf8');
  const [, commands = ''] = /## Install\n.*?```sh\n(.*?)```/s.exec(readme) ?? [];
  const folder = join(project, 'installed');
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const env = { ...process.env, npm_config_offline: 'true', npm_config_audit: 'false' };
  await run('sh', ['-ec', commands.replaceAll('/path/to/bailiff', resolve(HERE, '..', '..'))], {
    cwd: folder,
    env,
  });
  const program = "import * as client from '@bailiff/client'; console.log(Object.keys(client).join());";
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: folder });
  expect(stdout).toContain('BailiffClient');
});

test('an example runs with it, and says in one line when nobody answers', async () => {
  const env = { PATH: process.env.PATH, BAILIFF_URL: 'http://127.0.0.1:1', BAILIFF_TOKEN: 'svcpat_x' };
  const program = `
    import { BailiffClient } from '@bailiff/client';
    const { BAILIFF_URL: url, BAILIFF_TOKEN: token } = process.env;
    await new BailiffClient({ url, token, maxAttempts: 1 }).call('me').catch(({ code }) => console.log(code));`;
  await writeFile(join(project, 'program.mjs'), program);
  const { stdout } = await run(process.execPath, [join(project, 'program.mjs')], { env });
  expect(stdout).toBe('NO_ANSWER\n');
});
