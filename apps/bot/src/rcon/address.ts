import { Resolver } from 'node:dns/promises';
import { type Address, contains, type Network, parseAddress, parseNetwork } from '@bailiff/core';
import { ServerUnusable } from './server-unusable.ts';

/** A host that the bot does not connect to. The message is for the person who runs the command. */
export class AddressRefused extends ServerUnusable {}

/** The range of all public IPv6 addresses (RFC 4291). No address outside it is public. */
const PUBLIC_IPV6 = networkOf('2000::/3');

/** Whether a game server may have this address: a public one, or one that the operator allowed. */
export function isAllowedAddress(address: Address, allowed: readonly Network[]): boolean {
  return isPublic(address) || allowed.some((network) => contains(network, address));
}

/** Whether an address can be reached from anywhere. */
export function isPublic(address: Address): boolean {
  // Everything but 'unicast' is loopback, private, link-local (cloud metadata), carrier NAT, multicast, translated …
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || contains(PUBLIC_IPV6, address);
}

/** The resolver of names; in tests, the test's own server. */
export type NameServers = readonly string[] | 'of the system';

const LOOKUP_TRY_MS = 1_000;
const LOOKUP_TRIES = 2;

/**
 * The address to connect to. The guild's owner typed the host, so the resolved address is checked, and the connection
 * uses that address and never resolves the name again (hazards H27).
 *
 * @throws AddressRefused if the name is unknown, or has only addresses that are not allowed
 */
export async function resolveHost(
  host: string,
  allowed: readonly Network[],
  signal: AbortSignal,
  nameServers: NameServers = 'of the system',
): Promise<string> {
  const found = parseAddress(host) === null ? await resolve(host, signal, nameServers) : [host];
  const addresses = found.flatMap((text) => parseAddress(text) ?? []);
  const usable = addresses.find((address) => isAllowedAddress(address, allowed));
  if (usable !== undefined) return usable.toString();
  if (addresses.length === 0)
    throw new AddressRefused('name_unknown', `The name ${host} leads to no address.`);
  throw new AddressRefused(
    'address_private',
    `${host} is not a public address. The operator can allow its network with RCON_ALLOWED_NETWORKS.`,
  );
}

/**
 * Asks DNS directly instead of the system's resolver, which holds a thread for as long as a slow name server likes: a
 * few such names would block all other name lookups of the process. The price: names in /etc/hosts are not known.
 */
async function resolve(host: string, signal: AbortSignal, nameServers: NameServers): Promise<string[]> {
  const resolver = new Resolver({ timeout: LOOKUP_TRY_MS, tries: LOOKUP_TRIES });
  if (nameServers !== 'of the system') resolver.setServers(nameServers);
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    if (signal.aborted) {
      throw new AddressRefused('name_slow', `The name ${host} could not be resolved in time.`);
    }
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

function networkOf(text: string): Network {
  const parsed = parseNetwork(text);
  if (!parsed.ok) throw new Error(parsed.issue.message);
  return parsed.network;
}
