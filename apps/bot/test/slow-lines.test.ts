import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createDiscordApi, DiscordFailure } from '#src/discord-api.ts';
import { createLog } from '#src/log.ts';

const MEGABYTE = 1024 * 1024;

test.each([
  ['without files is given up after ten seconds', 0, 11, 'unclear'],
  ['with ten megabytes of files waits for a slow line', 10, 45, 'posted'],
  ['with ten megabytes of files is given up after 52 seconds', 10, 53, 'unclear'],
])('a message %s', async (_what, megabytes, seconds, outcome) => {
  const taken = Promise.withResolvers<ServerResponse>();
  const discord = createServer((request, response) => {
    request.resume().on('end', () => taken.resolve(response));
  });
  await once(discord.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void discord.close());
  onTestFinished(() => void discord.closeAllConnections());
  const apiUrl = `http://127.0.0.1:${(discord.address() as AddressInfo).port}/api`;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const api = createDiscordApi({ token: 'x', apiUrl, log: createLog('silent', []) });
  const files = megabytes === 0 ? [] : [{ name: 'proof.bin', data: Buffer.alloc(megabytes * MEGABYTE) }];
  const signal = new AbortController().signal;
  const posted = api.send('POST', '/channels/1/messages', { signal, body: { content: 'x' }, files });
  const seen = posted.then(
    () => 'posted',
    (error: unknown) => (error instanceof DiscordFailure ? error.kind : error),
  );
  const response = await taken.promise;
  vi.advanceTimersByTime(seconds * 1_000);
  response.setHeader('Content-Type', 'application/json').end('{"id":"1","channel_id":"1"}');
  expect(await seen).toBe(outcome);
});
