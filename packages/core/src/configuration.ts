import { z } from 'zod';
import { ConfigurationError } from './configuration-error.ts';

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

/** What a name or an address on the network has, and neither a shell nor a header reads as its own. */
const PLAIN_ORIGIN = /^https?:\/\/([\w.-]+|\[[\da-f:]+\])(:\d+)?\/?$/;

/** An environment variable with an origin: an http or https address without a path. */
export const OriginSetting = z
  .string()
  .refine(
    (text) => PLAIN_ORIGIN.test(text) && URL.parse(text)?.origin === text.replace(/\/$/, ''),
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

/** A name or an IP address; an address of one's own link names its interface behind a %. */
const HOST = /^([\w.-]+|[\da-f]*:[\da-f]*:[\da-f:.]*(%[\w.-]+)?)$/i;

/** The variable HOST: where the web process listens. */
export const HostSetting = z
  .string()
  .regex(
    HOST,
    'must be the address or the name of this machine that it listens on, without a port, such as 127.0.0.1 or ::',
  )
  .default('127.0.0.1');

/** The settings of a process's metrics. */
export const METRICS_SETTINGS = {
  METRICS_HOST: z
    .string()
    .regex(
      HOST,
      'must be the address or the name of this machine that Prometheus asks, such as 127.0.0.1 or ::',
    )
    .default('127.0.0.1'),
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

/** Where a process sends its traces. */
export interface TracingSettings {
  /** The address that takes traces. */
  readonly url: string;
  /** What it wants to be told, such as a key. */
  readonly headers: Readonly<Record<string, string>>;
  /** The share of requests that are traced, from 0 to 1. */
  readonly share: number;
}

/** OpenTelemetry's own variables, of which these are known. */
export const TRACING_SETTINGS = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .string()
    .refine((text) => /^https?:/.test(text) && URL.canParse(text), 'must be an http or https address')
    .refine(
      (text) => !URL.parse(text)?.username && !URL.parse(text)?.password,
      'must have no login in it: set a header in OTEL_EXPORTER_OTLP_HEADERS',
    )
    .optional(),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .default('')
    .transform((text, context) => {
      const headers = headersIn(text);
      if (headers !== null) return headers;
      context.addIssue('must be a list such as name=value,other=value');
      return z.NEVER;
    }),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .refine(
      (text) => /^(0(\.\d+)?|1(\.0+)?)$/.test(text),
      'must be the share of traced requests: a number from 0 to 1',
    )
    .transform(Number)
    .default(1),
};

/** Where a process sends its traces; null if it makes none, which is the default. */
export function tracingFrom(settings: {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_HEADERS: Readonly<Record<string, string>>;
  readonly OTEL_TRACES_SAMPLER_ARG: number;
}): TracingSettings | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = settings;
  if (endpoint === undefined) return null;
  return {
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: settings.OTEL_EXPORTER_OTLP_HEADERS,
    share: settings.OTEL_TRACES_SAMPLER_ARG,
  };
}

/** What a header may hold (RFC 9110 §5.5). A line break in it would keep every span from being sent. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]+$/;

/** Headers as OpenTelemetry writes them: values are percent-encoded. Null if they cannot be read. */
function headersIn(text: string): Record<string, string> | null {
  const headers: Record<string, string> = {};
  for (const each of text.split(',').filter((part) => part.trim() !== '')) {
    const [, name, value] = /^\s*([\w-]+)\s*=\s*([\x21-\x7e]+)\s*$/.exec(each) ?? [];
    if (name === undefined || value === undefined) return null;
    try {
      headers[name] = decodeURIComponent(value);
    } catch {
      return null;
    }
    if (!HEADER_VALUE.test(headers[name])) return null;
  }
  return headers;
}
