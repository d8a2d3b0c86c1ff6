import { verifies } from '@bailiff/core/testing';
import { newRequestId } from '@bailiff/engine/calls/request-id';
import { type Span, traceRequest } from '@bailiff/engine/tracing/spans';
import { startSandbox } from '@bailiff/sandbox';
import { expect, onTestFinished, test } from 'vitest';
import { createDiscordApi } from '#src/discord-api.ts';
import { createLog } from '#src/log.ts';

test('a request to Discord is a span that names neither whom it is about nor the token of an interaction', async () => {
  verifies('ops.traces');
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const log = createLog('silent', []);
  const api = createDiscordApi({ token: sandbox.botToken, apiUrl: sandbox.apiUrl, log });
  const spans: Span[] = [];
  const tracer = { wants: () => true, take: (span: Span) => void spans.push(span) };
  const signal = AbortSignal.timeout(30_000);
  await traceRequest(tracer, newRequestId()).run(async () => {
    await api.get(`/guilds/${sandbox.guildId}/members?limit=1`, { signal });
    const original = `/webhooks/${sandbox.clientId}/aW50ZXJhY3Rpb24/messages/@original` as const;
    await api.send('PATCH', original, { signal, body: {} }).catch(() => {});
  });
  const attributes = { 'peer.service': 'discord' };
  expect(spans).toMatchObject([
    { name: 'GET /guilds/{id}/members', kind: 'client', attributes, failed: false },
    { name: 'PATCH /webhooks/{id}/{id}/messages/@original', kind: 'client', attributes, failed: true },
  ]);
});
