/** A URL that a browser would open, or null. */
export function webAddress(text: string): URL | null {
  // Not URL.parse(): Node 20 does not have it.
  const url = URL.canParse(text) ? new URL(text) : null;
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url : null;
}
