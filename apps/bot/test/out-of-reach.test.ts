import { once } from 'node:events';
import { createServer } from 'node:http';
import { listenOnOwn, untilClosed, verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { forward } from './forwarding.ts';
import { bot, refusalOf, setStage } from './harness.ts';

/**
 * Stands between the bot and the sandbox. Once it has answered a request to which this applies, nobody can connect until
 * it is `back`.
 */
async function startVanishing(upstream: string, isLast: (path: string) => boolean) {
  let isBack = false;
  const server = createServer(async (request, response) => {
    const { url, answer, text } = await forward(request, upstream);
    if (!isBack && isLast(url)) {
      server.close();
      await untilClosed(port);
    }
    const type = answer.headers.get('Content-Type') ?? 'text/plain';
    response.writeHead(answer.status, { 'Content-Type': type, Connection: 'close' });
    response.end(text === '' ? undefined : text);
  });
  const listenOn = async (at: number) => {
    server.listen(at, '127.0.0.1');
    await once(server, 'listening'); // rejects on 'error'
  };
  const port = await listenOnOwn(listenOn);
  return {
    url: `http://127.0.0.1:${port}/api`,
    back: () => {
      isBack = true;
      return listenOn(port);
    },
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
  // Until the bot has written there. In an empty channel, the last read would be another one than the one below.
  await stage.row("SELECT FROM graphile_worker.jobs WHERE key LIKE 'welcome_ticket:%' HAVING count(*) = 0");
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

test('a purge goes on when Discord cannot be reached for a while after its first messages were deleted', async () => {
  verifies('purge.long', 'errors.upstream-unavailable.discord');
  const stage = await setStage();
  await stage.bot.stop();
  const channel_id = stage.sandbox.channels.general ?? '';
  stage.sandbox.control.messages({ user: 'troll', channel: channel_id, content: 'coins', count: 250 });
  const origin = new URL(stage.sandbox.apiUrl).origin;
  const discord = await startVanishing(origin, (path) => path.endsWith('/messages/bulk-delete'));
  const running = await bot({ ...stage.config, discordApiUrl: discord.url });
  try {
    await running.settled;
    const call = stage.act('messages.purge', 'owner', { channel_id, count: 250, include_pinned: false });
    expect(await call).toMatchObject({ status: 202, body: { action: { state: 'running' } } });
    // Nobody waits for it any more, and it is at the next messages.
    await stage.row(
      `SELECT FROM actions WHERE operation = 'messages.purge' AND (state <> 'running'
        OR continues_since IS NOT NULL AND worker IS NOT NULL AND work->'deleting'->'isSent' = 'true')`,
    );
    await discord.back();
    const { result } = await stage.row<{ result: object }>(
      "SELECT result FROM actions WHERE operation = 'messages.purge' AND state <> 'running'",
    );
    expect(result).toMatchObject({ purge: { requested: 250, deleted: 250 } });
    const bulk = stage.sandbox.requests.filter(({ path }) => path.endsWith('/messages/bulk-delete'));
    const ids = bulk.flatMap(({ body }) => (body as { messages: string[] }).messages);
    expect([ids.length, new Set(ids).size]).toEqual([250, 250]);
  } finally {
    await running.stop();
    discord.close();
    await stage.close();
  }
});
