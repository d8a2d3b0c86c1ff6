import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** What happens to what passes: nothing, or one of the ways in which networks fail. */
export const FAULTS = ['delay', 'reset', 'black hole', 'truncate', 'trickle'] as const;
export type Fault = (typeof FAULTS)[number];

const DELAY_MS = 300;
const TRICKLE_BYTES = 64;
const TRICKLE_EVERY_MS = 5;
/** Of each connection's answers, so many bytes pass before it is cut. */
const TRUNCATED_AFTER = 100;

/** A connection to somewhere else, on a port of its own, that can be made to fail. */
export class FaultyLink {
  readonly #to: number;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  readonly #server = createServer((client) => this.#connect(client));
  #fault: Fault | null = null;
  /** Called for each piece that passes, before it does. */
  onPiece: () => void = () => {};

  private constructor(to: number) {
    this.#to = to;
  }

  static async to(port: number): Promise<FaultyLink> {
    const proxy = new FaultyLink(port);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** From now on everything fails so, also on connections that are there. */
  begin(fault: Fault): void {
    this.#fault = fault;
    if (fault === 'reset') this.#cutAll();
  }

  /** Everything passes again. What was swallowed is lost, so the connections that swallowed it are cut. */
  end(): void {
    const hadSwallowed = this.#fault === 'black hole';
    this.#fault = null;
    if (hadSwallowed) this.#cutAll();
  }

  close(): void {
    this.#server.close();
    this.#cutAll();
  }

  #cutAll(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.resetAndDestroy();
  }

  #connect(client: Socket): void {
    if (this.#fault === 'reset') return void client.resetAndDestroy();
    const server = connect(this.#to, '127.0.0.1');
    const pair = [client, server] as const;
    this.#pairs.add(pair);
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.once('close', () => {
        this.#pairs.delete(pair);
        for (const either of pair) either.destroy();
      });
    }
    this.#pass(client, server, false);
    this.#pass(server, client, true);
  }

  /** Passes pieces on in their order, each after the one before. */
  #pass(from: Socket, to: Socket, isAnswer: boolean): void {
    let before = Promise.resolve();
    let passed = 0;
    from.on('data', (piece: Buffer) => {
      this.onPiece();
      before = before.then(async () => {
        const left = this.#fault === 'truncate' && isAnswer ? TRUNCATED_AFTER - passed : piece.length;
        if (this.#fault === 'truncate' && isAnswer) passed += piece.length;
        if (left < piece.length) {
          to.end(piece.subarray(0, Math.max(0, left)));
          return;
        }
        await this.#send(to, piece);
      });
    });
    from.on('end', () => {
      before = before.then(() => void to.end());
    });
  }

  async #send(to: Socket, piece: Buffer): Promise<void> {
    if (this.#fault === 'black hole') return;
    if (this.#fault === 'delay') await pause(DELAY_MS);
    for (let at = 0; at < piece.length; ) {
      const end = this.#fault === 'trickle' ? at + TRICKLE_BYTES : piece.length;
      if (!to.destroyed) to.write(piece.subarray(at, end));
      at = end;
      if (at < piece.length) await pause(TRICKLE_EVERY_MS);
    }
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
