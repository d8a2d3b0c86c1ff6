/**
 * Environment variables that the web process gets. It is reachable from the internet, so it gets neither the bot's
 * token nor the key of the game servers' passwords, nor anything else that is not listed here.
 */
const PASSED_ON = [
  'BAILIFF_DIR',
  'DASHBOARD_URL',
  'DATABASE_URL',
  'DISCORD_API_URL',
  'DISCORD_CLIENT_ID',
  'DISCORD_CLIENT_SECRET',
  'HOME',
  'HOST',
  'LANG',
  'LOG_LEVEL',
  'MCP_PACKAGE',
  'METRICS_HOST',
  'NEXTAUTH_SECRET',
  'NEXT_TELEMETRY_DISABLED',
  'NODE_COMPILE_CACHE',
  'NODE_ENV',
  'NODE_EXTRA_CA_CERTS',
  'NODE_OPTIONS',
  'OAUTH_CLIENTS',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_TRACES_SAMPLER_ARG',
  'PATH',
  'PGSSLROOTCERT',
  'PORT',
  'PUBLIC_API_THROUGH_NEXT',
  'PUBLIC_URL',
  'REAUTH_WINDOW_MINUTES',
  'SYSTEMROOT',
  'TEMP',
  'TMPDIR',
  'TRUSTED_PROXIES',
  'TZ',
] as const;

/** Variables that the web process gets under a name that means the bot's own here. */
const RENAMED = [
  ['DATABASE_WEB_URL', 'DATABASE_URL'],
  ['METRICS_WEB_PORT', 'METRICS_PORT'],
] as const;

/** The environment of the web process. Its `DATABASE_URL` is that of its own login, if it has one. */
export function webEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const passedOn = [...PASSED_ON.map((name) => [name, name] as const), ...RENAMED];
  return Object.fromEntries(
    passedOn.flatMap(([name, there]) => (env[name] === undefined ? [] : [[there, env[name]]])),
  );
}
