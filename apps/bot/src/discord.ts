import {
  Client,
  GatewayCloseCodes,
  GatewayDispatchEvents,
  GatewayIntentBits,
  type IIdentifyThrottler,
} from 'discord.js';
import type { IdentifyPace } from './identify-pace.ts';
import { CACHES, keepLittle } from './lean-client.ts';
import type { Logger } from './log.ts';
import type { Shards } from './shards.ts';

/** Discord will not have us, and trying again will not help; the message is for the operator. */
export class DiscordRefusal extends Error {}

/** No message is ever read from the gateway, and nothing of people is kept: what must be known is in the mirror. */
export const INTENTS = [
  // Guilds and their roles: names, owner, outages, and what each role's place in the hierarchy is.
  GatewayIntentBits.Guilds,
  // Members who leave or lose a role lose what it granted, and their tokens, at once (privileged: see the portal).
  GatewayIntentBits.GuildMembers,
  // Bans and their lifting by hand, and audit-log entries.
  GatewayIntentBits.GuildModeration,
];

const REST_TIMEOUT_MS = 5_000;
const LONGEST_LIMIT_WAIT_MS = 2_000;
/** How long discord.js waits for guilds of an outage before it calls itself ready. */
const WAIT_FOR_GUILDS_MS = 5_000;

export interface ClientSettings {
  readonly apiUrl: string;
  /** Null for as many as Discord recommends. */
  readonly shards: Shards | null;
  readonly pace: IIdentifyThrottler;
  readonly log: Logger;
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
      // By default a POST that meets a 502 or a hang is sent four times, and a rate limit is waited out, however long.
      retries: 0,
      rejectOnRateLimit: ({ retryAfter }) => retryAfter > LONGEST_LIMIT_WAIT_MS,
      // Only answers to interactions are sent here, and Discord does not count those among a bot's fifty a second.
      globalRequestsPerSecond: Number.POSITIVE_INFINITY,
    },
    ws: { buildIdentifyThrottler: () => settings.pace },
  });
  keepLittle(client);
  client.on('error', (error) => settings.log.error({ err: error }, 'discord client'));
  client.on('warn', (message) => settings.log.warn({ detail: message }, 'discord client'));
  client.on('shardError', (error, shardId) =>
    settings.log.warn({ err: error, shard_id: shardId }, 'gateway error'),
  );
  return client;
}

const FATAL_CLOSES: Readonly<Record<number, string>> = {
  [GatewayCloseCodes.AuthenticationFailed]:
    'Discord does not accept DISCORD_TOKEN. Copy the token from the Bot page of the application, or reset it there.',
  [GatewayCloseCodes.InvalidShard]: 'Discord does not accept the shards of BOT_SHARDS.',
  [GatewayCloseCodes.ShardingRequired]:
    'The bot is in so many guilds that Discord wants more shards than BOT_SHARDS has. Take more, or leave it empty.',
  [GatewayCloseCodes.InvalidAPIVersion]:
    'Discord no longer serves the version of the gateway this program speaks.',
  [GatewayCloseCodes.InvalidIntents]: 'Discord does not know the intents this program asks for.',
  [GatewayCloseCodes.DisallowedIntents]:
    'Discord does not allow the Server Members Intent. Switch it on, on the Bot page of the application.',
};

/** What a close of the gateway means that comes for good. */
export function refusalBy(code: number): DiscordRefusal {
  return new DiscordRefusal(FATAL_CLOSES[code] ?? `Discord closed the connection for good (${code}).`);
}

/**
 * Connects to the gateway. Waits out an unreachable Discord, and until the day's sessions admit one more; resolves once the
 * first shard is connected. The others follow, each in its turn.
 *
 * @param onRefusal hears of a refusal that comes later, when a running connection is closed for good
 * @returns what resolves once all shards of this process are connected
 * @throws DiscordRefusal when the token or the intents are refused
 */
export async function connect(
  client: Client,
  discord: { pace: IdentifyPace; token: string; signal: AbortSignal },
  onRefusal: (refusal: DiscordRefusal) => void,
): Promise<{ all: Promise<void> }> {
  let closedBy: DiscordRefusal | undefined;
  client.on('shardDisconnect', ({ code }) => {
    closedBy = refusalBy(code);
    onRefusal(closedBy);
  });
  // The library gives up where Discord cannot be reached; and while a connection is open and waits, Discord closes it.
  await discord.pace.untilAllowed(discord.signal);
  const greeted = Promise.withResolvers<void>();
  client.ws.once(GatewayDispatchEvents.Ready, () => greeted.resolve());
  const all = client.login(discord.token).then(
    () => {},
    (error: unknown) => {
      throw closedBy ?? error;
    },
  );
  // Whoever does not wait for the others need not hear that one never came.
  all.catch(() => {});
  await Promise.race([greeted.promise, all]);
  return { all };
}
