// Counts round trips to the database on the wire, and loses the answer of one, for tests and the bench.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Counter {
  /** The database's address through the counter. */
  readonly url: string;
  /** How often a client has sent something to the database after an answer: the number of round trips. */
  count(): number;
  /** Loses the answer of the round trip that follows so many others, with its connection. Returns whether it has. */
  loseAnswerAfter(trips: number): () => boolean;
  close(): void;
}

/** The connection that hears of changes asks now and then whether it still lives, which is no round trip of a call. */
const LISTENS = / listen\0/;

/** Starts a proxy in front of a database that counts round trips. */
export async function startCounter(databaseUrl: string): Promise<Counter> {
  const { hostname, port } = new URL(databaseUrl);
  let trips = 0;
  let loses: { readonly trip: number; hasLost: boolean } | undefined;
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: hostname, port: Number(port), noDelay: true });
    let hasAnswered = true;
    let isLost = false;
    let listens: boolean | undefined;
    client.on('data', (chunk) => {
      // The first packet has the application's name.
      listens ??= LISTENS.test(chunk.toString('latin1'));
      if (hasAnswered && !listens) {
        trips += 1;
        if (loses?.trip === trips) isLost = true;
      }
      hasAnswered = false;
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      hasAnswered = true;
      if (isLost) {
        if (loses !== undefined) loses.hasLost = true;
        client.destroy();
        return;
      }
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
    loseAnswerAfter: (others) => {
      const losing = { trip: trips + others + 1, hasLost: false };
      loses = losing;
      return () => losing.hasLost;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
