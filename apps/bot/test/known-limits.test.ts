import { verifies } from '@bailiff/core/testing';
import { startSandbox } from '@bailiff/sandbox';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createDiscordApi, DiscordFailure } from '#src/discord-api.ts';
import { createLog } from '#src/log.ts';
import { RateLimits } from '#src/rate-limits.ts';

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

test('a limit ends when it ends, although the machine’s clock stepped back meanwhile', async () => {
  verifies('H10');
  const sandbox = await startSandbox({ rateLimit: { limit: 1, windowSeconds: 1 } });
  onTestFinished(() => sandbox.close());
  onTestFinished(() => void vi.useRealTimers());
  const log = createLog('silent', []);
  const api = createDiscordApi({ token: sandbox.botToken, apiUrl: sandbox.apiUrl, log });
  const guild = () => api.get(`/guilds/${sandbox.guildId}`, { signal: AbortSignal.timeout(30_000) });
  // The library learns with the first answer which limit it is, and of that with the second.
  for (const _time of [1, 2]) await guild();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
  expect(await guild()).toMatchObject({ id: sandbox.guildId });
});

test('a limit of all requests ends when it ends, although the machine’s clock stepped back meanwhile', async () => {
  verifies('H10');
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  onTestFinished(() => void vi.useRealTimers());
  const log = createLog('silent', []);
  const api = createDiscordApi({ token: sandbox.botToken, apiUrl: sandbox.apiUrl, log });
  const guild = (longestWaitMs: number) =>
    api.get(`/guilds/${sandbox.guildId}`, { signal: AbortSignal.timeout(30_000), longestWaitMs });
  sandbox.control.addFault({ route: '/guilds/*', rate_limit: { retry_after: 1, global: true } });
  await expect(guild(0)).rejects.toMatchObject({ kind: 'not_sent' });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
  expect(await guild(10_000)).toMatchObject({ id: sandbox.guildId });
});

test('messages of a guild are deleted in bulk once a second, in whichever of its channels', () => {
  const limits = new RateLimits();
  const inChannel = (channel: string, guildId: string) => ({
    method: 'POST',
    route: `/channels/${channel}/messages/bulk-delete`,
    guildId,
  });
  const [first, second] = ['834989431927603201', '834989431927603202'];
  const [guild, other] = ['834989431927603203', '834989431927603204'];
  limits.admit(inChannel(first, guild)).end();
  expect(limits.waitMs(inChannel(second, guild))).toBeGreaterThan(0);
  expect(limits.waitMs(inChannel(second, other))).toBe(0);
});
