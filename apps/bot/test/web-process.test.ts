import { fileURLToPath } from 'node:url';
import { freePort, verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { createLog } from '#src/log.ts';
import { webEnvironment } from '#src/web-environment.ts';
import { startWebProcess } from '#src/web-process.ts';

const ENTRY = fileURLToPath(new URL('fixtures/web.ts', import.meta.url));

test('the web process is given no secret of the bot', () => {
  const given = webEnvironment({
    DISCORD_TOKEN: 'a',
    SECRETS_KEY: 'b',
    RCON_ALLOWED_NETWORKS: 'c',
    SOME_OTHER_SECRET: 'd',
    DATABASE_URL: 'e',
    NEXTAUTH_SECRET: 'f',
  });
  expect(given).toEqual({ DATABASE_URL: 'e', NEXTAUTH_SECRET: 'f' });
  // With a database login of its own, it does not see the bot's.
  expect(webEnvironment({ DATABASE_URL: 'the bot', DATABASE_WEB_URL: 'its own' })).toEqual({
    DATABASE_URL: 'its own',
  });
});

test('the web process is given what the documents say that it reads, and what Node reads of its machine', () => {
  const names = [
    ...['DASHBOARD_URL', 'PUBLIC_URL', 'HOST', 'PORT', 'TRUSTED_PROXIES', 'LOG_LEVEL', 'METRICS_HOST'],
    ...['DISCORD_API_URL', 'DISCORD_CLIENT_ID', 'DISCORD_CLIENT_SECRET', 'NEXTAUTH_SECRET', 'OAUTH_CLIENTS'],
    ...['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_TRACES_SAMPLER_ARG'],
    ...['REAUTH_WINDOW_MINUTES', 'NODE_EXTRA_CA_CERTS', 'PGSSLROOTCERT', 'MCP_PACKAGE', 'BAILIFF_DIR'],
    ...['PUBLIC_API_THROUGH_NEXT', 'NEXT_TELEMETRY_DISABLED', 'NODE_COMPILE_CACHE', 'NODE_ENV'],
    ...['NODE_OPTIONS', 'HOME', 'LANG', 'PATH', 'SYSTEMROOT', 'TEMP', 'TMPDIR', 'TZ'],
  ];
  const env = Object.fromEntries(names.map((name) => [name, `the ${name}`]));
  expect(webEnvironment(env)).toEqual(env);
  expect(webEnvironment({ METRICS_PORT: 'of the bot', METRICS_WEB_PORT: 'its own' })).toEqual({
    METRICS_PORT: 'its own',
  });
});

test('the web process waits for the bot, counts as ready without Discord, and starts again after a crash', async () => {
  verifies('ops.web.standby', 'bot.ready-serving');
  const port = await freePort();
  const web = startWebProcess({
    env: { ...process.env, PORT: String(port), DISCORD_TOKEN: 'never-seen' },
    log: createLog('silent', []),
    onMisconfigured: () => {
      throw new Error('unexpected');
    },
    entry: ENTRY,
  });
  const url = `http://127.0.0.1:${port}`;
  await expect(fetch(url)).rejects.toThrow();
  web.begin();
  await web.untilReady();
  expect((await fetch(`${url}/readyz`)).status).toBe(503);
  const first = await (await fetch(`${url}/env`)).json();
  expect(first).not.toHaveProperty('DISCORD_TOKEN');
  expect(first).toMatchObject({ ARGUMENTS: '--standby' });
  await expect(fetch(`${url}/crash`)).rejects.toThrow();
  // The next one need not wait.
  await expect.poll(async () => (await fetch(url)).json()).toMatchObject({ ARGUMENTS: '' });
  await web.stop(2_000);
  await expect(fetch(url)).rejects.toThrow();
});

test('a web process whose configuration is wrong is told of, and not started again', async () => {
  const misconfigured = Promise.withResolvers<void>();
  const lines: string[] = [];
  const web = startWebProcess({
    env: { ...process.env, PORT: undefined },
    log: createLog('error', [], (line) => lines.push(line)),
    onMisconfigured: misconfigured.resolve,
    entry: ENTRY,
  });
  await misconfigured.promise;
  await web.stop(2_000);
  expect(lines).toEqual([]);
});
