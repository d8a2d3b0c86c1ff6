import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** How much of a refused body is thrown away before the connection is cut. */
const MOST_DISCARDED_BYTES = 16 * 1024 * 1024;

/** Event streams and exports: sent as they are made, and no faster than they are read. */
const STREAMED = /^(text\/event-stream|text\/csv|application\/x-ndjson)\b/;

/** Sends a web-standard response on a response of node's. */
export async function send(
  message: IncomingMessage,
  response: ServerResponse,
  answer: Response,
): Promise<void> {
  response.statusCode = answer.status;
  for (const [name, value] of answer.headers) if (name !== 'set-cookie') response.setHeader(name, value);
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) response.setHeader('Set-Cookie', cookies);

  if (STREAMED.test(answer.headers.get('Content-Type') ?? '') && answer.body !== null) {
    await sendStream(response, answer.body);
    return;
  }
  const body = Buffer.from(await answer.arrayBuffer());
  response.setHeader('Content-Length', body.length);
  if (message.complete || message.destroyed) {
    response.end(body);
    return;
  }
  response.write(body);
  await discardRest(message);
  response.end();
}

async function sendStream(response: ServerResponse, body: ReadableStream<Uint8Array>): Promise<void> {
  const reader = body.getReader();
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  void closed.then(() => reader.cancel());
  response.flushHeaders();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (!response.write(value)) await Promise.race([once(response, 'drain'), closed]);
  }
  response.end();
}

/**
 * Reads what is left of a body nobody wanted. Ended or reset before that, the connection would take the answer with it:
 * the client, still sending, would meet a broken pipe and never read why.
 */
async function discardRest(message: IncomingMessage): Promise<void> {
  message.removeAllListeners('data');
  let left = MOST_DISCARDED_BYTES;
  await new Promise<void>((resolve) => {
    message.once('end', resolve).once('close', resolve);
    message.on('data', (chunk: Uint8Array) => {
      left -= chunk.length;
      if (left < 0) message.destroy();
    });
    message.resume();
  });
}
