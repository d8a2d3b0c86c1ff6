import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parseDatabaseAddress } from '@bailiff/core';
import { untilDatabase } from '@bailiff/engine/database/until-database';
import { type ActionNotice, createWaiters } from '@bailiff/engine/database/waiters';
import type { Engine } from '@bailiff/engine/engine';
import { noteIdentify, sinceLastIdentify, takeIdentifyTurn } from '@bailiff/engine/guilds/gateway-turns';
import { publishSealingKey } from '@bailiff/engine/servers/sealing-keys';
import { lookIn } from '@bailiff/engine/tickets/conversations';
import { type Database, listen, migrate, openDatabase } from '@bailiff/prisma';
import { registerCommands } from './chat/register.ts';
import { COMPARISONS, type Comparisons, createComparisons } from './comparisons.ts';
import type { Config } from './config.ts';
import type { DiscordRefusal } from './discord.ts';
import { createDiscordApi } from './discord-api.ts';

import { fileOriginsOf } from './evidence.ts';
import { tiersOf } from './follow-shards.ts';
import type { Handover } from './handover.ts';
import { HeldShards, type HeldShardsSettings } from './held-shards.ts';
import { IdentifyPace } from './identify-pace.ts';
import type { Logger } from './log.ts';
import { startWatching, type Watched } from './metrics/watch.ts';
import { createPaces, type PaceLimits } from './pacing.ts';
import { createPerformers } from './performers/index.ts';
import { BACKGROUND_READS, RankedTurns } from './ranked-turns.ts';
import type { ShardsLost } from './shard-lease.ts';
import { allShards, runsAll } from './shards.ts';
import type { WebProcess } from './web-process.ts';
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
  readonly log: Logger;
  /** The web process beside this bot, which answers once the database is up to date, and ends with the bot. */
  readonly web?: WebProcess;
  /**
   * Called when the bot cannot go on: Discord refuses it permanently, or another process has taken its shards. Only the
   * latter is solved by a restart.
   */
  readonly onFatal: (reason: DiscordRefusal | ShardsLost) => void;
  /** Aborts a start that is still in progress. */
  readonly signal?: AbortSignal;
  /**
   * Called once everything but Discord is ready. Resolves when this process may connect: with what another process hands
   * over, or with null if it begins anew.
   */
  readonly standBy?: (signal: AbortSignal) => Promise<Handover | null>;
  /** How fast conversations are opened and guilds served, where a test needs another pace than Discord allows. */
  readonly paceLimits?: PaceLimits;
}

/**
 * Connections for the mirror, the jobs, the chat, and up to ten running actions, each of which holds one while it is
 * settled. The runners of the queue have connections of their own.
 */
const POOL_SIZE = 16;
/** A statement of the lease that fails leaves time for the next one, before anybody takes the shards. */
const LEASE_TIMEOUT_MS = 2_000;
/** How long a start waits for Discord before what can be served counts as ready. */
const PATIENCE_MS = 20_000;
/** The name of the connection by which other processes see that this one is there. */
const sessionOf = (processId: string) => `bailiff bot ${processId}`;
/** Part of the ten seconds that the process has to end. */
const WEB_STOP_MS = 8_000;

/**
 * A running bot, after the database was migrated and everything was started. While Discord cannot be reached, the bot
 * goes on trying and the web process answers that it is away.
 *
 * @throws DiscordRefusal if Discord refuses the token or the intents at once
 */
