import { createServer, type Server, type Socket } from 'node:net';
import { controlFields } from './control/resolve.ts';
import { ControlError } from './errors.ts';
import {
  arkList,
  LISTINGS,
  type Listing,
  minecraftList,
  PLAYERS,
  rustList,
  type SandboxPlayer,
  squadList,
  statusOf,
} from './rcon-players.ts';

/** Packet types of Valve's Source RCON protocol; 2 means a command from the client and an auth answer from the server. */
const PACKET = { response: 0, command: 2, authResponse: 2, auth: 3 } as const;
const LARGEST_PART = 4096;
const LARGEST_REQUEST = 4096 + 14;
const FAULT_MODES = [
  'hang',
  'reset',
  'drop_after',
  'delay',
  'wrong_id',
  'negative_length',
  'huge_length',
  'garbage',
  'refuse_auth',
  'answer',
] as const;

/**
 * `source` sends an empty response before the answer to a login, as Valve's servers do, and mirrors an empty response
 * packet so that clients can find the end of a long reply; `minecraft` does neither.
 */
export type RconStyle = 'source' | 'minecraft';

export interface RconOptions {
  readonly id: string;
  readonly host: string;
  readonly port: number;
  readonly password: string;
  readonly style: RconStyle;
  onCommand?(command: string, outputBytes: number): void;
}

/** The body of `POST /sandbox/rcon-faults`. It hits the next `times` commands (`refuse_auth`: logins). */
export interface RconFaultRequest {
  mode: (typeof FAULT_MODES)[number];
  times?: number;
  delay_ms?: number;
  /** For `answer`: what the server says instead, as a hostile one may. */
  text?: string;
}

/** The body of `POST /sandbox/rcon-listing`. */
export interface RconListingRequest {
  game: Listing;
}

interface RconFault {
  readonly mode: RconFaultRequest['mode'];
  left: number;
  readonly delayMs: number;
  readonly text: string;
}

/** An offline game server that speaks Source RCON over TCP. */
export class RconServer {
  readonly options: RconOptions;
  players: readonly SandboxPlayer[] = PLAYERS;
  readonly bans = new Set<string>();
  /** Which game's answer `ListPlayers` gets: two games have a command of that name. */
  listing: Listing = 'ark';
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #faults: RconFault[] = [];

