import { BailiffClient, BailiffError, type CallOptions, type ClientOptions } from '@bailiff/client';
import type { ErrorEnvelope } from '@bailiff/core';
import { type Account, wayToToken } from './account.ts';
import { envelopeOf } from './errors.ts';
import { type Call, inputOf } from './request.ts';
import { VERSION } from './version.ts';

/** The server answers within 10 s. This limit is for a server that does not. */
export const ATTEMPT_TIMEOUT_MS = 14_000;
/** For all that a tool does, because clients give up on a tool after a minute. */
export const TOOL_MS = 54_000;
/** How long a tool waits for the owner's decision. */
const MOST_DECISION_SECONDS = 30;

export type Reply =
  | { readonly ok: true; readonly body: object }
  | { readonly ok: false; readonly envelope: ErrorEnvelope };

/** What a caller can change about sending. */
export type SendOptions = Pick<ClientOptions, 'maxAttempts' | 'environment'> & {
  readonly signal?: AbortSignal;
  /** For all attempts, and the wait for an action that goes on. */
  readonly withinMs?: number;
};

/**
 * Sends a call and returns its answer. It is repeated while the error is temporary, a write under one idempotency key.
 * If there is no answer, or it is not from Bailiff, the result is an error envelope too.
 *
 * @throws the reason of `signal` when it aborts
 */
export async function sendCall(
  account: Account,
  call: Call,
  { signal, withinMs = TOOL_MS, ...options }: SendOptions = {},
): Promise<Reply> {
  const { url, secret } = account;
  const client = new BailiffClient({
    url,
    token: secret,
    guildId: call.guildId,
    userAgent: `bailiff-mcp/${VERSION}`,
    maxAttempts: Number.POSITIVE_INFINITY,
    attemptTimeoutMs: ATTEMPT_TIMEOUT_MS,
    deadlineMs: withinMs,
    ...options,
  });
  try {
    const body = await client.call(call.operation, inputOf(call), {
      withinMs,
      waitMs: withinMs,
      ...(call.operation === 'approvals.get' ? decisionWithin(withinMs) : {}),
      ...(signal === undefined ? {} : { signal }),
    });
    return { ok: true, body };
  } catch (error) {
    if (!(error instanceof BailiffError)) throw error;
    return { ok: false, envelope: withWayToToken(answered(error), account) ?? unanswered(error) };
  }
}

/** How long the answer may wait for the owner, so that it still comes in time. */
function decisionWithin(ms: number): CallOptions {
  const seconds = Math.min(MOST_DECISION_SECONDS, Math.floor((ms - ATTEMPT_TIMEOUT_MS) / 1_000));
  return seconds < 1 ? {} : { preferSeconds: seconds };
}

const TOKEN_IS_NO_GOOD: readonly string[] = ['UNAUTHORIZED', 'TOKEN_EXPIRED', 'TOKEN_REVOKED'];

/** Says what the operator does about a token that cannot be used. They see neither its header nor where it comes from. */
function withWayToToken(envelope: ErrorEnvelope | undefined, account: Account): ErrorEnvelope | undefined {
  if (envelope === undefined || !TOKEN_IS_NO_GOOD.includes(envelope.error.code)) return envelope;
  const { error } = envelope;
  // The instance cannot say more of a token that it does not know than how one is sent.
  const what = error.code === 'UNAUTHORIZED' ? `${account.url} does not know the token.` : error.message;
  return { error: { ...error, message: `${what} ${wayToToken(account)}` } };
}

/**
 * Bailiff's own error. It is about the last attempt only, which can be refused before its idempotency key is looked up:
 * whether an earlier one was carried out is added. Calling the tool again would be another write, under another key.
 */
function answered({ envelope, mayHaveHappened }: BailiffError): ErrorEnvelope | undefined {
  if (envelope === undefined || !mayHaveHappened) return envelope;
  const { error } = envelope;
  const isOfLast = 'outcome' in error.details && error.details.outcome === 'not_performed';
  const message = isOfLast
    ? `An earlier attempt may have succeeded. The last one: ${error.message}`
    : error.message;
  return {
    error: { ...error, message, retryable: false, details: { ...error.details, outcome: 'unknown' } },
  };
}

function unanswered({ code, details, message, mayHaveHappened, retryable }: BailiffError): ErrorEnvelope {
  if (code === 'STILL_RUNNING') {
    const about = { upstream: 'discord', outcome: 'unknown', ...details };
    return envelopeOf('UPSTREAM_UNAVAILABLE', message, about, retryable);
  }
  return envelopeOf(
    'UPSTREAM_UNAVAILABLE',
    `${message} BAILIFF_URL sets the address.`,
    { upstream: 'bailiff', outcome: mayHaveHappened ? 'unknown' : 'not_performed' },
    retryable && !mayHaveHappened,
  );
}
