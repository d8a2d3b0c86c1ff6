// Builds the published package into dist/, a folder with a manifest of its own: `npm publish packages/client/dist`.
import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import manifest from './package.json' with { type: 'json' };

const HERE = import.meta.dirname;
const DIST = join(HERE, 'dist');
const TSC = join(createRequire(import.meta.url).resolve('typescript/package.json'), '..', 'bin', 'tsc');

await rm(DIST, { recursive: true, force: true });
await mkdir(DIST);
await build({
  entryPoints: [join(HERE, 'src', 'index.ts')],
  outfile: join(DIST, 'index.js'),
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  logLevel: 'warning',
});
execFileSync(process.execPath, [TSC, '--project', join(HERE, 'tsconfig.build.json')], { stdio: 'inherit' });
await copyFile(join(HERE, 'README.md'), join(DIST, 'README.md'));

const { name, version, description, license, engines } = manifest;
const published = {
  name,
  version,
  description,
  license,
  type: 'module',
  exports: { '.': { types: './index.d.ts', default: './index.js' } },
  files: ['*.js', '*.d.ts'],
  sideEffects: false,
  engines,
};
await writeFile(join(DIST, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
