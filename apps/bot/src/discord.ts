import { setTimeout as delay } from 'node:timers/promises';
import {
  Client,
  GatewayCloseCodes,
  GatewayIntentBits,
  type IIdentifyThrottler,
  Options,
  type RESTGetAPIGatewayBotResult,
  Routes,
} from 'discord.js';
import { type DiscordApi, DiscordFailure } from './discord-api.ts';
import type { Logger } from './log.ts';

/** Discord will not have us, and trying again will not help; the message is for the operator. */
export class DiscordRefusal extends Error {}

/** No message is ever read from the gateway, and nothing of people is kept: what must be known is in the mirror. */
const INTENTS = [
  // Guilds and their roles: names, owner, outages, and what each role's place in the hierarchy is.
  GatewayIntentBits.Guilds,
  // Members who leave or lose a role lose what it granted, and their tokens, at once (privileged: see the portal).
  GatewayIntentBits.GuildMembers,
  // Bans and their lifting by hand, and audit-log entries.
  GatewayIntentBits.GuildModeration,
];

const REST_TIMEOUT_MS = 5_000;
/** How long discord.js waits for guilds of an outage before it calls itself ready. */
const WAIT_FOR_GUILDS_MS = 5_000;

export function createClient(settings: { apiUrl: string; log: Logger }): Client {
  const client = new Client({
    intents: INTENTS,
    allowedMentions: { parse: [] },
    waitGuildTimeout: WAIT_FOR_GUILDS_MS,
    // Everything the mirror holds, and everything nobody asks for: 67 KB of heap per guild instead of 197.
    makeCache: Options.cacheWithLimits({
      ...Options.DefaultMakeCacheSettings,
      ApplicationCommandManager: 0,
      ApplicationEmojiManager: 0,
      AutoModerationRuleManager: 0,
      BaseGuildEmojiManager: 0,
      DMMessageManager: 0,
      EntitlementManager: 0,
      GuildBanManager: 0,
      GuildEmojiManager: 0,
      GuildForumThreadManager: 0,
      GuildInviteManager: 0,
      GuildMemberManager: { maxSize: 0, keepOverLimit: (member) => member.id === member.client.user.id },
      GuildMessageManager: 0,
      GuildScheduledEventManager: 0,
      GuildStickerManager: 0,
      GuildTextThreadManager: 0,
      MessageManager: 0,
      PresenceManager: 0,
      ReactionManager: 0,
      ReactionUserManager: 0,
      StageInstanceManager: 0,
      ThreadManager: 0,
      ThreadMemberManager: 0,
      UserManager: { maxSize: 0, keepOverLimit: (user) => user.id === user.client.user.id },
      VoiceStateManager: 0,
    }),
    rest: {
      api: settings.apiUrl,
      timeout: REST_TIMEOUT_MS,
      // By default a POST that meets a 502 or a hang is sent four times, and a rate limit is waited out in silence.
      retries: 0,
      rejectOnRateLimit: () => true,
    },
    ws: { buildIdentifyThrottler: () => new PacedIdentify(settings.log) },
  });
  client.on('error', (error) => settings.log.error({ err: error }, 'discord client'));
  client.on('warn', (message) => settings.log.warn({ detail: message }, 'discord client'));
  client.on('shardError', (error, shardId) =>
    settings.log.warn({ err: error, shard_id: shardId }, 'gateway error'),
  );
  return client;
}

const IDENTIFY_SPACING_MS = 5_000;
const IDENTIFY_MEMORY_MS = 10 * 60_000;
const FREE_IDENTIFIES = 5;
const LONGEST_IDENTIFY_PAUSE_MS = 5 * 60_000;

/**
 * Spaces identifies: Discord allows one in five seconds, and a thousand a day, after which it resets the token. Sessions
 * that keep being ended cost ever longer pauses.
 */
class PacedIdentify implements IIdentifyThrottler {
  readonly #log: Logger;
  #recent: number[] = [];
  #turn: Promise<void> = Promise.resolve();

  constructor(log: Logger) {
    this.#log = log;
  }

