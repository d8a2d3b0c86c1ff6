import { setTimeout as delay } from 'node:timers/promises';
import { mutedMembers } from '@bailiff/engine/cases/cases';
import {
  distrustGuild,
  type MirroredMember,
  membersToKeep,
  replaceMembers,
  wantedMembers,
} from '@bailiff/engine/guilds/mirror';
import { type APIGuild, RESTJSONErrorCodes, Routes } from 'discord.js';
import type { Connections } from './connections.ts';
import { DiscordFailure } from './discord-api.ts';
import { lacksTimeout } from './jobs.ts';
import { allMembers, descriptionOf } from './mirror-reads.ts';
import {
  botUserId,
  type GuildState,
  type MirrorSettings,
  putDescription,
  removeMember,
} from './mirrored-guild.ts';
import { Slots } from './slots.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
const READ_TIMEOUT_MS = 10_000;
/** Limits the connections to the database, so that a start with thousands of guilds leaves some to waiting people. */
const COMPARED_AT_ONCE = 3;
const BOT_IS_OUT: readonly number[] = [RESTJSONErrorCodes.UnknownGuild, RESTJSONErrorCodes.MissingAccess];

/** Compares guilds with Discord's REST API, and decides whether their mirror can be trusted. */
export class GuildComparer {
  readonly #settings: MirrorSettings;
  readonly #connections: Connections;
  readonly #slots = new Slots(COMPARED_AT_ONCE);
  /** Ends all comparisons. */
  readonly #signal: AbortSignal;

  constructor(settings: MirrorSettings, connections: Connections, signal: AbortSignal) {
    this.#settings = settings;
    this.#connections = connections;
    this.#signal = signal;
  }

  /** Compares a guild, again if it changes meanwhile. Resolves when nothing is left to compare. */
  compare(guild: GuildState): Promise<void> {
    guild.isDirty = true;
    guild.comparing ??= this.#compareUntilClean(guild).finally(() => {
      guild.comparing = null;
    });
    return guild.comparing;
  }

  async #compareUntilClean(guild: GuildState): Promise<void> {
    const signal = this.#signal;
    for (let pauseMs = FIRST_PAUSE_MS; guild.isDirty && !guild.unavailable && !signal.aborted; ) {
      guild.isDirty = false;
      try {
        await this.#slots.run(() => this.#compareOnce(guild));
        pauseMs = FIRST_PAUSE_MS;
      } catch (error) {
        if (signal.aborted || (error instanceof DiscordFailure && BOT_IS_OUT.includes(error.code ?? 0)))
          return;
        this.#settings.log.warn(
          { err: error, guild_id: guild.id, pause_ms: pauseMs },
          'guild could not be compared',
        );
        guild.isDirty = true;
        await delay(pauseMs, undefined, { signal }).catch(() => {});
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      }
    }
  }

  async #compareOnce(guild: GuildState): Promise<void> {
    const { api, db } = this.#settings;
    const connection = this.#connections.of(guild.shardId);
    const { generation } = connection;
    await guild.queue;
    const ownId = botUserId(this.#settings);
    const { revision } = guild;
    const changes = new Map<string, MirroredMember | null>();
    guild.changes = changes;
    try {
      const description = guild.needsDescription
        ? await api.get<APIGuild>(Routes.guild(guild.id), { signal: this.#readSignal() })
        : null;
      const wanted = await wantedMembers(db, guild.id, ownId);
      if (description !== null) wanted.userIds.add(description.owner_id);
      const muted = await mutedMembers(db, guild.id);
      const unmuted: string[] = [];
      const members = new Map<string, MirroredMember>();
      for await (const page of allMembers(api, guild.id, ownId, this.#signal)) {
        const listed = page.map(({ member }) => member);
        for (const member of await membersToKeep(db, wanted, listed)) members.set(member.userId, member);
        for (const { member, timedOutUntil } of page) {
          if (lacksTimeout(muted.get(member.userId), timedOutUntil)) unmuted.push(member.userId);
        }
      }
      for (const userId of unmuted) await this.#settings.renewMutes(guild.id, userId);
      const missing = await this.#afterEvents(guild, async () => {
        if (guild.revision !== revision) {
          // The guild changed while it was read, so the data may be older than the event's.
          guild.isDirty = true;
        } else if (description !== null) {
          await putDescription(this.#settings, descriptionOf(description, guild.shardId));
          guild.needsDescription = false;
        }
        for (const userId of changes.keys()) members.delete(userId);
        const changed = [...changes.values()].filter((member) => member !== null);
        for (const member of await membersToKeep(db, wanted, changed)) members.set(member.userId, member);
        guild.changes = null;
        const trusted =
          connection.connected &&
          connection.generation === generation &&
          !guild.unavailable &&
          !guild.isDirty;
        return replaceMembers(db, guild.id, [...members.values()], { issuerIds: wanted.issuerIds, trusted });
      });
      if (connection.generation !== generation || guild.unavailable) await distrustGuild(db, guild.id);
      for (const userId of missing) await this.#revokeIfGone(guild, userId);
    } finally {
      guild.changes = null;
    }
  }

  /** Runs after everything that is queued, and before anything queued later. */
  #afterEvents<T>(guild: GuildState, work: () => Promise<T>): Promise<T> {
    const result = guild.queue.then(work);
    guild.queue = result.then(
      () => {},
      () => {},
    );
    return result;
  }

  /** An issuer who is in no list may still be a member. Only Discord's definite answer counts (hazards H22). */
  async #revokeIfGone(guild: GuildState, userId: string): Promise<void> {
    const { api } = this.#settings;
    const signal = this.#readSignal();
    const gone = await api.get(Routes.guildMember(guild.id, userId), { signal }).then(
      () => false,
      (error: unknown) => {
        if (error instanceof DiscordFailure && error.code === RESTJSONErrorCodes.UnknownMember) return true;
        throw error;
      },
    );
    if (gone) await this.#afterEvents(guild, () => removeMember(this.#settings, guild.id, userId));
    else guild.isDirty = true;
  }

  #readSignal(): AbortSignal {
    return AbortSignal.any([this.#signal, AbortSignal.timeout(READ_TIMEOUT_MS)]);
  }
}
