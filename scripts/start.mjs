// npm start: from a fresh clone to a running Bailiff.
import { build, prepare, runMain } from './prepare.mjs';

await runMain(async () => {
  if (!(await prepare())) return;
  await build();
  const { supervise } = await import('@bailiff/supervisor');
  await supervise();
});
