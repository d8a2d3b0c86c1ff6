// npm start: from a fresh clone to a running Bailiff.
import { buildIfChanged, prepare, runMain } from './prepare.mjs';

await runMain(async () => {
  if (!(await prepare())) return;
  await buildIfChanged();
  const { supervise } = await import('@bailiff/supervisor');
  await supervise();
});
