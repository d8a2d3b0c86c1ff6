import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { GatewayIntentBits, GatewayOpcodes as Op } from 'discord-api-types/v10';
import { type WebSocket, WebSocketServer } from 'ws';
import { guildCreatePayload } from './actions/guilds.ts';
import { isObject, type JsonObject } from './fields.ts';
import type { Guild } from './model.ts';
import { memberPayload, userPayload } from './payloads.ts';
import { membersStartingWith } from './rest/members.ts';
import type { GatewayFacts } from './rest/route.ts';
import type { Dispatch, World } from './world.ts';

/** How the sandbox's gateway differs from one that serves a small bot. */
export interface GatewayOptions {
  /** What Discord recommends; 1 by default. */
  readonly shards?: number;
  /** How many buckets of shards may identify beside each other; 1 by default. */
  readonly maxConcurrency?: number;
  readonly heartbeatIntervalMs?: number;
}

const HEARTBEAT_INTERVAL_MS = 41_250;
const IDENTIFIES_PER_DAY = 1000;
const DAY_MS = 86_400_000;
/** Events kept for a session to resume with; Discord keeps some minutes' worth. */
const REPLAYED = 10_000;
const CHUNK = 1000;
/** How long a session without a connection can be resumed. */
const RESUMABLE_MS = 10 * 60_000;

/** Close codes of the gateway that the sandbox uses. */
const CLOSE = {
  unknownOpcode: 4001,
  decodeError: 4002,
  notAuthenticated: 4003,
  authenticationFailed: 4004,
  alreadyAuthenticated: 4005,
  invalidSequence: 4007,
  invalidShard: 4010,
  invalidIntents: 4013,
} as const;

interface Session {
  readonly id: string;
  readonly intents: number;
  readonly shard: readonly [number, number];
  sequence: number;
  readonly buffer: { sequence: number; payload: string }[];
  /** Sequence of the last event that went out on the current socket. */
  sent: number;
  socket: WebSocket | null;
  disconnectedAtMs: number;
}

export interface SessionState {
  readonly session_id: string;
  readonly shard: readonly [number, number];
  readonly intents: number;
  readonly connected: boolean;
  readonly sequence: number;
}

/** The gateway, version 10 with JSON, on a path of the sandbox's own HTTP server. */
export class Gateway implements GatewayFacts {
  url = '';
  readonly shards: number;
  readonly maxConcurrency: number;
  readonly #heartbeatIntervalMs: number;
  readonly #world: World;
  readonly #botToken: string;
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #sessions = new Map<string, Session>();
  /** Connections on which nothing comes or goes any more, although they are open. */
  readonly #dead = new WeakSet<WebSocket>();
  #identifies = 0;
  #dayEndsAtMs = Date.now() + DAY_MS;
  #isHeld = false;
  #isRefusing = false;

