// npm run dev: the same as npm start, with pages that follow their source.
import { build, prepare, runMain } from './prepare.mjs';

await runMain(async () => {
  if (!(await prepare())) return;
  await build(['generate']);
  process.env.NODE_ENV = 'development';
  const { supervise } = await import('@bailiff/supervisor');
  await supervise();
});
