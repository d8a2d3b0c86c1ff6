/**
 * Node's default lets young objects take three times 16 MB before it looks which are garbage, and keeps that memory. With
 * half of it, the bot and the web process hold a fifth less at rest (docs/performance.md). The Dockerfile says the same.
 */
export const LESS_YOUNG_MEMORY = '--max-semi-space-size=8';

/** `NODE_OPTIONS` for the processes. What the operator sets comes last, so it counts. */
export function nodeOptions(given: string | undefined): string {
  return [LESS_YOUNG_MEMORY, given].filter(Boolean).join(' ');
}
