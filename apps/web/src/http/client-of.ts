import type { IncomingMessage } from 'node:http';
import { clientAddress, forgottenProxy } from '@bailiff/core';
import type { Runtime } from '#src/runtime.ts';

export interface Client {
  readonly address: string;
  /**
   * The proxy whose address this is, because `TRUSTED_PROXIES` does not name it. Null if the address is the client's own.
   */
  readonly proxy: string | null;
}

/** A function that says who sent a request. It logs the first forgotten proxy that it sees. */
export function clientReader({
  config: { trustedProxies },
  log,
}: {
  readonly config: Pick<Runtime['config'], 'trustedProxies'>;
  readonly log: Runtime['log'];
}): (message: IncomingMessage) => Client {
  let warned = false;
  return ({ socket, headersDistinct }) => {
    const peer = socket.remoteAddress ?? '';
    const { 'x-forwarded-for': forwardedFor, forwarded } = headersDistinct;
    const proxy = forgottenProxy(peer, (forwardedFor ?? forwarded) !== undefined, trustedProxies);
    if (proxy !== null && !warned) {
      warned = true;
      const what = `a proxy at ${proxy} forwards requests, and limits and allowlists take its address for the client's`;
      log.warn({ proxy }, `${what}: set TRUSTED_PROXIES=${proxy}`);
    }
    return { address: clientAddress(peer, forwardedFor?.join(',') ?? null, trustedProxies), proxy };
  };
}
