// npm run web: one more web process beside a running Bailiff.
import { build, prepare, runMain } from './prepare.mjs';

await runMain(async () => {
  if (!(await prepare())) return;
  await build();
  const { superviseWeb } = await import('@bailiff/supervisor/web');
  await superviseWeb();
});