  constructor(options: RconOptions) {
    this.options = options;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** Resolves with the port it listens on; rejects when the port is taken. */
  listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.options.port, this.options.host, () => {
        this.#server.off('error', reject);
        const address = this.#server.address();
        resolve(typeof address === 'object' && address ? address.port : this.options.port);
      });
    });
  }

  close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  addFault(body: unknown): RconFaultRequest {
    const fields = controlFields(body, ['mode', 'times', 'delay_ms', 'text']);
    const fault = {
      mode: fields.requiredChoice('mode', FAULT_MODES),
      left: fields.integer('times', { min: 1 }) ?? 1,
      delayMs: fields.integer('delay_ms', { min: 0 }) ?? 1000,
      text: fields.string('text') ?? '',
    };
    if (fault.mode === 'delay' && fault.delayMs === 0)
      throw new ControlError(400, 'delay_ms: must be above 0.');
    this.#faults.push(fault);
    const { mode, left: times, delayMs: delay_ms, text } = fault;
    return { mode, times, delay_ms, ...(mode === 'answer' ? { text } : {}) };
  }

  clearFaults(): number {
    return this.#faults.splice(0).length;
  }

  setListing(body: unknown): RconListingRequest {
    this.listing = controlFields(body, ['game']).requiredChoice('game', LISTINGS);
    return { game: this.listing };
  }

  /** As it was when it started. */
  reset(): void {
    this.clearFaults();
    this.players = PLAYERS;
    this.bans.clear();
    this.listing = 'ark';
  }

  #takeFault(isLogin: boolean): RconFault | null {
    const index = this.#faults.findIndex((fault) => (fault.mode === 'refuse_auth') === isLogin);
    const fault = this.#faults[index];
    if (!fault) return null;
    fault.left -= 1;
    if (fault.left === 0) this.#faults.splice(index, 1);
    return fault;
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    let waiting = Buffer.alloc(0);
    let authenticated = false;
    socket.on('data', (chunk) => {
      waiting = Buffer.concat([waiting, chunk]);
      while (waiting.length >= 4) {
        const length = waiting.readInt32LE(0);
        if (length < 10 || length > LARGEST_REQUEST) return socket.destroy();
        if (waiting.length < length + 4) return undefined;
        const id = waiting.readInt32LE(4);
        const type = waiting.readInt32LE(8);
        const text = waiting.toString('utf8', 12, length + 2);
        waiting = waiting.subarray(length + 4);
        if (type === PACKET.auth) authenticated = this.#login(socket, id, text);
        else if (authenticated) this.#answer(socket, id, type, text);
        else socket.write(packet(-1, PACKET.authResponse, ''));
      }
      return undefined;
    });
  }

  #login(socket: Socket, id: number, password: string): boolean {
    const right = password === this.options.password && this.#takeFault(true) === null;
    if (this.options.style === 'source') socket.write(packet(id, PACKET.response, ''));
    socket.write(packet(right ? id : -1, PACKET.authResponse, ''));
    return right;
  }

  #answer(socket: Socket, id: number, type: number, command: string): void {
    if (type !== PACKET.command) {
      const isProbe = type === PACKET.response && this.options.style === 'source';
      if (isProbe) {
        socket.write(packet(id, PACKET.response, ''));
        socket.write(packet(id, PACKET.response, Buffer.from([0, 1, 0, 0])));
      } else {
        socket.write(packet(id, PACKET.response, `Unknown request ${type.toString(16)}`));
      }
      return;
    }
    const fault = this.#takeFault(false);
    if (fault?.mode === 'hang') return;
    if (fault?.mode === 'reset') {
      socket.resetAndDestroy();
      return;
    }
    const output = fault?.mode === 'answer' ? fault.text : this.#perform(command);
    this.options.onCommand?.(command, Buffer.byteLength(output));
    const send = () => {
      if (fault && sendBroken(socket, id, fault.mode)) return;
      for (const part of parts(output)) socket.write(packet(id, PACKET.response, part));
    };
    const slow = /^slow (\d{1,5})$/.exec(command)?.[1];
    const delayMs = fault?.mode === 'delay' ? fault.delayMs : Number(slow ?? 0);
    if (delayMs > 0) setTimeout(send, delayMs).unref();
    else send();
  }

  #perform(command: string): string {
    const [name = '', ...rest] = command.trim().split(' ');
    const text = rest.join(' ');
    switch (name) {
      case 'status':
        return statusOf(this.options.id, this.players);
      case 'list':
        return minecraftList(this.players);
      case 'playerlist':
        return rustList(this.players);
      case 'ListPlayers':
        return this.listing === 'ark' ? arkList(this.players) : squadList(this.players);
      case 'say':
        return `[Server] ${text}`;
      case 'echo':
        return text;
      case 'kick':
        return this.#kick(text);
      case 'ban':
        return this.#ban(text);
      case 'pardon':
        return this.#pardon(text);
      case 'big':
        return 'x'.repeat(Math.min(Number.parseInt(text, 10) || 0, 1_048_576));
      case 'slow':
        return `Waited ${text} ms`;
      case 'help':
        return 'Commands: status, list, playerlist, ListPlayers, say, echo, kick, ban, pardon, big, slow, help';
      default:
        return `Unknown command "${name}"`;
    }
  }

  /** As Minecraft does: also somebody who is not there can be banned, and a banned player is removed. */
  #ban(text: string): string {
    const [player = '', ...reason] = text.split(' ');
    if (this.bans.has(player)) return 'Nothing changed. The player is already banned';
    this.bans.add(player);
    this.#kick(player);
    return `Banned ${player}: ${reason.join(' ') || 'Banned by an operator.'}`;
  }

  #pardon(text: string): string {
    const [player = ''] = text.split(' ');
    return this.bans.delete(player) ? `Unbanned ${player}` : "Nothing changed. The player isn't banned";
  }

  #kick(text: string): string {
    const [player = ''] = text.split(' ');
    if (!this.players.some(({ name }) => name === player)) return `No player was found called "${player}"`;
    this.players = this.players.filter(({ name }) => name !== player);
    return `Kicked ${player}`;
  }
}

/** A reply split into parts of at most 4,096 bytes; an empty reply is one empty part. */
function parts(output: string): Buffer[] {
  const bytes = Buffer.from(output, 'utf8');
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += LARGEST_PART) pieces.push(bytes.subarray(at, at + LARGEST_PART));
  return pieces.length > 0 ? pieces : [bytes];
}

function packet(id: number, type: number, body: string | Buffer): Buffer {
  const payload = typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
  const buffer = Buffer.alloc(payload.length + 14);
  buffer.writeInt32LE(payload.length + 10, 0);
  buffer.writeInt32LE(id, 4);
  buffer.writeInt32LE(type, 8);
  payload.copy(buffer, 12);
  return buffer;
}

/** Sends the data of a hostile or broken server. Returns whether it replaces the reply. */
function sendBroken(socket: Socket, id: number, mode: RconFault['mode']): boolean {
  const frame = packet(id, PACKET.response, 'broken');
  switch (mode) {
    case 'drop_after':
      socket.resetAndDestroy();
      return true;
    case 'wrong_id':
      socket.write(packet(id + 1000, PACKET.response, 'not yours'));
      return true;
    case 'negative_length':
      frame.writeInt32LE(-4, 0);
      socket.write(frame);
      return true;
    case 'huge_length':
      frame.writeInt32LE(0x7fffffff, 0);
      socket.write(frame);
      return true;
    case 'garbage':
      socket.write(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'));
      return true;
    default:
      return false;
  }
}
