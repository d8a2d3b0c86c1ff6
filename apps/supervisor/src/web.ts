import { join } from 'node:path';
import { webEnvironment } from '@bailiff/bot/web-environment';
import { ConfigurationError } from '@bailiff/core';
import { readConfig } from '@bailiff/web/config';
import { complain, say } from './console.ts';
import { webDatabaseUrl } from './database-url.ts';
import { loadEnvironment } from './environment-file.ts';
import { nodeOptions } from './node-options.ts';
import { claimPort } from './ports.ts';
import { withoutEmpty } from './problems.ts';
import { directoryIn, ROOT } from './root.ts';
import { type RunFile, readRunFile } from './run-file.ts';
import { keptSecrets } from './secrets.ts';
import { Service } from './service.ts';
import { endedBy, reasonOf, StartError } from './start-error.ts';
import { StopRequests } from './stop-requests.ts';
import { within } from './until-ready.ts';

const READY_TIMEOUT_MS = 60_000;
/** Longer than the web process takes to finish its calls. */
const STOP_TIMEOUT_MS = 15_000;

/**
 * Runs one more web process of an installation until it is asked to stop, and then ends this process, as `supervise`
 * does. It has what is configured. What is not, it takes from the instance that runs in the same folder.
 */
export async function superviseWeb(): Promise<never> {
  let web: Service | undefined;
  const stop = new StopRequests(() => web?.kill());
  let exitCode = 0;
  try {
    loadEnvironment();
    const env = await environmentIn(withoutEmpty(process.env));
    const { host, port: asked } = readConfig(env);
    const port = await claimPort('PORT', host, asked);
    if (typeof port !== 'number') throw new StartError(port.message);
    const ready = Promise.withResolvers<void>();
    web = new Service({
      name: 'web',
      entry: join(ROOT, 'apps', 'web', 'src', 'server.ts'),
      env: { ...env, PORT: String(port) },
      logPath: join(env.BAILIFF_DIR ?? '', 'logs', `web-${port}.log`),
      stopTimeoutMs: STOP_TIMEOUT_MS,
      onMessage: () => ready.resolve(),
      onFatal: (code) => stop.ask(code),
    });
    web.start();
    await within(READY_TIMEOUT_MS, ready.promise, web, stop);
    say(`The web process is ready on http://${host.includes(':') ? `[${host}]` : host}:${port}`);
    await stop.asked;
  } catch (error) {
    if (!stop.isAsked) {
      const end = endedBy(error);
      exitCode = end.exitCode;
      complain(end.message);
    }
  }
  await web?.stop();
  process.exit(stop.exitCode ?? exitCode);
}

/**
 * The environment of one more web process: what is given, and what the instance in its folder says.
 *
 * @throws ConfigurationError if there is only the sandbox for a database of one's own, or an embedded database that this
 * user may not read; StartError if there is no database yet
 */
export async function environmentIn(given: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
  const directory = directoryIn(given);
  const running = await readRunFile(directory);
  const env: NodeJS.ProcessEnv = {
    NODE_ENV: 'production',
    ...(running === undefined ? {} : { PUBLIC_URL: running.web, DASHBOARD_URL: running.dashboard }),
    ...given,
    ...sandboxOf(running, given, directory),
    NODE_OPTIONS: nodeOptions(given.NODE_OPTIONS),
    BAILIFF_DIR: directory,
  };
  if (ownDatabaseIn(given) !== undefined) return webEnvironment(env);
  const url = await webDatabaseUrl(directory).catch((error: NodeJS.ErrnoException) => {
    const remedy = 'set one of DATABASE_URL and BAILIFF_DIR.';
    // The instance may be making it: on a machine's first start both begin at once.
    if (error.code === 'ENOENT') {
      throw new StartError(
        `DATABASE_URL is not set, and there is no embedded database in ${directory} yet: start Bailiff there, or ${remedy}`,
      );
    }
    const message = `DATABASE_URL is not set, and the embedded database in ${directory} cannot be used (${reasonOf(error)}): ${remedy}`;
    throw new ConfigurationError([{ variable: 'DATABASE_URL', message }]);
  });
  return webEnvironment({ ...(await keptSecrets(directory)), ...env, DATABASE_URL: url });
}

/** The variable that names a database of one's own, if there is one. */
function ownDatabaseIn(given: NodeJS.ProcessEnv): 'DATABASE_URL' | 'DATABASE_WEB_URL' | undefined {
  return (['DATABASE_WEB_URL', 'DATABASE_URL'] as const).find((name) => given[name] !== undefined);
}

/**
 * The sandbox in place of Discord, if the instance in the folder uses it. In it anybody signs in as anybody, so it does
 * not stand in for Discord on a database that it was not given.
 */
function sandboxOf(
  running: RunFile | undefined,
  given: NodeJS.ProcessEnv,
  directory: string,
): NodeJS.ProcessEnv {
  const application = running?.application ?? null;
  if (application === null || given.DISCORD_TOKEN !== undefined) return {};
  const ownDatabase = ownDatabaseIn(given);
  if (ownDatabase !== undefined && given.SANDBOX !== 'on') {
    if (given.DISCORD_CLIENT_ID !== undefined) return {};
    const message =
      `DISCORD_CLIENT_ID is not set, and the sandbox of the instance in ${directory} is not used on the database of ` +
      `${ownDatabase}: set DISCORD_CLIENT_ID and DISCORD_CLIENT_SECRET, or SANDBOX=on if this database is only for ` +
      'trying things out.';
    throw new ConfigurationError([{ variable: 'DISCORD_CLIENT_ID', message }]);
  }
  return {
    DISCORD_API_URL: `${running?.sandbox}/api`,
    DISCORD_CLIENT_ID: application.id,
    DISCORD_CLIENT_SECRET: application.secret,
  };
}
