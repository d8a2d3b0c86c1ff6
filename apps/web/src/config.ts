import { parseTrustedProxies, type TrustedProxies } from '@bailiff/core';
import { z } from 'zod';

/** Exit code of a configuration that cannot work (sysexits.h EX_CONFIG): starting again would not help. */
export const EX_CONFIG = 78;

/** Secrets of the bot: a hole in the web process must not give them away. */
const BOT_ONLY = ['DISCORD_TOKEN', 'SECRETS_KEY', 'SECRETS_KEY_PREVIOUS'] as const;

export interface WebConfig {
  readonly databaseUrl: string;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Origin of the dashboard and of the API, without a trailing slash. */
  readonly publicUrl: string;
  readonly discordClientId: string;
  readonly discordClientSecret: string;
  /** `https://discord.com/api`, or the sandbox's. */
  readonly discordApiUrl: string;
  readonly nextAuthSecret: string;
  readonly trustedProxies: TrustedProxies;
  readonly reauthWindowMinutes: number;
  readonly logLevel: string;
  /** Pages are compiled when they are asked for and follow their source (`npm run dev`). */
  readonly development: boolean;
}

export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The web process cannot start:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text.replace(/\/$/, '') && /^https?:/.test(text);
}

const whole = (fallback: string, least: number, most: number) => {
  const error = `must be a whole number from ${least} to ${most}`;
  return z
    .string()
    .default(fallback)
    .refine((text) => /^\d{1,5}$/.test(text) && Number(text) >= least && Number(text) <= most, error)
    .transform(Number);
};

const required = z.string({ error: 'is required' });

const Environment = z.object({
  DATABASE_URL: required.regex(
    /^postgres(ql)?:\/\//,
    'must be an address such as postgresql://user@host:5432/bailiff',
  ),
  HOST: z.string().default('127.0.0.1'),
  PORT: whole('3000', 0, 65_535),
  PUBLIC_URL: z
    .string()
    .refine(isOrigin, 'must be an origin without a path, such as https://bailiff.example')
    .transform((text) => new URL(text).origin)
    .optional(),
  DISCORD_CLIENT_ID: required.regex(/^\d{17,20}$/, "must be the application's id: 17 to 20 digits"),
  DISCORD_CLIENT_SECRET: required,
  DISCORD_API_URL: z
    .string()
    .default('https://discord.com/api')
    .refine((text) => URL.canParse(text) && /^https?:/.test(text), 'must be an http or https address')
    .transform((text) => text.replace(/\/+$/, '')),
  NEXTAUTH_SECRET: required.min(
    32,
    'must have at least 32 characters; make one with: openssl rand -base64 32',
  ),
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((text, context) => {
      const parsed = parseTrustedProxies(text);
      if (parsed.ok) return parsed.proxies;
      for (const { message } of parsed.issues) context.addIssue(message);
      return z.NEVER;
    }),
  REAUTH_WINDOW_MINUTES: whole('15', 1, 60),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be one of fatal, error, warn, info, debug, trace, silent',
    })
    .default('info'),
});

/**
 * The settings of the web process. An empty variable counts as absent.
 *
 * @throws ConfigError with every problem at once.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): WebConfig {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const problems = BOT_ONLY.filter((name) => given[name] !== undefined).map(
    (name) => `${name} must not be set for the web process; only the bot may hold it.`,
  );
  const parsed = Environment.safeParse(given);
  if (!parsed.success) {
    problems.push(...parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}.`));
  }
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  const settings = parsed.data;
  return {
    databaseUrl: settings.DATABASE_URL,
    host: settings.HOST,
    port: settings.PORT,
    publicUrl: settings.PUBLIC_URL ?? `http://localhost:${settings.PORT}`,
    discordClientId: settings.DISCORD_CLIENT_ID,
    discordClientSecret: settings.DISCORD_CLIENT_SECRET,
    discordApiUrl: settings.DISCORD_API_URL,
    nextAuthSecret: settings.NEXTAUTH_SECRET,
    trustedProxies: settings.TRUSTED_PROXIES,
    reauthWindowMinutes: settings.REAUTH_WINDOW_MINUTES,
    logLevel: settings.LOG_LEVEL,
    development: env.NODE_ENV === 'development',
  };
}
