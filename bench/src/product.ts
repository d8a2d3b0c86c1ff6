import {
  type Instance,
  type InstanceOptions,
  instanceDirectory,
  startInstance,
} from '@bailiff/supervisor/instance';
import { copyTemplate } from './server.ts';

/** Runs `work` with the whole product, started in a directory of its own and stopped afterwards. */
export async function inProduct<T>(
  work: (instance: Instance, directory: string) => Promise<T>,
  options: Pick<InstanceOptions, 'env'> = {},
): Promise<T> {
  const home = await instanceDirectory();
  try {
    await copyTemplate(home.path);
    const instance = await startInstance({ ...options, directory: home.path });
    try {
      return await work(instance, home.path);
    } finally {
      await instance.stop();
    }
  } finally {
    await home.remove();
  }
}
