import { ApiError } from '@bailiff/core';
import { newRequestId } from '@bailiff/engine/calls/request-id';
import { databaseUnavailable, isDatabaseUnavailable } from '@bailiff/engine/database/database-errors';

/** The part of a logger that an API needs. */
export interface RequestLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** An API as one web-standard handler. The server in front works out the client's address. */
export type ApiHandler = (request: Request, client: { readonly address: string }) => Promise<Response>;

/** One request to an API, until it is answered. */
export interface Exchange {
  readonly request: Request;
  readonly url: URL;
  readonly address: string;
  readonly requestId: string;
  /** The answer's headers, whatever the answer turns out to be. */
  readonly headers: Headers;
}

/** A JSON answer; the kernel adds the exchange's headers. */
export interface Answer {
  readonly status: number;
  readonly body: object;
}

interface Api<E extends Exchange> {
  /** What the log calls it, such as `public api`. */
  readonly name: string;
  readonly log: RequestLog;
  /** Adds what the API itself keeps of an exchange, and its headers. */
  readonly begin: (exchange: Exchange) => E;
  /** Answers, or throws: an ApiError is the answer, anything else a fault of ours. */
  readonly serve: (exchange: E) => Promise<Answer | Response>;
  /** An error as this API says it. Default: the envelope (spec §7). */
  readonly refuse?: (error: ApiError, exchange: E) => Answer;
  /** Completes the headers once the answer is known. */
  readonly complete?: (exchange: E) => Promise<void>;
}

/**
 * An API whose every answer has `X-Request-Id` and is stored by nobody, whose errors all become answers, and whose every
 * request is in the log with its id.
 */
export function createApi<E extends Exchange>(api: Api<E>): ApiHandler {
  return async (request, { address }) => {
    const startedAt = performance.now();
    const requestId = newRequestId();
    const headers = new Headers({ 'X-Request-Id': requestId, 'Cache-Control': 'no-store' });
    const exchange = api.begin({ request, url: new URL(request.url), address, requestId, headers });
    let answer: Answer | Response;
    try {
      answer = await api.serve(exchange);
    } catch (thrown) {
      answer = refuse(api, exchange, thrown);
    }
    await api.complete?.(exchange);
    api.log.info(
      {
        request_id: requestId,
        method: request.method,
        path: exchange.url.pathname,
        address,
        status: answer.status,
        duration_ms: Math.round(performance.now() - startedAt),
      },
      api.name,
    );
    return toResponse(answer, headers);
  };
}

/** An error that no API answers, such as a path of no API, in the envelope. */
export function refusal(error: ApiError, requestId = newRequestId()): Response {
  const { retryAfterSeconds } = error;
  return Response.json(error.envelope(requestId), {
    status: error.status,
    headers: {
      'X-Request-Id': requestId,
      ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
    },
  });
}

/** The answer to a path that takes other methods: 405 with `Allow`. */
export function methodNotTaken(subject: string, allow: readonly string[], method: string): ApiError {
  return new ApiError('NOT_FOUND', `${subject} takes ${allow.join(', ')}, not ${method}.`, { status: 405 });
}

/** What went wrong on our side, for somebody who can only report it. */
export function internalError(requestId: string): ApiError {
  const message = `Something went wrong on our side. Quote ${requestId} when you report it.`;
  return new ApiError('INTERNAL_ERROR', message);
}

function refuse<E extends Exchange>(api: Api<E>, exchange: E, thrown: unknown): Answer {
  const error = asApiError(api, exchange, thrown);
  if (error.retryAfterSeconds !== undefined) {
    exchange.headers.set('Retry-After', String(error.retryAfterSeconds));
  }
  return api.refuse?.(error, exchange) ?? { status: error.status, body: error.envelope(exchange.requestId) };
}

function asApiError(
  { name, log }: { name: string; log: RequestLog },
  { requestId }: Exchange,
  thrown: unknown,
): ApiError {
  if (thrown instanceof ApiError) return thrown;
  log.error({ request_id: requestId, err: thrown }, `${name} failed`);
  return isDatabaseUnavailable(thrown) ? databaseUnavailable('not_performed') : internalError(requestId);
}

function toResponse(answer: Answer | Response, headers: Headers): Response {
  if (!(answer instanceof Response)) {
    if (!headers.has('Content-Type')) headers.set('Content-Type', 'application/json');
    return new Response(JSON.stringify(answer.body), { status: answer.status, headers });
  }
  for (const [name, value] of headers) answer.headers.set(name, value);
  return answer;
}
