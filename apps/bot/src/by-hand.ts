import { setTimeout as delay } from 'node:timers/promises';
import {
  discordLogPosition,
  discordLogReadable,
  discordLogReadTo,
  recordManualAction,
} from '@bailiff/engine/cases/by-hand';
import { databaseErrorCode } from '@bailiff/engine/database/database-errors';
import { inTransaction } from '@bailiff/engine/database/transaction';
import { type ComparisonRank, UNHURRIED } from '@bailiff/engine/guilds/gateway-shards';
import { translator } from '@bailiff/messages';
import type { Database } from '@bailiff/prisma';
import {
  type Client,
  RESTJSONErrorCodes as Code,
  GatewayDispatchEvents as Event,
  type RESTGetAPIAuditLogResult,
  Routes,
} from 'discord.js';
import { type AuditEntry, auditEntryOf, manualActionOf, timeOf } from './audit-entries.ts';
import { guildRefusal } from './channel-access.ts';
import { type DiscordApi, DiscordFailure } from './discord-api.ts';
import { tellGuild } from './guild-notice.ts';
import type { Logger } from './log.ts';
import { type Paces, pacedApi } from './pacing.ts';
import type { RankedTurns } from './ranked-turns.ts';
import { retryUntilAborted } from './retry.ts';

export interface ByHandDeps {
  readonly db: Database;
  readonly api: DiscordApi;
  readonly paces: Paces;
  readonly log: Logger;
}

const PAGE = 100;
/** Entries may arrive in another order than their ids. This much is read again, and no entry is recorded twice. */
const OVERLAP_MS = 60_000n;
const RETRY_MS = 300;
const LOOKS_AT_MIRROR = { times: 60, everyMs: 50 };

/**
 * Records the manual actions in a guild since its audit log was last read, oldest first. Once Discord has refused the
 * log, it is asked again only if the bot has the permission: it counts each refusal towards a ban of the address.
 *
 * @param isOpen whether Discord has just sent an entry of the log, so that it can be read whatever the mirror says
 * @returns false if the bot may not read the log; the guild is told once, and nothing can be recorded
 * @throws DiscordFailure, the abort reason of `signal`, or an error if the mirror does not know the guild; entries up to
 *   then are recorded
 */
export async function catchUp(
  deps: ByHandDeps,
  botUserId: string,
  guildId: string,
  signal: AbortSignal,
  isOpen = false,
): Promise<boolean> {
  const { db, paces } = deps;
  const api = pacedApi(deps.api, paces, guildId);
  const { readFrom, isReadable } = await positionOf(db, guildId, signal);
  const isAsked = isReadable || isOpen;
  if (!isAsked && (await guildRefusal({ db, api, botUserId }, guildId, signal, 'ViewAuditLog')) !== null)
    return false;
  for (let after = readFrom; ; ) {
    const page = await readPage({ api, log: deps.log }, guildId, after, signal).catch((error: unknown) => {
      if (error instanceof DiscordFailure && UNREADABLE.includes(error.code)) return null;
      throw error;
    });
    if (page === null) {
      await tellUnreadable(deps, guildId);
      return false;
    }
    const isNews = await discordLogReadable(db, guildId, true);
    if (isNews) deps.log.info({ guild_id: guildId }, 'the audit log of a guild at Discord can be read again');
    for (const entry of page.entries) {
      await recordEntry(deps, botUserId, guildId, entry, signal);
      after = entry.id;
    }
    await discordLogReadTo(db, guildId, beforeOverlap(after));
    if (page.isLast) return true;
  }
}

/**
 * Reads a guild's audit log before an automatic change to one of its cases.
 *
 * @returns false if the bot may not read it: then nobody knows what people did to that sanction
 */
export async function catchUpWithCase(
  deps: ByHandDeps & { readonly botUserId: string },
  caseId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const found = await deps.db.prisma.case.findUnique({ where: { id: caseId }, select: { guildId: true } });
  return found !== null && (await catchUp(deps, deps.botUserId, found.guildId, signal));
}

/** Not that the guild is unknown: Discord says so of one with an outage, and then nobody knows what the log has. */
const UNREADABLE: readonly (number | undefined)[] = [Code.MissingPermissions, Code.MissingAccess];

/** The mirror does not know the guild. */
class UnknownToMirror extends Error {}

