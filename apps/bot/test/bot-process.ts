import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { environmentFor, limitPerforming, type Stage } from './harness.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const START_MS = 180_000;

/** A bot in a process of its own, with the product's deadlines, once it says that it is ready. */
export async function startBotProcess(
  stage: Pick<Stage, 'sandbox' | 'test'>,
  env: NodeJS.ProcessEnv = {},
): Promise<ChildProcess> {
  await limitPerforming(stage);
  const child = spawn(process.execPath, [MAIN], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...environmentFor(stage.sandbox, stage.test.url, env),
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await once(child, 'message', { signal: AbortSignal.timeout(START_MS) });
  return child;
}

/** Kills the bot abruptly, so that nothing of it remains but what it has written. */
export async function killBot(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  if (child.signalCode === null && child.exitCode === null) await once(child, 'exit');
}
