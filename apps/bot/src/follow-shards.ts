import { once } from 'node:events';
import type { Engine } from '@bailiff/engine/engine';
import { heldBy } from '@bailiff/engine/guilds/shard-holders';
import type { ChannelLook } from '@bailiff/engine/tickets/conversations';
import type { Client } from 'discord.js';
import { followByHand } from './by-hand.ts';
import { startChat } from './chat/handle.ts';
import type { Config } from './config.ts';
import { followConversations } from './conversations.ts';
import { connect, createClient, type DiscordRefusal } from './discord.ts';
import type { DiscordApi } from './discord-api.ts';
import { followEntitlements, type TierSettings } from './entitlements.ts';
import { fileOriginsOf } from './evidence.ts';
import { GatewaySessions } from './gateway-sessions.ts';
import { type Handover, handShardsOver, type LeftShards, takeOver, whenIdle } from './handover.ts';
import type { IdentifyPace } from './identify-pace.ts';
import { renewMutesOf } from './jobs.ts';
import type { MayAnswer } from './lean-client.ts';
import type { Logger } from './log.ts';
import type { Watched } from './metrics/watch.ts';
import { Mirror } from './mirror.ts';
import type { Paces } from './pacing.ts';
import type { RankedTurns } from './ranked-turns.ts';
import { followSeenBans } from './seen-bans.ts';
import { followSeenTimeouts } from './seen-timeouts.ts';
import type { Shards } from './shards.ts';
import { followTicketChannels } from './ticket-channels.ts';
import { followWords } from './words-alerts.ts';

export interface FollowSettings {
  readonly shards: Shards;
  /** Whether Discord recommended their number. */
  readonly isRecommended: boolean;
  /** The id under which this process has the shards. */
  readonly holderId: string;
  /** What another process hands over; null if new sessions begin. */
  readonly handover: Handover | null;
  readonly config: Config;
  readonly engine: Engine;
  readonly api: DiscordApi;
  readonly paces: Paces;
  readonly pace: IdentifyPace;
  readonly reads: RankedTurns;
  readonly tracer: Watched['tracer'];
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Fires once another process has taken the shards. */
  readonly lost: AbortSignal;
  readonly mayAnswer: MayAnswer;
  readonly onRefusal: (refusal: DiscordRefusal) => void;
}

/** Some shards with everything that depends on their events: the mirror, the chat, what is done by hand. */
export interface FollowedShards {
  readonly shardIds: readonly number[];
  readonly mirror: Mirror;
  /**
   * Connects. Resolves once the first of the shards is connected.
   *
   * @throws DiscordRefusal if Discord refuses the token or the intents
   */
  connect(): Promise<ConnectedShards>;
  /** Reads soon whose messages to note in a guild. */
  refreshWords(guildId: string | undefined): void;
  /** Follows a ticket's channel for some minutes, because somebody looks at it. */
  lookAt(look: ChannelLook): void;
  /** Answers no more commands. Resolves when the running ones are answered. */
  endChat(): Promise<void>;
  /** @throws Error if it is not connected */
  handOver(): Promise<LeftShards>;
  /** Ends everything. The guilds are not trusted from then on, unless another process goes on. */
  stop(): Promise<void>;
}

export interface ConnectedShards {
  readonly client: Client<true>;
  /** Answers commands from now on. */
  beginChat(): Promise<void>;
  /** Resolves once all of the shards are connected and every guild is compared. */
  settled(): Promise<void>;
}

