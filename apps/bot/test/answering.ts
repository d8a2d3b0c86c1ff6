import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createDiscordApi, type DiscordApi, type DiscordFailure } from '#src/discord-api.ts';
import { createLog, type Logger } from '#src/log.ts';

/** The bot's API of a Discord that answers every request so, for one test. */
export async function apiAnswering(
  answer: (response: ServerResponse) => void,
  log: Logger = createLog('silent', []),
): Promise<DiscordApi> {
  const server = createServer((_request, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
  return createDiscordApi({ token: 'some.bot.token', apiUrl, log });
}

/** Why a request failed. */
export async function failureOf(request: Promise<unknown>): Promise<DiscordFailure> {
  return request.then(
    () => {
      throw new Error('The request succeeded where a failure was expected');
    },
    (failure: DiscordFailure) => failure,
  );
}
