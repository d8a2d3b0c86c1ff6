import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ReceivedRequest } from './kernel.ts';

/** The methods that `new Request` refuses (Fetch §2.2.1). */
const FORBIDDEN_METHODS = new Set(['CONNECT', 'TRACE', 'TRACK']);

/**
 * A web-standard request for a request of Node. The body is read on demand, chunk by chunk.
 *
 * @param base the origin of the path; the `Host` header is not trusted
 */
export function toWebRequest(message: IncomingMessage, base: string): Request {
  const method = message.method ?? 'GET';
  const headers = new Headers();
  for (let index = 0; index + 1 < message.rawHeaders.length; index += 2) {
    headers.append(message.rawHeaders[index] ?? '', message.rawHeaders[index + 1] ?? '');
  }
  const hasBody = hasBodyOf(message) && method !== 'GET' && method !== 'HEAD';
  const carried = FORBIDDEN_METHODS.has(method.toUpperCase()) ? 'POST' : method;
  const request = new Request(new URL(`${base}${pathOf(message)}`), {
    method: carried,
    headers,
    ...(hasBody ? { body: bodyOf(message), duplex: 'half' } : {}),
  });
  // The handler gets the method as sent, so that it can name it in the refusal.
  if (request.method !== method) Object.defineProperty(request, 'method', { value: method });
  return request;
}

/** A request of Node as an API sees it. Its web-standard request and its signal are made when somebody asks for them. */
export function toReceived(
  message: IncomingMessage,
  response: ServerResponse,
  base: string,
): ReceivedRequest {
  let request: Request | undefined;
  let signal: AbortSignal | undefined;
  return {
    method: message.method ?? 'GET',
    url: new URL(`${base}${pathOf(message)}`),
    header: (name) => message.headersDistinct[name.toLowerCase()]?.join(', ') ?? null,
    get request() {
      request ??= toWebRequest(message, base);
      return request;
    },
    get signal() {
      signal ??= endOf(response);
      return signal;
    },
  };
}

function endOf(response: ServerResponse): AbortSignal {
  const ended = new AbortController();
  if (response.destroyed) ended.abort();
  else response.once('close', () => ended.abort());
  return ended.signal;
}

/** The path and query as sent, for every form of request target (RFC 9112 §3.2). */
export function pathOf(message: IncomingMessage): string {
  const target = message.url ?? '/';
  if (target.startsWith('/')) return target;
  const withoutOrigin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(.*)$/i.exec(target)?.[1] ?? '';
  return withoutOrigin.startsWith('/') ? withoutOrigin : `/${withoutOrigin}`;
}

/** More than any page has. */
export const MOST_PARAMETERS = 100;

/**
 * Whether the address of a page has more parameters than one can have. Next looks for each of them among all: of some
 * thousand, which fit into an address, that takes a second.
 */
export function hasTooManyParameters(message: IncomingMessage): boolean {
  return pathOf(message).split('&', MOST_PARAMETERS + 1).length > MOST_PARAMETERS;
}

/** Where a request was sent: the host of its target, if that names one, or else of its `Host` (RFC 9112 §3.2.2). */
export function hostOf({ url = '/', headers }: IncomingMessage): string {
  return /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1] ?? headers.host ?? '';
}

function hasBodyOf(message: IncomingMessage): boolean {
  const length = message.headers['content-length'];
  return message.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/**
 * The body as a web stream. Unlike `Readable.toWeb`, cancelling it keeps the connection open, because the answer, such
 * as a 413, must still be sent.
 */
function bodyOf(message: IncomingMessage): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      // Its client has left, and no event of the message says so any more.
      if (message.destroyed && !message.complete) {
        controller.error(message.errored ?? new Error('aborted'));
        return;
      }
      message.pause();
      message.on('data', (chunk: Uint8Array) => {
        message.pause();
        controller.enqueue(new Uint8Array(chunk));
      });
      message.once('end', () => controller.close());
      message.once('error', (error) => controller.error(error));
    },
    pull() {
      message.resume();
    },
    cancel() {
      message.removeAllListeners('data');
      message.removeAllListeners('end');
    },
  });
}
