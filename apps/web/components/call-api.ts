/** Error messages for failures that the API does not describe itself. */
export interface ErrorTexts {
  readonly unreachable: string;
  /** For a call with a key, which may be sent again. */
  readonly noAnswer: string;
  readonly signedOut: string;
  readonly signInAgain: string;
  readonly answered: (status: number) => string;
}

/** A failed call of the dashboard's API, with the message to show. */
export class CallFailure extends Error {
  readonly issues: readonly { path: string; message: string }[];
  /** The session has ended, or is too old for this. The same call may succeed after signing in again. */
  readonly signedOut: boolean;
  /** The resource has changed since the page was rendered. */
  readonly outdated: boolean;
  /** It does not exist, or the person may not see it any more. */
  readonly notFound: boolean;
  /** No answer of Bailiff arrived. */
  readonly unreachable: boolean;
  /** It may have been done, or is being done, and the same call with its key may get to know. */
  readonly keepsKey: boolean;
  /** It came too soon, and may be sent again after so many seconds. */
  readonly retryAfterSeconds: number | null;

  constructor(
    message: string,
    {
      issues = [],
      status,
      neverKnown = false,
      retryAfterSeconds = null,
    }: {
      issues?: readonly { path: string; message: string }[];
      status?: number;
      neverKnown?: boolean;
      retryAfterSeconds?: number | null;
    } = {},
  ) {
    super(message);
    this.name = 'CallFailure';
    this.issues = issues;
    this.signedOut = status === 401;
    this.outdated = status === 409;
    this.notFound = status === 404;
    this.unreachable = status === undefined || status >= 502;
    this.keepsKey = mayBeDone(status) && !neverKnown;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** The error message of a field, or undefined. */
  issueOf(path: string): string | undefined {
    return this.issues.find((issue) => issue.path === path || issue.path.startsWith(`${path}.`))?.message;
  }
}

/** Below 400 the answer was not whole or not Bailiff's; with 429 the first of two equal calls may still be running. */
function mayBeDone(status: number | undefined): boolean {
  return status === undefined || status < 400 || status === 429 || status >= 500;
}

/**
 * The answer of the dashboard's API to a call from one of its pages. A body is sent as JSON, a file or a form as it is.
 *
 * @param key with the same one, the same action is done once and answered again (decisions: Idempotency)
 * @throws CallFailure if the API refuses the call or does not answer.
 */
export async function callApi<Answer>(
  errorTexts: ErrorTexts,
  method: string,
  path: string,
  body?: object,
  signal?: AbortSignal,
  key?: string,
): Promise<Answer> {
  const type =
    body === undefined || body instanceof URLSearchParams
      ? undefined // the browser knows the type of a form
      : body instanceof Blob
        ? 'application/octet-stream'
        : 'application/json';
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers: {
        ...(type === undefined ? {} : { 'Content-Type': type }),
        ...(key === undefined ? {} : { 'Idempotency-Key': key }),
      },
      ...(signal === undefined ? {} : { signal }),
      ...(body === undefined
        ? {}
        : { body: body instanceof Blob || body instanceof URLSearchParams ? body : JSON.stringify(body) }),
    });
  } catch {
    throw new CallFailure(key === undefined ? errorTexts.unreachable : errorTexts.noAnswer);
  }
  const answer = await response.json().catch(() => null);
  if (response.ok && answer !== null) return answer;
  const error = answer?.error;
  const { status } = response;
  const unexplained =
    key !== undefined && mayBeDone(status) ? errorTexts.noAnswer : errorTexts.answered(status);
  const message =
    status !== 401
      ? error?.message
      : error?.details?.reason === 'SIGN_IN_AGAIN'
        ? errorTexts.signInAgain
        : errorTexts.signedOut;
  const { issues = [], upstream, outcome, retry_after_seconds } = error?.details ?? {};
  const retryAfterSeconds = status === 429 ? retry_after_seconds : null;
  // A game server never shows later whether a command ran (decisions: Game servers).
  const neverKnown = upstream === 'game_server' && outcome === 'unknown';
  throw new CallFailure(message ?? unexplained, { issues, status, neverKnown, retryAfterSeconds });
}

/** What tells an action from another. What was foreseen of it does not: that changes once the first one is done. */
export function meantBy(path: string, body: object | undefined): string {
  return JSON.stringify([path, body], (name, value) => (name === 'foreseen' ? undefined : value));
}