  constructor(world: World, botToken: string, options: GatewayOptions = {}) {
    this.shards = options.shards ?? 1;
    this.maxConcurrency = options.maxConcurrency ?? 1;
    this.#heartbeatIntervalMs = options.heartbeatIntervalMs ?? HEARTBEAT_INTERVAL_MS;
    this.#world = world;
    this.#botToken = botToken;
    world.onDispatch((dispatch) => this.#deliver(dispatch));
  }

  attach(server: Server): void {
    server.on('upgrade', (request, socket, head) => {
      const path = new URL(request.url ?? '/', 'http://sandbox').pathname;
      if (!/^\/gateway\/?$/.test(path) || this.#isRefusing) {
        socket.end(`HTTP/1.1 ${this.#isRefusing ? '503 Service Unavailable' : '404 Not Found'}\r\n\r\n`);
        return;
      }
      this.#sockets.handleUpgrade(request, socket, head, (webSocket) => this.#welcome(webSocket));
    });
  }

  identifiesLeft(): number {
    if (Date.now() >= this.#dayEndsAtMs) {
      this.#identifies = 0;
      this.#dayEndsAtMs = Date.now() + DAY_MS;
    }
    return Math.max(0, IDENTIFIES_PER_DAY - this.#identifies);
  }

  resetAfterMs(): number {
    return Math.max(0, this.#dayEndsAtMs - Date.now());
  }

  state(): { identifies: number; held: boolean; refusing: boolean; sessions: SessionState[] } {
    return {
      identifies: this.#identifies,
      held: this.#isHeld,
      refusing: this.#isRefusing,
      sessions: [...this.#sessions.values()].map((session) => ({
        session_id: session.id,
        shard: session.shard,
        intents: session.intents,
        connected: session.socket !== null,
        sequence: session.sequence,
      })),
    };
  }

  /** Cuts every connection without a word. Sessions stay and can be resumed. Returns how many were cut. */
  drop(code?: number): number {
    const sockets = [...this.#sockets.clients];
    for (const socket of sockets) {
      if (code === undefined) socket.terminate();
      else socket.close(code);
    }
    return sockets.length;
  }

  /** Leaves every connection open and answers nothing on it any more, heartbeats neither. Returns how many. */
  freeze(): number {
    const sockets = [...this.#sockets.clients].filter((socket) => !this.#dead.has(socket));
    for (const socket of sockets) this.#dead.add(socket);
    return sockets.length;
  }

  /** Asks every client to reconnect and resume. */
  reconnect(): number {
    return this.#tellAll({ op: Op.Reconnect, d: null });
  }

  /** Ends every session; `resumable` keeps them, as Discord sometimes does. */
  invalidate(resumable: boolean): number {
    const count = this.#tellAll({ op: Op.InvalidSession, d: resumable });
    if (!resumable) {
      for (const session of this.#sessions.values()) session.socket = null;
      this.#sessions.clear();
      this.#world.changed();
    }
    return count;
  }

  /** Keeps events back until they are released; nothing is lost. */
  hold(): void {
    this.#isHeld = true;
    this.#world.changed();
  }

  release(): void {
    this.#isHeld = false;
    for (const session of this.#sessions.values()) this.#flush(session);
    this.#world.changed();
  }

  /** Takes no new connections until told otherwise. */
  refuse(isRefusing: boolean): void {
    this.#isRefusing = isRefusing;
    this.#world.changed();
  }

  close(): void {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#sockets.close();
  }

  #tellAll(payload: JsonObject): number {
    const sockets = [...this.#sessions.values()].flatMap(({ socket }) =>
      socket === null || this.#dead.has(socket) ? [] : socket,
    );
    for (const socket of sockets) send(socket, payload);
    return sockets.length;
  }

  #welcome(socket: WebSocket): void {
    let session: Session | null = null;
    socket.on('error', () => socket.terminate());
    socket.on('close', (code) => {
      if (session?.socket !== socket) return;
      session.socket = null;
      session.disconnectedAtMs = Date.now();
      // A client that says goodbye (1000, 1001) gives its session up.
      if (code === 1000 || code === 1001) this.#sessions.delete(session.id);
      this.#world.changed();
    });
    socket.on('message', (raw) => {
      if (this.#dead.has(socket)) return undefined;
      const payload = parse(raw.toString());
      if (session && !this.#sessions.has(session.id)) session = null;
      if (!payload) return socket.close(CLOSE.decodeError);
      const data = payload.d;
      switch (payload.op) {
        case Op.Heartbeat:
          return send(socket, { op: Op.HeartbeatAck });
        case Op.Identify:
          if (session) return socket.close(CLOSE.alreadyAuthenticated);
          session = this.#identify(socket, data);
          return undefined;
        case Op.Resume:
          if (session) return socket.close(CLOSE.alreadyAuthenticated);
          session = this.#resume(socket, data);
          return undefined;
        case Op.RequestGuildMembers:
          if (!session) return socket.close(CLOSE.notAuthenticated);
          return this.#requestMembers(session, data);
        case Op.PresenceUpdate:
        case Op.VoiceStateUpdate:
          return undefined;
        default:
          return socket.close(session ? CLOSE.unknownOpcode : CLOSE.notAuthenticated);
      }
    });
    send(socket, { op: Op.Hello, d: { heartbeat_interval: this.#heartbeatIntervalMs } });
  }

  #identify(socket: WebSocket, data: unknown): Session | null {
    const given = isObject(data) ? data : {};
    if (!this.#isOurs(given.token)) {
      socket.close(CLOSE.authenticationFailed, 'Authentication failed.');
      return null;
    }
    const intents = given.intents;
    if (typeof intents !== 'number' || !Number.isSafeInteger(intents) || intents < 0) {
      socket.close(CLOSE.invalidIntents, 'Invalid intents.');
      return null;
    }
    const shard = readShard(given.shard);
    if (!shard) {
      socket.close(CLOSE.invalidShard, 'Invalid shard.');
      return null;
    }
    if (this.identifiesLeft() === 0) {
      send(socket, { op: Op.InvalidSession, d: false });
      return null;
    }
    this.#identifies += 1;
    const session: Session = {
      id: randomUUID().replaceAll('-', ''),
      intents,
      shard,
      sequence: 0,
      buffer: [],
      sent: 0,
      socket,
      disconnectedAtMs: 0,
    };
    this.#sessions.set(session.id, session);
    this.#ready(session);
    this.#world.changed();
    return session;
  }

  /** Discord takes the token with and without the word that REST wants before it. */
  #isOurs(token: unknown): boolean {
    return typeof token === 'string' && token.replace(/^Bot /, '') === this.#botToken;
  }

  #ready(session: Session): void {
    const guilds = [...this.#world.guilds.values()].filter(
      (guild) => guild.members.has(this.#world.bot.id) && isOfShard(session, guild.id),
    );
    this.#push(session, 'READY', {
      v: 10,
      user: { ...userPayload(this.#world.bot), verified: true, mfa_enabled: false, email: null },
      guilds: guilds.map((guild) => ({ id: guild.id, unavailable: true })),
      session_id: session.id,
      session_type: 'normal',
      resume_gateway_url: this.url,
      shard: session.shard,
      application: { id: this.#world.applicationId, flags: 0 },
      private_channels: [],
      relationships: [],
      user_settings: {},
      presences: [],
      guild_join_requests: [],
      _trace: ['sandbox'],
    });
    if ((session.intents & GatewayIntentBits.Guilds) === 0) return;
    for (const guild of guilds) {
      if (!guild.unavailable) this.#push(session, 'GUILD_CREATE', guildCreatePayload(this.#world, guild));
    }
  }

  #resume(socket: WebSocket, data: unknown): Session | null {
    const given = isObject(data) ? data : {};
    if (!this.#isOurs(given.token)) {
      socket.close(CLOSE.authenticationFailed, 'Authentication failed.');
      return null;
    }
    const session = this.#sessions.get(String(given.session_id));
    const sequence = given.seq;
    if (!session) {
      send(socket, { op: Op.InvalidSession, d: false });
      return null;
    }
    if (typeof sequence !== 'number' || sequence > session.sequence) {
      socket.close(CLOSE.invalidSequence, 'Invalid seq.');
      return null;
    }
    if ((session.buffer[0]?.sequence ?? 1) > sequence + 1) {
      this.#sessions.delete(session.id);
      send(socket, { op: Op.InvalidSession, d: false });
      return null;
    }
    session.socket?.terminate();
    session.socket = socket;
    session.sent = sequence;
    this.#push(session, 'RESUMED', { _trace: ['sandbox'] });
    return session;
  }

  #deliver({ event, data, guildId, intents }: Dispatch): void {
    for (const session of this.#sessions.values()) {
      if (!session.socket && Date.now() - session.disconnectedAtMs > RESUMABLE_MS) {
        this.#sessions.delete(session.id);
        continue;
      }
      const wanted = intents === 0 || (session.intents & intents) !== 0;
      if (!wanted || !isOfShard(session, guildId)) continue;
      // An outage: of an unavailable guild nothing comes but the outage itself.
      const guild = guildId === null ? undefined : this.#world.guilds.get(guildId);
      if (guild?.unavailable && event !== 'GUILD_DELETE') continue;
      const shown = isMessage(event) ? this.#withoutContent(session, data, guildId) : data;
      this.#push(session, event, shown);
    }
  }

  /** Without the message-content intent a bot sees only what it wrote, what mentions it, and direct messages. */
  #withoutContent(session: Session, data: object, guildId: string | null): object {
    const botId = this.#world.bot.id;
    const message = data as { author?: { id: string }; mentions?: { id: string }[] };
    const sees =
      (session.intents & GatewayIntentBits.MessageContent) !== 0 ||
      guildId === null ||
      message.author?.id === botId ||
      message.mentions?.some((user) => user.id === botId) === true;
    return sees ? data : { ...data, content: '', embeds: [], attachments: [], components: [] };
  }

  #push(session: Session, event: string, data: object): void {
    session.sequence += 1;
    const payload = JSON.stringify({ op: Op.Dispatch, s: session.sequence, t: event, d: data });
    session.buffer.push({ sequence: session.sequence, payload });
    if (session.buffer.length > REPLAYED) session.buffer.shift();
    this.#flush(session);
  }

  #flush(session: Session): void {
    if (!session.socket || this.#isHeld || this.#dead.has(session.socket)) return;
    const first = session.buffer[0]?.sequence ?? 0;
    for (const { sequence, payload } of session.buffer.slice(Math.max(0, session.sent + 1 - first))) {
      session.socket.send(payload);
      session.sent = sequence;
    }
  }

  #requestMembers(session: Session, data: unknown): void {
    const given = isObject(data) ? data : {};
    const guild = this.#world.guilds.get(String(given.guild_id));
    if (!guild || !isOfShard(session, guild.id)) return;
    const { members, notFound } = selectMembers(guild, given);
    const count = Math.max(1, Math.ceil(members.length / CHUNK));
    for (let index = 0; index < count; index += 1) {
      this.#push(session, 'GUILD_MEMBERS_CHUNK', {
        guild_id: guild.id,
        members: members.slice(index * CHUNK, (index + 1) * CHUNK).map(memberPayload),
        chunk_index: index,
        chunk_count: count,
        ...(index === 0 && notFound.length > 0 ? { not_found: notFound } : {}),
        ...(typeof given.nonce === 'string' ? { nonce: given.nonce } : {}),
      });
    }
  }
}

