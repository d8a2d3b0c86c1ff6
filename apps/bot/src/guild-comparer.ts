import { setTimeout as delay } from 'node:timers/promises';
import { permissionsLacking } from '@bailiff/core';
import { mutedMembers, type StandingMute } from '@bailiff/engine/cases/cases';
import { listChannels, replaceChannels } from '@bailiff/engine/guilds/channels';
import {
  endComparison,
  membersToKeep,
  mirroredMembers,
  noteMirrorProblem,
  type WantedMembers,
  wantedMembers,
} from '@bailiff/engine/guilds/comparison';
import { distrustGuild, type MirroredMember, putMembers } from '@bailiff/engine/guilds/mirror';
import { performWaiting } from '@bailiff/engine/worker/waiting-actions';
import type { MirrorProblem } from '@bailiff/prisma';
import { type APIChannel, type APIGuild, Routes } from 'discord.js';
import type { Connection, Connections } from './connections.ts';
import { DiscordFailure } from './discord-api.ts';
import { hasWrongTimeout } from './jobs.ts';
import { channelOf, descriptionOf, isUnknownChannel, memberOf, memberPage } from './mirror-reads.ts';
import {
  afterEvents,
  botUserId,
  type ChangedByEvents,
  type GuildState,
  type MirrorSettings,
  newChanges,
  problemOf,
  putDescription,
  removeMembers,
} from './mirrored-guild.ts';
import { findMember } from './performers/members.ts';
import { retryWithBackoff } from './retry.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** After a 403, which Discord counts towards a ban of the address. Somebody may have to change permissions first. */
const FORBIDDEN_PAUSE_MS = 10 * 60_000;
/** Between two comparisons of a guild that has changed meanwhile. */
const LONGEST_REST_MS = 10 * 60_000;
const READ_TIMEOUT_MS = 15_000;
/** Channels of a guild that may be gone, in one comparison. Further ones stay until the guild is described anew. */
const MOST_LOOKED_FOR = 25;

/** What was read in a session that has ended, or of a guild with an outage, is not complete. */
class Outdated extends Error {}

/** One comparison of a guild: what it reads must be of one session. */
interface Comparison {
  readonly guild: GuildState;
  readonly connection: Connection;
  readonly session: number;
  readonly changed: ChangedByEvents;
}

/** The list of a guild's members while it is read. */
interface Listing {
  readonly wanted: WantedMembers;
  readonly muted: ReadonlyMap<string, StandingMute>;
  /** Members in the mirror that were not in the list so far. */
  readonly unlisted: Set<string>;
  readonly missingIssuers: Set<string>;
}

/** Compares guilds with Discord's REST API, and decides whether their mirror can be trusted. */
export class GuildComparer {
  readonly #settings: MirrorSettings;
  readonly #connections: Connections;
  /** Ends all comparisons. */
  readonly #signal: AbortSignal;

  constructor(settings: MirrorSettings, connections: Connections, signal: AbortSignal) {
    this.#settings = settings;
    this.#connections = connections;
    this.#signal = signal;
  }

