import type { ErrorEnvelope } from '@bailiff/core';
import { z } from 'zod';
import type { Account } from './account.ts';
import { envelopeOf } from './errors.ts';
import { VERSION } from './version.ts';

/** The server answers within 10 s. This limit is for a server that does not. */
const REQUEST_TIMEOUT_MS = 14_000;

/** A request to the public API. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below `/api/public/v1`, with its query. */
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
  /** The key of a write: with the same key it is carried out once, even if it is sent several times. */
  readonly idempotencyKey?: string;
}

export type Reply =
  | { readonly ok: true; readonly body: object }
  | { readonly ok: false; readonly envelope: ErrorEnvelope; readonly retryAfterSeconds?: number };

const Envelope = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    retryable: z.boolean(),
    request_id: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
});

/** Error codes of connections that failed before the request could be sent. */
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * Sends a request and returns its answer. If there is no answer, or it is not from Bailiff, the result is an error
 * envelope too.
 *
 * @throws when `signal` aborts
 */
export async function sendRequest(
  account: Account,
  request: ApiRequest,
  signal: AbortSignal,
): Promise<Reply> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${account.url}/api/public/v1${request.path}`, {
      method: request.method,
      headers: headersOf(account, request),
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      // A redirect could send the token to another server.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
    });
    text = await response.text();
  } catch (error) {
    signal.throwIfAborted();
    return { ok: false, envelope: unreachable(account, request, error) };
  }
  const body = parseJson(text);
  if (response.ok && typeof body === 'object' && body !== null) return { ok: true, body };
  const envelope = Envelope.safeParse(body);
  if (!envelope.success) return { ok: false, envelope: foreignAnswer(account, request, response.status) };
  const retryAfter = response.headers.get('retry-after');
  return {
    ok: false,
    // Codes are locked at v1. An unknown code is passed on.
    envelope: envelope.data as ErrorEnvelope,
    ...(/^\d{1,6}$/.test(retryAfter ?? '') ? { retryAfterSeconds: Number(retryAfter) } : {}),
  };
}

function headersOf(account: Account, request: ApiRequest): Record<string, string> {
  return {
    Authorization: `Bearer ${account.secret}`,
    'User-Agent': `bailiff-mcp/${VERSION}`,
    ...(request.body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(request.idempotencyKey === undefined ? {} : { 'Idempotency-Key': request.idempotencyKey }),
  };
}

function unreachable(account: Account, request: ApiRequest, error: unknown): ErrorEnvelope {
  const code = codeOf(error);
  const isNotSent = NOT_CONNECTED.has(code);
  const happened = isNotSent || request.method === 'GET' ? 'not_performed' : 'unknown';
  const what = isNotSent ? 'cannot be reached' : 'gave no answer';
  return envelopeOf(
    'UPSTREAM_UNAVAILABLE',
    `${account.url} ${what} (${code}). Is it running, and is this its address?`,
    { upstream: 'bailiff', outcome: happened },
  );
}

function foreignAnswer(account: Account, request: ApiRequest, status: number): ErrorEnvelope {
  const mayPass = status >= 500 || status === 429;
  return envelopeOf(
    'UPSTREAM_UNAVAILABLE',
    `${account.url} answered ${status} with something that is not Bailiff's. Is this its address (BAILIFF_URL)?`,
    { upstream: 'bailiff', outcome: mayPass && request.method !== 'GET' ? 'unknown' : 'not_performed' },
    mayPass,
  );
}

/** The system's name for a failure, such as ECONNREFUSED, if it has one. */
export function codeOf(error: unknown): string {
  const { name, cause } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? name;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
