// npm run demo: an outside client does the main job with the running instance, or with one started for it.
import { prepare, runMain } from './prepare.mjs';

await runMain(async () => {
  if (!(await prepare())) return;
  const { withInstance } = await import('@bailiff/supervisor/instance');
  const { demonstrate } = await import('./demo.ts');
  process.exitCode = await withInstance(demonstrate);
});
