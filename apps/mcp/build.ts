// Builds the published package into dist/. The folder has its own manifest, so that the package contains neither
// TypeScript nor a dependency on this workspace. `npm publish apps/mcp/dist` publishes only this folder.
import { chmod, copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import manifest from './package.json' with { type: 'json' };

const HERE = import.meta.dirname;
const DIST = join(HERE, 'dist');
const PROGRAM = 'bailiff-mcp.mjs';

/** Half of the bundle would never be used, and clients wait while it starts. */
const UNUSED: readonly { readonly filter: RegExp; readonly contents: string }[] = [
  // zod's messages in fifty languages; Bailiff uses core's messages.
  {
    filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/,
    contents: "export { default as en } from './en.js';",
  },
  // The SDK's validator of forms, which includes Ajv. This process shows no forms.
  {
    filter: /[\\/]@modelcontextprotocol[\\/]server[\\/]dist[\\/]shimsNode\.mjs$/,
    contents:
      "export { default as process } from 'node:process';" +
      "export class DefaultJsonSchemaValidator { getValidator() { throw new Error('No form is validated here.'); } }",
  },
];

const withoutUnused: Plugin = {
  name: 'without-unused',
  setup: (building) => {
    for (const { filter, contents } of UNUSED) {
      building.onLoad({ filter }, ({ path }) => ({ contents, loader: 'js', resolveDir: dirname(path) }));
    }
  },
};

await rm(DIST, { recursive: true, force: true });
await mkdir(DIST);
await build({
  entryPoints: [join(HERE, 'src', 'main.ts')],
  outfile: join(DIST, PROGRAM),
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true,
  banner: { js: '#!/usr/bin/env node' },
  legalComments: 'inline',
  plugins: [withoutUnused],
  logLevel: 'warning',
});
await chmod(join(DIST, PROGRAM), 0o755);
await copyFile(join(HERE, 'README.md'), join(DIST, 'README.md'));

const { name, version, description, license, keywords, mcpName, engines } = manifest;
const published = {
  name,
  version,
  description,
  license,
  keywords,
  mcpName,
  type: 'module',
  bin: { 'bailiff-mcp': PROGRAM },
  files: [PROGRAM],
  engines,
};
await writeFile(join(DIST, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
