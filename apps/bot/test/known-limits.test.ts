import { startSandbox } from '@bailiff/sandbox';
import { expect, onTestFinished, test } from 'vitest';
import { createDiscordApi, DiscordFailure } from '#src/discord-api.ts';
import { createLog } from '#src/log.ts';

test('a limit that an answer told of is known before the next request, and only for its kind', async () => {
  const sandbox = await startSandbox({ rateLimit: { limit: 1, windowSeconds: 600 } });
  onTestFinished(() => sandbox.close());
  const api = createDiscordApi({
    token: sandbox.botToken,
    apiUrl: sandbox.apiUrl,
    log: createLog('silent', []),
  });
  const route = `/guilds/${sandbox.guildId}` as const;
  api.checkLimits('GET', route, 0);
  await api.get(route, { signal: AbortSignal.timeout(30_000) });
  expect(() => api.checkLimits('GET', route, 8_000)).toThrow(DiscordFailure);
  api.checkLimits('GET', route, 600_000);
  api.checkLimits('GET', `${route}/roles`, 0);
});