/** The position from which to read the log. Waits a moment for the mirror, which hears of a new guild at the same time. */
async function positionOf(
  db: Database,
  guildId: string,
  signal: AbortSignal,
): Promise<NonNullable<Awaited<ReturnType<typeof discordLogPosition>>>> {
  for (let look = 1; look <= LOOKS_AT_MIRROR.times; look += 1) {
    const position = await discordLogPosition(db, guildId);
    if (position !== null) return position;
    await delay(LOOKS_AT_MIRROR.everyMs, undefined, { signal });
  }
  throw new UnknownToMirror(`The mirror does not know the guild ${guildId}.`);
}

/** The page of the log after an entry, oldest first, and whether it is the last one. */
async function readPage(
  { api, log }: Pick<ByHandDeps, 'api' | 'log'>,
  guildId: string,
  after: string,
  signal: AbortSignal,
): Promise<{ entries: AuditEntry[]; isLast: boolean }> {
  const { audit_log_entries: given } = await api.get<RESTGetAPIAuditLogResult>(
    Routes.guildAuditLog(guildId),
    {
      signal,
      query: { after, limit: String(PAGE) },
    },
  );
  // Discord answers in this order. The entries are sorted anyway, because everything depends on the order.
  const entries = given
    .flatMap((entry) => auditEntryOf(log, guildId, entry) ?? [])
    .toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
  return { entries, isLast: given.length < PAGE || entries.length === 0 };
}

/** Tells the moderators once that the bot may not read the log. */
async function tellUnreadable({ db, log }: Pick<ByHandDeps, 'db' | 'log'>, guildId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const isNews = await discordLogReadable(tx, guildId, false);
    if (!isNews) return;
    log.info({ guild_id: guildId }, 'the audit log of a guild at Discord cannot be read');
    await tellGuild(tx, { guildId, about: guildId }, (language) =>
      translator(language, 'notices')('log.handUnseen'),
    );
  });
}

/** Records an entry, once no action of Bailiff on the same user is running. */
async function recordEntry(
  { db, log }: Pick<ByHandDeps, 'db' | 'log'>,
  botUserId: string,
  guildId: string,
  entry: AuditEntry,
  signal: AbortSignal,
): Promise<void> {
  const action = manualActionOf(guildId, entry, botUserId);
  if (action === null) return;
  for (;;) {
    const outcome = await recordManualAction(db, action, botUserId).catch((error: unknown) => {
      if (!isRefusedByDatabase(error)) throw error;
      // It will never be admitted. Whoever waits for the record would wait for ever.
      log.error({ err: error, guild_id: guildId, entry_id: entry.id }, 'done by hand, and left out');
      return 'unchanged';
    });
    if (outcome === 'recorded') {
      const { operation, userId: user_id, by } = action;
      log.info({ guild_id: guildId, operation, user_id, by }, 'done by hand');
    }
    if (outcome !== 'contested') return;
    await delay(RETRY_MS, undefined, { signal });
  }
}

/** Whether the database refuses the values themselves: as data (SQLSTATE class 22), or by a CHECK. */
function isRefusedByDatabase(error: unknown): boolean {
  return error instanceof Error && /^(22|23514)/.test(databaseErrorCode(error));
}

function beforeOverlap(snowflake: string): string {
  const id = BigInt(snowflake) - (OVERLAP_MS << 22n);
  return String(id < 0n ? 0n : id);
}

/** Records manual actions while the bot runs. */
export interface ByHand {
  /** Reads what was done in a guild whose events another process followed. */
  goOnWith(guildId: string): void;
  /** Resolves once the bot has tried to catch up in every guild. */
  tried(): Promise<void>;
  /** Stops recording. */
  close(): Promise<void>;
}