export async function startBot(settings: BotSettings): Promise<Bot> {
  const { config, log, web, onFatal, signal: given } = settings;
  const stopping = new AbortController();
  const signal = given === undefined ? stopping.signal : AbortSignal.any([stopping.signal, given]);
  const undo: (() => Promise<void>)[] = [];
  let hearOfComparisons: Comparisons['hear'] | undefined;
  const processId = randomUUID();
  let held: HeldShards | undefined;
  let handOver: Bot['handOver'] = () => Promise.reject(new Error('The bot is not connected to Discord yet.'));
  const stop = async () => {
    stopping.abort();
    // The web process ends first, and then the chat, because what they still answer waits for the worker.
    const steps = [
      async () => web?.stop(WEB_STOP_MS),
      async () => held?.endChats(),
      ...undo.splice(0).reverse(),
    ];
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
    await migrate(config.databaseUrl, { signal, onWait: (line) => log.warn(line) });
    // Before Discord is reached, so that callers learn that the bot is not connected.
    web?.begin();
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
    return { settled, ready: whenReady(settled, isLate) };
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

  async function whenReady(settled: Promise<void>, isLate: Promise<boolean>): Promise<void> {
    if ((await Promise.race([settled, isLate])) === true) {
      log.warn('ready to serve what can be served; still waiting for Discord');
    }
    await web?.untilReady();
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
    const paces = createPaces(settings.paceLimits);
    undo.push(() => paces.close());
    const shards = new HeldShards(await shardSettings());
    signal.throwIfAborted();
    held = shards;
    undo.push(() => shards.close());
    handOver = () => shards.handOver();
    const { compare, hear } = createComparisons({ db, mirror: shards, log });
    hearOfComparisons = hear;
    const { first, settled } = await shards.begin(handover);
    const { client } = first;
    const botUserId = client.user.id;
    const tiers = tiersOf(config, client);
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
    const worker = await startWorker({
      engine,
      performers: createPerformers(deps),
      deps,
      log,
      auditReadRetentionDays: config.auditReadRetentionDays,
      tiers,
      fileOrigins: fileOriginsOf(config.discordApiUrl),
      mirrorGuild: compare,
      lookAt: (look) => shards.lookAt(look),
      signal,
      meter,
      tracer,
    });
    await keep(() => worker.stop());
    await first.beginChat();
    // Only one of several processes does this.
    if (client.ws.shards.has(0)) void registerCommands(api, tiers.applicationId, log, signal);
    return { settled };

    async function shardSettings(): Promise<HeldShardsSettings> {
      const { shards } = config;
      const pace = new IdentifyPace({
        api,
        log,
        shardCount: shards?.count ?? null,
        // If this process is meant for all shards, it need not coordinate with others.
        takeTurn: (bucket) => (runsAll(shards) ? noteIdentify(db, bucket) : takeIdentifyTurn(db, bucket)),
        sinceLast: () => sinceLastIdentify(db),
      });
      const leaseDb = openDatabase(config.databaseUrl, {
        applicationName: 'bailiff bot lease',
        max: 1,
        statementTimeoutMs: LEASE_TIMEOUT_MS,
        onError: (error) => log.warn({ err: error }, 'a database connection was lost'),
      });
      undo.push(() => leaseDb.close());
      const count = handover?.sessions[0]?.shardCount;
      return {
        home: shards ?? allShards(count ?? (await pace.recommendedShards(signal))),
        isRecommended: shards === null,
        leaseDb,
        processId,
        session: sessionOf(processId),
        config,
        engine,
        api,
        paces,
        pace,
        reads: new RankedTurns(BACKGROUND_READS),
        tracer,
        log,
        signal,
        onFatal: (reason) => {
          if (!signal.aborted) onFatal(reason);
        },
      };
    }
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
        if (notice.kind === 'settings') held?.refreshWords((notice as { guild_id?: string }).guild_id);
        const look = notice.kind === 'looking' ? lookIn(notice) : null;
        if (look !== null) held?.lookAt(look);
        // The web process can send notifications too. What the bot tells people it reads from the action.
        if ('request_id' in notice) waiters.notify(notice as ActionNotice);
      },
      {
        applicationName: sessionOf(processId),
        onError: (error) => log.warn({ err: error }, 'notifications were interrupted'),
        onReconnect: () => waiters.wakeAll(),
      },
    );
    undo.push(() => listener.close());
    return { db, waiters, dashboardUrl: config.dashboardUrl };
  }
}
