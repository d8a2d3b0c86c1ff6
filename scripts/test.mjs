// npm test: everything that must hold, from a fresh clone. Its last line is "N passed, N failed".
import { prepare, runMain } from './prepare.mjs';

await runMain(async () => {
  if (!(await prepare())) return;
  const { verify } = await import('./verify.ts');
  process.exitCode = await verify();
});
