import { lookup } from 'node:dns/promises';
import { type Address, contains, type Network, parseAddress } from '@bailiff/core';

/** A host that is not connected to; the message is for who runs the command. */
export class AddressRefused extends Error {}

/** Whether a game server may be there: public addresses, and what the operator allowed. */
export function isAllowedAddress(address: Address, allowed: readonly Network[]): boolean {
  // Everything but 'unicast' is loopback, private, link-local (cloud metadata), carrier NAT, multicast, translated …
  return address.range() === 'unicast' || allowed.some((network) => contains(network, address));
}

/**
 * The one address to connect to. The host is what a guild's owner typed, so it is the resolved address that is judged,
 * and that address, never the name again, that is connected to (hazards H27).
 *
 * @throws AddressRefused when the name is unknown, or leads only to addresses that are not allowed
 */
export async function resolveHost(
  host: string,
  allowed: readonly Network[],
  signal: AbortSignal,
): Promise<string> {
  const found = parseAddress(host) === null ? await resolve(host, signal) : [host];
  const addresses = found.flatMap((text) => parseAddress(text) ?? []);
  const usable = addresses.find((address) => isAllowedAddress(address, allowed));
  if (usable !== undefined) return usable.toString();
  throw new AddressRefused(
    addresses.length === 0
      ? `The name ${host} leads to no address.`
      : `${host} is not a public address. The operator can allow its network with RCON_ALLOWED_NETWORKS.`,
  );
}

async function resolve(host: string, signal: AbortSignal): Promise<string[]> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(new AddressRefused(`The name ${host} could not be resolved in time.`));
  signal.addEventListener('abort', abort, { once: true });
  try {
    const found = await Promise.race([lookup(host, { all: true }), aborted]);
    return found.map(({ address }) => address);
  } catch (error) {
    if (error instanceof AddressRefused) throw error;
    return [];
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
