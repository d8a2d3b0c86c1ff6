import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** What the server does with a request. */
export type Behaviour = (response: ServerResponse, received: Received) => void;

/**
 * A server on a real socket. The first behaviour handles the first request and so on; the last one handles all others.
 */
export async function startHostileServer(...behaviours: Behaviour[]) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const one = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
    const behave = behaviours[Math.min(received.length, behaviours.length - 1)];
    received.push(one);
    behave?.(response, one);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export type HostileServer = Awaited<ReturnType<typeof startHostileServer>>;

export function json(status: number, body: object, headers: Record<string, string> = {}): Behaviour {
  return (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', 'X-Request-Id': 'req_1', ...headers });
    response.end(JSON.stringify(body));
  };
}

export function refusal(
  status: number,
  code: string,
  retryable: boolean,
  { details, retryAfter }: { details?: object; retryAfter?: string } = {},
): Behaviour {
  const error = { code, message: `It is ${code}.`, retryable, request_id: 'req_1', details };
  return json(status, { error }, retryAfter === undefined ? {} : { 'Retry-After': retryAfter });
}

export function html(status: number): Behaviour {
  return (response) => {
    response.writeHead(status, { 'Content-Type': 'text/html' });
    response.end('<!doctype html><title>Bad Gateway</title>');
  };
}

export const dropConnection: Behaviour = (response) => void response.socket?.destroy();

/** Starts an answer and never ends it. */
export const neverEnd: Behaviour = (response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.write('{"data":[');
};

/** Sends an endless body as fast as the client reads it; `sent` returns the number of bytes so far. */
export function endless(): { readonly behave: Behaviour; readonly sent: () => number } {
  let sent = 0;
  const behave: Behaviour = (response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    const more = () => {
      do sent += 65_536;
      while (response.writable && response.write('x'.repeat(65_536)));
    };
    response.on('drain', more);
    more();
  };
  return { behave, sent: () => sent };
}

export function redirectTo(url: string): Behaviour {
  return (response) => {
    response.writeHead(307, { Location: url });
    response.end();
  };
}
