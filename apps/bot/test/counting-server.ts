import { EventEmitter, once } from 'node:events';
import { createServer, type Socket } from 'node:net';

const RESPONSE = 0;
const AUTH = 3;
const AUTH_RESPONSE = 2;

/**
 * A game server that counts who uses it at the same time, and answers a command when it is told to. Who has got a whole
 * answer uses it no more: the end of a connection may be heard of after the beginning of the next one.
 */
export class CountingServer {
  readonly commands: string[] = [];
  /** Who signed in while others used it, with what those had asked for. */
  readonly overlaps: string[] = [];
  port = 0;
  #held: (() => void)[] = [];
  #holds = false;
  readonly #sockets = new Set<Socket>();
  /** Who is signed in and waits for an answer, with what it has asked for. */
  readonly #using = new Map<Socket, string>();
  readonly #left = new EventEmitter();
  readonly #server = createServer((socket) => this.#serve(socket));
  readonly #answerTo: (command: string) => string;

  constructor(answerTo = (command: string) => `did ${command}`) {
    this.#answerTo = answerTo;
  }

  listen(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.listen(0, '127.0.0.1', () => {
        const address = this.#server.address();
        this.port = typeof address === 'object' && address !== null ? address.port : 0;
        resolve();
      });
    });
  }

  /** From now on commands are answered only by `answer`. */
  hold(): void {
    this.#holds = true;
  }

  answer(): void {
    this.#holds = false;
    for (const send of this.#held.splice(0)) send();
  }

  /** Resolves when nobody uses it any more. */
  async left(): Promise<void> {
    while (this.#using.size > 0) await once(this.#left, 'left');
  }

  close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    const leave = () => {
      this.#sockets.delete(socket);
      this.#using.delete(socket);
      this.#left.emit('left');
    };
    for (const event of ['end', 'error', 'close']) socket.on(event, leave);
    // Each packet of the bot fits into one chunk on loopback.
    socket.on('data', (chunk) => {
      const type = chunk.readInt32LE(8);
      if (type === AUTH) {
        if (this.#using.size > 0) this.overlaps.push([...this.#using.values()].join(', '));
        this.#using.set(socket, 'nothing yet');
        socket.write(packet(chunk.readInt32LE(4), AUTH_RESPONSE, ''));
      } else if (type === RESPONSE) {
        this.#using.delete(socket);
        socket.write(packet(chunk.readInt32LE(4), RESPONSE, ''));
      } else this.#run(socket, chunk);
    });
  }

  #run(socket: Socket, chunk: Buffer): void {
    const command = chunk.toString('utf8', 12, chunk.length - 2);
    this.commands.push(command);
    this.#using.set(socket, command);
    const send = () => socket.write(packet(chunk.readInt32LE(4), RESPONSE, this.#answerTo(command)));
    if (this.#holds) this.#held.push(send);
    // Long enough for another connection to show itself, if there were one.
    else setTimeout(send, 20);
  }
}

function packet(id: number, type: number, body: string): Buffer {
  const bytes = Buffer.alloc(body.length + 14);
  bytes.writeInt32LE(body.length + 10, 0);
  bytes.writeInt32LE(id, 4);
  bytes.writeInt32LE(type, 8);
  bytes.write(body, 12);
  return bytes;
}
