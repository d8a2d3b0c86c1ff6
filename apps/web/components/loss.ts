/** Why an open page is no longer kept up to date. */
export type Loss = 'signedOut' | 'noAccess' | 'unreachable' | 'updated';

let outdated = false;
let found: Loss | null = null;
const listeners = new Set<() => void>();

/** Why this page must not load anything by itself now, as far as is known; null if it may. */
export function currentLoss(): Loss | null {
  return found ?? (outdated ? 'updated' : null);
}

/** Keeps what the last question to the server has shown; null if nothing is lost. */
export function keepLoss(next: Loss | null): void {
  if (next === found) return;
  found = next;
  tell();
}

/** Compares the page with the build that a server named. Returns whether the page is outdated, which it stays. */
export function compareBuild(served: string): boolean {
  if (!outdated && document.documentElement.dataset.build !== served) {
    outdated = true;
    tell();
  }
  return outdated;
}

/** Calls `listener` when another loss is known, or none any more. Returns a function that ends this. */
export function onLoss(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

function tell(): void {
  for (const listener of listeners) listener();
}
