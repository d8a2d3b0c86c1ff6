import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { untilClosed, verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { forward } from './forwarding.ts';
import { bot, refusalOf, setStage } from './harness.ts';

/** Stands between the bot and the sandbox. Once it has answered a request to which this applies, nobody can connect. */
async function startVanishing(upstream: string, isLast: (path: string) => boolean) {
  const server = createServer(async (request, response) => {
    const { url, answer, text } = await forward(request, upstream);
    if (isLast(url)) {
      const { port } = server.address() as AddressInfo;
      server.close();
      await untilClosed(port);
    }
    const type = answer.headers.get('Content-Type') ?? 'text/plain';
    response.writeHead(answer.status, { 'Content-Type': type, Connection: 'close' });
    response.end(text === '' ? undefined : text);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

test('a ticket whose channel could not even be asked to be deleted is not closed, and can be closed at once', async () => {
  verifies('errors.upstream-unavailable.discord');
  const stage = await setStage();
  const { body } = await stage.act('tickets.open', 'owner', { subject: 'Griefed' });
  const { id, channel_id } = (body as { ticket: { id: string; channel_id: string } }).ticket;
  await stage.bot.stop();
  const origin = new URL(stage.sandbox.apiUrl).origin;
  // The last read is whether anything was written since the first.
  const discord = await startVanishing(
    origin,
    (path) => path.includes(`/channels/${channel_id}/messages?`) && /after=(?!0&|0$)/.test(path),
  );
  const close = () => stage.act('tickets.close', 'owner', { ticket_id: id });
  let running = await bot({ ...stage.config, discordApiUrl: discord.url });
  try {
    await running.settled;
    expect(await refusalOf(close())).toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      details: { outcome: 'not_performed' },
    });
    await running.stop();
    running = await bot(stage.config);
    await running.settled;
    expect(await close()).toMatchObject({ body: { ticket: { status: 'closed' } } });
  } finally {
    await running.stop();
    discord.close();
    await stage.close();
  }
});
