// Writes `generated/messages.ts`: the English messages as a type. TypeScript types every text in a JSON file as
// `string`, but use-intl needs the literal texts to know the arguments of a message.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { areasOf, ROOT, readWordFiles } from './word-files.ts';

const { en } = await readWordFiles();
const folder = join(ROOT, 'generated');
await mkdir(folder, { recursive: true });
await writeFile(
  join(folder, 'messages.ts'),
  `// Generated from words/en by "npm run generate"; not to be edited.\nexport type Messages = ${JSON.stringify(areasOf(en), null, 2)};\n`,
);
