import { type Address, contains, type Network, parseAddress, parseNetwork } from './addresses.ts';
import type { AllowlistIssue } from './allowlist.ts';

export type TrustedProxies = readonly Network[];

export type ParsedTrustedProxies =
  | { readonly ok: true; readonly proxies: TrustedProxies }
  | { readonly ok: false; readonly issues: readonly AllowlistIssue[] };

/** The networks in `TRUSTED_PROXIES`: addresses and networks, separated by commas or whitespace; empty by default. */
export function parseTrustedProxies(text: string): ParsedTrustedProxies {
  const parsed = text
    .split(/[\s,]/)
    .filter((entry) => entry !== '')
    .map(parseNetwork);
  const issues = parsed.flatMap((result, index) => (result.ok ? [] : [{ index, ...result.issue }]));
  if (issues.length > 0) return { ok: false, issues };
  return { ok: true, proxies: parsed.flatMap((result) => (result.ok ? [result.network] : [])) };
}

/**
 * The client's address (decisions: Tokens in the dashboard): the socket peer or, if that is a trusted proxy, the
 * right-most entry of `X-Forwarded-For` that is not a trusted proxy. Each hop reported the entry to its left, so
 * entries left of the first untrusted one never count. If an entry is not an address, or the list ends, the address is
 * that of the trusted hop that was read last, because nobody knows who is behind it. IPv4-mapped addresses become IPv4.
 * A peer that is not an address is returned unchanged, and no allowlist admits it.
 */
export function clientAddress(
  peer: string,
  xForwardedFor: string | null,
  trustedProxies: TrustedProxies,
): string {
  let hop = parseAddress(withoutZone(peer));
  if (hop === null) return peer;
  const entries = (xForwardedFor ?? '').split(',');
  while (isTrusted(hop, trustedProxies)) {
    const entry = entries.pop();
    const before = entry === undefined ? null : parseAddress(withoutPort(entry.trim()));
    if (before === null) break;
    hop = before;
  }
  return hop.toString();
}

/** Where proxies stand, and strangers do not: on the same machine or in a network of one's own. */
const NEARBY = ['loopback', 'private', 'uniqueLocal', 'linkLocal', 'carrierGradeNat'];

/**
 * The address of a proxy that `TRUSTED_PROXIES` should name, because it forwards requests from nearby; null if the peer
 * is none. A peer on the internet is none: anyone can send such a header.
 *
 * @param forwards whether the request has `X-Forwarded-For` or `Forwarded` (RFC 7239)
 */
export function forgottenProxy(
  peer: string,
  forwards: boolean,
  trustedProxies: TrustedProxies,
): string | null {
  const address = forwards ? parseAddress(withoutZone(peer)) : null;
  if (address === null || isTrusted(address, trustedProxies)) return null;
  return NEARBY.includes(address.range()) ? address.toString() : null;
}

function isTrusted(address: Address, trustedProxies: TrustedProxies): boolean {
  return trustedProxies.some((network) => contains(network, address));
}

/** Without the zone: sockets report link-local peers as `fe80::1%eth0`. */
function withoutZone(peer: string): string {
  return peer.replace(/%.*/s, '');
}

/** Without the port: some proxies write `203.0.113.7:49152` or `[2001:db8::7]:49152`. */
function withoutPort(entry: string): string {
  const found = /^(?:\[([^\]]*)\]|(\d+\.\d+\.\d+\.\d+))(?::\d{1,5})?$/.exec(entry);
  return found?.[1] ?? found?.[2] ?? entry;
}
