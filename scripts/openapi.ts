import { writeFile } from 'node:fs/promises';
import { openApiDocument } from '@bailiff/core';

/** Writes the OpenAPI document of the public API to docs/openapi.json. A test compares the two. */
const document = openApiDocument('https://bailiff.example');
const file = new URL('../docs/openapi.json', import.meta.url);
await writeFile(file, `${JSON.stringify(document, null, 2)}\n`);
