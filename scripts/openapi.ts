import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { openApiDocument } from '@bailiff/core';
import manifest from '../package.json' with { type: 'json' };

/**
 * Writes the OpenAPI document of the public API to docs/openapi.json. A test compares the two. With `--released` it writes
 * docs/openapi.released.json instead, with the number of the release, whose successors must not take anything away from
 * it (docs/versioning.md).
 */
const { released } = parseArgs({ options: { released: { type: 'boolean', default: false } } }).values;
const now = openApiDocument('https://bailiff.example');
const document = released ? { 'x-release': manifest.version, ...now } : now;
const file = new URL(`../docs/openapi${released ? '.released' : ''}.json`, import.meta.url);
await writeFile(file, `${JSON.stringify(document, null, 2)}\n`);
