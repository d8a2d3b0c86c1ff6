// npm run dev: like npm start, but the pages are rebuilt when their source changes.
import { build, prepare, runMain } from './prepare.mjs';

await runMain(async () => {
  if (!(await prepare())) return;
  await build(['generate']);
  process.env.NODE_ENV = 'development';
  const { supervise } = await import('@bailiff/supervisor');
  await supervise();
});
