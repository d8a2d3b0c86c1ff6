import { CallFailure } from '#components/call-api.ts';

/** How often in a row a call waits. */
const MOST_WAITS = 5;

/**
 * The answer of a call, or its failure. One that came too soon is sent again when the server takes it: a large file needs
 * more calls than a session has in a minute.
 *
 * @param wait waits for so many seconds
 */
export async function whenAllowed<Answer>(
  call: () => Promise<Answer | CallFailure>,
  wait: (seconds: number) => Promise<void>,
): Promise<Answer | CallFailure> {
  for (let waits = 0; ; waits += 1) {
    const answer = await call();
    const seconds = answer instanceof CallFailure ? answer.retryAfterSeconds : null;
    if (seconds === null || waits === MOST_WAITS) return answer;
    await wait(seconds);
  }
}
