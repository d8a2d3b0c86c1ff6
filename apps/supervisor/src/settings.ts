import {
  ConfigurationError,
  DatabaseAddressSetting,
  HostSetting,
  METRICS_SETTINGS,
  type MetricsAddress,
  metricsFrom,
  OriginSetting,
  type OriginSettings,
  parseDatabaseAddress,
  parseEnvironment,
} from '@bailiff/core';
import type { Logins, ProcessUrls } from '@bailiff/prisma';
import { z } from 'zod';
import { attempt, problemsOf, withoutEmpty } from './problems.ts';
import { directoryIn } from './root.ts';

/** The supervisor's own settings. The bot and the web process check the rest. */
export interface Settings {
  /** The directory for data, secrets and logs. */
  readonly directory: string;
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
  /** 0 for a free one. */
  readonly sandboxPort: number;
  /** Where the web process that the bot starts serves its metrics. Null: nowhere. */
  readonly metricsOfWeb: MetricsAddress | null;
  /** The origins of the API and of the dashboard as they are set. */
  readonly origins: OriginSettings;
  /** Undefined: the embedded server is used. */
  readonly databaseUrl: string | undefined;
  /** The logins of the processes on a server of one's own. Undefined: they share that of `databaseUrl`. */
  readonly processUrls: ProcessUrls | undefined;
  /** Whether the sandbox takes the place of Discord, which it does if no token is set. */
  readonly usesSandbox: boolean;
  /** Whether the sandbox may use a database that is, or could be, one of a real Discord. */
  readonly sandboxAllowed: boolean;
}

const MOST_PORT = 65_535;

/** A port in the environment. */
export const port = z
  .string()
  .refine(
    (text) => /^\d{1,5}$/.test(text) && Number(text) <= MOST_PORT,
    `must be a port from 1 to ${MOST_PORT}, or 0 for a free one`,
  )
  .transform(Number);

const ProcessAddress = DatabaseAddressSetting.refine(
  (text) => parseDatabaseAddress(text)?.url.username !== '',
  'must name the login of its process, as in postgresql://user:password@host:5432/bailiff',
);

const DatabaseEnvironment = z.object({
  DATABASE_URL: DatabaseAddressSetting.optional(),
  DATABASE_BOT_URL: ProcessAddress.optional(),
  DATABASE_WEB_URL: ProcessAddress.optional(),
});

const Environment = z.object({
  ...DatabaseEnvironment.shape,
  HOST: HostSetting,
  PORT: port.default(3000),
  SANDBOX_PORT: port.default(3100),
  PUBLIC_URL: OriginSetting,
  DASHBOARD_URL: OriginSetting,
  DISCORD_TOKEN: z.string().optional(),
  ...METRICS_SETTINGS,
  METRICS_WEB_PORT: port.optional(),
  SANDBOX: z.enum(['on'], { error: 'must be on, or not set' }).optional(),
});

/** @throws ConfigurationError with every problem at once */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const given = withoutEmpty(env);
  const parsed = attempt(() => parseEnvironment(Environment, given));
  const logins = attempt(() => processUrlsFrom(given));
  const sandbox = attempt(() => refuseWrongSandbox(given));
  if (!parsed.ok || !logins.ok || !sandbox.ok)
    throw new ConfigurationError(problemsOf([parsed, logins, sandbox]));
  const values = parsed.value;
  return {
    directory: directoryIn(given),
    host: values.HOST,
    port: values.PORT,
    sandboxPort: values.SANDBOX_PORT,
    metricsOfWeb: metricsFrom({ METRICS_HOST: values.METRICS_HOST, METRICS_PORT: values.METRICS_WEB_PORT }),
    origins: { PUBLIC_URL: values.PUBLIC_URL, DASHBOARD_URL: values.DASHBOARD_URL },
    databaseUrl: values.DATABASE_URL,
    processUrls: logins.value,
    usesSandbox: values.DISCORD_TOKEN === undefined,
    sandboxAllowed: values.SANDBOX === 'on',
  };
}

/**
 * The settings of a database of one's own, for those who need nothing else.
 *
 * @throws ConfigurationError with every problem at once, also if there is no DATABASE_URL
 */
export function readDatabaseSettings(
  env: NodeJS.ProcessEnv,
): Pick<Settings, 'processUrls'> & { readonly databaseUrl: string } {
  const given = withoutEmpty(env);
  const parsed = attempt(() => parseEnvironment(DatabaseEnvironment.required({ DATABASE_URL: true }), given));
  const logins = attempt(() => processUrlsFrom(given));
  if (!parsed.ok || !logins.ok) throw new ConfigurationError(problemsOf([parsed, logins]));
  return { databaseUrl: parsed.value.DATABASE_URL, processUrls: logins.value };
}

function refuseWrongSandbox({ DATABASE_URL, DISCORD_TOKEN, SANDBOX }: NodeJS.ProcessEnv): void {
  if (DISCORD_TOKEN !== undefined && SANDBOX === 'on') {
    // Left over, it would give the database away as soon as the token is missing.
    const message = 'SANDBOX is on, and DISCORD_TOKEN is set: remove one of them.';
    throw new ConfigurationError([{ variable: 'SANDBOX', message }]);
  }
  if (DATABASE_URL === undefined || DISCORD_TOKEN !== undefined || SANDBOX !== undefined) return;
  const message =
    'DISCORD_TOKEN is not set, and the sandbox is not started on the database of DATABASE_URL: set DISCORD_TOKEN, ' +
    'or SANDBOX=on if this database is only for trying things out.';
  throw new ConfigurationError([{ variable: 'DISCORD_TOKEN', message }]);
}

/** @throws ConfigurationError if only some of the three are set, or two have one login */
function processUrlsFrom(env: NodeJS.ProcessEnv): ProcessUrls | undefined {
  const { DATABASE_URL: owner, DATABASE_BOT_URL: bot, DATABASE_WEB_URL: web } = env;
  if (bot === undefined && web === undefined) return undefined;
  if (owner === undefined || bot === undefined || web === undefined) {
    const missing = bot === undefined ? 'DATABASE_BOT_URL' : 'DATABASE_WEB_URL';
    const variable = owner === undefined ? 'DATABASE_URL' : missing;
    const message = `${variable} is not set: set DATABASE_URL, DATABASE_BOT_URL and DATABASE_WEB_URL, or the first alone.`;
    throw new ConfigurationError([{ variable, message }]);
  }
  const logins = [owner, bot, web].map((url) => parseDatabaseAddress(url)?.url.username);
  // What is no address is told by the schema.
  if (!logins.includes(undefined) && new Set(logins).size < 3) {
    const variable = 'DATABASE_WEB_URL';
    const message = `${variable}, DATABASE_BOT_URL and DATABASE_URL must have three logins: make one for each process.`;
    throw new ConfigurationError([{ variable, message }]);
  }
  return { bot, web };
}

/** The logins that `migrate` gives their rights. */
export function loginsOf({ bot, web }: ProcessUrls): Logins {
  const login = (url: string) => decodeURIComponent(parseDatabaseAddress(url)?.url.username ?? '');
  return { bot: login(bot), web: login(web) };
}
