import type { Server } from 'node:http';
import { GatewayIntentBits, GatewayOpcodes as Op } from 'discord-api-types/v10';
import { type WebSocket, WebSocketServer } from 'ws';
import { guildCreatePayload } from '#src/actions/guilds.ts';
import { isObject, type JsonObject } from '#src/fields.ts';
import { withoutContent } from '#src/payloads.ts';
import type { GatewayFacts } from '#src/rest/route.ts';
import type { Dispatch, World } from '#src/world.ts';
import { MemberRequests, memberChunks } from './member-chunks.ts';
import type { GatewayOptions, Refusal } from './options.ts';
import { readyPayload } from './ready-payload.ts';
import { Session, type SessionState } from './session.ts';
import { CLOSE, parsePacket, readShard, send } from './wire.ts';

const HEARTBEAT_INTERVAL_MS = 41_250;
const IDENTIFIES_PER_DAY = 1000;
const DAY_MS = 86_400_000;

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
  /** Open connections on which the sandbox neither reads nor sends any more. */
  readonly #frozen = new WeakSet<WebSocket>();
  readonly #memberRequests = new MemberRequests();
  #identifies = 0;
  #dayEndsAtMs = Date.now() + DAY_MS;
  #isHeld = false;
  /** Events that wait to be sent in another order. */
  #shuffled: Dispatch[] | null = null;
  #schedule: NodeJS.Timeout | undefined;
  #refusal: Refusal | null = null;
  /** Connections that were refused so far. */
  #refused = 0;

  constructor(world: World, botToken: string, options: GatewayOptions = {}) {
    this.shards = options.shards ?? 1;
    this.maxConcurrency = options.maxConcurrency ?? 1;
    this.#heartbeatIntervalMs = options.heartbeatIntervalMs ?? HEARTBEAT_INTERVAL_MS;
    this.#world = world;
    this.#botToken = botToken;
    world.onDispatch((dispatch) => {
      if (this.#shuffled === null) this.#deliver(dispatch);
      else this.#shuffled.push(dispatch);
    });
    const { reconnectEveryMs } = options;
    if (reconnectEveryMs !== undefined)
      this.#schedule = setInterval(() => this.reconnect(), reconnectEveryMs).unref();
  }

  attach(server: Server): void {
    server.on('upgrade', (request, socket, head) => {
      const path = new URL(request.url ?? '/', 'http://sandbox').pathname;
      if (this.#refusal !== null) {
        this.#refused += 1;
        this.#world.changed();
      }
      if (this.#refusal === 'reset') {
        socket.destroy();
        return;
      }
      if (!/^\/gateway\/?$/.test(path) || this.#refusal !== null) {
        socket.end(
          `HTTP/1.1 ${this.#refusal === null ? '404 Not Found' : '503 Service Unavailable'}\r\n\r\n`,
        );
        return;
      }
      this.#sockets.handleUpgrade(request, socket, head, (webSocket) => this.#welcome(webSocket));
    });
  }

  identifiesLeft(): number {
    if (Date.now() >= this.#dayEndsAtMs) this.beginDay();
    return Math.max(0, IDENTIFIES_PER_DAY - this.#identifies);
  }

  /** Lets all sessions of a day begin again. */
  beginDay(): void {
    this.#identifies = 0;
    this.#dayEndsAtMs = Date.now() + DAY_MS;
  }

  resetAfterMs(): number {
    return Math.max(0, this.#dayEndsAtMs - Date.now());
  }

  state(): {
    identifies: number;
    held: boolean;
    refusing: boolean;
    refused: number;
    sessions: SessionState[];
  } {
    return {
      identifies: this.#identifies,
      held: this.#isHeld,
      refusing: this.#refusal !== null,
      refused: this.#refused,
      sessions: [...this.#sessions.values()].map((session) => session.state),
    };
  }

  /**
   * Cuts every connection, without a close frame unless a code is given. Sessions stay and can be resumed. Returns how
   * many were cut.
   */
  drop(code?: number): number {
    const sockets = [...this.#sockets.clients];
    for (const socket of sockets) {
      if (code === undefined) socket.terminate();
      else socket.close(code);
    }
    return sockets.length;
  }

  /** Leaves every connection open, but answers nothing on it any more, not even heartbeats. Returns how many. */
  freeze(): number {
    const sockets = [...this.#sockets.clients].filter((socket) => !this.#frozen.has(socket));
    for (const socket of sockets) this.#frozen.add(socket);
    return sockets.length;
  }

  /** Sends a frame that Discord would not send. Returns to how many clients. */
  sendFrame(frame: string): number {
    for (const socket of this.#sockets.clients) socket.send(frame);
    return this.#sockets.clients.size;
  }

  /** Asks every client to reconnect and resume. Returns how many were asked. */
  reconnect(): number {
    return this.#tellAll({ op: Op.Reconnect, d: null });
  }

  /**
   * Tells every client that its session is invalid. The sessions end, unless they are said to be `resumable`. Returns how
   * many clients were told.
   */
  invalidate(resumable: boolean): number {
    const count = this.#tellAll({ op: Op.InvalidSession, d: resumable });
    if (!resumable) {
      for (const session of this.#sessions.values()) session.socket = null;
      this.#sessions.clear();
      this.#world.changed();
    }
    return count;
  }

  /** Holds events back until `release`; nothing is lost. */
  hold(): void {
    this.#isHeld = true;
    this.#world.changed();
  }

  /**
   * Holds events back until `release`, which then sends those of one guild after those of another. Discord keeps events
   * in order within a guild only.
   */
  shuffle(): void {
    this.#shuffled ??= [];
  }

  release(): void {
    this.#isHeld = false;
    const byGuild = Object.groupBy(this.#shuffled ?? [], ({ guildId }) => guildId ?? '');
    this.#shuffled = null;
    for (const dispatch of Object.values(byGuild).toReversed().flat()) if (dispatch) this.#deliver(dispatch);
    for (const session of this.#sessions.values()) session.flush();
    this.#world.changed();
  }

  /** Refuses new connections, with an answer or by cutting them, or accepts them again. */
  refuse(refusal: Refusal | null): void {
    this.#refusal = refusal;
    this.#world.changed();
  }

  close(): void {
    clearInterval(this.#schedule);
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#sockets.close();
  }

  #tellAll(payload: JsonObject): number {
    const sockets = [...this.#sessions.values()].flatMap(({ socket }) =>
      socket === null || this.#frozen.has(socket) ? [] : socket,
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
      // A client that closes with 1000 or 1001 ends its session.
      if (code === 1000 || code === 1001) this.#sessions.delete(session.id);
      this.#world.changed();
    });
    socket.on('message', (raw) => {
      if (this.#frozen.has(socket)) return undefined;
      const payload = parsePacket(raw.toString());
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
          return this.#sendMembers(session, data);
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
    const { hasMessageContent, hasServerMembers } = this.#world;
    const refused =
      (hasMessageContent ? 0 : GatewayIntentBits.MessageContent) |
      (hasServerMembers ? 0 : GatewayIntentBits.GuildMembers);
    if ((intents & refused) !== 0) {
      socket.close(CLOSE.disallowedIntents, 'Disallowed intents.');
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
    const session = new Session({ intents, shard }, socket, (to) => !this.#isHeld && !this.#frozen.has(to));
    this.#sessions.set(session.id, session);
    this.#ready(session);
    this.#world.changed();
    return session;
  }

  /** Discord accepts the token with and without the prefix `Bot ` that REST requires. */
  #isOurs(token: unknown): boolean {
    return typeof token === 'string' && token.replace(/^Bot /, '') === this.#botToken;
  }

  #ready(session: Session): void {
    const guilds = [...this.#world.guilds.values()].filter(
      (guild) => guild.members.has(this.#world.bot.id) && session.serves(guild.id),
    );
    session.push('READY', readyPayload(this.#world, session, guilds, this.url));
    if ((session.intents & GatewayIntentBits.Guilds) === 0) return;
    for (const guild of guilds) {
      const { id, unavailable } = guild;
      session.push(
        'GUILD_CREATE',
        unavailable ? { id, unavailable } : guildCreatePayload(this.#world, guild),
      );
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
    if (!session || session.isOver) {
      send(socket, { op: Op.InvalidSession, d: false });
      return null;
    }
    if (typeof sequence !== 'number' || sequence > session.sequence) {
      socket.close(CLOSE.invalidSequence, 'Invalid seq.');
      return null;
    }
    if (!session.keepsEventsAfter(sequence)) {
      this.#sessions.delete(session.id);
      send(socket, { op: Op.InvalidSession, d: false });
      return null;
    }
    session.resume(socket, sequence);
    this.#world.changed();
    return session;
  }

  #deliver({ event, data, guildId, intents }: Dispatch): void {
    for (const session of this.#sessions.values()) {
      if (session.isOver) {
        this.#sessions.delete(session.id);
        continue;
      }
      if (!session.wants(intents) || !session.serves(guildId)) continue;
      // During an outage of a guild, Discord sends only the event that announces the outage.
      const guild = guildId === null ? undefined : this.#world.guilds.get(guildId);
      if (guild?.unavailable && event !== 'GUILD_DELETE') continue;
      const isWithheld =
        isMessage(event) && guildId !== null && (session.intents & GatewayIntentBits.MessageContent) === 0;
      session.push(event, isWithheld ? withoutContent(this.#world, data) : data);
    }
  }

  #sendMembers(session: Session, data: unknown): void {
    const given = isObject(data) ? data : {};
    const guild = this.#world.guilds.get(String(given.guild_id));
    if (!guild || !session.serves(guild.id)) return;
    const limited = this.#memberRequests.refusal(session.id, guild.id, given);
    if (limited !== null) session.push('RATE_LIMITED', limited);
    else for (const chunk of memberChunks(guild, given)) session.push('GUILD_MEMBERS_CHUNK', chunk);
  }
}

function isMessage(event: string): boolean {
  return event === 'MESSAGE_CREATE' || event === 'MESSAGE_UPDATE';
}
