import { ConfigurationError, type ConfigurationProblem, HostSetting } from '@bailiff/core';
import { type ClusterSize, type Configuration, readConfiguration } from './configuration.ts';
import { prepareDirectory } from './home-directory.ts';
import { claimPorts, type Place, type Ports } from './ports.ts';
import { type Attempt, attempt, problemsOf, withoutEmpty } from './problems.ts';
import { port } from './settings.ts';
import { StartError } from './start-error.ts';

/**
 * The configuration and the ports to listen on. Everything that keeps Bailiff from starting is told at once: wrong
 * variables, a folder that cannot be written to, and ports that are taken.
 *
 * @param cluster as for {@link readConfiguration}
 * @throws ConfigurationError if a variable or the folder is wrong, StartError if only ports are taken
 */
export async function preflight(
  env: NodeJS.ProcessEnv,
  cluster?: ClusterSize,
): Promise<{ configuration: Configuration; ports: Ports }> {
  const read = attempt(() => readConfiguration(env, cluster));
  const { ports, problems: taken } = await claimPorts(placeOf(read, withoutEmpty(env), cluster));
  const wrong = read.ok ? await problemsOfDirectory(read.value.settings.directory) : read.problems;
  if (wrong.length > 0) {
    throw new ConfigurationError(problemsOf([wrong, taken].map((problems) => ({ ok: false, problems }))));
  }
  if (taken.length > 0) throw new StartError(taken.map(({ message }) => message).join('\n'));
  return { configuration: readConfiguration(env, cluster), ports };
}

function problemsOfDirectory(directory: string): Promise<readonly ConfigurationProblem[]> {
  return prepareDirectory(directory).then(
    () => [],
    (error: unknown) => {
      if (error instanceof ConfigurationError) return error.problems;
      throw error;
    },
  );
}

/** Where this process would listen, as far as a wrong configuration says so. */
function placeOf(
  read: Attempt<Configuration>,
  env: NodeJS.ProcessEnv,
  cluster: ClusterSize | undefined,
): Place {
  if (read.ok) return { ...read.value.settings, hasWeb: read.value.bot.startsWeb };
  // A wrong host or port is a problem of its own, and a free port can always be had.
  const portIn = (text: string | undefined, fallback: string) => port.safeParse(text ?? fallback).data ?? 0;
  return {
    host: HostSetting.safeParse(env.HOST).data ?? '127.0.0.1',
    port: portIn(env.PORT, '3000'),
    sandboxPort: portIn(env.SANDBOX_PORT, '3100'),
    usesSandbox: env.DISCORD_TOKEN === undefined,
    hasWeb:
      cluster !== undefined || env.WEB === 'on' || (env.WEB === undefined && env.BOT_SHARDS === undefined),
  };
}
