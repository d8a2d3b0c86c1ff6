import autocannon from 'autocannon';

export interface Load {
  readonly requestsPerSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

export interface Target {
  readonly origin: string;
  /** Requests. Each connection repeats its own part of them. */
  readonly requests: readonly { readonly path: string; readonly headers: Readonly<Record<string, string>> }[];
}

/** As many as the figures are promised for. */
export const CONNECTIONS = 16;

/**
 * Sends requests over some connections for some seconds, and returns the times.
 *
 * @throws Error if any answer is not 200, because then something else was measured
 */
export async function load(
  { origin, requests }: Target,
  seconds: number,
  connections = CONNECTIONS,
): Promise<Load> {
  let connection = 0;
  const stretch = Math.ceil(requests.length / connections);
  const result = await autocannon({
    url: origin,
    connections,
    duration: seconds,
    setupClient: (client) => {
      const own = requests.slice(connection * stretch, (connection + 1) * stretch);
      client.setRequests((own.length > 0 ? own : requests).map((request) => ({ method: 'GET', ...request })));
      connection += 1;
    },
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${origin}: ${result.non2xx} refusals and ${result.errors} errors among the answers`);
  }
  return {
    requestsPerSecond: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}
