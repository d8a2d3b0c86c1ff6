import { AsyncLocalStorage } from 'node:async_hooks';
import { inspect } from 'node:util';
import type { Logger } from 'pino';

interface PageRequest {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
}

const currentRequest = new AsyncLocalStorage<PageRequest>();

/** Runs a request that Next answers. What Next prints meanwhile is logged with the request's id. */
export function asPageRequest<Result>(request: PageRequest, run: () => Result): Result {
  return currentRequest.run(request, run);
}

/**
 * Makes log lines of what this process prints: Next reports errors of pages, route handlers and its own on the console
 * and nowhere else that we could rely on.
 */
export function logConsole(log: Logger): void {
  const levels = { debug: 'debug', log: 'info', info: 'info', warn: 'warn', error: 'error' } as const;
  for (const method of ['debug', 'log', 'info', 'warn', 'error'] as const) {
    console[method] = (...values: unknown[]) => logPrinted(log, levels[method], values);
  }
  process.on('warning', (warning) => log.warn({ err: warning }, 'a warning of Node'));
}

function logPrinted(log: Logger, level: 'debug' | 'info' | 'warn' | 'error', values: unknown[]): void {
  const request = currentRequest.getStore();
  const error = values.find((value) => value instanceof Error);
  if (error !== undefined && request !== undefined) {
    // Next renders the page of an error that was thrown on the server, and reports that as another error.
    if (digestOf(error) === request.requestId) return;
    // Next sends the digest, and nothing else of an error, to the browser, once it has printed the error. With the
    // request's id in its place, the page shows what is found in the log.
    Object.assign(error, { digest: request.requestId });
  }
  const fields = {
    ...(request && { request_id: request.requestId, method: request.method, path: request.path }),
    ...(error && { err: error }),
  };
  const texts = values.filter((value) => value !== error).map((value) => textOf(value));
  const text = texts.join(' ').trim();
  // Before an error Next prints no more than a sign.
  const message = error === undefined || /\p{L}/u.test(text) ? text : 'a page failed';
  if (message !== '') log[level](fields, message);
}

function digestOf(error: Error): unknown {
  return 'digest' in error ? error.digest : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : inspect(value, { depth: 2 });
}
