// Refusals of Discord whose bodies nobody can use. What was refused was certainly not done.
import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import type { DiscordApi } from '#src/discord-api.ts';
import { usualRefusal } from '#src/discord-errors.ts';
import { createLog } from '#src/log.ts';
import { apiAnswering, failureOf } from './answering.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const LONG = 'x'.repeat(1_000_000);
const banOn = (api: DiscordApi) =>
  failureOf(api.send('PUT', '/guilds/10/bans/1', { signal: AbortSignal.timeout(30_000) }));

test.each([
  ['HTML', '<html>Attention Required!</html>', { 'Content-Type': 'text/html' }],
  ['no body', '', JSON_TYPE],
  ['null', 'null', JSON_TYPE],
  ['a text', '"no"', JSON_TYPE],
  ['a list', '[]', JSON_TYPE],
  ['fields of another kind', '{"message":{},"code":"x","errors":[1,{"_errors":5}]}', JSON_TYPE],
  ['a megabyte', JSON.stringify({ message: LONG, code: 50_013 }), JSON_TYPE],
  [
    'a megabyte about a field',
    JSON.stringify({
      message: 'Invalid',
      code: 50_035,
      errors: { a: { _errors: [{ code: 'X', message: LONG }] } },
    }),
    JSON_TYPE,
  ],
])(
  'a refusal with %s is a refusal, and one short line that names the route',
  async (_what, body, headers) => {
    verifies('bot.bad-refusals');
    const api = await apiAnswering((response) => response.writeHead(403, headers).end(body));
    const failure = await banOn(api);
    expect(failure).toMatchObject({ name: 'DiscordFailure', kind: 'refused', status: 403 });
    expect(failure.message).toContain('PUT /guilds/10/bans/1');
    expect(failure.message.length).toBeLessThan(400);
    expect(usualRefusal(failure).message.length, 'what people are told').toBeLessThan(500);
  },
);

test('the operator reads of every five hundred refusals, before Discord bans the address for ten thousand', async () => {
  const lines: { msg: string }[] = [];
  const log = createLog('warn', [], (line) => lines.push(JSON.parse(line)));
  const warnings = () => lines.filter(({ msg }) => msg === 'many invalid requests to Discord');
  // The library counts those of all clients of ten minutes, and begins again after that.
  for (let sent = 0; sent < 1_000 && warnings().length === 0; sent += 50) {
    // A client sends fifty in a second.
    const api = await apiAnswering((response) => response.writeHead(403, JSON_TYPE).end('{}'), log);
    await Promise.all(Array.from({ length: 50 }, () => banOn(api)));
  }
  expect(warnings()).toMatchObject([
    { level: 40, count: expect.any(Number), remaining_ms: expect.any(Number) },
  ]);
});

test('a refusal whose body is cut off is a refusal', async () => {
  verifies('bot.bad-refusals');
  const api = await apiAnswering((response) => {
    response.writeHead(403, { ...JSON_TYPE, 'Content-Length': '1000' });
    response.write('{"message":', () => response.socket?.end());
  });
  expect(await banOn(api)).toMatchObject({ kind: 'refused', status: 403 });
});

test('a limit that Discord says lasts for centuries is tried again after an hour', async () => {
  verifies('bot.bad-refusals');
  const api = await apiAnswering((response) =>
    response
      .writeHead(429, { ...JSON_TYPE, 'Retry-After': '99999999999' })
      .end('{"retry_after":99999999999}'),
  );
  const failure = await banOn(api);
  expect(failure).toMatchObject({ kind: 'not_sent', status: 429 });
  expect(failure.retryAfterMs).toBeLessThanOrEqual(3_600_000);
});
