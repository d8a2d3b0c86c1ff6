import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { Service } from './service.ts';

/** A connection waits so long for a web process, if none is ready. */
const WAIT_MS = 10_000;
const MOST_WAITING = 500;

/**
 * Accepts connections and hands each to one of the web processes that are ready, in turn. It reads nothing of them, so
 * the web process sees the client's own address.
 */
export class Front {
  readonly #server = createServer({ pauseOnConnect: true }, (socket) => this.#accept(socket));
  #ready: readonly Service[] = [];
  #next = 0;
  readonly #waiting = new Set<Socket>();
  /** Connections that were sent to a web process, which has not read of them yet. */
  readonly #sent = new Map<number, { readonly web: Service; readonly socket: Socket }>();

  async listen(host: string, port: number): Promise<void> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
  }

  add(web: Service): void {
    this.#ready = [...this.#ready.filter((other) => other !== web), web];
    // A copy, because those that cannot be handed over wait again.
    for (const socket of [...this.#waiting]) this.#hand(socket);
  }

  /** Sends this web process no more connections. It still takes those that it was sent. */
  remove(web: Service): void {
    this.#ready = this.#ready.filter((other) => other !== web);
  }

  /** A web process has ended, and all that it said was heard: another one gets what it did not take. */
  ended(web: Service): void {
    this.remove(web);
    const sent = [...this.#sent].filter(([, each]) => each.web === web);
    for (const [id] of sent) this.#sent.delete(id);
    for (const socket of [...this.#waiting, ...sent.map(([, each]) => each.socket)]) this.#hand(socket);
  }

  /** A web process reads this connection from now on, so it ends with that process. */
  taken(id: number): void {
    this.#sent.get(id)?.socket.destroy();
    this.#sent.delete(id);
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#waiting) socket.destroy();
    for (const id of this.#sent.keys()) this.taken(id);
  }

  #accept(socket: Socket): void {
    // A client that goes away is no news: the web process that gets its connection finds out.
    socket.on('error', () => {});
    this.#hand(socket);
  }

  #hand(socket: Socket): void {
    this.#waiting.delete(socket);
    this.#next += 1;
    const id = this.#next;
    const web = this.#ready[id % this.#ready.length];
    if (web?.send({ type: 'connection', id }, socket) === true)
      return void this.#sent.set(id, { web, socket });
    if (this.#waiting.size >= MOST_WAITING) return void socket.destroy();
    this.#waiting.add(socket);
    setTimeout(() => {
      if (this.#waiting.delete(socket)) socket.destroy();
    }, WAIT_MS).unref();
  }
}
