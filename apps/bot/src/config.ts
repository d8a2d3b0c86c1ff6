import {
  DatabaseAddressSetting,
  GUILD_TIERS,
  METRICS_SETTINGS,
  type MetricsAddress,
  metricsFrom,
  type Network,
  OriginSetting,
  originsFrom,
  parseEnvironment,
  parseNetwork,
  TRACING_SETTINGS,
  type TracingSettings,
  tracingFrom,
} from '@bailiff/core';
import { type Keyring, keyringOf, SECRETS_KEY_BYTES } from '@bailiff/engine/servers/sealing';
import { z } from 'zod';
import { parseShards, type Shards } from './shards.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

function httpUrl() {
  return z
    .string()
    .refine(
      (text) => ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? ''),
      'must be a URL that begins with http:// or https://',
    )
    .transform((text) => text.replace(/\/+$/, ''));
}

function wholeNumber(min: number, max: number) {
  return z
    .string()
    .transform((text) => (/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN))
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`);
}

function networks(text: string, context: z.RefinementCtx): Network[] {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
  return entries.flatMap((entry) => {
    const parsed = parseNetwork(entry);
    if (parsed.ok) return [parsed.network];
    context.addIssue({ code: 'custom', message: `must be a list of networks, but ${parsed.issue.message}` });
    return [];
  });
}

function shards(text: string, context: z.RefinementCtx): Shards {
  const parsed = parseShards(text);
  if (parsed.ok) return parsed.shards;
  context.addIssue({ code: 'custom', message: parsed.message });
  return z.NEVER;
}

function secretsKey() {
  return z
    .string()
    .transform((text) => Buffer.from(text, 'base64'))
    .refine(
      (key) => key.length === SECRETS_KEY_BYTES,
      `must be ${SECRETS_KEY_BYTES} bytes in base64, such as "openssl rand -base64 ${SECRETS_KEY_BYTES}" prints`,
    );
}

const Environment = z.object({
  DATABASE_URL: DatabaseAddressSetting,
  DISCORD_TOKEN: z
    .string()
    .min(8, 'is too short for the bot token of a Discord application')
    .regex(/^[\w.-]+$/, 'must be the bot token of the Discord application, without "Bot " before it'),
  DISCORD_API_URL: httpUrl().default('https://discord.com/api'),
  SECRETS_KEY: secretsKey(),
  SECRETS_KEY_PREVIOUS: secretsKey().optional(),
  PUBLIC_URL: OriginSetting,
  DASHBOARD_URL: OriginSetting,
  PORT: wholeNumber(1, 65_535).default(3000),
  WEB: z.enum(['on', 'off'], 'must be on or off').optional(),
  BOT_SHARDS: z.string().transform(shards).optional(),
  DEFAULT_TIER: z.enum(GUILD_TIERS, `must be one of ${GUILD_TIERS.join(', ')}`).default('pro'),
  DISCORD_PRO_SKU_ID: z
    .string()
    .regex(/^\d{17,20}$/, 'must be the id of a SKU of the application: 17 to 20 digits')
    .optional(),
  AUDIT_READ_RETENTION_DAYS: wholeNumber(30, 3650).default(30),
  RCON_ALLOWED_NETWORKS: z.string().transform(networks).default([]),
  ...METRICS_SETTINGS,
  ...TRACING_SETTINGS,
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
});

/** The settings of the bot process. The web process checks its own. */
export interface Config {
  readonly databaseUrl: string;
  readonly discordToken: string;
  /** Without the version: `https://discord.com/api`. */
  readonly discordApiUrl: string;
  /** Opens the passwords of game servers. */
  readonly keyring: Keyring;
  /** Origin of the dashboard, without a trailing slash. */
  readonly dashboardUrl: string;
  /** The shards of this process. Null: as many as Discord recommends, all in this process. */
  readonly shards: Shards | null;
  /** Whether it starts the web process. By default that runs beside the first shard; `WEB` overrides it. */
  readonly startsWeb: boolean;
  readonly defaultTier: (typeof GUILD_TIERS)[number];
  /** Discord's product whose subscribers are `pro`. Null: nothing is sold. */
  readonly proSkuId: string | null;
  readonly auditReadRetentionDays: number;
  /** Networks that game servers may be in although they are not public. */
  readonly rconAllowedNetworks: readonly Network[];
  /** Null: no metrics are kept. */
  readonly metrics: MetricsAddress | null;
  /** Null: no traces are made. */
  readonly tracing: TracingSettings | null;
  readonly logLevel: (typeof LOG_LEVELS)[number];
}

/**
 * The settings of the bot process.
 *
 * @throws ConfigurationError that lists every problem
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const values = parseEnvironment(Environment, env);
  return {
    databaseUrl: values.DATABASE_URL,
    discordToken: values.DISCORD_TOKEN,
    discordApiUrl: values.DISCORD_API_URL,
    keyring: keyringOf(values.SECRETS_KEY, values.SECRETS_KEY_PREVIOUS),
    dashboardUrl: originsFrom(values, values.PORT).dashboardUrl,
    shards: values.BOT_SHARDS ?? null,
    startsWeb: (values.WEB ?? webWith(values.BOT_SHARDS)) === 'on',
    defaultTier: values.DEFAULT_TIER,
    proSkuId: values.DISCORD_PRO_SKU_ID ?? null,
    auditReadRetentionDays: values.AUDIT_READ_RETENTION_DAYS,
    rconAllowedNetworks: values.RCON_ALLOWED_NETWORKS,
    metrics: metricsFrom(values),
    tracing: tracingFrom(values),
    logLevel: values.LOG_LEVEL,
  };
}

/** Only one of several bot processes on a machine may listen on the port. */
function webWith(shards: Shards | undefined): 'on' | 'off' {
  return shards === undefined || shards.ids.includes(0) ? 'on' : 'off';
}
