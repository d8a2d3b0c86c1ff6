import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** An answer as it was read from a socket. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const DEADLINE_MS = 120_000;

/**
 * The first answer to bytes that are sent unchanged over a new connection, read until the connection ends.
 *
 * @throws Error if the server leaves the connection open for two minutes.
 */
export async function sendBytes(port: number, bytes: string | Buffer): Promise<WireAnswer> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  return answerOn(socket);
}

/** The first answer on a connection, read until it ends; a reset after the answer counts as its end. */
export async function answerOn(socket: Socket): Promise<WireAnswer> {
  const chunks: Buffer[] = [];
  const deadline = setTimeout(() => socket.destroy(new Error('The server said nothing more.')), DEADLINE_MS);
  let failure: Error | undefined;
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', (error) => {
    failure = error;
  });
  await once(socket, 'close');
  clearTimeout(deadline);
  const received = Buffer.concat(chunks).toString('latin1');
  if (received === '') throw failure ?? new Error('The server ended the connection without an answer.');
  return parseAnswer(received);
}

function parseAnswer(received: string): WireAnswer {
  const end = received.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = received.slice(0, end).split('\r\n');
  const status = Number(statusLine.split(' ')[1]);
  // A final answer follows an interim one.
  if (status === 100) return parseAnswer(received.slice(end + 4));
  const headers = new Headers(
    lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(':')),
      line.slice(line.indexOf(':') + 1),
    ]),
  );
  const length = headers.get('Content-Length');
  const rest = received.slice(end + 4);
  const body = length === null ? rest : rest.slice(0, Number(length));
  return { status, headers, text: Buffer.from(body, 'latin1').toString('utf8') };
}

/** The bytes of a request with `Connection: close`. */
export function requestBytes(
  method: string,
  target: string,
  headers: readonly string[] = [],
  body = '',
): string {
  return [`${method} ${target} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers, '', body].join('\r\n');
}
