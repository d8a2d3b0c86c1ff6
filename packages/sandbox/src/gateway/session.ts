import { randomUUID } from 'node:crypto';
import { GatewayOpcodes as Op } from 'discord-api-types/v10';
import type { WebSocket } from 'ws';

/** How many events a session keeps for a client that resumes; Discord keeps those of some minutes. */
const MOST_KEPT_EVENTS = 10_000;
/** How long a session without a connection can be resumed. */
const RESUMABLE_MS = 10 * 60_000;

export interface SessionState {
  readonly session_id: string;
  readonly shard: readonly [number, number];
  readonly intents: number;
  readonly connected: boolean;
  readonly sequence: number;
  /** How often a client resumed it. */
  readonly resumes: number;
}

/** A client's session: its events and its current socket. It outlives the socket, so that it can be resumed. */
export class Session {
  readonly id = randomUUID().replaceAll('-', '');
  readonly intents: number;
  readonly shard: readonly [number, number];
  socket: WebSocket | null;
  disconnectedAtMs = 0;
  readonly #canSend: (socket: WebSocket) => boolean;
  readonly #events: { sequence: number; payload: string }[] = [];
  #sequence = 0;
  #resumes = 0;
  /** Sequence number of the last event that was sent on the current socket. */
  #sent = 0;

  /** @param canSend whether events may be sent on a socket now; the others wait for `flush` */
  constructor(
    { intents, shard }: Pick<Session, 'intents' | 'shard'>,
    socket: WebSocket,
    canSend: (socket: WebSocket) => boolean,
  ) {
    this.intents = intents;
    this.shard = shard;
    this.socket = socket;
    this.#canSend = canSend;
  }

  /** Whether nobody has come back to it in time. */
  get isOver(): boolean {
    return this.socket === null && Date.now() - this.disconnectedAtMs > RESUMABLE_MS;
  }

  get sequence(): number {
    return this.#sequence;
  }

  get state(): SessionState {
    return {
      session_id: this.id,
      shard: this.shard,
      intents: this.intents,
      connected: this.socket !== null,
      sequence: this.#sequence,
      resumes: this.#resumes,
    };
  }

  /** Whether the client gave one of these intents; events with no intent reach every client. */
  wants(intents: number): boolean {
    return intents === 0 || (this.intents & intents) !== 0;
  }

  /** Whether events of the guild go to this shard; those of no guild go to the first one. */
  serves(guildId: string | null): boolean {
    const [index, count] = this.shard;
    return guildId === null ? index === 0 : Number((BigInt(guildId) >> 22n) % BigInt(count)) === index;
  }

  push(event: string, data: object): void {
    this.#sequence += 1;
    const payload = JSON.stringify({ op: Op.Dispatch, s: this.#sequence, t: event, d: data });
    this.#events.push({ sequence: this.#sequence, payload });
    if (this.#events.length > MOST_KEPT_EVENTS) this.#events.shift();
    this.flush();
  }

  /** Sends the events that the current socket has not had. */
  flush(): void {
    if (!this.socket || !this.#canSend(this.socket)) return;
    const first = this.#events[0]?.sequence ?? 0;
    for (const { sequence, payload } of this.#events.slice(Math.max(0, this.#sent + 1 - first))) {
      this.socket.send(payload);
      this.#sent = sequence;
    }
  }

  /** Whether every event after this sequence number is still kept. */
  keepsEventsAfter(sequence: number): boolean {
    return (this.#events[0]?.sequence ?? 1) <= sequence + 1;
  }

  /** Goes on with another socket, after the last event that the client had. */
  resume(socket: WebSocket, sequence: number): void {
    this.socket?.terminate();
    this.socket = socket;
    this.#sent = sequence;
    this.#resumes += 1;
    this.push('RESUMED', { _trace: ['sandbox'] });
  }
}
