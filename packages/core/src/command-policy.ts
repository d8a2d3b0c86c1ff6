/** What commands a game server takes (decisions: Operations). */
export interface CommandPolicy {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/**
 * Whether the whole command fits the policy: no deny pattern, and an allow pattern where there are any. `*` stands for
 * any text; case and repeated spaces do not count.
 */
export function isCommandAllowed({ allow, deny }: CommandPolicy, command: string): boolean {
  const plain = plainOf(command);
  const fits = (pattern: string) => matches(plainOf(pattern), plain);
  return !deny.some(fits) && (allow.length === 0 || allow.some(fits));
}

/** As a game server reads it: a slash or spaces in front change nothing. */
function plainOf(text: string): string {
  return text
    .trim()
    .replace(/^\/+\s*/, '')
    .replace(/\s+/g, ' ')
    .toLowerCase();
}

/** Matches without a regular expression: a pattern is the owner's text and must not be able to take for ever. */
function matches(pattern: string, text: string): boolean {
  const [start = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return start === text;
  const end = rest.pop() ?? '';
  if (!text.startsWith(start) || text.length < start.length + end.length || !text.endsWith(end)) return false;
  let at = start.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found === -1 || found + piece.length > text.length - end.length) return false;
    at = found + piece.length;
  }
  return true;
}
