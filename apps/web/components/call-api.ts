/** A refusal of the dashboard's API, with the words to show. */
export class CallFailure extends Error {
  readonly issues: readonly { path: string; message: string }[];

  constructor(message: string, issues: readonly { path: string; message: string }[] = []) {
    super(message);
    this.name = 'CallFailure';
    this.issues = issues;
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
export async function callApi<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
  } catch {
    throw new CallFailure('The server cannot be reached. Check your connection and try again.');
  }
  const answer = await response.json().catch(() => null);
  if (response.ok && answer !== null) return answer;
  const error = answer?.error;
  throw new CallFailure(
    error?.message ?? `The server answered ${response.status}. Try again in a moment.`,
    error?.details?.issues ?? [],
  );
}
