import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError, clientAddress } from '@bailiff/core';
import { newRequestId } from '@bailiff/engine/calls/request-id';
import { patience } from '@bailiff/engine/database/database-errors';
import { PUBLIC_LIMIT, publicLimit } from '#src/address-limit.ts';
import type { Runtime } from '#src/runtime.ts';

/** How long a refused client has to read the answer and to leave. */
const LEAVES_WITHIN_MS = 3_000;

/** Connections that are being answered. A parser that goes on after an error reports further ones. */
const answered = new WeakSet<Duplex>();

/** The requests of each connection that are being answered, in their order. */
const underWay = new WeakMap<Duplex, Map<ServerResponse, IncomingMessage>>();

/**
 * Notes that a request is being answered, so that nothing is written into its answer. Returns whether it may be: behind
 * one that is refused nothing is done any more.
 */
export function beginAnswer(message: IncomingMessage, response: ServerResponse): boolean {
  const { socket } = message;
  if (answered.has(socket)) return false;
  const begun = underWay.get(socket) ?? new Map<ServerResponse, IncomingMessage>();
  underWay.set(socket, begun.set(response, message));
  response.once('close', () => begun.delete(response));
  return true;
}

/**
 * Answers a request that is not valid HTTP or asks for a tunnel with one JSON error, and closes the connection. It counts
 * as a request to the public API, because its path is not known (decisions: Request pipeline).
 *
 * What comes behind a whole request gets no answer of its own: its caller would take it for the one to the request.
 */
export async function refuseUnreadable(
  { config, db, log }: Pick<Runtime, 'config' | 'db' | 'log'>,
  error: NodeJS.ErrnoException | null,
  socket: Duplex,
): Promise<void> {
  if (answered.has(socket)) return;
  answered.add(socket);
  if (!socket.writable || error?.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const begun = [...(underWay.get(socket) ?? [])];
  const whole = begun.flatMap(([response, message]) => (message.complete ? [response] : []));
  let refused = errorOf(error);
  let left = 0;
  try {
    const peer = socket instanceof Socket ? (socket.remoteAddress ?? '') : '';
    const address = clientAddress(peer, null, config.trustedProxies);
    left = await patience().within(publicLimit(db.pool).count(address));
  } catch (thrown) {
    if (thrown instanceof ApiError) refused = thrown;
    else log.warn({ err: thrown }, 'an unreadable request was not counted');
  }
  const last = whole.at(-1);
  if (last !== undefined) {
    last.shouldKeepAlive = false;
    // Answers come in the order of their requests. Of a client that leaves, the last one may never begin.
    if (!last.closed && !socket.destroyed) {
      await new Promise<void>((resolve) => {
        for (const each of [last, socket]) each.once('close', resolve);
      });
    }
    socket.end();
  } else {
    socket.end(answerOf(refused, left));
  }
  // This ends our side only. A client that does not end its own would hold the connection for ever: Node leaves to us
  // when a connection ends about which it has told us.
  setTimeout(() => socket.destroy(), LEAVES_WITHIN_MS).unref();
}

function errorOf(error: NodeJS.ErrnoException | null): ApiError {
  const [status, message] =
    error?.code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'The headers are larger than 16 KiB.']
      : error?.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'The request did not arrive in time.']
        : [400, 'This is not a request this server takes.'];
  const issues = [{ path: '', message }];
  return new ApiError('VALIDATION_FAILED', message, { status, details: { issues } });
}

function answerOf(error: ApiError, left: number): string {
  const requestId = newRequestId();
  const body = JSON.stringify(error.envelope(requestId));
  const { retryAfterSeconds } = error;
  return [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-RateLimit-Limit: ${PUBLIC_LIMIT.requests}`,
    `X-RateLimit-Remaining: ${left}`,
    ...(retryAfterSeconds === undefined ? [] : [`Retry-After: ${retryAfterSeconds}`]),
    `X-Request-Id: ${requestId}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
