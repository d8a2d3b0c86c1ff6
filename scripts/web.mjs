// npm run web: one more web process beside a running Bailiff.
import { buildIfChanged, prepare, runMain } from './prepare.mjs';

await runMain(async () => {
  if (!(await prepare())) return;
  await buildIfChanged();
  const { superviseWeb } = await import('@bailiff/supervisor/web');
  await superviseWeb();
});
