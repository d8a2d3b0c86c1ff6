import type { Socket } from 'node:net';
import type { ServerProblem } from '@bailiff/core';
import { decodePacket, type Packet } from 'rcon-client/lib/packet.js';
import { ServerUnusable } from './server-unusable.ts';

/** A failure of a game server. */
export class RconFailure extends ServerUnusable {
  /** Whether the command was already sent, so that it is unknown whether it ran. */
  readonly wasSent: boolean;

  constructor(problem: ServerProblem, message: string, wasSent: boolean) {
    super(problem, message);
    this.name = 'RconFailure';
    this.wasSent = wasSent;
  }
}

const LENGTH_BYTES = 4;
/** Bytes of id, type and the two zeros at the end, which every packet has. */
const SHORTEST_FRAME = 10;
const LONGEST_FRAME = 64 * 1024;
/** Most packets of one connection: a whole output in pieces of 64 bytes. */
const MOST_FRAMES = 16_384;
const MOST_BYTES = 2 * 1024 * 1024;
const FRAMES_PER_TURN = 500;

/** Splits the incoming bytes into packets, and fails at the first sign of a peer that does not speak the protocol. */
export class Frames {
  readonly #socket: Socket;
  readonly #signal: AbortSignal;
  #packets: Packet[] = [];
  /** Index of the next packet. Removing items from the front of a long array would move all the others. */
  #taken = 0;
  #chunks: Buffer[] = [];
  #held = 0;
  /** Bytes needed for the next step: the length, then the whole frame. Joining chunks earlier would be wasted work. */
  #wanted = LENGTH_BYTES;
  /** Whether frames may have arrived that are taken out in a later turn. */
  #isReading = false;
  #frameCount = 0;
  #byteCount = 0;
  #failure: { readonly problem: ServerProblem; readonly message: string } | null = null;
  #wasSent = false;
  #wake: () => void = () => {};
  #isConnected = false;

  constructor(socket: Socket, signal: AbortSignal) {
    this.#socket = socket;
    this.#signal = signal;
    socket.on('data', this.#onData);
    socket.on('connect', () => {
      this.#isConnected = true;
      this.#wake();
    });
    // This listener stays permanently, because a reset without a listener would end the process.
    socket.on('error', (error) => {
      // What has arrived while it was paused. After an error, nothing else hands that out.
      const unread: Buffer | null = socket.read();
      if (unread !== null) this.#onData(unread);
      const code = codeOf(error);
      const problem = code === 'ECONNREFUSED' ? 'connection_refused' : 'connection_failed';
      this.#fail(problem, `The connection to the game server failed (${code}).`);
    });
    socket.on('close', () => this.#fail('connection_closed', 'The game server closed the connection.'));
    signal.addEventListener('abort', this.#onAbort, { once: true });
    if (signal.aborted) this.#onAbort();
  }

  get isBroken(): boolean {
    return this.#failure !== null;
  }

  /** Marks the command as sent: from now on it may have run. Throws if the connection has already ended. */
  sendsCommand(): void {
    this.#throwIfBroken();
    this.#wasSent = true;
  }

  failure(problem: ServerProblem, message: string): RconFailure {
    return new RconFailure(problem, message, this.#wasSent);
  }

  /** The result of a step with its own deadline. If it misses the deadline, the connection ends. */
  async within<Result>(
    ms: number,
    problem: ServerProblem,
    message: string,
    step: () => Promise<Result>,
  ): Promise<Result> {
    const timer = setTimeout(() => this.#fail(problem, message), ms);
    try {
      return await step();
    } finally {
      clearTimeout(timer);
    }
  }

  connected(): Promise<void> {
    return this.#until(() => this.#isConnected);
  }

  async next(): Promise<Packet> {
    await this.#until(() => this.#hasPacket);
    const packet = this.#take();
    if (packet === null) throw new Error('unreachable: a packet was there');
    return packet;
  }

  /** The next packet. Null if none arrived in time, or the connection ended. */
  async nextWithin(ms: number): Promise<Packet | null> {
    if (this.#hasPacket) return this.#take();
    let isLate = false;
    // What came while the process stood still is read before it counts as late: timers come before what has arrived.
    let lastLook: NodeJS.Immediate | undefined;
    const timer = setTimeout(() => {
      lastLook = setImmediate(() => {
        isLate = true;
        this.#wake();
      });
    }, ms);
    try {
      await this.#until(() => this.#hasPacket || isLate || (this.#hasEnded && !this.#signal.aborted));
      return this.#take();
    } finally {
      clearTimeout(timer);
      clearImmediate(lastLook);
    }
  }

  /** Removes all listeners except the one for errors. */
  release(): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#socket.off('data', this.#onData);
  }

  get #hasPacket(): boolean {
    return this.#taken < this.#packets.length;
  }

  /** Whether it is broken, and what had arrived before is read. */
  get #hasEnded(): boolean {
    return this.isBroken && !this.#isReading;
  }

  #take(): Packet | null {
    const packet = this.#packets[this.#taken] ?? null;
    if (packet === null) return null;
    this.#taken += 1;
    if (!this.#hasPacket) {
      this.#packets = [];
      this.#taken = 0;
    }
    return packet;
  }

  async #until(isThere: () => boolean): Promise<void> {
    while (!isThere()) {
      if (this.#hasEnded) this.#throwIfBroken();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  readonly #onAbort = () => this.#fail('no_answer', 'The game server did not answer in time.');

  readonly #onData = (chunk: Buffer) => {
    if (this.isBroken) return;
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    if (this.#isReading || this.#held < this.#wanted) return;
    this.#socket.pause();
    this.#readFrames();
  };

  /** Takes the frames out in several turns, so that thousands of them do not keep the process busy at once. */
  #readFrames(): void {
    let rest = Buffer.concat(this.#chunks, this.#held);
    this.#isReading = true;
    for (let read = 0; this.#isReading && read < FRAMES_PER_TURN; read += 1) {
      const frame = this.#frameOf(rest);
      if (frame === null) {
        this.#isReading = false;
      } else {
        this.#packets.push(decodePacket(frame));
        rest = rest.subarray(frame.length);
      }
    }
    this.#chunks = [rest];
    this.#held = rest.length;
    this.#wake();
    if (this.#isReading) setImmediate(() => this.#readFrames());
    else setImmediate(() => this.#socket.resume());
  }

  /** The frame at the start of `bytes`. Null if it is not complete yet or the peer does not speak the protocol. */
  #frameOf(bytes: Buffer): Buffer | null {
    this.#wanted = LENGTH_BYTES;
    if (bytes.length < LENGTH_BYTES) return null;
    const length = bytes.readInt32LE(0);
    if (length < SHORTEST_FRAME || length > LONGEST_FRAME) {
      this.#fail('no_rcon', 'The game server does not speak the RCON protocol.');
      return null;
    }
    this.#wanted = LENGTH_BYTES + length;
    if (bytes.length < this.#wanted) return null;
    this.#frameCount += 1;
    this.#byteCount += this.#wanted;
    if (this.#frameCount > MOST_FRAMES || this.#byteCount > MOST_BYTES) {
      this.#fail('endless', 'The game server does not stop talking.');
      return null;
    }
    return bytes.subarray(0, this.#wanted);
  }

  #throwIfBroken(): void {
    if (this.#failure !== null) throw this.failure(this.#failure.problem, this.#failure.message);
  }

  #fail(problem: ServerProblem, message: string): void {
    this.#failure ??= { problem, message };
    this.#socket.destroy();
    this.#wake();
  }
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
