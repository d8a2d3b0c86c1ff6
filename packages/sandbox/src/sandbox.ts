import type { Server } from 'node:http';
import { AddressBans } from './address-bans.ts';
import { Control } from './control/control.ts';
import { serveControl } from './control/http.ts';
import type { SandboxState } from './control/state.ts';
import { Faults } from './faults.ts';
import { Gateway } from './gateway/gateway.ts';
import type { GatewayOptions } from './gateway/options.ts';
import { addLargeWorld, type LargeWorld } from './large-world.ts';
import { OAuth } from './oauth.ts';
import { servePage } from './page/page.ts';
import { DISCORDS_LIMITS, type RateLimit, RateLimits } from './rate-limits.ts';
import { RconServer, type RconStyle } from './rcon-server.ts';
import { type LoggedRequest, RequestLog } from './request-log.ts';
import { seedWorld } from './seed.ts';
import { createApiServer } from './server.ts';
import { isSnowflake } from './snowflake.ts';

export interface SandboxOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  readonly host?: string;
  readonly rconPort?: number;
  readonly rconStyle?: RconStyle;
  readonly botToken?: string;
  readonly clientId?: string;
  /** By default the client id: an application made before 2016 may have another one than its bot. */
  readonly botUserId?: string;
  readonly clientSecret?: string;
  /** Another seed gives other ids; the same seed always the same ones. */
  readonly seed?: number;
  /** One limit for every route, for a world that is faster than Discord; by default Discord's own limits. */
  readonly rateLimit?: RateLimit;
  readonly gateway?: GatewayOptions;
  /** Adds guilds to the sample ones, for measurements. */
  readonly large?: LargeWorld;
  /** How long the bot has for its first answer to an interaction; by default three seconds, as at Discord. */
  readonly firstAnswerMs?: number;
  /** Where the dashboard is, for the page's links to it. */
  readonly dashboardUrl?: string;
  /** Check every exchange against Discord's OpenAPI document and collect what does not fit in `violations`. */
  readonly validate?: boolean;
}

/** How long a state is awaited. Only ends a wait for what never comes: a busy machine may be slow. */
const AWAITED_MS = 180_000;

export interface GameServer {
  readonly id: string;
  readonly host: string;
  readonly port: number;
  readonly password: string;
}

/** Where a running sandbox is and who is in it; what `main.ts` tells its parent. */
export interface SandboxAddresses {
  readonly url: string;
  readonly apiUrl: string;
  readonly gatewayUrl: string;
  readonly guildId: string;
  readonly otherGuildId: string;
  readonly botToken: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** User ids by part: owner, admin, moderator, helper, member, member2, troll, newcomer, quiet, other_owner, outsider. */
  readonly people: Readonly<Record<string, string>>;
  /** Channel ids by name: general, announcements, off_topic, reports, tickets, mod_log, other_general. */
  readonly channels: Readonly<Record<string, string>>;
  readonly servers: readonly GameServer[];
}

export interface Sandbox extends SandboxAddresses {
  /** The same as the HTTP control endpoints. */
  readonly control: Control;
  /** Requests that reached the API, oldest first. */
  readonly requests: readonly LoggedRequest[];
  /** What did not fit Discord's OpenAPI document; always empty without `validate`. */
  readonly violations: readonly string[];
  /** Everything as it is now; channels with their newest 50 messages. */
  getState(messageCount?: number): SandboxState;
  /** Resolves with the first value `read` gives that is not undefined or false, now or after a change; default 20 s. */
  until<Value>(
    read: (state: SandboxState) => Value | undefined | false,
    timeoutMs?: number,
    what?: string,
  ): Promise<Value>;
  /** The next request to come whose method and route (as Discord writes it) are these, once it is answered. */
  nextRequest(method: string, route: string, timeoutMs?: number): Promise<LoggedRequest>;
  /**
   * Replaces the sample guilds by new ones, with people and channels of their own, and forgets faults and requests. The bot
   * leaves the old guilds and is invited to the new ones. Returns the sandbox with its new addresses.
   */
  renew(): Sandbox;
  /** An access token as an application gets it when somebody signs in there; default: this application. */
  accessToken(userId: string, applicationId?: string): string;
  /** From now on bots are told to connect to the gateway there: at something that stands between. */
  announceGateway(url: string): void;
  close(): Promise<void>;
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}

