let outdated = false;
const listeners = new Set<() => void>();

/** Whether this page is of another build than the server that answers now. */
export function isOutdated(): boolean {
  return outdated;
}

/** Compares the page with the build that a server named. Returns whether the page is outdated. */
export function compareBuild(served: string): boolean {
  if (!outdated && document.documentElement.dataset.build !== served) {
    outdated = true;
    for (const listener of listeners) listener();
  }
  return outdated;
}

/** Calls `listener` when the page becomes outdated. Returns a function that ends this. */
export function onOutdated(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
