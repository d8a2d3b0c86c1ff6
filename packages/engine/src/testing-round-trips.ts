// Counts round trips to the database on the wire, for tests and the bench.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Counter {
  /** The database's address through the counter. */
  readonly url: string;
  /** How often a client has sent something to the database after an answer: the number of round trips. */
  count(): number;
  close(): void;
}

/** Starts a proxy in front of a database that counts round trips. */
export async function startCounter(databaseUrl: string): Promise<Counter> {
  const { hostname, port } = new URL(databaseUrl);
  let trips = 0;
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: hostname, port: Number(port), noDelay: true });
    let hasAnswered = true;
    client.on('data', (chunk) => {
      if (hasAnswered) trips += 1;
      hasAnswered = false;
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      hasAnswered = true;
      client.write(chunk);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const through = new URL(databaseUrl);
  through.hostname = '127.0.0.1';
  through.port = String((server.address() as AddressInfo).port);
  return {
    url: through.href,
    count: () => trips,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
