import { AsyncLocalStorage } from 'node:async_hooks';

/** What is known about a request's effect if it fails now. */
export type OutcomeSoFar = 'not_performed' | 'unknown';

interface Effects {
  isPossible: boolean;
}

const ofRequest = new AsyncLocalStorage<Effects>();

/**
 * Runs the work of one request, in which transactions note that they may have changed something.
 *
 * @returns the result of the work, and a function that says what is known about its effect
 */
export function followEffects<T>(work: () => Promise<T>): {
  result: Promise<T>;
  outcomeSoFar: () => OutcomeSoFar;
} {
  const effects: Effects = { isPossible: false };
  return { result: ofRequest.run(effects, work), outcomeSoFar: () => outcomeOf(effects) };
}

/** Notes that the request may have changed something from here on. */
export function noteEffect(): void {
  const effects = ofRequest.getStore();
  if (effects !== undefined) effects.isPossible = true;
}

/** What is known about the effect of the present request. */
export function outcomeSoFar(): OutcomeSoFar {
  return outcomeOf(ofRequest.getStore());
}

function outcomeOf(effects: Effects | undefined): OutcomeSoFar {
  return effects?.isPossible === true ? 'unknown' : 'not_performed';
}
