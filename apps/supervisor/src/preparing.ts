// The process of a Preparation: does what it is asked, one task after the other, and ends with the supervisor.
import { originsFrom } from '@bailiff/core';
import type { SandboxState } from '@bailiff/sandbox';
import { say } from './console.ts';
import { loadEnvironmentFile } from './environment-file.ts';
import { preflight } from './preflight.ts';
import type { Answer, Sample, Tasks } from './preparation.ts';
import { withoutEmpty } from './problems.ts';
import { keepFromSandbox } from './sandbox-guard.ts';
import { loginsOf } from './settings.ts';
import { endedBy } from './start-error.ts';

const NAMES_TIMEOUT_MS = 2_000;
const END_TIMEOUT_MS = 2_000;

const ending = new AbortController();

/** What later tasks need. It is loaded while the database starts. */
const loadLater = () =>
  Promise.all([import('@bailiff/prisma'), import('./database-url.ts'), import('./game-server.ts')]);

const TASKS: Tasks = {
  check: async (cluster) => {
    loadEnvironmentFile();
    const { configuration, ports } = await preflight(process.env, cluster);
    const { settings, bot } = configuration;
    await keepFromSandbox(settings.directory, settings);
    setImmediate(() => void loadLater().catch(() => {})); // told when it is needed
    return {
      settings,
      ports,
      hasWeb: bot.startsWeb,
      ...originsFrom(settings.origins, ports.web),
      env: withoutEmpty(process.env),
    };
  },
  migrate: async ({ ownerUrl, processUrls, isConfigured }) => {
    const [{ migrate }, { explained }] = await loadLater();
    const logins = processUrls && { logins: loginsOf(processUrls) };
    const options = { ...logins, signal: ending.signal, onWait: say };
    await migrate(ownerUrl, options).catch((error: unknown) => {
      throw isConfigured ? explained(ownerUrl, error) : error;
    });
  },
  fillSample: async (sample) => {
    const [, , { registerGameServers }] = await loadLater();
    return {
      servers: await registerGameServers(sample.ownerUrl, sample.sandbox, ending.signal),
      names: await namesOf(sample),
    };
  },
};

/** Names of the sandbox's people by id; empty if the sandbox does not answer. */
async function namesOf({ sandbox }: Sample): Promise<Map<string, string>> {
  try {
    const response = await fetch(`${sandbox.url}/sandbox/state`, {
      signal: AbortSignal.timeout(NAMES_TIMEOUT_MS),
    });
    const { guilds } = (await response.json()) as SandboxState;
    const members = guilds.find(({ id }) => id === sandbox.guildId)?.members ?? [];
    return new Map(members.map(({ user_id, display_name }) => [user_id, display_name]));
  } catch {
    return new Map();
  }
}

async function answerTo({ name, given }: { name: keyof Tasks; given: readonly unknown[] }): Promise<Answer> {
  try {
    const task = TASKS[name] as (...given: readonly unknown[]) => Promise<unknown>;
    return { value: await task(...given) };
  } catch (error) {
    return { failure: endedBy(error) };
  }
}

let doing: Promise<unknown> = Promise.resolve();
process.on('message', (request: Parameters<typeof answerTo>[0]) => {
  doing = answerTo(request).then((answer) => process.send?.(answer, undefined, {}, () => {}));
});
process.on('disconnect', () => {
  ending.abort();
  setTimeout(() => process.exit(1), END_TIMEOUT_MS);
  void doing.finally(() => process.exit(0));
});
