// One part of the benchmark in a process of its own: `node part.ts NAME prepare|measure DIRECTORY`. What is measured is in
// the directory's samples.json then.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PARTS } from './parts.ts';

const [name = '', what = '', directory = ''] = process.argv.slice(2);
const part = PARTS[name];
if (part === undefined) throw new Error(`There is no part ${name}.`);
if (what === 'prepare') await part.prepare?.(directory);
else await writeFile(join(directory, 'samples.json'), JSON.stringify(await part.measure(directory)));
// What the part has left open must not keep the run waiting.
process.exit(0);
