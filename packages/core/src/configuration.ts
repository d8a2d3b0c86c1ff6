import { z } from 'zod';

/** Exit code of a process whose configuration is wrong: starting it again would not help (sysexits.h). */
export const EX_CONFIG = 78;

/** An environment variable whose value cannot be used. */
export interface ConfigurationProblem {
  readonly variable: string;
  /** One sentence: it begins with the variable and says what to do. */
  readonly message: string;
}

/** A configuration that cannot be used. The message is for the operator and has one line for each problem. */
export class ConfigurationError extends Error {
  readonly problems: readonly ConfigurationProblem[];

  constructor(problems: readonly ConfigurationProblem[]) {
    const lines = problems.map(({ message }) => `  ${message}`);
    super(
      [
        'Bailiff cannot start with this configuration:',
        ...lines,
        '.env.example explains every variable.',
      ].join('\n'),
    );
    this.name = 'ConfigurationError';
    this.problems = problems;
  }
}

/**
 * The values of environment variables, checked by a schema. An empty variable, as in a copied `.env.example`, counts as
 * not set.
 *
 * @param schema whose messages continue a sentence that begins with the variable: `must be on or off`
 * @throws ConfigurationError with every problem at once
 */
export function parseEnvironment<Schema extends z.ZodType>(
  schema: Schema,
  env: Readonly<Record<string, string | undefined>>,
): z.infer<Schema> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new ConfigurationError(
    parsed.error.issues.map(({ path, message }) => {
      const variable = String(path[0]);
      const problem =
        given[variable] === undefined ? 'is not set: set it in the environment or in .env' : message;
      return { variable, message: `${variable} ${problem}.` };
    }),
  );
}

/** An environment variable with an origin: an http or https address without a path. */
export const OriginSetting = z
  .string()
  .refine(
    (text) => /^https?:/.test(text) && URL.parse(text)?.origin === text.replace(/\/$/, ''),
    'must be an origin without a path, such as https://bailiff.example',
  )
  .transform((text) => new URL(text).origin)
  .optional();

/** The two origins as they are set. */
export interface OriginSettings {
  readonly PUBLIC_URL?: string | undefined;
  readonly DASHBOARD_URL?: string | undefined;
}

/**
 * The origins, without a trailing slash, of the API (`PUBLIC_URL`) and of the dashboard (`DASHBOARD_URL`). By default
 * both are at localhost, and the dashboard is where the API is (decisions: Names).
 */
export function originsFrom(
  settings: OriginSettings,
  port: number,
): { readonly publicUrl: string; readonly dashboardUrl: string } {
  const publicUrl = settings.PUBLIC_URL ?? `http://localhost:${port}`;
  return { publicUrl, dashboardUrl: settings.DASHBOARD_URL ?? publicUrl };
}

/** Where a process serves its metrics. */
export interface MetricsAddress {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
}

/** The settings of a process's metrics. */
export const METRICS_SETTINGS = {
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: z
    .string()
    .refine((text) => /^\d{1,5}$/.test(text) && Number(text) <= 65_535, 'must be a port from 1 to 65535')
    .transform(Number)
    .optional(),
};

/** Where a process serves its metrics; null if it serves none, which is the default. */
export function metricsFrom(settings: {
  readonly METRICS_HOST: string;
  readonly METRICS_PORT?: number | undefined;
}): MetricsAddress | null {
  const { METRICS_HOST: host, METRICS_PORT: port } = settings;
  return port === undefined ? null : { host, port };
}
