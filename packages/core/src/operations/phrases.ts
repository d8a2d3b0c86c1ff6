import type { Speaker } from './operation.ts';

/** `1 minute`, `2 minutes`. */
export function count(amount: number, unit: string): string {
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}

/** The reason at the end of a sentence, where one is given. */
export function because(reason: string | undefined, say: Speaker): string {
  return reason === undefined ? '' : `: ${say.quote(reason)}`;
}
