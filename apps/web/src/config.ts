import {
  DatabaseAddressSetting,
  HostSetting,
  METRICS_SETTINGS,
  type MetricsAddress,
  metricsFrom,
  type OAuthClients,
  OriginSetting,
  originsFrom,
  parseEnvironment,
  parseTrustedProxies,
  readOAuthClients,
  TRACING_SETTINGS,
  type TracingSettings,
  type TrustedProxies,
  tracingFrom,
} from '@bailiff/core';
import { z } from 'zod';

export interface WebConfig {
  readonly databaseUrl: string;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The origin of the API, without a trailing slash. */
  readonly publicUrl: string;
  /** The origin of the dashboard: where people sign in and approve. */
  readonly dashboardUrl: string;
  readonly discordClientId: string;
  readonly discordClientSecret: string;
  /** `https://discord.com/api` or the sandbox's address. */
  readonly discordApiUrl: string;
  readonly nextAuthSecret: string;
  readonly trustedProxies: TrustedProxies;
  /**
   * Whether Next's route handler answers the public API instead of the server in front of it: slower, with the same
   * answers.
   */
  readonly publicApiThroughNext: boolean;
  readonly reauthWindowMinutes: number;
  /** The npm package of the MCP process; null until the operator has named it. */
  readonly mcpPackage: string | null;
  /** The clients that may ask for a token through the device flow. */
  readonly oauthClients: OAuthClients;
  /** Null: no metrics are kept. */
  readonly metrics: MetricsAddress | null;
  /** Null: no traces are made. */
  readonly tracing: TracingSettings | null;
  readonly logLevel: string;
  /** Whether pages are compiled on demand and follow their source (`npm run dev`). */
  readonly development: boolean;
}

const whole = (fallback: string, least: number, most: number) => {
  const error = `must be a whole number from ${least} to ${most}`;
  return z
    .string()
    .default(fallback)
    .refine((text) => /^\d{1,5}$/.test(text) && Number(text) >= least && Number(text) <= most, error)
    .transform(Number);
};

/** A secret of the bot, which must not be set here: a hole in the web process must not leak it. */
const botOnly = z
  .undefined({ error: 'must not be set for the web process: only the bot may hold it' })
  .optional();

/**
 * The name of a package in a registry, with a version or a tag. npm reads `name@..` and `name.tgz` as what is in the
 * folder where somebody happens to be, and would run that.
 */
const REGISTRY_PACKAGE =
  /^(?!.*\.(?:tgz|tar|tar\.gz)$)(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*(?:@(?:\d[\w.-]*|[a-z][\w-]*))?$/i;

const Environment = z.object({
  DISCORD_TOKEN: botOnly,
  SECRETS_KEY: botOnly,
  SECRETS_KEY_PREVIOUS: botOnly,
  DATABASE_URL: DatabaseAddressSetting,
  HOST: HostSetting,
  PORT: whole('3000', 0, 65_535),
  PUBLIC_URL: OriginSetting,
  DASHBOARD_URL: OriginSetting,
  DISCORD_CLIENT_ID: z.string().regex(/^\d{17,20}$/, "must be the application's id: 17 to 20 digits"),
  DISCORD_CLIENT_SECRET: z.string(),
  DISCORD_API_URL: z
    .string()
    .default('https://discord.com/api')
    .refine((text) => URL.canParse(text) && /^https?:/.test(text), 'must be an http or https address')
    .transform((text) => text.replace(/\/+$/, '')),
  NEXTAUTH_SECRET: z
    .string()
    .min(32, 'must have at least 32 characters; make one with: openssl rand -base64 32'),
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((text, context) => {
      const parsed = parseTrustedProxies(text);
      if (parsed.ok) return parsed.proxies;
      for (const { message } of parsed.issues) {
        context.addIssue(`must be a list of addresses and networks, but ${message}`);
      }
      return z.NEVER;
    }),
  PUBLIC_API_THROUGH_NEXT: z.enum(['on', 'off'], { error: 'must be on or off' }).default('off'),
  REAUTH_WINDOW_MINUTES: whole('15', 1, 60),
  MCP_PACKAGE: z.string().regex(REGISTRY_PACKAGE, 'must be the name of an npm package').optional(),
  OAUTH_CLIENTS: z
    .string()
    .default('')
    .transform((text, context) => {
      const read = readOAuthClients(text);
      if (read.ok) return read.clients;
      context.addIssue(read.problem);
      return z.NEVER;
    }),
  ...METRICS_SETTINGS,
  ...TRACING_SETTINGS,
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be one of fatal, error, warn, info, debug, trace, silent',
    })
    .default('info'),
});

/**
 * The settings of the web process.
 *
 * @throws ConfigurationError with all problems at once
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): WebConfig {
  const settings = parseEnvironment(Environment, env);
  return {
    databaseUrl: settings.DATABASE_URL,
    host: settings.HOST,
    port: settings.PORT,
    ...originsFrom(settings, settings.PORT),
    discordClientId: settings.DISCORD_CLIENT_ID,
    discordClientSecret: settings.DISCORD_CLIENT_SECRET,
    discordApiUrl: settings.DISCORD_API_URL,
    nextAuthSecret: settings.NEXTAUTH_SECRET,
    trustedProxies: settings.TRUSTED_PROXIES,
    publicApiThroughNext: settings.PUBLIC_API_THROUGH_NEXT === 'on',
    reauthWindowMinutes: settings.REAUTH_WINDOW_MINUTES,
    mcpPackage: settings.MCP_PACKAGE ?? null,
    oauthClients: settings.OAUTH_CLIENTS,
    metrics: metricsFrom(settings),
    tracing: tracingFrom(settings),
    logLevel: settings.LOG_LEVEL,
    development: env.NODE_ENV === 'development',
  };
}
