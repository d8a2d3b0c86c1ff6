import type { WebSocket } from 'ws';
import { isObject, type JsonObject } from '#src/fields.ts';

/** Close codes of the gateway that the sandbox uses. */
export const CLOSE = {
  unknownOpcode: 4001,
  decodeError: 4002,
  notAuthenticated: 4003,
  authenticationFailed: 4004,
  alreadyAuthenticated: 4005,
  invalidSequence: 4007,
  invalidShard: 4010,
  invalidIntents: 4013,
  disallowedIntents: 4014,
} as const;

/** Sends a packet that is no event, and so has no sequence number. */
export function send(socket: WebSocket, payload: JsonObject): void {
  socket.send(JSON.stringify({ s: null, t: null, ...payload }));
}

/** The packet that a client sent, or null when it is not a JSON object. */
export function parsePacket(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** The `[index, count]` of an IDENTIFY, or null when it is not valid. A client that names no shard is the only one. */
export function readShard(value: unknown): readonly [number, number] | null {
  if (value === undefined || value === null) return [0, 1];
  if (!Array.isArray(value) || value.length !== 2) return null;
  const [index, count]: unknown[] = value;
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(count)) return null;
  const shard = [Number(index), Number(count)] as const;
  return shard[1] >= 1 && shard[0] >= 0 && shard[0] < shard[1] ? shard : null;
}