  async waitForIdentify(shardId: number, signal: AbortSignal): Promise<void> {
    const before = this.#turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turn = promise;
    try {
      await before;
      const nowMs = performance.now();
      this.#recent = this.#recent.filter((atMs) => nowMs - atMs < IDENTIFY_MEMORY_MS);
      const last = this.#recent.at(-1);
      const excess = Math.max(0, this.#recent.length - FREE_IDENTIFIES);
      const spacingMs = Math.min(IDENTIFY_SPACING_MS * 2 ** excess, LONGEST_IDENTIFY_PAUSE_MS);
      const pauseMs = last === undefined ? 0 : Math.max(0, last + spacingMs - nowMs);
      if (pauseMs > IDENTIFY_SPACING_MS) {
        this.#log.warn(
          { shard_id: shardId, pause_ms: pauseMs },
          'sessions keep ending; pausing before the next',
        );
      }
      await delay(pauseMs, undefined, { signal });
      this.#recent.push(performance.now());
    } finally {
      resolve();
    }
  }
}

const FATAL_CLOSES: Readonly<Record<number, string>> = {
  [GatewayCloseCodes.AuthenticationFailed]:
    'Discord does not accept DISCORD_TOKEN. Copy the token from the Bot page of the application, or reset it there.',
  [GatewayCloseCodes.InvalidShard]: 'Discord does not accept this number of shards.',
  [GatewayCloseCodes.ShardingRequired]: 'The bot is in so many guilds that Discord wants more shards.',
  [GatewayCloseCodes.InvalidAPIVersion]:
    'Discord no longer serves the version of the gateway this program speaks.',
  [GatewayCloseCodes.InvalidIntents]: 'Discord does not know the intents this program asks for.',
  [GatewayCloseCodes.DisallowedIntents]:
    'Discord does not allow the Server Members Intent. Switch it on, on the Bot page of the application.',
};

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const GATEWAY_INFO_TIMEOUT_MS = 10_000;
/** Sessions left in the day's budget that are kept for the restarts of an operator. */
const SESSIONS_KEPT_BACK = 20;

/**
 * Connects to the gateway. Waits out an unreachable Discord and a used-up session budget; resolves once connected.
 *
 * @param onRefusal hears of a refusal that comes later, when a running connection is closed for good
 * @throws DiscordRefusal when the token or the intents are refused
 */
export async function connect(
  client: Client,
  discord: { api: DiscordApi; token: string; log: Logger; signal: AbortSignal },
  onRefusal: (refusal: DiscordRefusal) => void,
): Promise<void> {
  let closedBy: DiscordRefusal | undefined;
  client.on('shardDisconnect', ({ code }) => {
    closedBy = new DiscordRefusal(FATAL_CLOSES[code] ?? `Discord closed the connection for good (${code}).`);
    onRefusal(closedBy);
  });
  await untilSessionsAreLeft(discord);
  try {
    await client.login(discord.token);
  } catch (error) {
    throw closedBy ?? error;
  }
}

async function untilSessionsAreLeft(discord: Parameters<typeof connect>[1]): Promise<void> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const { signal } = discord;
    signal.throwIfAborted();
    try {
      const { session_start_limit: limit } = await discord.api.get<RESTGetAPIGatewayBotResult>(
        Routes.gatewayBot(),
        {
          signal: AbortSignal.any([signal, AbortSignal.timeout(GATEWAY_INFO_TIMEOUT_MS)]),
        },
      );
      if (limit.remaining > SESSIONS_KEPT_BACK) return;
      discord.log.error(
        { remaining: limit.remaining, total: limit.total, reset_after_ms: limit.reset_after },
        'the sessions Discord allows per day are nearly used up; waiting for new ones',
      );
      pauseMs = LONGEST_PAUSE_MS;
    } catch (error) {
      if (!(error instanceof DiscordFailure)) throw error;
      if (error.status === 401)
        throw new DiscordRefusal(FATAL_CLOSES[GatewayCloseCodes.AuthenticationFailed]);
      discord.log.warn({ err: error, pause_ms: pauseMs }, 'Discord cannot be reached; trying again');
    }
    await delay(pauseMs, undefined, { signal });
  }
}
