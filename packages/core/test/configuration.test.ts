import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  ConfigurationError,
  METRICS_SETTINGS,
  metricsFrom,
  OriginSetting,
  originsFrom,
  parseEnvironment,
  TRACING_SETTINGS,
  tracingFrom,
} from '#src/index.ts';

const Environment = z.object({
  PORT: z.coerce.number('must be a number').default(3000),
  PUBLIC_URL: z.url('must be a URL'),
});

const TRACED = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://traces.example' };
const traced = (env: Record<string, string | undefined>) =>
  tracingFrom(parseEnvironment(z.object(TRACING_SETTINGS), env));

function problemsOf(env: Readonly<Record<string, string | undefined>>): unknown {
  try {
    return parseEnvironment(Environment, env);
  } catch (error) {
    return error;
  }
}

test('an empty variable counts as not set', () => {
  expect(parseEnvironment(Environment, { PORT: '', PUBLIC_URL: 'http://a.example' })).toEqual({
    PORT: 3000,
    PUBLIC_URL: 'http://a.example',
  });
});

test('every problem is named at once, each with its variable and what to do', () => {
  const error = problemsOf({ PORT: 'x', PUBLIC_URL: '' });
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(String(error)).toBe(
    [
      'ConfigurationError: Bailiff cannot start with this configuration:',
      '  PORT must be a number.',
      '  PUBLIC_URL is not set: set it in the environment or in .env.',
      '.env.example explains every variable.',
    ].join('\n'),
  );
  expect(error).toMatchObject({
    problems: [
      { variable: 'PORT', message: 'PORT must be a number.' },
      {
        variable: 'PUBLIC_URL',
        message: 'PUBLIC_URL is not set: set it in the environment or in .env.',
      },
    ],
  });
  expect(String(problemsOf({ PUBLIC_URL: 'nowhere' }))).toContain('  PUBLIC_URL must be a URL.\n');
});

test('an origin is taken with or without a slash at its end, and nothing more', () => {
  const Origin = z.object({ DASHBOARD_URL: OriginSetting });
  const taken = (text: string) => parseEnvironment(Origin, { DASHBOARD_URL: text }).DASHBOARD_URL;
  expect(taken('https://bailiff.example/')).toBe('https://bailiff.example');
  expect(taken('http://localhost:3001')).toBe('http://localhost:3001');
  expect(taken('http://[::1]:3001/')).toBe('http://[::1]:3001');
  expect(taken('')).toBeUndefined();
  for (const wrong of [
    'bailiff.example',
    'ftp://bailiff.example',
    'https://bailiff.example/desk',
    'https://a@b.c',
    'https://',
    'https:/a/b',
    // An address is shown in commands and stands in headers.
    'https://a;b.example',
    'https://$(id).example',
    'https://`id`.example',
    'https://a&b.example',
    "https://a'b.example",
  ]) {
    expect(() => taken(wrong)).toThrow(
      '  DASHBOARD_URL must be an origin without a path, such as https://bailiff.example.\n',
    );
  }
});

test('the dashboard is where the API is, unless it is said to be elsewhere', () => {
  const [api, desk] = ['https://api.bailiff.example', 'https://bailiff.example'];
  expect(originsFrom({}, 3007)).toEqual({
    publicUrl: 'http://localhost:3007',
    dashboardUrl: 'http://localhost:3007',
  });
  expect(originsFrom({ PUBLIC_URL: api }, 3000)).toEqual({ publicUrl: api, dashboardUrl: api });
  expect(originsFrom({ PUBLIC_URL: api, DASHBOARD_URL: desk }, 3000)).toEqual({
    publicUrl: api,
    dashboardUrl: desk,
  });
});

test('metrics are served at a port that is set, on this machine unless told otherwise, and else nowhere', () => {
  const read = (env: Record<string, string>) =>
    metricsFrom(parseEnvironment(z.object(METRICS_SETTINGS), env));
  expect(read({})).toBeNull();
  expect(read({ METRICS_HOST: '0.0.0.0' })).toBeNull();
  expect(read({ METRICS_PORT: '65535' })).toEqual({ host: '127.0.0.1', port: 65_535 });
  expect(read({ METRICS_PORT: '0', METRICS_HOST: '::1' })).toEqual({ host: '::1', port: 0 });
  for (const wrong of ['65536', '-1', '9464x', 'x9464', '100000']) {
    expect(() => read({ METRICS_PORT: wrong })).toThrow('METRICS_PORT must be a port from 1 to 65535');
  }
  for (const host of [
    'localhost',
    'bot.monitoring_net',
    '192.0.2.1',
    '::',
    'fe80::1%eth0',
    '::ffff:10.0.0.1',
  ]) {
    expect(read({ METRICS_PORT: '9464', METRICS_HOST: host })).toEqual({ host, port: 9464 });
  }
  for (const wrong of ['nonsense host', 'http://localhost', '127.0.0.1:9464', '[::1]', 'a/b']) {
    expect(() => read({ METRICS_HOST: wrong })).toThrow('METRICS_HOST must be the address or the name');
  }
});

test('traces go to the address that is set, all of them unless told otherwise, and else nowhere', () => {
  expect(traced({})).toBeNull();
  expect(traced({ OTEL_EXPORTER_OTLP_HEADERS: 'x=y', OTEL_TRACES_SAMPLER_ARG: '0.5' })).toBeNull();
  expect(traced({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://traces.example' })).toEqual({
    url: 'https://traces.example/v1/traces',
    headers: {},
    share: 1,
  });
  expect(
    traced({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318/in//',
      OTEL_EXPORTER_OTLP_HEADERS: ' x-key = a%2cb%2C , ,other=c=d,',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    }),
  ).toEqual({
    url: 'http://localhost:4318/in/v1/traces',
    headers: { 'x-key': 'a,b,', other: 'c=d' },
    share: 0.25,
  });
});

test.each(['0', '0.0', '0.125', '1', '1.00'])('%s is a share of requests to trace', (share) => {
  expect(traced({ ...TRACED, OTEL_TRACES_SAMPLER_ARG: share })?.share).toBe(Number(share));
});

test.each([
  ...['ftp://traces.example', 'traces.example', 'https://', 'see https://traces.example'].map((wrong) => [
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    wrong,
    'must be an http or https address',
  ]),
  [
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'https://me:secret@traces.example',
    'must have no login in it: set a header in OTEL_EXPORTER_OTLP_HEADERS',
  ],
  ...[
    'key',
    '=value',
    'a key=value',
    'key=',
    'key=a b',
    'key=é',
    'key=100%',
    'key=%2',
    'key=%zz',
    'key=%ff',
    'key=a%0Ab',
    'key=a%0D%0Ab',
    'key=%00',
    'key=%E2%82%AC',
  ].map((wrong) => [
    'OTEL_EXPORTER_OTLP_HEADERS',
    `ok=1,${wrong}`,
    'must be a list such as name=value,other=value',
  ]),
  ...['-1', '1.5', '2', '0.', '.5', '10', '00.5', '0.5x', '1.x', 'half', ' 1'].map((wrong) => [
    'OTEL_TRACES_SAMPLER_ARG',
    wrong,
    'must be the share of traced requests: a number from 0 to 1',
  ]),
])('%s=%s is refused with what it must be', (variable = '', wrong, what) => {
  expect(() => traced({ ...TRACED, [variable]: wrong })).toThrow(`  ${variable} ${what}.\n`);
});
