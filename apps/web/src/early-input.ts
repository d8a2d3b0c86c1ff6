/** What the page's first script (early-input-script.ts) keeps for React. */
export interface EarlyInput {
  /** React has begun to take the page over. What was done so far is done again, as soon as React hears it. */
  begin(): void;
  /** The shortcuts that were pressed before that and that nobody has heard yet, oldest first. */
  keys(): readonly KeyboardEvent[];
}

declare global {
  interface Window {
    bailiffEarlyInput?: EarlyInput;
  }
}

/**
 * Hears the keys that are pressed in the page: first those that were pressed before its scripts ran, then the others.
 *
 * @param hear calls `preventDefault` if the key means something to it
 * @returns stops hearing
 */
export function hearKeys(hear: (event: KeyboardEvent) => void): () => void {
  for (const key of window.bailiffEarlyInput?.keys() ?? []) hear(key);
  document.addEventListener('keydown', hear);
  return () => document.removeEventListener('keydown', hear);
}
