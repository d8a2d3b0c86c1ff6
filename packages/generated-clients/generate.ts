// Writes what each generator makes of docs/openapi.json to generated/, as its users would have it made.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import { generateSource } from 'oazapfts';
import openapiTS, { astToString } from 'openapi-typescript';

const DOCUMENT = join(import.meta.dirname, '..', '..', 'docs', 'openapi.json');
const GENERATED = join(import.meta.dirname, 'generated');

await rm(GENERATED, { recursive: true, force: true });
await mkdir(GENERATED);
const text = await readFile(DOCUMENT, 'utf8');
await writeFile(join(GENERATED, 'openapi-typescript.ts'), astToString(await openapiTS(text)));
await createClient({
  input: DOCUMENT,
  // Node runs the program, so an import names a file.
  output: { path: join(GENERATED, 'hey-api'), module: { extension: '.ts' } },
  logs: { level: 'silent' },
});
await writeFile(join(GENERATED, 'oazapfts.ts'), await generateSource(DOCUMENT, { argumentStyle: 'object' }));
