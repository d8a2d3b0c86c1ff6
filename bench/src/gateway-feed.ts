import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

const MEMBERS = 200;
const ROLES = 30;
const CHANNELS = 40;
const BOT_ID = '100000000000000000';
const HEARTBEAT_MS = 41_250;

export interface Feed {
  readonly apiUrl: string;
  close(): Promise<void>;
}

/** The part of Discord that a bot needs to connect and to receive its guilds. Every client gets the same data. */
export async function startFeed(guilds: number): Promise<Feed> {
  const server = createServer((request, response) => answer(request, response, origin()));
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => serveGateway(socket, guilds));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    apiUrl: `http://${origin()}/api`,
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function answer(request: IncomingMessage, response: ServerResponse, origin: string): void {
  const url = new URL(request.url ?? '/', `http://${origin}`);
  const body = () => {
    if (url.pathname.endsWith('/gateway/bot')) {
      const limit = { total: 1000, remaining: 1000, reset_after: 86_400_000, max_concurrency: 1 };
      return { url: `ws://${origin}`, shards: 1, session_start_limit: limit };
    }
    const guild = /\/guilds\/(\d+)\/members$/.exec(url.pathname)?.[1];
    if (guild !== undefined) return membersOf(guild);
    if (url.pathname.endsWith('/audit-logs')) return { audit_log_entries: [] };
    const described = /\/guilds\/(\d+)$/.exec(url.pathname)?.[1];
    return described === undefined ? [] : guildOf(described);
  };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body()));
}

function serveGateway(socket: WebSocket, guilds: number): void {
  let sequence = 0;
  const send = (packet: object) => socket.send(JSON.stringify({ s: null, t: null, ...packet }));
  const dispatch = (t: string, d: object) => {
    sequence += 1;
    send({ op: 0, s: sequence, t, d });
  };
  socket.on('message', (raw) => {
    const { op } = JSON.parse(raw.toString()) as { op: number };
    if (op === 1) send({ op: 11 });
    if (op !== 2) return;
    const ids = Array.from({ length: guilds }, (_, index) => guildId(index));
    dispatch('READY', {
      v: 10,
      user: userOf(BOT_ID, 'bailiff', true),
      guilds: ids.map((id) => ({ id, unavailable: true })),
      session_id: 'bench',
      resume_gateway_url: 'ws://127.0.0.1:1',
      application: { id: BOT_ID, flags: 0 },
    });
    void tellOf(ids, socket, dispatch);
  });
  send({ op: 10, d: { heartbeat_interval: HEARTBEAT_MS } });
}

/** Sends a guild only when the one before has been read, so that 200 MB do not wait in a buffer. */
async function tellOf(
  ids: readonly string[],
  socket: WebSocket,
  dispatch: (event: string, data: object) => void,
): Promise<void> {
  for (const id of ids) {
    dispatch('GUILD_CREATE', guildOf(id));
    while (socket.bufferedAmount > 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

const guildId = (index: number) => String(200_000_000_000_000_000n + BigInt(index) * 4_194_304n);
const idIn = (guild: string, offset: number) => String(BigInt(guild) + BigInt(offset));

function userOf(id: string, username: string, bot = false) {
  return {
    id,
    username,
    avatar: '0123456789abcdef0123456789abcdef',
    discriminator: bot ? '0001' : '0',
    public_flags: 0,
    global_name: `${username} the ${id.slice(-4)}th`,
    bot,
  };
}

function memberOf(guild: string, index: number) {
  return {
    user:
      index === 0 ? userOf(BOT_ID, 'bailiff', true) : userOf(idIn(guild, 1_000 + index), `member${index}`),
    nick: index % 4 === 0 ? `Nick ${index}` : null,
    avatar: null,
    roles: [idIn(guild, 1 + (index % (ROLES - 1))), idIn(guild, 1 + ((index * 7) % (ROLES - 1)))],
    joined_at: '2026-01-01T00:00:00.000000+00:00',
    premium_since: null,
    communication_disabled_until: null,
    deaf: false,
    mute: false,
    pending: false,
    flags: 0,
  };
}

function membersOf(guild: string) {
  return Array.from({ length: MEMBERS }, (_, index) => memberOf(guild, index));
}

function roleOf(guild: string, index: number) {
  return {
    id: idIn(guild, index),
    name: index === 0 ? '@everyone' : `Role ${index}`,
    position: index,
    color: index * 1000,
    colors: { primary_color: index * 1000, secondary_color: null, tertiary_color: null },
    hoist: false,
    icon: null,
    unicode_emoji: null,
    permissions: '104324673',
    managed: false,
    mentionable: false,
    flags: 0,
  };
}

function channelOf(guild: string, index: number) {
  return {
    id: idIn(guild, 500 + index),
    type: 0,
    name: `channel-${index}`,
    topic: index % 2 === 0 ? `What channel ${index} is about` : null,
    position: index,
    parent_id: null,
    nsfw: false,
    rate_limit_per_user: 0,
    last_message_id: null,
    flags: 0,
    permission_overwrites: [
      { id: guild, type: 0, allow: '0', deny: '1024' },
      { id: idIn(guild, 1 + (index % (ROLES - 1))), type: 0, allow: '1024', deny: '0' },
    ],
  };
}

function guildOf(id: string) {
  return {
    id,
    name: `Guild ${id}`,
    icon: null,
    splash: null,
    banner: null,
    description: null,
    features: ['COMMUNITY', 'NEWS'],
    owner_id: idIn(id, 1_001),
    preferred_locale: 'en-US',
    verification_level: 1,
    default_message_notifications: 1,
    explicit_content_filter: 2,
    mfa_level: 0,
    nsfw_level: 0,
    premium_tier: 0,
    premium_subscription_count: 0,
    system_channel_flags: 0,
    joined_at: '2026-01-01T00:00:00.000000+00:00',
    large: true,
    unavailable: false,
    member_count: MEMBERS,
    roles: Array.from({ length: ROLES }, (_, index) => roleOf(id, index)),
    channels: Array.from({ length: CHANNELS }, (_, index) => channelOf(id, index)),
    members: membersOf(id),
    emojis: [],
    stickers: [],
    threads: [],
    voice_states: [],
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}
