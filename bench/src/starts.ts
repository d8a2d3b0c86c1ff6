import { instanceDirectory, startInstance } from '@bailiff/supervisor/instance';

const STARTS = 3;

/** Seconds of the first start in a new directory, and of those that follow in it. */
export async function measureStarts(): Promise<{ first: number; second: number[] }> {
  const home = await instanceDirectory();
  const start = async (): Promise<number> => {
    const startedAt = performance.now();
    const instance = await startInstance({ directory: home.path });
    const seconds = (performance.now() - startedAt) / 1000;
    await instance.stop();
    return seconds;
  };
  try {
    const first = await start();
    const second: number[] = [];
    for (let turn = 0; turn < STARTS; turn += 1) second.push(await start());
    return { first, second };
  } finally {
    await home.remove();
  }
}
