import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { parseDatabaseAddress } from '@bailiff/core';
import { untilDatabase } from '@bailiff/engine/database/until-database';
import { type ActionNotice, createWaiters } from '@bailiff/engine/database/waiters';
import type { Engine } from '@bailiff/engine/engine';
import { noteIdentify, sinceLastIdentify, takeIdentifyTurn } from '@bailiff/engine/guilds/gateway-turns';
import { publishSealingKey } from '@bailiff/engine/servers/sealing-keys';
import { type Database, listen, migrate, openDatabase } from '@bailiff/prisma';
import { followByHand } from './by-hand.ts';
import { startChat } from './chat/handle.ts';
import { registerCommands } from './chat/register.ts';
import { COMPARISONS, type Comparisons, createComparisons } from './comparisons.ts';
import type { Config } from './config.ts';
import { connect, createClient, type DiscordRefusal } from './discord.ts';
import { createDiscordApi } from './discord-api.ts';
import { followEntitlements } from './entitlements.ts';
import { fileOriginsOf } from './evidence.ts';
import { GatewaySessions } from './gateway-sessions.ts';
import { type Handover, handShardsOver, takeOver, whenIdle } from './handover.ts';
import { IdentifyPace } from './identify-pace.ts';
import { renewMutesOf } from './jobs.ts';
import type { Logger } from './log.ts';
import { startWatching, type Watched } from './metrics/watch.ts';
import { Mirror } from './mirror.ts';
import { createPaces } from './pacing.ts';
import { createPerformers } from './performers/index.ts';
import { BACKGROUND_READS, RankedTurns } from './ranked-turns.ts';
import { followSeenBans } from './seen-bans.ts';
import { followSeenTimeouts } from './seen-timeouts.ts';
import { runsAll } from './shards.ts';
import { followTicketChannels } from './ticket-channels.ts';
import { startWebProcess, type WebProcess } from './web-process.ts';
import { followWords, type WordsWatch } from './words-alerts.ts';
import { startWorker } from './worker.ts';

/** A running bot. */
export interface Bot {
  /**
   * Resolves once the web process answers, and the start has either settled or waits for Discord. Then what can be
   * served is served: a guild, Discord or the pace of sessions may keep other things waiting.
   */
  readonly ready: Promise<void>;
  /**
   * Resolves once all shards are connected and every guild is compared. Rejects if the bot cannot go on: with a
   * DiscordRefusal if Discord does not accept the token or the intents.
   */
  readonly settled: Promise<void>;
  /**
   * Closes the connections to the gateway so that another process can go on with them, once all their events so far are
   * in the mirror. The rest of the bot goes on until `stop`.
   *
   * @throws Error if it is not connected
   */
  handOver(): Promise<Handover>;
  /** Takes no new work, finishes what is running, and closes everything. */
  stop(): Promise<void>;
}

export interface BotSettings {
  readonly config: Config;
  /** The environment that the web process's own is picked from. */
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
  /**
   * Called for a problem that a restart does not solve: Discord refuses the bot permanently, or the web process refuses
   * its configuration.
   */
  readonly onFatal: (reason: DiscordRefusal | 'web') => void;
  /** Aborts a start that is still in progress. */
  readonly signal?: AbortSignal;
  /**
   * Called once everything but Discord is ready. Resolves when this process may connect: with what another process hands
   * over, or with null if it begins anew.
   */
  readonly standBy?: (signal: AbortSignal) => Promise<Handover | null>;
}

/**
 * Connections for the mirror, the jobs, the chat, and up to ten running actions, each of which holds one while it is
 * settled. The runners of the queue have connections of their own.
 */
const POOL_SIZE = 16;
/** How long a start waits for Discord before what can be served counts as ready. */
const PATIENCE_MS = 20_000;
/** Part of the ten seconds that the process has to end. */
const WEB_STOP_MS = 8_000;

/**
 * A running bot, after the database was migrated and everything was started. While Discord cannot be reached, the bot
 * goes on trying and the web process answers that it is away.
 *
 * @throws DiscordRefusal if Discord refuses the token or the intents at once
 */
