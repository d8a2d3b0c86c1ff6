import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import {
  curlOf,
  type ExampleCall,
  entryOf,
  exampleCall,
  exampleId,
  matchesSentinel,
  matchRoute,
  REST_OPERATION_NAMES,
  readBody,
  readQuery,
} from '#src/index.ts';
import { GUILD, USER } from '#src/testing-samples.ts';

const SECRET = `svcpat_${'0'.repeat(48)}`;
const ORIGIN = 'https://bailiff.example';

const example = (name: (typeof REST_OPERATION_NAMES)[number], token = SECRET) =>
  exampleCall(name, { origin: ORIGIN, guildId: GUILD, token });

describe.each(REST_OPERATION_NAMES)('the example of %s', (name) => {
  const call = example(name);
  const url = new URL(call.url);
  const route = matchRoute(call.method, url.pathname.slice('/api/public/v1'.length));
  const params = route.kind === 'operation' ? route.params : {};
  const read =
    call.method === 'GET' ? readQuery(name, params, url.searchParams) : readBody(name, params, call.body);

  test('is a right call of it, with the right sentinel', () => {
    expect(route).toMatchObject({ kind: 'operation', name });
    expect(read).toMatchObject({ ok: true });
    if (!read.ok || entryOf(name).sentinel === undefined) return;
    expect(matchesSentinel(name, GUILD, read.input, read.confirmation)).toBe(true);
  });

  test('answers what the operation answers, no field more or less', () => {
    expect(entryOf(name).output.parse(entryOf(name).example.output)).toEqual(entryOf(name).example.output);
  });

  test('reaches curl as it is when the line is pasted into a shell', () => {
    expect(pasted(curlOf(example(name, '$TOKEN')))).toEqual(argumentsOf(call));
  });
});

const IN_GUILD = `${ORIGIN}/api/public/v1/guilds/${GUILD}`;
const AUTHORIZED = { Authorization: `Bearer ${SECRET}` };

test('the example of a list has its fields in the query', () => {
  expect(example('bans.list')).toStrictEqual({
    ...{ method: 'GET', url: `${IN_GUILD}/bans?active=true&limit=10`, headers: AUTHORIZED },
  });
});

test('the example of a call without fields has no body and no query', () => {
  expect(example('tickets.claim')).toStrictEqual({
    method: 'POST',
    url: `${IN_GUILD}/tickets/${exampleId('ticket')}/claim`,
    headers: AUTHORIZED,
  });
});

test('the example of a destructive call has its fields and its sentinel in a JSON body', () => {
  expect(example('bans.lift')).toStrictEqual({
    method: 'DELETE',
    url: `${IN_GUILD}/bans/${USER}`,
    headers: { ...AUTHORIZED, 'Content-Type': 'application/json' },
    body: {
      reason: 'Appeal accepted',
      _confirmation: `UNBAN USER ${USER} IN GUILD ${GUILD}`,
    },
  });
});

test('text that means something to a shell means nothing in the line', () => {
  const call: ExampleCall = {
    method: 'POST',
    url: `${ORIGIN}/?a='b'&c=$(id)`,
    headers: { 'X-Odd': 'a "quoted" `id` \\ back' },
    body: { reason: 'it\'s "$TOKEN" `id` \\n' },
  };
  expect(pasted(curlOf(call))).toEqual(argumentsOf(call));
});

function argumentsOf({ method, url, headers, body }: ExampleCall): string[] {
  return [
    '-sS',
    ...(method === 'GET' ? [] : ['-X', method]),
    url,
    ...Object.entries(headers).flatMap(([header, value]) => ['-H', `${header}: ${value}`]),
    ...(body === undefined ? [] : ['-d', JSON.stringify(body, null, 2)]),
  ];
}

/** The arguments a shell hands to curl. */
function pasted(line: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${line}`;
  return execFileSync('sh', ['-c', script], { env: { TOKEN: SECRET }, encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);
}