/** Starts an offline Discord with one sample guild, and a game server. Rejects with EADDRINUSE when a port is taken. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const host = options.host ?? '127.0.0.1';
  if (options.clientId !== undefined && !isSnowflake(options.clientId)) {
    throw new Error(`The client id is ${options.clientId}; it must be a Discord id of 17 to 20 digits.`);
  }
  const botToken = options.botToken ?? 'sandbox-bot-token';
  const clientSecret = options.clientSecret ?? 'sandbox-client-secret';
  const { clientId, botUserId = clientId } = options;
  const { world, renew } = seedWorld({ clientId, botUserId, seed: options.seed ?? 0 });
  if (options.large !== undefined) addLargeWorld(world, options.large);
  world.dashboardUrl = options.dashboardUrl ?? null;
  if (options.firstAnswerMs !== undefined) world.firstAnswerMs = options.firstAnswerMs;
  const violations: string[] = [];
  const log = new RequestLog(world);
  const faults = new Faults();
  const gateway = new Gateway(world, botToken, options.gateway);
  const oauth = new OAuth(world, world.applicationId, clientSecret);
  const validate = options.validate
    ? await import('./validate.ts').then(({ openApiValidator }) =>
        openApiValidator((violation) => violations.push(violation)),
      )
    : null;
  const rcon = new RconServer({
    id: 'survival',
    host,
    port: options.rconPort ?? 0,
    password: 'sandbox-rcon-password',
    style: options.rconStyle ?? 'source',
    onCommand: (command, outputBytes) => {
      world.serverCommands.push({ server: 'survival', command, at: new Date().toISOString(), outputBytes });
      world.changed();
    },
  });
  const rateLimits = new RateLimits(world, { ...DISCORDS_LIMITS, everyRoute: options.rateLimit ?? null });
  const bans = new AddressBans();
  const control = new Control({ world, gateway, faults, log, violations, rateLimits, bans }, [rcon]);
  const server = createApiServer(
    { world, gateway, oauth, faults, rateLimits, bans, log, botToken, validate },
    async (request, response, url) => {
      if (url.pathname.startsWith('/sandbox/')) {
        await serveControl(control, request, response, url);
        return true;
      }
      return servePage(world, request, response, url);
    },
  );
  gateway.attach(server);

  const rconPort = await rcon.listen();
  const port = await listen(server, options.port ?? 0, host).catch(async (error: unknown) => {
    await rcon.close();
    throw error;
  });
  const url = `http://${host}:${port}`;
  world.url = url;
  gateway.url = `ws://${host}:${port}/gateway`;

  const sandboxNow = (): Sandbox => ({
    ...fixed,
    guildId: [...world.guilds.keys()][0] ?? '',
    otherGuildId: [...world.guilds.keys()][1] ?? '',
    people: { ...world.people },
    channels: { ...world.channelNames },
    requests: log.entries,
    renew: () => {
      renew();
      faults.clear();
      rcon.reset();
      world.conversations.clear();
      world.serverCommands.length = 0;
      log.beginAnew();
      return sandboxNow();
    },
  });
  const fixed = {
    url,
    apiUrl: `${url}/api`,
    gatewayUrl: gateway.url,
    botToken,
    clientId: world.applicationId,
    clientSecret,
    servers: [{ id: 'survival', host, port: rconPort, password: rcon.options.password }],
    control,
    violations,
    getState: (messageCount) => control.state(messageCount),
    // Looked for in the state itself at each change, and read from a copy once it is there: copies are costly.
    until: (read, timeoutMs = AWAITED_MS, what) =>
      world.until(() => read(control.view()) && read(control.state()), timeoutMs, what),
    nextRequest: (method, route, timeoutMs = AWAITED_MS) => {
      const after = log.total;
      const isIt = (entry: LoggedRequest) =>
        entry.id > after && entry.method === method && entry.route === route && entry.status !== null;
      return world.until(() => log.entries.find(isIt), timeoutMs, `${method} ${route}`);
    },
    accessToken: (userId, applicationId) =>
      oauth.accessToken({ user: world.user(userId), scopes: ['identify'] }, applicationId),
    announceGateway: (address) => {
      gateway.url = address;
    },
    close: async () => {
      faults.clear();
      gateway.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await Promise.all([closed, rcon.close()]);
    },
  } satisfies Partial<Sandbox>;
  return sandboxNow();
}
