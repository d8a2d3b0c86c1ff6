// One part of the benchmark in a process of its own: `node part.ts NAME FILE` writes the samples into the file.
import { writeFile } from 'node:fs/promises';
import { PARTS } from './parts.ts';

const [name = '', file = ''] = process.argv.slice(2);
const part = PARTS[name];
if (part === undefined) throw new Error(`There is no part ${name}.`);
await writeFile(file, JSON.stringify(await part.measure()));
// What the part has left open must not keep the run waiting.
process.exit(0);
