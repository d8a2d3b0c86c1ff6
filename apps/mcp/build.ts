// Builds the published package into dist/. It is a folder with a manifest of its own, so that neither TypeScript nor a
// dependency on a package of this workspace can get into it: `npm publish apps/mcp/dist` publishes that and nothing else.
import { chmod, copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import manifest from './package.json' with { type: 'json' };

const HERE = import.meta.dirname;
const DIST = join(HERE, 'dist');
const PROGRAM = 'bailiff-mcp.js';

/** Half of what would be bundled is never used here, and a client waits for its start. */
const UNUSED: readonly { readonly filter: RegExp; readonly contents: string }[] = [
  // zod's words in fifty languages; ours are core's own.
  {
    filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/,
    contents: "export { default as en } from './en.js';",
  },
  // The SDK's validator of filled-in forms, with Ajv in it: this process shows no forms.
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
