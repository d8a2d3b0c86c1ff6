import { connect, type Socket } from 'node:net';
import { decodePacket, encodePacket, type Packet, PacketType } from 'rcon-client/lib/packet.js';

/** A game server that did not do its part. */
export class RconFailure extends Error {
  /** Whether the command had left already, so that nobody knows whether it ran. */
  readonly wasSent: boolean;

  constructor(message: string, wasSent: boolean) {
    super(message);
    this.name = 'RconFailure';
    this.wasSent = wasSent;
  }
}

export interface RconReply {
  readonly output: string;
  /** The output went on beyond what is kept, or the connection broke in the middle of it. */
  readonly truncated: boolean;
}

export const MOST_OUTPUT_BYTES = 256 * 1024;
const CONNECT_TIMEOUT_MS = 3_000;
/** A server that does not answer the probe for the end has said everything when it is silent for so long. */
const SILENCE_MS = 1_000;

const AUTH_ID = 1;
const COMMAND_ID = 2;
const END_ID = 3;
const REFUSED_ID = -1;

/**
 * Runs one command over a connection of its own.
 *
 * rcon-client's packets are used, and none of its connection: it cuts replies at their first packet, takes an empty
 * answer for a login, sends queued commands after a reconnect, and hangs, crashes or fills the memory on broken frames
 * (hazards H26).
 *
 * @param target.address a resolved address that was judged, not a name
 * @throws RconFailure
 */
export async function runCommand(
  target: { address: string; port: number; password: string },
  command: string,
  signal: AbortSignal,
): Promise<RconReply> {
  const socket = connect({ host: target.address, port: target.port, noDelay: true });
  const frames = new Frames(socket, signal);
  try {
    await frames.connected(CONNECT_TIMEOUT_MS);
    await logIn(socket, frames, target.password);
    socket.write(
      encodePacket({ id: COMMAND_ID, type: PacketType.Command, payload: Buffer.from(command, 'utf8') }),
    );
    frames.commandSent();
    return await readReply(socket, frames);
  } finally {
    frames.release();
    socket.destroy();
  }
}

async function logIn(socket: Socket, frames: Frames, password: string): Promise<void> {
  socket.write(encodePacket({ id: AUTH_ID, type: PacketType.Auth, payload: Buffer.from(password, 'utf8') }));
  for (;;) {
    const { id, type } = await frames.next();
    // Source servers send an empty response before the answer; only the answer to the login counts.
    if (type !== PacketType.AuthResponse) continue;
    if (id === AUTH_ID) return;
    if (id === REFUSED_ID) throw new RconFailure('The game server refused the password.', false);
    throw new RconFailure('The game server answered a login nobody made.', false);
  }
}

/**
 * Collects a reply of any number of packets. Its end is where an empty request, sent once the reply has begun, is
 * answered: Source mirrors it, Minecraft calls it unknown, both under its id.
 */
async function readReply(socket: Socket, frames: Frames): Promise<RconReply> {
  const parts: Buffer[] = [];
  let bytes = 0;
  let asked = false;
  for (;;) {
    const packet = asked ? await frames.nextWithin(SILENCE_MS) : await frames.next();
    if (packet === null || packet.id === END_ID) break;
    if (packet.id !== COMMAND_ID) continue;
    parts.push(packet.payload);
    bytes += packet.payload.length;
    if (bytes > MOST_OUTPUT_BYTES) break;
    if (!asked) {
      asked = true;
      socket.write(encodePacket({ id: END_ID, type: PacketType.CommandResponse, payload: Buffer.alloc(0) }));
    }
  }
  const truncated = bytes > MOST_OUTPUT_BYTES || frames.isBroken;
  return { output: textOf(Buffer.concat(parts).subarray(0, MOST_OUTPUT_BYTES)), truncated };
}

/** PostgreSQL cannot keep U+0000; what is not UTF-8 becomes U+FFFD. */
function textOf(bytes: Buffer): string {
  return bytes.toString('utf8').replaceAll('\u0000', '\ufffd');
}

const SHORTEST_FRAME = 10;
const LONGEST_FRAME = 64 * 1024;
/** Packets nobody asked for that are put up with. */
const MOST_FRAMES = 2_000;

/** Cuts what arrives into packets, and fails at the first sign of a peer that does not speak the protocol. */
class Frames {
  readonly #socket: Socket;
  readonly #signal: AbortSignal;
  readonly #packets: Packet[] = [];
  #waiting: Buffer = Buffer.alloc(0);
  #count = 0;
  #problem: string | null = null;
  #wasSent = false;
  #wake: () => void = () => {};
  #connected = false;

  constructor(socket: Socket, signal: AbortSignal) {
    this.#socket = socket;
    this.#signal = signal;
    socket.on('data', this.#onData);
    socket.on('connect', () => {
      this.#connected = true;
      this.#wake();
    });
    // Stays for good: a reset without a listener would end the process.
    socket.on('error', (error) => this.#fail(`The connection to the game server failed (${codeOf(error)}).`));
    socket.on('close', () => this.#fail('The game server closed the connection.'));
    signal.addEventListener('abort', this.#onAbort, { once: true });
    if (signal.aborted) this.#onAbort();
  }

  get isBroken(): boolean {
    return this.#problem !== null;
  }

  /** From here on nobody can say that the command did not run. */
  commandSent(): void {
    this.#wasSent = true;
  }

  async connected(withinMs: number): Promise<void> {
    const timer = setTimeout(() => this.#fail('The game server cannot be reached.'), withinMs);
    try {
      await this.#until(() => this.#connected);
    } finally {
      clearTimeout(timer);
    }
  }

  async next(): Promise<Packet> {
    await this.#until(() => this.#packets.length > 0);
    const packet = this.#packets.shift();
    if (packet === undefined) throw new Error('unreachable: a packet was there');
    return packet;
  }

  /** Null when none came in time, or the connection ended. */
  async nextWithin(ms: number): Promise<Packet | null> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#wake();
    }, ms);
    try {
      await this.#until(
        () => this.#packets.length > 0 || isLate || (this.#problem !== null && !this.#signal.aborted),
      );
      return this.#packets.shift() ?? null;
    } finally {
      clearTimeout(timer);
    }
  }

  release(): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#socket.off('data', this.#onData);
  }

  async #until(isThere: () => boolean): Promise<void> {
    while (!isThere()) {
      if (this.#problem !== null) throw new RconFailure(this.#problem, this.#wasSent);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  readonly #onAbort = () => this.#fail('The game server did not answer in time.');

  readonly #onData = (chunk: Buffer) => {
    if (this.#problem !== null) return;
    this.#waiting = Buffer.concat([this.#waiting, chunk]);
    while (this.#waiting.length >= 4) {
      const length = this.#waiting.readInt32LE(0);
      if (length < SHORTEST_FRAME || length > LONGEST_FRAME) {
        this.#fail('The game server does not speak the RCON protocol.');
        return;
      }
      if (this.#waiting.length < length + 4) break;
      this.#packets.push(decodePacket(this.#waiting.subarray(0, length + 4)));
      this.#waiting = this.#waiting.subarray(length + 4);
      this.#count += 1;
      if (this.#count > MOST_FRAMES) {
        this.#fail('The game server does not stop talking.');
        return;
      }
    }
    this.#wake();
  };

  #fail(problem: string): void {
    this.#problem ??= problem;
    this.#socket.destroy();
    this.#wake();
  }
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