function selectMembers(guild: Guild, given: JsonObject) {
  const asked = given.user_ids;
  if (asked !== undefined) {
    const ids = (Array.isArray(asked) ? asked : [asked]).map(String).slice(0, 100);
    return {
      members: ids.flatMap((id) => guild.members.get(id) ?? []),
      notFound: ids.filter((id) => !guild.members.has(id)),
    };
  }
  const limit = typeof given.limit === 'number' && given.limit > 0 ? given.limit : guild.members.size;
  return {
    members: membersStartingWith(guild, String(given.query ?? '')).slice(0, limit),
    notFound: [],
  };
}

function send(socket: WebSocket, payload: JsonObject): void {
  socket.send(JSON.stringify({ s: null, t: null, ...payload }));
}

function parse(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isMessage(event: string): boolean {
  return event === 'MESSAGE_CREATE' || event === 'MESSAGE_UPDATE';
}

function readShard(value: unknown): readonly [number, number] | null {
  if (value === undefined || value === null) return [0, 1];
  if (!Array.isArray(value) || value.length !== 2) return null;
  const [index, count]: unknown[] = value;
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(count)) return null;
  const shard = [Number(index), Number(count)] as const;
  return shard[1] >= 1 && shard[0] >= 0 && shard[0] < shard[1] ? shard : null;
}

/** Events of a guild go to one shard; those of no guild to the first. */
function isOfShard({ shard: [index, count] }: Session, guildId: string | null): boolean {
  return guildId === null ? index === 0 : Number((BigInt(guildId) >> 22n) % BigInt(count)) === index;
}