export async function startBot(settings: BotSettings): Promise<Bot> {
  const { config, env, log, onFatal, signal: given } = settings;
  const stopping = new AbortController();
  const signal = given === undefined ? stopping.signal : AbortSignal.any([stopping.signal, given]);
  const undo: (() => Promise<void>)[] = [];
  let web: WebProcess | undefined;
  let hearOfComparisons: Comparisons['hear'] | undefined;
  let words: WordsWatch | undefined;
  let handOver: Bot['handOver'] = () => Promise.reject(new Error('The bot is not connected to Discord yet.'));
  const stop = async () => {
    stopping.abort();
    // The web process ends first, because the calls that it still answers wait for the worker.
    const steps = [async () => web?.stop(WEB_STOP_MS), ...undo.splice(0).reverse()];
    for (const step of steps) {
      await step().catch((error: unknown) => log.error({ err: error }, 'something did not end as it should'));
    }
  };
  try {
    const { ready, settled } = await start();
    // A caller that does not await these need not handle their rejection.
    ready.catch(() => {});
    return { ready, settled, handOver: () => handOver(), stop };
  } catch (error) {
    await stop();
    throw error;
  }

  /** Lets `stop` end a part of the bot, or ends it at once if `stop` is over. */
  async function keep(end: () => Promise<void>): Promise<void> {
    if (!signal.aborted) return void undo.push(end);
    await end();
    signal.throwIfAborted();
  }

  async function start(): Promise<Pick<Bot, 'ready' | 'settled'>> {
    await waitForDatabase();
    await migrate(config.databaseUrl, { signal });
    // Loads beside the rest, and before Discord is reached, so that callers learn that the bot is not connected.
    const webReady = startWeb();
    webReady.catch(() => {});
    const db = openDatabase(config.databaseUrl, {
      applicationName: 'bailiff bot',
      max: POOL_SIZE,
      onError: (error) => log.warn({ err: error }, 'a database connection was lost'),
    });
    undo.push(() => db.close());
    // Loads Prisma's query compiler now, so that no caller waits for it later.
    await db.prisma.$connect();
    await publishKey(db);
    const watched = await startWatching({ config, db, log, atStop: (end) => undo.push(end) });
    const engine = await startEngine(db);
    const handover = (await settings.standBy?.(signal)) ?? null;
    const connecting = connectToDiscord(engine, watched, handover);
    const settled = connecting.then(({ settled }) => settled());
    settled.catch(() => {});
    const isLate = delay(PATIENCE_MS, true, { signal, ref: false });
    isLate.catch(() => {});
    await Promise.race([connecting, isLate]);
    return { settled, ready: whenReady(settled, isLate, webReady) };
  }

  /** Tells which variable has the address, because a wrong one looks like a server that is away. */
  async function waitForDatabase(): Promise<void> {
    const name = `the database of DATABASE_URL (${parseDatabaseAddress(config.databaseUrl)?.shown})`;
    try {
      const onWait = (error: unknown) => log.warn({ err: error }, `waiting for ${name}`);
      await untilDatabase(config.databaseUrl, { signal, onWait });
    } catch (error) {
      if (signal.aborted) throw error;
      throw new Error(`${name} cannot be used: ${error instanceof Error ? error.message : error}`, {
        cause: error,
      });
    }
  }

  async function whenReady(
    settled: Promise<void>,
    isLate: Promise<boolean>,
    webReady: Promise<void>,
  ): Promise<void> {
    if ((await Promise.race([settled, isLate])) === true) {
      log.warn('ready to serve what can be served; still waiting for Discord');
    }
    await webReady;
    signal.throwIfAborted();
  }

  /** Connects to Discord, however long it takes, and starts everything that needs it. */
  async function connectToDiscord(
    engine: Engine,
    { meter, tracer }: Watched,
    handover: Handover | null,
  ): Promise<{ settled: () => Promise<void> }> {
    const { db } = engine;
    const api = createDiscordApi({ token: config.discordToken, apiUrl: config.discordApiUrl, log, meter });
    const paces = createPaces();
    undo.push(() => paces.close());
    const { shards } = config;
    const pace = new IdentifyPace({
      api,
      log,
      shardCount: shards?.count ?? null,
      // If this process has all shards, it need not coordinate with others.
      takeTurn: (bucket) => (runsAll(shards) ? noteIdentify(db, bucket) : takeIdentifyTurn(db, bucket)),
      sinceLast: () => sinceLastIdentify(db),
    });
    const gateway = new GatewaySessions(handover?.sessions);
    const client = createClient({ apiUrl: config.discordApiUrl, shards, pace, gateway, log });
    const reads = new RankedTurns(BACKGROUND_READS);
    const mirror = new Mirror({
      db,
      api,
      client,
      log,
      reads,
      defaultTier: config.defaultTier,
      renewMutes: (guildId, userId) => renewMutesOf(db.pool, guildId, userId),
    });
    words = followWords({ client, db, log, shardCount: () => mirror.shardCount });
    undo.push(async () => words?.close());
    const { compare, hear } = createComparisons({ db, mirror, log });
    hearOfComparisons = hear;
    const clientReady = once(client, 'clientReady', { signal });
    // If the start fails before that, the failure itself is reported.
    clientReady.catch(() => {});
    undo.push(async () => {
      await mirror.close();
      await client.destroy();
    });
    followTicketChannels(client, { db, api, log }, signal);
    const byHand = followByHand(client, { db, api, paces, reads, log });
    undo.push(() => byHand.close());
    const seenBans = followSeenBans(client, { db, api, log });
    undo.push(() => seenBans.close());
    const seenTimeouts = followSeenTimeouts(client, { db, api, log });
    undo.push(() => seenTimeouts.close());

    const fileOrigins = fileOriginsOf(config.discordApiUrl);
    const beginChat = (botUserId: string) => {
      const chat = startChat({ client, engine, api, botUserId, fileOrigins, log, tracer });
      return keep(() => chat.stop());
    };
    if (handover !== null) {
      await takeOver({ client, db, mirror, byHand, log }, handover);
      // What people asked between the two processes is the first that Discord replays.
      await beginChat(handover.user.id);
    }
    const connected = await connect(
      client,
      { pace, token: config.discordToken, shards, resumes: handover !== null, signal },
      (refusal) => {
        if (!signal.aborted) onFatal(refusal);
      },
    );
    const botUserId = client.user?.id;
    if (botUserId === undefined) throw new Error('The gateway is connected, but did not say who the bot is.');
    log.info(
      { bot_user_id: botUserId, shards: [...client.ws.shards.keys()], of: client.options.shardCount },
      'connected to Discord',
    );
    handOver = () => {
      // Nobody else is told what these have seen.
      undo.push(() => whenIdle([seenBans, seenTimeouts]));
      return handShardsOver(client, gateway, mirror);
    };
    const deps = {
      db,
      api,
      paces,
      botUserId,
      log,
      keyring: config.keyring,
      dashboardUrl: config.dashboardUrl,
      rconAllowedNetworks: config.rconAllowedNetworks,
      meter,
    };
    const tiers = {
      applicationId: client.application?.id ?? botUserId,
      proSkuId: config.proSkuId,
      defaultTier: config.defaultTier,
    };
    followEntitlements(client, { db, api, log, tiers });
    await mirror.begun();
    const worker = await startWorker({
      engine,
      performers: createPerformers(deps),
      deps,
      log,
      auditReadRetentionDays: config.auditReadRetentionDays,
      tiers,
      fileOrigins,
      mirrorGuild: compare,
      meter,
      tracer,
    });
    await keep(() => worker.stop());
    if (handover === null) await beginChat(botUserId);
    // Only one of several processes does this.
    if (client.ws.shards.has(0)) void registerCommands(api, botUserId, log, signal);
    return {
      settled: async () => {
        await connected.all;
        await clientReady.catch(() => signal.throwIfAborted());
        await mirror.settled();
        await byHand.tried();
        signal.throwIfAborted();
      },
    };
  }

  /** From now on the web process can seal passwords that this bot can open. */
  async function publishKey(db: Database): Promise<void> {
    const { resealed, lost } = await publishSealingKey(db, config.keyring);
    if (resealed.length > 0) {
      log.info({ count: resealed.length }, 'sealed passwords of game servers to the new SECRETS_KEY');
    }
    if (lost.length > 0) {
      log.warn({ server_ids: lost }, 'passwords of game servers do not open with this SECRETS_KEY');
    }
  }

  async function startEngine(db: Database): Promise<Engine> {
    const waiters = createWaiters();
    const listener = await listen(
      config.databaseUrl,
      ['bailiff', COMPARISONS],
      (channel, payload) => {
        if (channel === COMPARISONS) return hearOfComparisons?.(payload);
        const { answer: _unread, ...notice }: { kind: string; answer?: object } = JSON.parse(payload);
        if (notice.kind === 'settings') words?.refresh((notice as { guild_id?: string }).guild_id);
        // The web process can send notifications too. What the bot tells people it reads from the action.
        if ('request_id' in notice) waiters.notify(notice as ActionNotice);
      },
      {
        applicationName: 'bailiff bot',
        onError: (error) => log.warn({ err: error }, 'notifications were interrupted'),
        onReconnect: () => waiters.wakeAll(),
      },
    );
    undo.push(() => listener.close());
    return { db, waiters, dashboardUrl: config.dashboardUrl };
  }

  function startWeb(): Promise<void> {
    if (config.web === null) return Promise.resolve();
    web = startWebProcess({ env, ...config.web, log, onMisconfigured: () => onFatal('web') });
    return web.ready;
  }
}
