import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { verifies } from '@bailiff/core/testing';
import { afterEach, expect, it } from 'vitest';
import { send } from '#src/http/send.ts';

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** The first request to a new server, from a client that waits for its answer. */
async function exchange(): Promise<{ message: IncomingMessage; response: ServerResponse; leave(): void }> {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [message, response] = await once(server, 'request');
  return { message, response, leave: () => client.destroy() };
}

/** A stream as the live feed and the exports are, with the moment of its release. */
function streamed() {
  const released = Promise.withResolvers<void>();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given;
    },
    cancel: () => released.resolve(),
  });
  const answer = new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
  return {
    answer,
    released: released.promise,
    fail: () => controller?.error(new Error('The query failed.')),
  };
}

it('a stream is released when its client has left before the first byte', async () => {
  verifies('http.streams.released');
  const { message, response, leave } = await exchange();
  leave();
  await once(response, 'close');
  const { answer, released } = streamed();
  await send(message, response, answer);
  await released;
});

it('a stream is released when its client leaves while it is silent', async () => {
  verifies('http.streams.released');
  const { message, response, leave } = await exchange();
  const { answer, released } = streamed();
  const sent = send(message, response, answer);
  leave();
  await released;
  await sent;
});

it('a stream that fails after its client left rejects where it is handled, and nowhere else', async () => {
  verifies('http.streams.released');
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  try {
    const { message, response, leave } = await exchange();
    const { answer, fail } = streamed();
    const sent = send(message, response, answer);
    fail();
    await expect(sent).rejects.toThrow('The query failed.');
    leave();
    await once(response, 'close');
    await new Promise(setImmediate);
    expect(unhandled).toEqual([]);
  } finally {
    process.off('unhandledRejection', note);
  }
});

it('nothing may move in a download for five minutes, in which people pause it', async () => {
  const { message, response } = await exchange();
  const { answer } = streamed();
  answer.headers.set('Content-Disposition', 'attachment; filename="a.csv"');
  void send(message, response, answer).catch(() => {});
  expect(response.socket?.timeout).toBe(300_000);
  response.destroy();
});
