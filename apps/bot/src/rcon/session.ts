import { connect, type Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { encodePacket, PacketType } from 'rcon-client/lib/packet.js';
import { Frames } from './frames.ts';

/** A game server's resolved and checked address, not its name. */
export interface RconTarget {
  readonly address: string;
  readonly port: number;
  readonly password: string;
}

export interface RconReply {
  readonly output: string;
  /** Whether the output exceeded the stored length, or the connection broke before its end. */
  readonly truncated: boolean;
}

export const MOST_OUTPUT_BYTES = 1024 * 1024;
const CONNECT_TIMEOUT_MS = 3_000;
const LOGIN_TIMEOUT_MS = 3_000;
/** How long a server that ignores the end probe must add nothing to its output before that counts as complete. */
const SILENCE_MS = 1_000;

const AUTH_ID = 1;
const COMMAND_ID = 2;
const END_ID = 3;
const REFUSED_ID = -1;

/**
 * The output of one command, run over a connection of its own. `signal` limits the whole call. Connecting and logging
 * in have their own deadlines within that.
 *
 * Uses rcon-client's packets but not its connection, which cuts replies at their first packet, treats an empty answer
 * as a login, sends queued commands after a reconnect, and hangs, crashes or fills the memory on broken frames (hazards
 * H26).
 *
 * @throws RconFailure
 */
export function runCommand(target: RconTarget, command: string, signal: AbortSignal): Promise<RconReply> {
  return withLogin(target, signal, (socket, frames) => {
    frames.sendsCommand();
    send(socket, COMMAND_ID, PacketType.Command, command);
    return readReply(socket, frames);
  });
}

/**
 * Logs in and disconnects.
 *
 * @throws RconFailure
 */
export function tryLogin(target: RconTarget, signal: AbortSignal): Promise<void> {
  return withLogin(target, signal, async () => {});
}

async function withLogin<Result>(
  { address, port, password }: RconTarget,
  signal: AbortSignal,
  use: (socket: Socket, frames: Frames) => Promise<Result>,
): Promise<Result> {
  const socket = connect({ host: address, port, noDelay: true });
  const frames = new Frames(socket, signal);
  try {
    await frames.within(CONNECT_TIMEOUT_MS, 'unreachable', 'The game server cannot be reached.', () =>
      frames.connected(),
    );
    const late = 'The game server did not answer the login in time.';
    await frames.within(LOGIN_TIMEOUT_MS, 'no_login_answer', late, () => logIn(socket, frames, password));
    return await use(socket, frames);
  } finally {
    frames.release();
    socket.destroy();
  }
}

async function logIn(socket: Socket, frames: Frames, password: string): Promise<void> {
  send(socket, AUTH_ID, PacketType.Auth, password);
  for (;;) {
    const { id, type } = await frames.next();
    // Source servers send an empty response before the answer. Only the answer to the login counts.
    if (type !== PacketType.AuthResponse) continue;
    if (id === AUTH_ID) return;
    throw id === REFUSED_ID
      ? frames.failure('login_refused', 'The game server refused the password.')
      : frames.failure('no_rcon', 'The game server answered a login nobody made.');
  }
}

/**
 * Collects a reply of any number of packets. An empty request is sent once the reply has begun, and its answer marks
 * the reply's end: Source mirrors it, Minecraft calls it unknown, both under its id.
 */
async function readReply(socket: Socket, frames: Frames): Promise<RconReply> {
  const parts: Buffer[] = [];
  let bytes = 0;
  let completeAt: number | undefined;
  let hasEnd = false;
  while (bytes <= MOST_OUTPUT_BYTES) {
    const packet =
      completeAt === undefined
        ? await frames.next()
        : await frames.nextWithin(Math.max(0, completeAt - performance.now()));
    hasEnd = packet?.id === END_ID;
    if (packet === null || hasEnd) break;
    // What the server says by itself, as what players write, is no part of the reply and does not prolong it.
    if (packet.id !== COMMAND_ID) continue;
    parts.push(packet.payload);
    bytes += packet.payload.length;
    if (completeAt === undefined) send(socket, END_ID, PacketType.CommandResponse, '');
    completeAt = performance.now() + SILENCE_MS;
  }
  // The connection may have broken behind the end, before that was taken out.
  const truncated = bytes > MOST_OUTPUT_BYTES || (frames.isBroken && !hasEnd);
  return { output: textOf(Buffer.concat(parts).subarray(0, MOST_OUTPUT_BYTES)), truncated };
}

/** PostgreSQL cannot store U+0000. Invalid UTF-8 becomes U+FFFD, and a character cut in the middle is left out. */
function textOf(bytes: Buffer): string {
  return new StringDecoder('utf8').write(bytes).replaceAll('\u0000', '\ufffd');
}

function send(socket: Socket, id: number, type: PacketType, text: string): void {
  socket.write(encodePacket({ id, type, payload: Buffer.from(text, 'utf8') }));
}
