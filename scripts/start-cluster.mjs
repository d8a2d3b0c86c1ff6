// npm run start:cluster: two web processes behind one port, two bots that share the shards, one database.
import { buildIfChanged, prepare, runMain } from './prepare.mjs';

await runMain(async () => {
  if (!(await prepare())) return;
  await buildIfChanged();
  const { superviseCluster } = await import('@bailiff/supervisor/cluster');
  await superviseCluster();
});
