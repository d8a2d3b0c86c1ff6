import { randomBytes } from 'node:crypto';
import { type Config as BotConfig, readConfig as readBotConfig } from '@bailiff/bot/config';
import { ConfigurationError, type MetricsAddress } from '@bailiff/core';
import { takeSecretFiles } from '@bailiff/engine/secret-files';
import { readConfig as readWebConfig } from '@bailiff/web/config';
import { METRICS_STEP, metricsPort } from './metrics-ports.ts';
import { attempt, problemsOf, withoutEmpty } from './problems.ts';
import { readSettings, type Settings } from './settings.ts';

/** Placeholders for values that the supervisor provides once the database and the sandbox run. */
const PROVIDED = {
  database: {
    DATABASE_URL: 'postgresql://127.0.0.1/bailiff',
    NEXTAUTH_SECRET: randomBytes(32).toString('base64'),
    SECRETS_KEY: randomBytes(32).toString('base64'),
  },
  sandbox: {
    DISCORD_TOKEN: 'sandbox-bot-token',
    DISCORD_CLIENT_ID: '100000000000000000',
    DISCORD_CLIENT_SECRET: 'sandbox-client-secret',
  },
};

export interface Configuration {
  readonly settings: Settings;
  /** The bot's configuration. */
  readonly bot: BotConfig;
}

/** The processes of a cluster. */
export interface ClusterSize {
  readonly bots: number;
  readonly webs: number;
}

const ONE_BOT: ClusterSize = { bots: 1, webs: 1 };

/**
 * The configuration in the environment, checked by the supervisor, the bot and the web process before anything starts,
 * so that all problems are reported at once. Secrets that are in files are put into `env`.
 *
 * @param cluster Default: one bot is started, and the web process as its settings say.
 * @throws ConfigurationError with every problem at once
 */
export function readConfiguration(env: NodeJS.ProcessEnv, cluster?: ClusterSize): Configuration {
  const problems = takeSecretFiles(env);
  const given = withoutEmpty(env);
  const { PORT: _port, SANDBOX_PORT: _sandboxPort, ...others } = given;
  const complete: NodeJS.ProcessEnv = {
    ...(given.DATABASE_URL === undefined ? PROVIDED.database : {}),
    ...(given.DISCORD_TOKEN === undefined ? PROVIDED.sandbox : {}),
    ...others,
  };
  const { DISCORD_TOKEN: _token, SECRETS_KEY: _key, SECRETS_KEY_PREVIOUS: _previous, ...ofWeb } = complete;
  const settings = attempt(() => readSettings(given));
  // The web processes of a cluster are there whatever its shards are, and whatever WEB says to a bot.
  const bot = attempt(() => readBotConfig(cluster === undefined ? complete : { ...complete, WEB: 'on' }));
  const web = attempt(() => readWebConfig(ofWeb));
  const ports = attempt(() => {
    if (settings.ok && bot.ok)
      refuseSharedPorts({ settings: settings.value, bot: bot.value }, cluster ?? ONE_BOT);
  });
  const files = { ok: false, problems } as const;
  if (problems.length === 0 && settings.ok && bot.ok && web.ok && ports.ok)
    return { settings: settings.value, bot: bot.value };
  throw new ConfigurationError(problemsOf([files, settings, bot, web, ports]));
}

/** Addresses that stand for every address of the machine. */
const ALL_ADDRESSES = ['0.0.0.0', '::'];

/** A port on which one of the processes listens. */
interface Listening {
  readonly variable: string;
  readonly host: string;
  readonly port: number;
  /** What the variable says. */
  readonly set: number;
}

/** @throws ConfigurationError if metrics would be served where another process listens: one of them would wait in vain */
function refuseSharedPorts({ settings, bot }: Configuration, { bots, webs }: ClusterSize): void {
  const { host, port, sandboxPort, usesSandbox, metricsOfWeb } = settings;
  const others: Listening[] = [
    ...(bot.startsWeb ? [{ variable: 'PORT', host, port, set: port }] : []),
    ...(usesSandbox
      ? [{ variable: 'SANDBOX_PORT', host: '127.0.0.1', port: sandboxPort, set: sandboxPort }]
      : []),
  ];
  const metrics = [
    ...metricsOf('METRICS_PORT', bot.metrics, bots),
    ...metricsOf('METRICS_WEB_PORT', bot.startsWeb ? metricsOfWeb : null, webs),
  ];
  const problems = metrics.flatMap((own, index) => {
    const { variable } = own;
    const other = [...others, ...metrics.slice(0, index)].find((each) => {
      const meet = each.host === own.host || [each.host, own.host].some((one) => ALL_ADDRESSES.includes(one));
      return own.port !== 0 && each.port === own.port && meet;
    });
    if (other === undefined) return [];
    const areSet = own.port === own.set && other.port === other.set;
    const met = areSet
      ? `are both ${own.port}`
      : `both come to ${own.port}, because further processes of a cluster have their metrics ${METRICS_STEP} ports higher`;
    return [
      { variable, message: `${variable} and ${other.variable} ${met}: set another port in one of them.` },
    ];
  });
  if (problems.length === 0) return;
  // Two processes of a kind have one variable.
  throw new ConfigurationError(problemsOf(problems.map((problem) => ({ ok: false, problems: [problem] }))));
}

/** Where the processes of a kind serve their metrics. */
function metricsOf(variable: string, first: MetricsAddress | null, count: number): Listening[] {
  if (first === null) return [];
  const { host, port: set } = first;
  return Array.from({ length: count }, (_, index) => ({
    variable,
    host,
    port: metricsPort(set, index),
    set,
  }));
}
