// Checks an installation and its application at Discord, before the first guild and at any time after. It changes
// nothing, and Bailiff may run meanwhile.
import { readFile, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkDiscord, type Finding } from '@bailiff/bot/doctor';
import { ConfigurationError } from '@bailiff/core';
import { examineDatabase } from '@bailiff/prisma';
import { type Configuration, readConfiguration } from './configuration.ts';
import { databaseUrl } from './database-url.ts';
import { loadEnvironmentFile } from './environment-file.ts';
import { withoutEmpty } from './problems.ts';
import { ROOT } from './root.ts';

/** What the machine has; tests give other values. */
export interface Machine {
  readonly env: NodeJS.ProcessEnv;
  /** Such as `24.11.0`. */
  readonly node: string;
  /** Bytes that must be free. */
  readonly leastFree: number;
}

const GIGABYTE = 1024 ** 3;
const LEAST_NODE = 24;
const LEAST_POSTGRES = 14;
const SIGN = { ok: 'ok   ', note: 'note ', wrong: 'WRONG' } as const;

/**
 * Prints what was found, one line for each thing.
 *
 * @param guildIds the guilds to check; empty: all
 * @returns the exit code: 1 if something is wrong
 */
export async function doctor(
  guildIds: readonly string[],
  print: (line: string) => void,
  machine: Partial<Machine> = {},
): Promise<0 | 1> {
  const findings = await examine(guildIds, {
    env: machine.env ?? process.env,
    node: machine.node ?? process.versions.node,
    leastFree: machine.leastFree ?? GIGABYTE,
  });
  for (const { subject, level, text } of findings) print(`${SIGN[level]}  ${subject}: ${text}`);
  const wrong = findings.filter(({ level }) => level === 'wrong').length;
  print('');
  print(
    wrong === 0 ? 'Nothing is wrong.' : `Wrong: ${wrong}. Each line that begins with WRONG says what to do.`,
  );
  return wrong === 0 ? 0 : 1;
}

async function examine(guildIds: readonly string[], machine: Machine): Promise<Finding[]> {
  const version = await checkVersion(machine);
  const configured = readEnvironment(machine);
  if ('problems' in configured) return [version, ...configured.problems];
  const { settings, bot } = configured.configuration;
  const findings: Finding[] = [
    version,
    { subject: 'Configuration', level: 'ok', text: 'Every setting can be used.' },
    await checkDisk(settings.directory, machine),
    await checkDatabase(settings),
  ];
  if (settings.usesSandbox) {
    const text =
      'DISCORD_TOKEN is not set, so the sandbox stands in for Discord. There is no application to check.';
    return [...findings, { subject: 'Discord', level: 'note', text }];
  }
  const ofDiscord = await checkDiscord({
    token: bot.discordToken,
    clientId: machine.env.DISCORD_CLIENT_ID ?? '',
    apiUrl: bot.discordApiUrl,
    redirectUri: `${bot.dashboardUrl}/api/auth/callback/discord`,
    guildIds,
  });
  return [...findings, ...ofDiscord];
}

function readEnvironment({
  env,
}: Machine): { readonly configuration: Configuration } | { readonly problems: readonly Finding[] } {
  try {
    if (env === process.env) loadEnvironmentFile();
    return { configuration: readConfiguration(withoutEmpty(env)) };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const problems = error.problems.map(
      ({ message }): Finding => ({ subject: 'Configuration', level: 'wrong', text: message }),
    );
    return { problems };
  }
}

async function checkVersion({ node }: Machine): Promise<Finding> {
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const found = `Bailiff ${version} on Node ${node}.`;
  return Number.parseInt(node, 10) >= LEAST_NODE
    ? { subject: 'Version', level: 'ok', text: found }
    : {
        subject: 'Version',
        level: 'wrong',
        text: `${found} Start it with npm start, which installs Node ${LEAST_NODE}.`,
      };
}

async function checkDisk(directory: string, { leastFree }: Machine): Promise<Finding> {
  const free = await freeBytes(directory);
  const text = `${(free / GIGABYTE).toFixed(1)} GiB are free for ${directory}.`;
  if (free >= leastFree) return { subject: 'Disk', level: 'ok', text };
  return { subject: 'Disk', level: 'wrong', text: `Only ${text} Make room: the database and the logs grow.` };
}

/** Before the first start the directory is missing; then it will be where its nearest parent is. */
async function freeBytes(directory: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  } catch (error) {
    if (dirname(directory) === directory) throw error;
    return freeBytes(dirname(directory));
  }
}

async function checkDatabase(settings: Configuration['settings']): Promise<Finding> {
  const subject = 'Database';
  const isOwn = settings.databaseUrl !== undefined;
  const url = settings.databaseUrl ?? (await databaseUrl(settings.directory).catch(() => undefined));
  const examined = url === undefined ? undefined : await examineDatabase(url).catch((error: Error) => error);
  if (examined === undefined || (examined instanceof Error && !isOwn)) {
    const text =
      `The embedded one in ${settings.directory} does not run, or this user cannot read it. npm start starts it; if Bailiff ` +
      'keeps its data elsewhere, set BAILIFF_DIR to that folder.';
    return { subject, level: 'note', text };
  }
  if (examined instanceof Error) {
    const text = `It does not answer (${examined.message}). Check DATABASE_URL, and that its server runs.`;
    return { subject, level: 'wrong', text };
  }
  const { postgres, refusal, missing, mayUpdate, unknown } = examined;
  if (postgres < LEAST_POSTGRES) {
    const text = `It is PostgreSQL ${postgres}. Bailiff needs ${LEAST_POSTGRES} or newer.`;
    return { subject, level: 'wrong', text };
  }
  if (refusal !== undefined) return { subject, level: 'wrong', text: refusal };
  if (unknown.length > 0) {
    const text = `A later release has changed it (${unknown.join(', ')}). Update Bailiff, or restore the backup from before.`;
    return { subject, level: 'wrong', text };
  }
  if (missing.length === 0) {
    return { subject, level: 'ok', text: `PostgreSQL ${postgres}, as this release needs it.` };
  }
  const [first = '', ...others] = missing;
  const lacked = others.length === 0 ? first : `${first} and ${others.length} more`;
  const found = `PostgreSQL ${postgres}. It lacks ${lacked} of this release`;
  if (mayUpdate) return { subject, level: 'note', text: `${found}. The next npm start updates its tables.` };
  const text = `${found}, and this login may not change tables. Run npm run migrate with the owner's DATABASE_URL.`;
  return { subject, level: 'wrong', text };
}
