/** What was said in passing and is to be shown. */
export interface Said {
  readonly text: string;
  readonly tone: 'good' | 'bad';
}

const waiting: Said[] = [];
const listeners = new Set<() => void>();

export function say(said: Said): void {
  waiting.push(said);
  for (const hear of listeners) hear();
}

/** What is not shown yet; it is the caller's to show. */
export function takeSaid(): Said[] {
  return waiting.splice(0);
}

/** Calls `hear` whenever something is said. @returns what ends that */
export function onSaid(hear: () => void): () => void {
  listeners.add(hear);
  return () => {
    listeners.delete(hear);
  };
}
