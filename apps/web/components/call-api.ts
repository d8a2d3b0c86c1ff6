/** The words for what no answer of the API says. */
export interface Excuses {
  readonly unreachable: string;
  readonly signedOut: string;
  readonly answered: (status: number) => string;
}

/** A refusal of the dashboard's API, with the words to show. */
export class CallFailure extends Error {
  readonly issues: readonly { path: string; message: string }[];
  /** The session has ended: once its person is signed in again, the same call may succeed. */
  readonly signedOut: boolean;
  /** What it was about has changed meanwhile: the page is old. */
  readonly outdated: boolean;

  constructor(
    message: string,
    { issues = [], status }: { issues?: readonly { path: string; message: string }[]; status?: number } = {},
  ) {
    super(message);
    this.name = 'CallFailure';
    this.issues = issues;
    this.signedOut = status === 401;
    this.outdated = status === 409;
  }

  /** What is wrong with a field, or undefined. */
  issueOf(path: string): string | undefined {
    return this.issues.find((issue) => issue.path === path || issue.path.startsWith(`${path}.`))?.message;
  }
}

/**
 * Calls the dashboard's API from a page of it.
 *
 * @throws CallFailure when it refuses or does not answer.
 */
export async function callApi<Answer>(
  excuses: Excuses,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
  } catch {
    throw new CallFailure(excuses.unreachable);
  }
  const answer = await response.json().catch(() => null);
  if (response.ok && answer !== null) return answer;
  const error = answer?.error;
  const { status } = response;
  const message = status === 401 ? excuses.signedOut : error?.message;
  throw new CallFailure(message ?? excuses.answered(status), {
    issues: error?.details?.issues ?? [],
    status,
  });
}