interface Following {
  readonly guildId: string;
  /** Whether entries from a time without a connection still need to be read. */
  isBehind: boolean;
  /** Entries from the gateway that are not recorded yet, oldest first. */
  readonly waiting: AuditEntry[];
  /** Time of the latest entry that is stored as read. */
  notedUpToMs: number;
  running: Promise<void> | null;
  readonly tried: PromiseWithResolvers<void>;
  /** Fires when the bot has left the guild, or Discord has an outage of it. */
  readonly gone: AbortController;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
const ATTEMPT_TIMEOUT_MS = 60_000;
/** Most waiting entries of one guild. Further entries are read from the log. */
const MOST_WAITING = 200;
/**
 * How often the position is stored. After the next connect, entries since then are read again, and none is recorded
 * twice.
 */
const NOTED_EVERY_MS = 60_000;

/** After a connect, guilds are compared first: nobody waits for what was done by hand. */
const AFTER_COMPARISONS: ComparisonRank = UNHURRIED + 1;

type FollowDeps = ByHandDeps & { readonly reads: RankedTurns };

/**
 * Follows the audit logs of all guilds: through the gateway's events, and after each connect by reading what was
 * missed. Entries of one guild are recorded one after the other.
 */
export function followByHand(client: Client, deps: FollowDeps): ByHand {
  const closed = new AbortController();
  const guilds = new Map<string, Following>();
  const guildOf = (guildId: string): Following => {
    const guild = guilds.get(guildId) ?? {
      guildId,
      isBehind: true,
      waiting: [],
      notedUpToMs: 0,
      running: null,
      tried: Promise.withResolvers<void>(),
      gone: new AbortController(),
    };
    guilds.set(guildId, guild);
    return guild;
  };
  const goOn = (guild: Following) => {
    const signal = AbortSignal.any([closed.signal, guild.gone.signal]);
    guild.running ??= follow({ ...deps, client }, guild, signal).finally(() => {
      guild.running = null;
    });
  };
  client.ws.on(Event.GuildCreate, ({ id, unavailable }: { id: string; unavailable?: boolean }) => {
    if (unavailable === true) return;
    const guild = guildOf(id);
    guild.isBehind = true;
    goOn(guild);
  });
  client.ws.on(Event.GuildDelete, ({ id }: { id: string }) => {
    guilds.get(id)?.gone.abort();
    guilds.delete(id);
  });
  client.ws.on(Event.GuildAuditLogEntryCreate, (given: { guild_id: string }) => {
    const entry = auditEntryOf(deps.log, given.guild_id, given);
    if (entry === null) return;
    const guild = guildOf(given.guild_id);
    if (guild.waiting.length < MOST_WAITING) guild.waiting.push(entry);
    else guild.isBehind = true;
    goOn(guild);
  });
  const running = () => [...guilds.values()].flatMap((guild) => guild.running ?? []);
  return {
    goOnWith: (guildId) => goOn(guildOf(guildId)),
    tried: async () => {
      await Promise.all([...guilds.values()].map(({ tried }) => tried.promise));
    },
    close: async () => {
      closed.abort();
      await Promise.all(running());
    },
  };
}

/** Records the entries that a guild has missed, then those that arrived meanwhile, until none are left. */
async function follow(
  deps: FollowDeps & { readonly client: Client },
  guild: Following,
  closed: AbortSignal,
): Promise<void> {
  const { guildId } = guild;
  const retry = {
    signal: closed,
    firstPauseMs: FIRST_PAUSE_MS,
    longestPauseMs: LONGEST_PAUSE_MS,
    onFailure: (error: unknown, pauseMs: number) => {
      if (closed.aborted) return;
      guild.isBehind = true;
      const fields = { err: error, guild_id: guildId, pause_ms: pauseMs };
      const level = error instanceof UnknownToMirror ? 'debug' : 'warn';
      deps.log[level](fields, 'could not record what was done by hand');
    },
  };
  for (let isDone = false; !isDone && !closed.aborted; ) {
    const isReadable = await retryUntilAborted(
      () => recordAll(deps, guild, closed).finally(guild.tried.resolve),
      retry,
    );
    if (isReadable === undefined) return;
    // Without the permission Discord sends no events either. The first event says that the bot has it again.
    if (!isReadable) guild.isBehind = true;
    isDone = !isReadable || (!guild.isBehind && guild.waiting.length === 0);
  }
}

/** @returns false if the bot may not read the guild's log */
async function recordAll(
  deps: FollowDeps & { readonly client: Client },
  guild: Following,
  closed: AbortSignal,
): Promise<boolean> {
  const { guildId, waiting } = guild;
  const inTime = () => AbortSignal.any([closed, AbortSignal.timeout(ATTEMPT_TIMEOUT_MS)]);
  const botUserId = deps.client.user?.id;
  if (botUserId === undefined) throw new Error('The gateway has not said yet who the bot is.');
  let isReadable = true;
  if (guild.isBehind) {
    guild.isBehind = false;
    isReadable = await deps.reads.run(
      () => AFTER_COMPARISONS,
      () => catchUp(deps, botUserId, guildId, inTime(), waiting.length > 0),
    );
  }
  for (let entry = waiting[0]; entry !== undefined; entry = waiting[0]) {
    await recordEntry(deps, botUserId, guildId, entry, inTime());
    waiting.shift();
    if (timeOf(entry.id) < guild.notedUpToMs + NOTED_EVERY_MS) continue;
    await discordLogReadTo(deps.db, guildId, beforeOverlap(entry.id));
    guild.notedUpToMs = timeOf(entry.id);
  }
  return isReadable;
}
