// npm test: everything that must hold, from a fresh clone. Its last line is "N passed, N failed". npm run test:unit and
// test:e2e: one kind of tests; further arguments go to the test runner.
import { prepare, runMain } from './prepare.mjs';

await runMain(async () => {
  if (!(await prepare())) return;
  const { verify } = await import('./verify.ts');
  const [kind, ...args] = process.argv.slice(2);
  process.exitCode = await verify(kind, args);
});
