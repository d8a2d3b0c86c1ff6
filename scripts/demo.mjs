// npm run demo: the main job, played by an outside client against the running instance, or one started for it.
import { prepare, runMain } from './prepare.mjs';

await runMain(async () => {
  if (!(await prepare())) return;
  const { withInstance } = await import('@bailiff/supervisor/instance');
  const { demonstrate } = await import('./demo.ts');
  process.exitCode = await withInstance(demonstrate);
});
