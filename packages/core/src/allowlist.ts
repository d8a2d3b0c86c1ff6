import { contains, parseAddress, parseNetwork } from './addresses.ts';
import type { WordedIssue } from './issue-words.ts';

export const MOST_ALLOWLIST_ENTRIES = 50;

export interface AllowlistIssue extends WordedIssue {
  /** Index of the wrong entry. */
  readonly index: number;
}

export type ParsedAllowlist =
  | { readonly ok: true; readonly entries: readonly string[] }
  | { readonly ok: false; readonly issues: readonly AllowlistIssue[] };

/**
 * The canonical form of an allowlist that an owner typed, without repetitions: IPv4 and IPv6 addresses and CIDR
 * networks, at most 50. An entry with host bits set is refused, and the message names the network (decisions: Tokens in
 * the dashboard).
 */
export function parseAllowlist(entries: readonly string[]): ParsedAllowlist {
  if (entries.length > MOST_ALLOWLIST_ENTRIES) {
    const message = `an allowlist has at most ${MOST_ALLOWLIST_ENTRIES} entries, not ${entries.length}`;
    const values = { most: String(MOST_ALLOWLIST_ENTRIES), count: String(entries.length) };
    const say = { key: 'allowlistFull', values } as const;
    return { ok: false, issues: [{ index: MOST_ALLOWLIST_ENTRIES, message, say }] };
  }
  const parsed = entries.map((entry) => parseNetwork(entry.trim()));
  const issues = parsed.flatMap((result, index) => (result.ok ? [] : [{ index, ...result.issue }]));
  if (issues.length > 0) return { ok: false, issues };
  return { ok: true, entries: [...new Set(parsed.flatMap((result) => (result.ok ? [result.text] : [])))] };
}

/**
 * Whether a caller at `address` may use a token with this allowlist (spec §5.6). An empty list admits everyone. A
 * stored entry or an address that cannot be parsed admits nobody.
 */
export function addressAllowed(allowlist: readonly string[], address: string): boolean {
  if (allowlist.length === 0) return true;
  const caller = parseAddress(address);
  if (caller === null) return false;
  return allowlist.some((entry) => {
    const parsed = parseNetwork(entry);
    return parsed.ok && contains(parsed.network, caller);
  });
}
