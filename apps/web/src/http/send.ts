import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiAnswer } from './kernel.ts';

/** How many bytes of a refused body are discarded before the connection is closed. */
const MOST_DISCARDED_BYTES = 16 * 1024 * 1024;

/** How long nothing may move in a download: people pause one in their browser, and an export waits for its turns. */
const SILENT_DOWNLOAD_MS = 5 * 60_000;

function isDownload({ headers }: Response): boolean {
  return headers.get('Content-Disposition')?.startsWith('attachment') === true;
}

/** Whether an answer is sent as it is produced, and no faster than the client reads: events and downloads are. */
function isStreamed(answer: Response): boolean {
  return isDownload(answer) || answer.headers.get('Content-Type')?.startsWith('text/event-stream') === true;
}

/** Sends the answer of an API on a response of Node, with these headers besides its own. */
export async function sendAnswer(
  message: IncomingMessage,
  response: ServerResponse,
  answer: ApiAnswer,
  others: readonly (readonly [string, string])[],
): Promise<void> {
  if (answer instanceof Response) {
    for (const [name, value] of others) response.setHeader(name, value);
    return send(message, response, answer);
  }
  const { status, headers, body } = answer;
  // A flat list goes into the message as it is.
  const list = ['Content-Length', String(Buffer.byteLength(body))];
  for (const header of others) list.push(...header);
  for (const header of headers) list.push(...header);
  response.writeHead(status, list);
  await end(message, response, body);
}

/** Sends a web-standard response on a response of Node. */
export async function send(
  message: IncomingMessage,
  response: ServerResponse,
  answer: Response,
): Promise<void> {
  response.statusCode = answer.status;
  for (const [name, value] of answer.headers) if (name !== 'set-cookie') response.setHeader(name, value);
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) response.setHeader('Set-Cookie', cookies);

  if (isDownload(answer)) response.setTimeout(SILENT_DOWNLOAD_MS);
  if (isStreamed(answer) && answer.body !== null) {
    await sendStream(response, answer.body);
    return;
  }
  const body = Buffer.from(await answer.arrayBuffer());
  response.setHeader('Content-Length', body.length);
  await end(message, response, body);
}

async function end(message: IncomingMessage, response: ServerResponse, body: Buffer | string): Promise<void> {
  if (message.complete || message.destroyed) {
    response.end(body);
    return;
  }
  response.write(body);
  await discardRest(message);
  response.end();
}

async function sendStream(response: ServerResponse, body: ReadableStream<Uint8Array>): Promise<void> {
  // A client that left before this has closed the response already, and it does not close again.
  if (response.destroyed) return body.cancel();
  const reader = body.getReader();
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  // A stream that failed cannot be cancelled; its error is thrown below.
  void closed.then(() => reader.cancel()).catch(() => {});
  response.flushHeaders();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (!response.write(value)) await Promise.race([once(response, 'drain'), closed]);
  }
  response.end();
}

/**
 * Discards the rest of an unread body. If the connection ended first, a client that still sends would get a broken pipe
 * and never read the answer.
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
