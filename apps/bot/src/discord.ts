import { Client, GatewayCloseCodes, GatewayDispatchEvents, GatewayIntentBits } from 'discord.js';
import { GatewayReconnects } from './gateway-reconnects.ts';
import type { GatewaySessions } from './gateway-sessions.ts';
import type { IdentifyPace } from './identify-pace.ts';
import { CACHES, keepLittle, type MayAnswer } from './lean-client.ts';
import type { Logger } from './log.ts';
import type { Shards } from './shards.ts';

/** Discord refuses the bot. The message is for the operator. */
export class DiscordRefusal extends Error {
  /** Whether a new start helps, because it asks Discord anew how many shards it recommends. */
  readonly startAnew: boolean;

  constructor(message: string, { startAnew = false }: { startAnew?: boolean } = {}) {
    super(message);
    this.startAnew = startAnew;
  }
}

/** The bot asks for no text of messages and keeps no data of people: what it needs is in the mirror. */
export const INTENTS = [
  // Guilds and their roles: names, owner, outages, and each role's rank.
  GatewayIntentBits.Guilds,
  // Members who leave or lose a role lose its grants, and their tokens, at once (privileged: see the portal).
  GatewayIntentBits.GuildMembers,
  // Manual bans and unbans, and audit log entries.
  GatewayIntentBits.GuildModeration,
  // Who has written, for guilds that are told when somebody with cases does so after a silence.
  GatewayIntentBits.GuildMessages,
];

const REST_TIMEOUT_MS = 5_000;
const LONGEST_LIMIT_WAIT_MS = 2_000;
/** How long discord.js waits for unavailable guilds before it reports ready. */
const WAIT_FOR_GUILDS_MS = 5_000;

export interface ClientSettings {
  readonly apiUrl: string;
  /** Null: as many as Discord recommends. */
  readonly shards: Shards | null;
  readonly pace: Pick<IdentifyPace, 'gateway' | 'waitForIdentify'>;
  readonly log: Logger;
  /** Ends the wait for Discord before it connects. */
  readonly signal: AbortSignal;
  /** The sessions that are resumed instead of begun. Default: none. */
  readonly gateway?: GatewaySessions;
  /** Default: always. */
  readonly mayAnswer?: MayAnswer;
}

export function createClient(settings: ClientSettings): Client {
  const { shards } = settings;
  const client = new Client({
    intents: INTENTS,
    ...(shards === null ? { shards: 'auto' } : { shards: shards.ids, shardCount: shards.count }),
    allowedMentions: { parse: [] },
    waitGuildTimeout: WAIT_FOR_GUILDS_MS,
    makeCache: CACHES,
    rest: {
      api: settings.apiUrl,
      timeout: REST_TIMEOUT_MS,
      // By default, a POST that meets a 502 or a timeout is sent four times, and any rate limit is waited out.
      retries: 0,
      rejectOnRateLimit: ({ retryAfter }) => retryAfter > LONGEST_LIMIT_WAIT_MS,
      // Only answers to interactions are sent here. Discord does not count them towards a bot's fifty requests a
      // second.
      globalRequestsPerSecond: Number.POSITIVE_INFINITY,
    },
    ws: {
      buildIdentifyThrottler: () => settings.pace,
      buildStrategy: (manager) => {
        // The library would ask once more, too soon for Discord's limit, and would give up if that failed.
        manager.fetchGatewayInformation = () => settings.pace.gateway(settings.signal);
        return settings.gateway?.connections(manager) ?? new GatewayReconnects(manager);
      },
    },
  });
  keepLittle(client, settings.mayAnswer);
  client.on('error', (error) => settings.log.error({ err: error }, 'discord client'));
  client.on('warn', (message) => settings.log.warn({ detail: message }, 'discord client'));
  return client;
}

const FATAL_CLOSES: Readonly<Record<number, string>> = {
  [GatewayCloseCodes.AuthenticationFailed]:
    'Discord does not accept DISCORD_TOKEN. Copy the token from the Bot page of the application, or reset it there.',
  [GatewayCloseCodes.InvalidShard]: 'Discord does not accept the shards of BOT_SHARDS.',
  [GatewayCloseCodes.ShardingRequired]:
    'The bot is in so many guilds that Discord wants more shards than BOT_SHARDS has: one for 2,500 guilds at least. Take ' +
    'more. Left empty, npm start takes as many as Discord recommends, and npm run start:cluster takes 4.',
  [GatewayCloseCodes.InvalidAPIVersion]:
    'Discord no longer serves the version of the gateway this program speaks.',
  [GatewayCloseCodes.InvalidIntents]: 'Discord does not know the intents this program asks for.',
  [GatewayCloseCodes.DisallowedIntents]:
    'Discord does not allow the Server Members Intent. Switch it on, on the Bot page of the application.',
};

/**
 * The meaning of gateway close codes that are permanent.
 *
 * @param automatic whether Discord recommends the number of shards
 */
export function refusalBy(code: number, automatic: boolean): DiscordRefusal {
  if (code === GatewayCloseCodes.ShardingRequired && automatic) {
    return new DiscordRefusal(
      'Discord wants more shards: the bot starts anew with as many as it recommends.',
      {
        startAnew: true,
      },
    );
  }
  return new DiscordRefusal(FATAL_CLOSES[code] ?? `Discord closed the connection permanently (${code}).`);
}

/**
 * Connects to the gateway. Waits while Discord is unreachable, and until the day's sessions allow another one. Resolves
 * once the first shard is connected. The others follow, one after the other.
 *
 * @param onRefusal called if a running connection is later closed permanently
 * @returns a promise that resolves once all shards of this process are connected
 * @throws DiscordRefusal if the token or the intents are refused
 */
export async function connect(
  client: Client,
  discord: {
    pace: IdentifyPace;
    token: string;
    shards: Shards | null;
    /** Whether it begins no session, but resumes those of another process. */
    resumes?: boolean;
    signal: AbortSignal;
  },
  onRefusal: (refusal: DiscordRefusal) => void,
): Promise<{ all: Promise<void> }> {
  let closedBy: DiscordRefusal | undefined;
  client.on('shardDisconnect', ({ code }) => {
    closedBy = refusalBy(code, discord.shards === null);
    onRefusal(closedBy);
  });
  // Discord closes a connection that is open and idle.
  if (discord.resumes !== true) await discord.pace.untilAllowed(discord.signal);
  const greeted = Promise.withResolvers<void>();
  for (const event of [GatewayDispatchEvents.Ready, GatewayDispatchEvents.Resumed] as const) {
    client.ws.once(event, () => greeted.resolve());
  }
  const all = client.login(discord.token).then(
    () => {},
    (error: unknown) => {
      throw closedBy ?? error;
    },
  );
  // A caller that does not wait for the others need not handle their failure.
  all.catch(() => {});
  await Promise.race([greeted.promise, all]);
  return { all };
}