  /** Compares a guild, once more if it must be compared again meanwhile. Resolves when nothing is left to compare. */
  compare(guild: GuildState): Promise<void> {
    guild.isDirty = true;
    guild.comparing ??= this.#compareUntilClean(guild).finally(() => {
      guild.comparing = null;
    });
    return guild.comparing;
  }

  /** Reads and writes one member, whom the mirror needs whatever their roles. */
  async learnMember(guild: GuildState, userId: string): Promise<void> {
    try {
      const { described } = guild;
      const member = await this.#retry(guild, () => this.#readMember(guild, userId));
      await afterEvents(guild, async () => {
        if (member === null || guild.unavailable || described.signal.aborted) return;
        await putMembers(this.#settings.db.pool, guild.id, [member]);
      });
    } catch (error) {
      if (this.#signal.aborted || error instanceof Outdated) return;
      this.#settings.log.error({ err: error, guild_id: guild.id, user_id: userId }, 'member not mirrored');
      void this.compare(guild);
    }
  }

  async #compareUntilClean(guild: GuildState): Promise<void> {
    while (guild.isDirty && !guild.unavailable && !this.#signal.aborted) {
      guild.isDirty = false;
      const { described } = guild;
      const startedAt = performance.now();
      let restMs = LONGEST_REST_MS;
      const onListed = () => {
        restMs = Math.min(performance.now() - startedAt, LONGEST_REST_MS);
      };
      await this.#retry(guild, () => this.#compareOnce(guild, onListed)).catch((error: unknown) => {
        if (!this.#signal.aborted) throw error;
      });
      // A guild that keeps changing is read at most half of the time. What was read in vain is read again once Discord
      // has described the guild anew, which it may have done already.
      if (guild.isDirty && !guild.unavailable) await this.#pause(described, restMs);
    }
  }

  async #compareOnce(guild: GuildState, onListed: () => void): Promise<void> {
    const { db } = this.#settings;
    const connection = this.#connections.of(guild.shardId);
    await guild.queue;
    const comparison = { guild, connection, session: connection.session, changed: newChanges(guild) };
    guild.changed = comparison.changed;
    try {
      if (guild.needsDescription) await this.#describe(comparison);
      if (guild.needsChannels) await this.#readChannels(comparison);
      const wanted = await wantedMembers(db, guild.id, botUserId(this.#settings));
      const listing: Listing = {
        wanted,
        muted: await mutedMembers(db, guild.id),
        unlisted: await mirroredMembers(db, guild.id),
        missingIssuers: new Set(wanted.issuerIds),
      };
      await this.#list(comparison, listing);
      await this.#write(comparison, () => this.#end(comparison, listing));
      onListed();
      for (const userId of listing.missingIssuers) await this.#revokeIfGone(comparison, userId);
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
      guild.isDirty = true;
    } finally {
      guild.changed = null;
    }
  }

  /** Reads name, owner and roles. What events say meanwhile stays. */
  async #describe(comparison: Comparison): Promise<void> {
    const { guild, changed } = comparison;
    const described = await this.#retryWhileCurrent(comparison, () =>
      this.#read(guild, (signal) => this.#settings.api.get<APIGuild>(Routes.guild(guild.id), { signal })),
    );
    await this.#write(comparison, async () => {
      if (!changed.guild)
        await putDescription(this.#settings, descriptionOf(described, guild.shardId), changed.roleIds);
      guild.needsDescription = false;
    });
  }

  /** Reads the channels. Discord leaves out those that the bot may not view; only events tell of them, and they stay. */
  async #readChannels(comparison: Comparison): Promise<void> {
    const { guild, changed } = comparison;
    const { api, db } = this.#settings;
    guild.needsChannels = false;
    try {
      const listed = await this.#retryWhileCurrent(comparison, () =>
        this.#read(guild, (signal) => api.get<APIChannel[]>(Routes.guildChannels(guild.id), { signal })),
      );
      const channels = listed.map((channel) => channelOf(channel, botUserId(this.#settings)));
      const unlisted = await this.#unlistedThatStay(comparison, new Set(channels.map(({ id }) => id)));
      await this.#write(comparison, async () => {
        const leftAlone = new Set([...unlisted, ...changed.channelIds]);
        if (!changed.channels) await replaceChannels(db.pool, guild.id, channels, leftAlone);
      });
    } catch (error) {
      guild.needsChannels = true;
      throw error;
    }
  }

  /** The channels of the mirror that Discord does not list, except those that it says it does not know. */
  async #unlistedThatStay(comparison: Comparison, listed: ReadonlySet<string>): Promise<Set<string>> {
    const { guild } = comparison;
    const { api, db } = this.#settings;
    const unlisted = (await listChannels(db, guild.id)).filter(({ id }) => !listed.has(id));
    const staying = new Set(unlisted.map(({ id }) => id));
    // Those that are known to be hidden are not asked about: Discord bans an address that it refuses too often.
    const unclear = unlisted.filter(
      ({ permissions }) =>
        permissions === null || permissionsLacking(permissions, ['ViewChannel']).length === 0,
    );
    for (const { id } of unclear.slice(0, MOST_LOOKED_FOR)) {
      const isGone = await this.#retryWhileCurrent(comparison, () =>
        this.#read(guild, (signal) => isUnknownChannel(api, id, signal)),
      );
      if (isGone) staying.delete(id);
    }
    return staying;
  }

  /** Reads and writes the members page by page. A page that fails is read again, and not those before it. */
  async #list(comparison: Comparison, listing: Listing): Promise<void> {
    const { guild } = comparison;
    let after: string | null = '0';
    let metBot = false;
    while (after !== null) {
      const from: string = after;
      const page = await this.#retryWhileCurrent(comparison, () =>
        this.#read(guild, (signal) => memberPage(this.#settings.api, guild.id, from, signal)),
      );
      metBot ||= page.members.some(({ userId }) => userId === botUserId(this.#settings));
      // If this were accepted as the list of members, everybody would lose their rights (hazards H22).
      if (page.next === null && !metBot) {
        throw new Error(`Discord listed the members of guild ${guild.id} without the bot.`);
      }
      await this.#write(comparison, () => this.#take(comparison, listing, page.members));
      after = page.next;
    }
  }

  async #take(
    { guild, changed }: Comparison,
    listing: Listing,
    page: readonly MirroredMember[],
  ): Promise<void> {
    const { db, renewMutes } = this.#settings;
    const listed = page.filter(({ userId }) => !changed.userIds.has(userId));
    const kept = await membersToKeep(db, listing.wanted, listed);
    await putMembers(db.pool, guild.id, kept);
    for (const { userId } of kept) listing.unlisted.delete(userId);
    for (const { userId, timedOutUntil = null } of page) {
      listing.missingIssuers.delete(userId);
      if (hasWrongTimeout(listing.muted.get(userId), timedOutUntil)) await renewMutes(guild.id, userId);
    }
  }

  async #end(comparison: Comparison, listing: Listing): Promise<void> {
    const { guild, changed } = comparison;
    const { db } = this.#settings;
    for (const userId of changed.userIds) {
      listing.unlisted.delete(userId);
      listing.missingIssuers.delete(userId);
    }
    guild.problem = null;
    await endComparison(db, guild.id, { unlisted: listing.unlisted, issuerIds: listing.wanted.issuerIds });
    if (!this.#isCurrent(comparison)) {
      await distrustGuild(db, guild.id);
      throw new Outdated();
    }
    await performWaiting(db, guild.id);
  }

  /** An issuer who is in no list may still be a member. Only Discord's definite answer counts (hazards H22). */
  async #revokeIfGone(comparison: Comparison, userId: string): Promise<void> {
    const { guild } = comparison;
    const member = await this.#retryWhileCurrent(comparison, async () => {
      // Whoever Discord says nothing about keeps nobody else waiting: the next comparison asks again.
      if (guild.isDirty) throw new Outdated();
      return this.#readMember(guild, userId);
    });
    await this.#write(comparison, () =>
      member === null
        ? removeMembers(this.#settings, guild.id, [userId])
        : putMembers(this.#settings.db.pool, guild.id, [member]),
    );
  }

  /** Writes what was read, unless a session, an outage or a removal of the bot came between. @throws Outdated */
  #write(comparison: Comparison, work: () => Promise<void>): Promise<void> {
    return afterEvents(comparison.guild, async () => {
      if (!this.#isCurrent(comparison)) throw new Outdated();
      await work();
    });
  }

  /** Null if Discord says for certain that they are not a member. */
  #readMember(guild: GuildState, userId: string): Promise<MirroredMember | null> {
    return this.#read(guild, async (signal) => {
      const member = await findMember(this.#settings, guild.id, userId, signal);
      return member === null ? null : memberOf(member);
    });
  }

  // ── Patience ────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** @throws Outdated if the guild has an outage, or has removed the bot, when it is the turn of this read */
  #read<T>(guild: GuildState, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#settings.reads.run(
      () => guild.rank,
      async () => {
        if (guild.unavailable) throw new Outdated();
        return read(AbortSignal.any([this.#signal, AbortSignal.timeout(READ_TIMEOUT_MS)]));
      },
    );
  }

  /** The result of a read for a comparison, after as many attempts as it takes. @throws Outdated */
  async #retryWhileCurrent<T>(comparison: Comparison, read: () => Promise<T>): Promise<T> {
    const result = await this.#retry(comparison.guild, async () => {
      if (!this.#isCurrent(comparison)) throw new Outdated();
      return read();
    });
    this.#note(comparison.guild, null);
    return result;
  }

  #retry<T>(guild: GuildState, attempt: () => Promise<T>): Promise<T> {
    let waitMs = 0;
    return retryWithBackoff(attempt, {
      signal: this.#signal,
      firstPauseMs: FIRST_PAUSE_MS,
      longestPauseMs: FORBIDDEN_PAUSE_MS,
      onFailure: (error, pauseMs) => {
        if (error instanceof Outdated || this.#signal.aborted) throw error;
        const problem = problemOf(error);
        const isForbidden = error instanceof DiscordFailure && error.status === 403;
        const longestMs = isForbidden || problem === 'no_access' ? FORBIDDEN_PAUSE_MS : LONGEST_PAUSE_MS;
        waitMs = Math.min(pauseMs, longestMs);
        const fields = { err: error, guild_id: guild.id, problem, pause_ms: waitMs };
        if (guild.problem === problem) this.#settings.log.debug(fields, 'guild still cannot be compared');
        else this.#settings.log.warn(fields, 'guild could not be compared');
        this.#note(guild, problem);
      },
      wait: () => this.#pause(guild.described, waitMs),
    });
  }

  /** Waits, but not longer than until Discord describes the guild anew. */
  async #pause(described: AbortController, ms: number): Promise<void> {
    const signal = AbortSignal.any([this.#signal, described.signal]);
    await delay(ms, undefined, { signal }).catch(() => {});
  }

  #note(guild: GuildState, problem: MirrorProblem | null): void {
    // What came of a read that an outage met says nothing.
    if (guild.unavailable || guild.problem === problem) return;
    guild.problem = problem;
    const { db, log } = this.#settings;
    afterEvents(guild, () => noteMirrorProblem(db.pool, guild.id, problem)).catch((error: unknown) =>
      log.error({ err: error, guild_id: guild.id }, 'the state of a guild was not written'),
    );
  }

  #isCurrent({ connection, session, changed }: Comparison): boolean {
    return connection.session === session && !changed.wasGone && !this.#signal.aborted;
  }
}
