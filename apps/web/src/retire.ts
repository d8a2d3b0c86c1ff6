import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/** A connection without a request for so long is not in use. Most clients keep one for five seconds at most. */
const UNUSED_MS = 5_000;
const CHECKED_EVERY_MS = 100;

/** The connections of a server, wherever they were accepted. */
export class OpenConnections {
  readonly #server: Server;
  /** When the last request of each connection ended; null while one is being answered. */
  readonly #idleSince = new Map<Socket, number | null>();
  readonly #answering = new Set<ServerResponse>();
  #isEnding = false;

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket: Socket) => {
      this.#idleSince.set(socket, performance.now());
      socket.once('close', () => this.#idleSince.delete(socket));
    });
    server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.#idleSince.set(socket, null);
      this.#answering.add(response);
      if (this.#isEnding) response.shouldKeepAlive = false;
      response.once('close', () => {
        this.#answering.delete(response);
        if (this.#idleSince.has(socket)) this.#idleSince.set(socket, performance.now());
      });
    });
  }

  /** Serves a connection that another process has accepted. */
  take(socket: Socket): void {
    socket.setNoDelay(true);
    this.#server.emit('connection', socket);
  }

  /**
   * Resolves when no request is being answered. Each answer from now on is the last one of its connection. The server
   * itself waits only for connections that it has accepted.
   */
  async answered(): Promise<void> {
    this.#endConnections();
    while (this.#answering.size > 0) {
      await Promise.all(
        [...this.#answering].map((response) => new Promise((done) => response.once('close', done))),
      );
    }
  }

  /**
   * Takes no new connections, and lets clients end the present ones: each answer says that it is the last one. Resolves
   * when none is left, or none that is in use. To close one in the moment in which a client uses it would lose a request.
   */
  async retire(): Promise<void> {
    this.#endConnections();
    // A server for HTTP would close idle connections as well.
    NetServer.prototype.close.call(this.#server);
    const since = performance.now();
    const isInUse = (idleSince: number | null) =>
      idleSince === null || performance.now() - Math.max(idleSince, since) < UNUSED_MS;
    while ([...this.#idleSince.values()].some(isInUse)) {
      await new Promise((done) => setTimeout(done, CHECKED_EVERY_MS));
    }
  }

  /** Lets each answer say that its connection ends with it. */
  #endConnections(): void {
    this.#isEnding = true;
    for (const response of this.#answering) response.shouldKeepAlive = false;
  }
}
