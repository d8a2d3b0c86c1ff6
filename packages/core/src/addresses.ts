import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { IssueKey, WordedIssue } from './issue-words.ts';

/** An IPv4 or IPv6 address, never an IPv4-mapped one. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

export interface Network {
  readonly address: Address;
  readonly prefixBits: number;
}

export type ParsedNetwork =
  | { readonly ok: true; readonly network: Network; readonly text: string }
  | { readonly ok: false; readonly issue: WordedIssue };

const MAPPED_BITS = 96;

/**
 * The address that a text is, or null when it is none. IPv4-mapped IPv6 becomes IPv4 (spec §5.6). Node's `isIP` checks
 * the text first, because ipaddr.js also accepts `127.1`, `0x7f.0.0.1`, octal parts and zone ids.
 */
export function parseAddress(text: string): Address | null {
  if (isIP(text) === 0 || text.includes('%')) return null;
  return ipaddr.process(withoutDottedTail(text));
}

/** Whether `address` is inside `network`. An address of the other family never is. */
export function contains(network: Network, address: Address): boolean {
  if (address instanceof ipaddr.IPv4) {
    return network.address instanceof ipaddr.IPv4 && address.match(network.address, network.prefixBits);
  }
  return network.address instanceof ipaddr.IPv6 && address.match(network.address, network.prefixBits);
}

/** The part of an IPv6 address that a provider gives to one customer, in bits. */
const CUSTOMER_BITS = 64;

/**
 * What the requests of an address are counted under: an IPv4 address itself, the /64 of an IPv6 address, because one
 * client can use all of it. A text that is no address is returned as it is.
 */
export function countedAddress(text: string): string {
  const address = parseAddress(text);
  if (address === null || address instanceof ipaddr.IPv4) return address?.toString() ?? text;
  const network = address.toByteArray().fill(0, CUSTOMER_BITS / 8);
  return `${ipaddr.fromByteArray(network).toString()}/${CUSTOMER_BITS}`;
}

/** A CIDR network or a single address, with its canonical text; the text of a single address has no prefix length. */
export function parseNetwork(entry: string): ParsedNetwork {
  const [addressText = '', prefixText, ...rest] = entry.split('/');
  const address = parseAddress(addressText);
  if (address === null || rest.length > 0) {
    const message = `${quoted(entry)} is not an IPv4 or IPv6 address or network, such as 203.0.113.0/24`;
    return refused(message, 'notNetwork', { entry: quoted(entry) });
  }
  const width = address instanceof ipaddr.IPv4 ? 32 : 128;
  if (prefixText === undefined) {
    return { ok: true, network: { address, prefixBits: width }, text: address.toString() };
  }
  const mapped = width === 32 && isIP(addressText) === 6;
  const prefix = /^(0|[1-9]\d{0,2})$/.test(prefixText) ? Number(prefixText) : Number.NaN;
  const widest = mapped ? 128 : width;
  if (!(prefix <= widest)) {
    const message = `the prefix of ${quoted(entry)} must be a number from 0 to ${widest}`;
    return refused(message, 'prefix', { entry: quoted(entry), widest: String(widest) });
  }
  // A mapped network wider than all of IPv4 is an IPv6 network with host bits set: ::ffff:0:0/90 is ::/90.
  return mapped && prefix < MAPPED_BITS
    ? withoutHostBits(entry, ipaddr.IPv6.parse(withoutDottedTail(addressText)), prefix)
    : withoutHostBits(entry, address, mapped ? prefix - MAPPED_BITS : prefix);
}

function withoutHostBits(entry: string, address: Address, prefixBits: number): ParsedNetwork {
  const own = address.toByteArray();
  const first = own.map((byte, index) => byte & byteMask(prefixBits - index * 8));
  const network = ipaddr.fromByteArray(first);
  const text = `${network.toString()}/${prefixBits}`;
  if (first.some((byte, index) => byte !== own[index])) {
    const message = `${quoted(entry)} has host bits set; the network is ${text}`;
    return refused(message, 'hostBits', { entry: quoted(entry), network: text });
  }
  return { ok: true, network: { address: network, prefixBits }, text };
}

function refused(message: string, key: IssueKey, values: Record<string, string>): ParsedNetwork {
  return { ok: false, issue: { message, say: { key, values } } };
}

/** `::203.0.113.7` written as `::cb00:7107`, because ipaddr.js reads it as `::ffff:203.0.113.7`, another address. */
function withoutDottedTail(text: string): string {
  if (!text.includes(':')) return text;
  return text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts.map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
}

/** The mask of a byte whose first `bits` belong to the network. */
function byteMask(bits: number): number {
  return (0xff << (8 - Math.min(8, Math.max(0, bits)))) & 0xff;
}

function quoted(entry: string): string {
  return JSON.stringify(entry.slice(0, 60));
}
