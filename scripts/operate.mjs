// npm run backup and the operator's other commands: runs the named program. In a folder where nothing was built yet, such
// as the one that a backup is restored into, it first prepares what the program loads. It never replaces what is there:
// a running Bailiff may have loaded half of it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, prepare, ROOT, runMain } from './prepare.mjs';

await runMain(async () => {
  if (!existsSync(join(ROOT, 'prisma', 'client', 'client.ts'))) {
    if (!(await prepare())) return;
    await build(['generate']);
  }
  process.argv.splice(1, 1);
  await import(pathToFileURL(process.argv[1] ?? '').href);
});
