import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { openApiDocument } from '@bailiff/core';

/**
 * Writes the OpenAPI document of the public API to docs/openapi.json. A test compares the two. With `--released` it writes
 * docs/openapi.released.json instead, from which a release's successors must not take anything away (docs/versioning.md).
 */
const { released } = parseArgs({ options: { released: { type: 'boolean', default: false } } }).values;
const document = openApiDocument('https://bailiff.example');
const file = new URL(`../docs/openapi${released ? '.released' : ''}.json`, import.meta.url);
await writeFile(file, `${JSON.stringify(document, null, 2)}\n`);
