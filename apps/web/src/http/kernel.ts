import { ApiError } from '@bailiff/core';
import { newRequestId } from '@bailiff/engine/calls/request-id';
import { databaseUnavailable, isDatabaseUnavailable } from '@bailiff/engine/database/database-errors';
import { followEffects, type OutcomeSoFar } from '@bailiff/engine/database/effects';
import { type Tracer, traceRequest } from '@bailiff/engine/tracing/spans';
import type { RequestMeter } from '#src/request-meter.ts';

/** The part of a logger that an API needs. */
export interface RequestLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** An API as one handler of web-standard requests. The server in front works out the client's address. */
export interface ApiHandler {
  (request: Request, client: Client): Promise<Response>;
  /** The same handler for a request as Node received it: most calls need no web-standard objects, which are dear. */
  answer(received: ReceivedRequest, client: Client): Promise<ApiAnswer>;
}

interface Client {
  readonly address: string;
}

/** A request to an API. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: URL;
  /** The value of a header, as `Headers` gives it. */
  header(name: string): string | null;
  /** The whole request, with its body. */
  readonly request: Request;
  /** Fires when the client has left, or the answer was sent. */
  readonly signal: AbortSignal;
}

/** An answer of an API, ready to be sent. A response has its headers itself. */
export type ApiAnswer =
  | { readonly status: number; readonly headers: ReadonlyMap<string, string>; readonly body: string }
  | Response;

/** A request to an API with the headers of its answer. */
export interface Exchange {
  readonly received: ReceivedRequest;
  readonly url: URL;
  readonly address: string;
  readonly requestId: string;
  /** When the request came, on the clock of `performance.now()`. */
  readonly receivedAt: number;
  /** What is asked for, as the metrics name it: one of a known few. Undefined until it is known. */
  operation?: string;
  /** The headers of the answer, whatever its status. */
  readonly headers: Map<string, string>;
}

/** A JSON answer; the kernel adds the exchange's headers. */
export interface Answer {
  readonly status: number;
  readonly body: object;
}

/** Who learns of each request. */
export interface Watched {
  /** Absent if no metrics are kept. */
  readonly meter?: RequestMeter | undefined;
  /** Absent if no traces are made. */
  readonly tracer?: Tracer | undefined;
}

interface Api<E extends Exchange> extends Watched {
  /** The name of the API in the log, such as `public api`. */
  readonly name: string;
  readonly log: RequestLog;
  /** Adds the API's own data and headers to an exchange. */
  readonly begin: (exchange: Exchange) => E;
  /** Answers the request. A thrown ApiError becomes the answer; any other error is a fault on our side. */
  readonly serve: (exchange: E) => Promise<Answer | Response>;
  /** The answer for an error. Default: the envelope (spec §7). */
  readonly refuse?: (error: ApiError, exchange: E) => Answer;
  /** Adds the last headers, after the answer is known. */
  readonly complete?: (exchange: E) => Promise<void>;
}

/**
 * An API handler. Every answer has `X-Request-Id` and must not be stored, every error becomes an answer, and every
 * request is logged with its id.
 */
export function createApi<E extends Exchange>(api: Api<E>): ApiHandler {
  const answerTo = async (received: ReceivedRequest, { address }: Client): Promise<ApiAnswer> => {
    const receivedAt = performance.now();
    const requestId = newRequestId();
    const headers = new Map([
      ['X-Request-Id', requestId],
      ['Cache-Control', 'no-store'],
    ]);
    const { method, url } = received;
    const trace = traceRequest(api.tracer, requestId, () => received.header('traceparent'));
    const exchange = api.begin({ received, url, address, requestId, receivedAt, headers });
    let answer: Answer | Response;
    let refused: ApiError | null = null;
    const { result, outcomeSoFar } = trace.run(() => followEffects(async () => api.serve(exchange)));
    try {
      answer = await result;
    } catch (thrown) {
      refused = asApiError(api, exchange, thrown, outcomeSoFar());
      answer = refuse(api, exchange, refused);
    }
    await api.complete?.(exchange);
    const durationMs = performance.now() - receivedAt;
    api.meter?.(api.name, exchange.operation, answer.status, durationMs / 1000, refused);
    const { operation = 'none' } = exchange;
    trace.end({
      name: `${method} ${operation}`,
      attributes: {
        'bailiff.api': api.name,
        'bailiff.operation': operation,
        'bailiff.request_id': requestId,
        'http.request.method': method,
        'http.response.status_code': answer.status,
        ...(refused === null ? {} : { 'error.type': refused.code }),
      },
      failed: answer.status >= 500,
    });
    api.log.info(
      {
        request_id: requestId,
        method,
        path: url.pathname,
        address,
        status: answer.status,
        duration_ms: Math.round(durationMs),
      },
      api.name,
    );
    return withHeaders(answer, headers);
  };
  const handle = async (request: Request, client: Client) => {
    const answer = await answerTo(receivedFrom(request), client);
    return answer instanceof Response
      ? answer
      : new Response(answer.body, { ...answer, headers: [...answer.headers] });
  };
  return Object.assign(handle, { answer: answerTo });
}

/** A web-standard request as an API sees it. */
export function receivedFrom(request: Request): ReceivedRequest {
  const { method, url, headers } = request;
  return { method, url: new URL(url), header: (name) => headers.get(name), request, signal: request.signal };
}

/** The answer for an error outside the APIs, such as an unknown path, in the envelope. */
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

/** The error for a path that takes other methods: 405 with `Allow`. */
export function methodNotAllowed(subject: string, allow: readonly string[], method: string): ApiError {
  return new ApiError('NOT_FOUND', `${subject} takes ${allow.join(', ')}, not ${method}.`, { status: 405 });
}

/** The error for a fault on our side, with the id to report. */
export function internalError(requestId: string): ApiError {
  const message = `Something went wrong on our side. Quote ${requestId} when you report it.`;
  return new ApiError('INTERNAL_ERROR', message);
}

function refuse<E extends Exchange>(api: Api<E>, exchange: E, error: ApiError): Answer {
  if (error.retryAfterSeconds !== undefined) {
    exchange.headers.set('Retry-After', String(error.retryAfterSeconds));
  }
  return api.refuse?.(error, exchange) ?? { status: error.status, body: error.envelope(exchange.requestId) };
}

function asApiError(
  { name, log }: { name: string; log: RequestLog },
  { received, requestId }: Exchange,
  thrown: unknown,
  outcome: OutcomeSoFar,
): ApiError {
  const err = thrown instanceof ApiError ? thrown.cause : thrown;
  const { method, url } = received;
  if (err !== undefined)
    log.error({ request_id: requestId, method, path: url.pathname, err }, `${name} failed`);
  if (thrown instanceof ApiError) return thrown;
  if (!isDatabaseUnavailable(thrown)) return internalError(requestId);
  return databaseUnavailable(received.method === 'GET' ? 'not_performed' : outcome);
}

function withHeaders(answer: Answer | Response, headers: Map<string, string>): ApiAnswer {
  if (!(answer instanceof Response)) {
    if (!headers.has('Content-Type')) headers.set('Content-Type', 'application/json');
    return { status: answer.status, headers, body: JSON.stringify(answer.body) };
  }
  for (const [name, value] of headers) answer.headers.set(name, value);
  return answer;
}
