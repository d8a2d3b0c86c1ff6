import type { Failure } from './error.ts';
import type { ErrorEnvelope } from './operations.ts';
import type { ApiRequest } from './request.ts';

/**
 * More than the longest answer: the output of a command is at most 1 MiB, and JSON may escape each byte of it as six.
 */
const MOST_BYTES = 8 * 1024 * 1024;

/** Error codes of connections that failed before the request could be sent. */
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Error codes of servers whose certificate is not trusted: the request is not sent, and waiting does not help. */
const NOT_TRUSTED = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'CERT_UNTRUSTED',
  'CERT_REJECTED',
  'CERT_SIGNATURE_FAILURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'INVALID_CA',
  'HOSTNAME_MISMATCH',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** Where requests are sent, and the token they carry. */
export interface Connection {
  /** Without a slash at its end. */
  readonly url: string;
  readonly token: string;
  readonly userAgent: string;
  readonly fetch: typeof fetch;
}

export type AttemptResult =
  | { readonly ok: true; readonly status: number; readonly headers: Headers; readonly body: object }
  | { readonly ok: false; readonly failure: Failure };

/**
 * Sends a request once and returns its answer or failure.
 *
 * @param idempotencyKey of a write
 * @param preferSeconds how long the answer may wait for a decision
 * @param timeoutMs for the whole answer
 * @throws the reason of `signal` when it aborts
 */
export async function attempt(
  connection: Connection,
  request: ApiRequest,
  {
    idempotencyKey,
    preferSeconds,
  }: { idempotencyKey: string | undefined; preferSeconds?: number | undefined },
  timeoutMs: number,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const { method, path, body } = request;
  const timeout = AbortSignal.timeout(timeoutMs);
  const init: RequestInit = {
    method,
    headers: {
      Authorization: `Bearer ${connection.token}`,
      'User-Agent': connection.userAgent,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
      ...(preferSeconds === undefined ? {} : { Prefer: `wait=${preferSeconds}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    // A redirect could send the token to another server.
    redirect: 'manual',
    signal: AbortSignal.any([signal, timeout]),
  };
  let response: Response;
  let text: string | undefined;
  try {
    response = await connection.fetch(`${connection.url}/api/public/v1${path}`, init);
    text = await readText(response);
  } catch (error) {
    signal.throwIfAborted();
    return { ok: false, failure: noAnswer(connection, method, error) };
  }
  const { status, headers } = response;
  const answer = text === undefined ? undefined : parseJson(text);
  if (response.ok && typeof answer === 'object' && answer !== null) {
    return { ok: true, status, headers, body: answer };
  }
  if (isEnvelope(answer)) return { ok: false, failure: refusal(method, response, answer) };
  return { ok: false, failure: unexpected(connection, method, response) };
}

/** The body as text; undefined if it is too long to be an answer from Bailiff. */
async function readText(response: Response): Promise<string | undefined> {
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.length;
    // Leaving the loop cancels the body.
    if (bytes > MOST_BYTES) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function noAnswer({ url }: Connection, method: string, error: unknown): Failure {
  const reason = reasonOf(error);
  const isTrusted = !NOT_TRUSTED.has(reason);
  return {
    code: 'NO_ANSWER',
    message: isTrusted
      ? `${url} gave no answer (${reason}). Is Bailiff running there?`
      : `The certificate of ${url} is not trusted (${reason}), so nothing was sent.`,
    retryable: isTrusted,
    mayHaveHappened: method !== 'GET' && isTrusted && !NOT_CONNECTED.has(reason),
    cause: error,
  };
}

function unexpected({ url }: Connection, method: string, response: Response): Failure {
  const { status } = response;
  const mayPass = status >= 500 || status === 429;
  return {
    code: 'UNEXPECTED_ANSWER',
    message: `${url} answered ${status} with something that is not Bailiff's. Is this its address?`,
    status,
    retryable: mayPass,
    ...retryAfter(response),
    mayHaveHappened: method !== 'GET' && (mayPass || response.ok),
  };
}

function refusal(method: string, response: Response, envelope: ErrorEnvelope): Failure {
  // An older instance leaves empty details out.
  const { code, message, retryable, request_id, details = {} } = envelope.error;
  const outcome = 'outcome' in details ? details.outcome : undefined;
  // A newer instance may have more outcomes.
  const isUncertain = outcome === undefined ? code === 'INTERNAL_ERROR' : outcome !== 'not_performed';
  // If the outcome of an action is unknown, a repeated request gets the same stored answer. Use "actions.get" to see
  // the outcome.
  const isStored = outcome === 'unknown' && 'action_id' in details;
  // The first call with this key: one of this process, or of the program before it was started again.
  const isUnderWay = 'scope' in details && details.scope === 'idempotency_key';
  return {
    code,
    message,
    status: response.status,
    details,
    requestId: request_id,
    retryable: retryable && !isStored,
    ...retryAfter(response),
    mayHaveHappened: method !== 'GET' && (isUncertain || isUnderWay),
    // An older instance says so of a call that still runs, too.
    isReplay: isReplay(response.headers) && response.status !== 429,
    envelope: { error: { ...envelope.error, details } },
  };
}

/** Whether an answer is that of an earlier call with the same Idempotency-Key. */
export function isReplay(headers: Headers): boolean {
  return headers.get('Idempotent-Replayed') === 'true';
}

function retryAfter({ headers }: Response): { retryAfterSeconds?: number } {
  const given = headers.get('Retry-After') ?? '';
  return /^\d{1,6}$/.test(given) ? { retryAfterSeconds: Number(given) } : {};
}

/** Whether a body is the envelope of all errors. Codes are locked at v1. An unknown code is passed on. */
function isEnvelope(body: unknown): body is ErrorEnvelope {
  const error = fieldsOf(fieldsOf(body)?.error);
  return (
    typeof error?.code === 'string' &&
    typeof error.message === 'string' &&
    typeof error.retryable === 'boolean' &&
    typeof error.request_id === 'string' &&
    (error.details === undefined || fieldsOf(error.details) !== undefined)
  );
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

/** What Deno writes of connections, which it gives no codes: an error code that says the same. */
const IN_DENO: readonly (readonly [words: string, code: string])[] = [
  ['invalid peer certificate', 'CERT_REJECTED'],
  ['client error (Connect)', 'ECONNREFUSED'],
];

/** The system's name for a failure, such as ECONNREFUSED, if it has one. In Bun the error itself has it. */
function reasonOf(error: unknown): string {
  const { name, message, code, cause } = error as Error & {
    code?: string | number;
    cause?: { code?: string; message?: string };
  };
  const known = IN_DENO.find(([words]) => String(message).includes(words));
  if (known !== undefined) return known[1];
  return cause?.code ?? (typeof code === 'string' ? code : (cause?.message ?? name));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
