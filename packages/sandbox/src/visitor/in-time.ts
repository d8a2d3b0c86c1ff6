import type { Exchange } from './http.ts';

const MOST_TRIES = 5;

type Answered = Pick<Exchange, 'status' | 'body'>;

/**
 * Makes a call again for which a slow machine was too late. Nothing was done then; where nobody knows, it is not made.
 *
 * @param upstream what was too slow; default: anything
 */
export async function untilInTime<Answer extends Answered>(
  call: () => Promise<Answer>,
  upstream?: 'database',
): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await call();
    const { error } = Object(answer.body) as { error?: { details?: { upstream: string; outcome: string } } };
    const wasTooLate = answer.status === 503 && error?.details?.outcome === 'not_performed';
    if (tries === MOST_TRIES || !wasTooLate) return answer;
    if (upstream !== undefined && error?.details?.upstream !== upstream) return answer;
  }
}
