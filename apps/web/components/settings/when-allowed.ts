import { CallFailure } from '#components/call-api.ts';

/** How often in a row a call waits. */
const MOST_WAITS = 5;

/** Half of what a session has in a minute. The other half is for what its owner does in the meantime. */
const MOST_IN_A_SECOND = 5;
const SECOND_MS = 1000;

/**
 * Lets calls begin so far apart that their session has requests left for other calls. Browsers let a page in the
 * background wait for whole seconds only, so it is several calls that share a second.
 *
 * @param now the milliseconds of a clock
 * @param wait waits for so many milliseconds of it
 */
export function callsInPace(
  now: () => number,
  wait: (ms: number) => Promise<void>,
): <Answer>(call: () => Promise<Answer>) => Promise<Answer> {
  const begun: number[] = [];
  return async (call) => {
    const earliest = begun.length < MOST_IN_A_SECOND ? 0 : (begun.shift() ?? 0) + SECOND_MS;
    const early = earliest - now();
    if (early > 0) await wait(early);
    begun.push(now());
    return call();
  };
}

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
