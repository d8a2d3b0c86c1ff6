// npm run test:cluster and others like it: builds what the named program needs, and runs it.
import { pathToFileURL } from 'node:url';
import { build, prepare, runMain } from './prepare.mjs';

await runMain(async () => {
  if (!(await prepare())) return;
  await build();
  process.argv.splice(1, 1);
  await import(pathToFileURL(process.argv[1] ?? '').href);
});
