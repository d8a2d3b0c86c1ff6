import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import type { ConfigurationProblem } from '@bailiff/core';

export interface Ports {
  readonly web: number;
  readonly sandbox: number;
}

/** Where this process listens. */
export interface Place {
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
  /** 0 for a free one. */
  readonly sandboxPort: number;
  readonly usesSandbox: boolean;
  /** Whether a web process runs here. */
  readonly hasWeb: boolean;
}

/** The ports to listen on, with a free port in place of 0, and what is wrong with those that cannot be used. */
export async function claimPorts(
  place: Place,
): Promise<{ readonly ports: Ports; readonly problems: readonly ConfigurationProblem[] }> {
  const { host, hasWeb, usesSandbox } = place;
  // A free port is also what a bot without a web process is given, which never listens there.
  const web = hasWeb || place.port === 0 ? await claimPort('PORT', host, place.port) : place.port;
  const sandbox = usesSandbox
    ? await claimPort('SANDBOX_PORT', '127.0.0.1', place.sandboxPort)
    : place.sandboxPort;
  const portOf = (claimed: number | ConfigurationProblem) => (typeof claimed === 'number' ? claimed : 0);
  return {
    ports: { web: portOf(web), sandbox: portOf(sandbox) },
    problems: [web, sandbox].filter((claimed) => typeof claimed !== 'number'),
  };
}

/** No system gives one of these by itself, so nobody takes it in the seconds until its process listens there. */
const [FIRST_FREE, LAST_FREE] = [20_000, 30_000];
const MOST_TRIES = 20;
/** Also a name that cannot be looked up. */
const NOT_HERE = new Set(['EADDRNOTAVAIL', 'EAI_AGAIN', 'ENOTFOUND']);

/**
 * The port, or one that is free in place of 0, if a process may listen there. It is tried now, because otherwise a port
 * that is in use would be reported late and less clearly.
 */
export async function claimPort(
  variable: string,
  host: string,
  port: number,
): Promise<number | ConfigurationProblem> {
  for (let tries = 0; port === 0 && tries < MOST_TRIES; tries += 1) {
    const claimed = await tryPort(variable, host, randomInt(FIRST_FREE, LAST_FREE));
    if (typeof claimed === 'number' || claimed.variable === 'HOST') return claimed;
  }
  return tryPort(variable, host, port);
}

function tryPort(variable: string, host: string, port: number): Promise<number | ConfigurationProblem> {
  return new Promise((done) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (NOT_HERE.has(error.code ?? ''))
        return done({ variable: 'HOST', message: `This machine has no address ${host}. Correct HOST.` });
      const reasons: Record<string, string> = {
        EADDRINUSE: 'is taken by another program. Stop that one',
        EACCES: 'may not be used by this user. Start as another user',
      };
      const reason = reasons[error.code ?? ''] ?? `cannot be used (${error.message}). Find out why`;
      const message = `Port ${port} on ${host} ${reason}, or set ${variable} to another port.`;
      done({ variable, message });
    });
    probe.listen({ host, port, exclusive: true }, () => {
      const address = probe.address();
      probe.close(() => done(typeof address === 'object' && address !== null ? address.port : port));
    });
  });
}
