import { type Address, contains, type Network, parseAddress, parseNetwork } from './addresses.ts';
import type { AllowlistIssue } from './allowlist.ts';

export type TrustedProxies = readonly Network[];

export type ParsedTrustedProxies =
  | { readonly ok: true; readonly proxies: TrustedProxies }
  | { readonly ok: false; readonly issues: readonly AllowlistIssue[] };

/** `TRUSTED_PROXIES`: addresses and networks separated by commas or whitespace; empty by default. */
export function parseTrustedProxies(text: string): ParsedTrustedProxies {
  const parsed = text
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map(parseNetwork);
  const issues = parsed.flatMap((result, index) => (result.ok ? [] : [{ index, message: result.message }]));
  if (issues.length > 0) return { ok: false, issues };
  return { ok: true, proxies: parsed.flatMap((result) => (result.ok ? [result.network] : [])) };
}

/**
 * The client's address (decisions: Tokens in the dashboard): the socket peer or, when that is a trusted proxy, the
 * right-most entry of `X-Forwarded-For` that is not one. Each entry is vouched for by the hop to its right, so what
 * stands left of the first untrusted one never counts. An entry that is no address ends the walk at the trusted hop
 * that reported it, and so does the end of the list: neither says who is behind that hop. IPv4-mapped addresses become
 * IPv4. A peer that is no address is returned as it is, and no allowlist admits it.
 */
export function clientAddress(
  peer: string,
  xForwardedFor: string | null,
  trustedProxies: TrustedProxies,
): string {
  let hop = parseAddress(withoutZone(peer));
  if (hop === null) return peer;
  const entries = xForwardedFor === null ? [] : xForwardedFor.split(',');
  while (isTrusted(hop, trustedProxies)) {
    const entry = entries.pop();
    const before = entry === undefined ? null : parseAddress(withoutPort(entry.trim()));
    if (before === null) break;
    hop = before;
  }
  return hop.toString();
}

function isTrusted(address: Address, trustedProxies: TrustedProxies): boolean {
  return trustedProxies.some((network) => contains(network, address));
}

/** Sockets give link-local peers as `fe80::1%eth0`. */
function withoutZone(peer: string): string {
  return peer.replace(/%.*$/s, '');
}

/** Some proxies write `203.0.113.7:49152` or `[2001:db8::7]:49152`. */
function withoutPort(entry: string): string {
  const [, bracketed, dotted] = /^(?:\[([^\]]*)\]|(\d+\.\d+\.\d+\.\d+))(?::\d{1,5})?$/.exec(entry) ?? [];
  return bracketed ?? dotted ?? entry;
}
