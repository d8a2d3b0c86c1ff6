import { Client, GatewayCloseCodes, GatewayIntentBits, type IIdentifyThrottler, Options } from 'discord.js';
import type { IdentifyPace } from './identify-pace.ts';
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

export function createClient(settings: { apiUrl: string; pace: IIdentifyThrottler; log: Logger }): Client {
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
    ws: { buildIdentifyThrottler: () => settings.pace },
  });
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
  [GatewayCloseCodes.InvalidShard]: 'Discord does not accept this number of shards.',
  [GatewayCloseCodes.ShardingRequired]: 'The bot is in so many guilds that Discord wants more shards.',
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
 * Connects to the gateway. Waits out an unreachable Discord, and until the day's sessions admit one more; resolves once
 * connected.
 *
 * @param onRefusal hears of a refusal that comes later, when a running connection is closed for good
 * @throws DiscordRefusal when the token or the intents are refused
 */
export async function connect(
  client: Client,
  discord: { pace: IdentifyPace; token: string; signal: AbortSignal },
  onRefusal: (refusal: DiscordRefusal) => void,
): Promise<void> {
  let closedBy: DiscordRefusal | undefined;
  client.on('shardDisconnect', ({ code }) => {
    closedBy = refusalBy(code);
    onRefusal(closedBy);
  });
  // The library gives up where Discord cannot be reached; and while a connection is open and waits, Discord closes it.
  await discord.pace.untilAllowed(discord.signal);
  try {
    await client.login(discord.token);
  } catch (error) {
    throw closedBy ?? error;
  }
}
