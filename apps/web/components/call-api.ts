/** Error messages for failures that the API does not describe itself. */
export interface ErrorTexts {
  readonly unreachable: string;
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

  constructor(
    message: string,
    { issues = [], status }: { issues?: readonly { path: string; message: string }[]; status?: number } = {},
  ) {
    super(message);
    this.name = 'CallFailure';
    this.issues = issues;
    this.signedOut = status === 401;
    this.outdated = status === 409;
    this.notFound = status === 404;
    this.unreachable = status === undefined || status >= 502;
  }

  /** The error message of a field, or undefined. */
  issueOf(path: string): string | undefined {
    return this.issues.find((issue) => issue.path === path || issue.path.startsWith(`${path}.`))?.message;
  }
}

/**
 * The answer of the dashboard's API to a call from one of its pages. A body is sent as JSON, a file or a form as it is.
 *
 * @throws CallFailure if the API refuses the call or does not answer.
 */
export async function callApi<Answer>(
  errorTexts: ErrorTexts,
  method: string,
  path: string,
  body?: object,
  signal?: AbortSignal,
): Promise<Answer> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      ...(signal === undefined ? {} : { signal }),
      ...(body === undefined
        ? {}
        : body instanceof Blob
          ? { headers: { 'Content-Type': 'application/octet-stream' }, body }
          : body instanceof URLSearchParams
            ? { body }
            : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
  } catch {
    throw new CallFailure(errorTexts.unreachable);
  }
  const answer = await response.json().catch(() => null);
  if (response.ok && answer !== null) return answer;
  const error = answer?.error;
  const { status } = response;
  const message =
    status !== 401
      ? error?.message
      : error?.details?.reason === 'SIGN_IN_AGAIN'
        ? errorTexts.signInAgain
        : errorTexts.signedOut;
  throw new CallFailure(message ?? errorTexts.answered(status), {
    issues: error?.details?.issues ?? [],
    status,
  });
}
