// npm run build: the packages, the Prisma client, the dashboard and the MCP process, where their sources changed.
import { build, prepare, runMain } from './prepare.mjs';

await runMain(async () => {
  if (await prepare()) await build();
});