/** Follows shards that this process has, from `connect` on. */
export function followShards(settings: FollowSettings): FollowedShards {
  const { shards, handover, config, engine, api, paces, pace, reads, log, lost } = settings;
  const stopping = new AbortController();
  const signal = AbortSignal.any([settings.signal, stopping.signal]);
  const { db } = engine;
  const undo: (() => Promise<void>)[] = [];
  const gateway = new GatewaySessions(handover?.sessions);
  const client = createClient({
    apiUrl: config.discordApiUrl,
    shards,
    pace,
    gateway,
    log,
    signal,
    mayAnswer: settings.mayAnswer,
  });
  const mirror = new Mirror({
    db: heldBy(settings.holderId, db),
    api,
    client,
    log,
    reads,
    defaultTier: config.defaultTier,
    renewMutes: (guildId, userId) => renewMutesOf(db.pool, guildId, userId),
    lost,
  });
  const clientReady = once(client, 'clientReady', { signal });
  // If the start fails before that, the failure itself is reported.
  clientReady.catch(() => {});
  undo.push(async () => {
    await mirror.close();
    await client.destroy();
  });
  const ticketChannels = followTicketChannels(client, { db, api, log }, signal);
  const byHand = followByHand(client, { db, api, paces, reads, log });
  undo.push(() => byHand.close());
  const seenBans = followSeenBans(client, { db, api, log });
  undo.push(() => seenBans.close());
  const seenTimeouts = followSeenTimeouts(client, { db, api, log });
  undo.push(() => seenTimeouts.close());
  const words = followWords({ client, db, log, shardCount: () => shards.count });
  undo.push(() => words.close());
  const conversations = followConversations({ client, db, log });
  undo.push(() => conversations.close());
  let chat: ReturnType<typeof startChat> | undefined;
  const endChat = async () => chat?.stop();

  /** A process that is stopped meanwhile answers nothing. */
  const beginChat = async () => {
    if (signal.aborted) return;
    const botUserId = client.user?.id ?? '';
    const fileOrigins = fileOriginsOf(config.discordApiUrl);
    chat ??= startChat({ client, engine, api, botUserId, fileOrigins, log, tracer: settings.tracer });
  };

  return {
    shardIds: shards.ids,
    mirror,
    connect: async () => {
      if (handover !== null) {
        await takeOver({ client, db, mirror, byHand, ticketChannels, log }, handover);
        // What people asked between the two processes is the first that Discord replays.
        await beginChat();
      }
      const connected = await connect(
        client,
        {
          pace,
          token: config.discordToken,
          shards: settings.isRecommended ? null : shards,
          resumes: handover !== null,
          signal,
        },
        (refusal) => {
          if (!signal.aborted) settings.onRefusal(refusal);
        },
      );
      if (!isKnown(client)) throw new Error('The gateway is connected, but did not say who the bot is.');
      log.info(
        { bot_user_id: client.user.id, shards: [...client.ws.shards.keys()], of: shards.count },
        'connected to Discord',
      );
      followEntitlements(client, { db, api, log, tiers: tiersOf(config, client) });
      await mirror.begun();
      return {
        client,
        beginChat,
        settled: async () => {
          await connected.all;
          await clientReady.catch(() => signal.throwIfAborted());
          await mirror.settled();
          await byHand.tried();
          signal.throwIfAborted();
        },
      };
    },
    refreshWords: (guildId) => words.refresh(guildId),
    lookAt: (look) => conversations.look(look),
    endChat,
    handOver: () => {
      // Nobody else is told what these have seen.
      undo.push(() => whenIdle([seenBans, seenTimeouts]));
      return handShardsOver(client, gateway, mirror, ticketChannels);
    },
    stop: async () => {
      stopping.abort();
      await endChat();
      for (const step of undo.splice(0).reverse()) {
        await step().catch((err: unknown) => log.error({ err }, 'something did not end as it should'));
      }
    },
  };
}

function isKnown(client: Client): client is Client<true> {
  return client.user !== null && client.user !== undefined;
}

/** How guilds get their tiers, for the application that is connected. */
export function tiersOf(config: Config, { application, user }: Client<true>): TierSettings {
  return {
    applicationId: application.id ?? user.id,
    proSkuId: config.proSkuId,
    defaultTier: config.defaultTier,
  };
}
