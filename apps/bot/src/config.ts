import { GUILD_TIERS } from '@bailiff/core';
import { z } from 'zod';
import { KEY_BYTES } from './rcon/secrets.ts';

/** How a process says that its configuration is wrong, and that starting it again will not help (sysexits.h). */
export const EX_CONFIG = 78;

/** A configuration that cannot be used; the message names every variable that is wrong. */
export class ConfigurationError extends Error {}

const url = (protocols: readonly string[]) =>
  z.string().refine(
    (text) => {
      const parsed = URL.parse(text);
      return parsed !== null && protocols.includes(parsed.protocol);
    },
    `must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  );

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`);

const withoutTrailingSlash = (text: string) => text.replace(/\/+$/, '');

const Environment = z.object({
  DATABASE_URL: url(['postgres:', 'postgresql:']),
  DISCORD_TOKEN: z
    .string()
    .regex(/^[\w.-]{10,200}$/, 'must be the bot token of the Discord application, without "Bot " before it'),
  DISCORD_API_URL: url(['http:', 'https:']).default('https://discord.com/api').transform(withoutTrailingSlash),
  SECRETS_KEY: z
    .string()
    .transform((text) => Buffer.from(text, 'base64'))
    .refine((key) => key.length === KEY_BYTES, `must be ${KEY_BYTES} bytes in base64: openssl rand -base64 ${KEY_BYTES}`),
  PUBLIC_URL: url(['http:', 'https:']).optional().transform((text) => text && withoutTrailingSlash(text)),
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: wholeNumber(1, 65_535).default(3000),
  WEB: z.enum(['on', 'off'], 'must be on or off').default('on'),
  DEFAULT_TIER: z.enum(GUILD_TIERS, `must be one of ${GUILD_TIERS.join(', ')}`).default('pro'),
  AUDIT_READ_RETENTION_DAYS: wholeNumber(30, 3650).default(30),
  RCON_ALLOWED_NETWORKS: z
    .string()
    .default('')
    .transform((text) => text.split(/[\s,]+/).filter((entry) => entry !== ''))
    .superRefine((entries, context) => {
      for (const entry of entries) {
        const parsed = parseNetwork(entry);
        if (!parsed.ok) context.addIssue({ code: 'custom', message: parsed.message });
      }
    })
    .transform((entries) => entries.flatMap((entry) => {
      const parsed = parseNetwork(entry);
      return parsed.ok ? [parsed.network] : [];
    })),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`)
    .default('info'),
});
