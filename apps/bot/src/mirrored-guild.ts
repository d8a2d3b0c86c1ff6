import { type ComparisonRank, UNHURRIED } from '@bailiff/engine/guilds/gateway-shards';
import { type MirroredMember, membersLeft, putGuild, replaceRoles } from '@bailiff/engine/guilds/mirror';
import type { Database, GuildTier, MirrorProblem } from '@bailiff/prisma';
import { type Client, RESTJSONErrorCodes as Code } from 'discord.js';
import { type DiscordApi, DiscordFailure } from './discord-api.ts';
import { meaningOf } from './discord-errors.ts';
import type { Logger } from './log.ts';
import type { GuildDescription } from './mirror-reads.ts';
import type { RankedTurns } from './ranked-turns.ts';

export interface MirrorSettings {
  readonly db: Database;
  readonly api: DiscordApi;
  readonly client: Client;
  readonly log: Logger;
  readonly reads: RankedTurns;
  /** Tier of a new guild. */
  readonly defaultTier: GuildTier;
  /** Called for members who join a guild, and for those whose timeout is not that of their mute. Puts it right. */
  readonly renewMutes: (guildId: string, userId: string) => Promise<void>;
  /** Fires once another process follows the guilds. */
  readonly lost: AbortSignal;
}

/** What events have changed since a comparison began. They are newer than what it reads. */
export interface ChangedByEvents {
  /** Whether the guild itself, with all its roles, came in an event. */
  guild: boolean;
  readonly roleIds: Set<string>;
  /** Whether all channels came in an event. */
  channels: boolean;
  readonly channelIds: Set<string>;
  readonly userIds: Set<string>;
  /** Whether the guild had an outage or removed the bot, also if it is there again: events of that time are missing. */
  wasGone: boolean;
}

export function newChanges({ unavailable }: GuildState): ChangedByEvents {
  return {
    guild: false,
    roleIds: new Set(),
    channels: false,
    channelIds: new Set(),
    userIds: new Set(),
    wasGone: unavailable,
  };
}

/** What this process knows about a guild whose events it follows. */
export interface GuildState {
  readonly id: string;
  readonly shardId: number;
  /** Pending writes, executed one after the other in the order of their events. */
  queue: Promise<void>;
  /** Members from events, in a write that waits in the queue. Null if there is none that others may join. */
  members: Map<string, MirroredMember> | null;
  /** The same of those who left. One of the two at most takes further members: the one that is written last. */
  leaving: Set<string> | null;
  /** Whether it has an outage, or has removed the bot. */
  unavailable: boolean;
  /** Whether it has removed the bot. */
  hasRemovedBot: boolean;
  /** Null while nothing is compared. */
  changed: ChangedByEvents | null;
  isDirty: boolean;
  /** Whether its name, owner and roles must be read too. GUILD_CREATE contains them. */
  needsDescription: boolean;
  /** Whether its channels must be read too: an event about one may not have been written. */
  needsChannels: boolean;
  comparing: Promise<void> | null;
  rank: ComparisonRank;
  /** What is recorded about the comparison in the database. */
  problem: MirrorProblem | null;
  /** Fires when Discord describes the guild anew: a comparison need not wait any longer. */
  described: AbortController;
}

export function newGuildState(id: string, shardId: number): GuildState {
  return {
    id,
    shardId,
    queue: Promise.resolve(),
    members: null,
    leaving: null,
    unavailable: false,
    hasRemovedBot: false,
    changed: null,
    isDirty: false,
    needsDescription: false,
    needsChannels: false,
    comparing: null,
    rank: UNHURRIED,
    problem: null,
    described: new AbortController(),
  };
}

/** A guild as another process has left it. */
export interface LeftGuild {
  readonly needsComparison: boolean;
  /** Whether only its members must be compared. */
  readonly needsMembers?: boolean;
  readonly problem: MirrorProblem | null;
  /** Whether it has an outage. That of one that is over stays on record until a comparison gets its first answer. */
  readonly unavailable: boolean;
}

/** Goes on with a guild. If it must be compared, that begins once its events arrive again. */
export function goOnFrom(
  guild: GuildState,
  { needsComparison, needsMembers = false, problem, unavailable }: LeftGuild,
): void {
  guild.problem = problem;
  guild.unavailable = unavailable;
  guild.isDirty = needsComparison || needsMembers;
  guild.needsDescription = needsComparison;
  guild.needsChannels = needsComparison;
}

/** Notes that a guild has an outage, or has removed the bot. */
export function markUnavailable(guild: GuildState, hasRemovedBot: boolean): void {
  guild.unavailable = true;
  guild.hasRemovedBot = hasRemovedBot;
  guild.problem = hasRemovedBot ? null : 'outage';
  if (guild.changed !== null) guild.changed.wasGone = true;
}

export function hasOutage({ unavailable, hasRemovedBot }: GuildState): boolean {
  return unavailable && !hasRemovedBot;
}

export function isBeingCompared({ comparing, isDirty }: GuildState): boolean {
  return comparing !== null || isDirty;
}

/** Runs after everything that is queued, and before anything queued later. */
export function afterEvents<T>(guild: GuildState, work: () => Promise<T>): Promise<T> {
  // What later events say is not written before it.
  guild.members = null;
  guild.leaving = null;
  const result = guild.queue.then(work);
  guild.queue = result.then(
    () => {},
    () => {},
  );
  return result;
}

/** The bot's own id; empty before the first connection. */
export function botUserId({ client }: MirrorSettings): string {
  return client.user?.id ?? '';
}

/** Writes a guild and its roles, except roles that an event has changed meanwhile. */
export async function putDescription(
  { db, defaultTier }: MirrorSettings,
  { described, roles }: GuildDescription,
  changedRoles: ReadonlySet<string> = new Set(),
): Promise<void> {
  const { id: guildId } = described;
  if (!roles.some(({ id }) => id === guildId)) {
    // If this were accepted as the list of roles, everybody would lose their grants (hazards H22).
    throw new Error(`Discord described guild ${guildId} without its role @everyone.`);
  }
  await putGuild(db.pool, described, defaultTier);
  await replaceRoles(db.pool, guildId, roles, changedRoles);
}

/** Removes members, and revokes the tokens that they issued. */
export async function removeMembers(
  { db, log }: MirrorSettings,
  guildId: string,
  userIds: readonly string[],
): Promise<void> {
  const revoked = await membersLeft(db, guildId, userIds);
  if (revoked.length > 0) log.info({ guild_id: guildId, revoked }, 'issuers left, tokens revoked');
}

const NO_ACCESS: readonly (number | undefined)[] = [
  Code.UnknownGuild,
  Code.MissingAccess,
  Code.MissingPermissions,
];

/** What keeps a guild from being compared, given why it failed. */
export function problemOf(error: unknown): MirrorProblem {
  if (!(error instanceof DiscordFailure)) return 'no_answer';
  if (error.status === 429) return 'rate_limited';
  const isForbidden = error.status === 403 && meaningOf(error) !== 'temporary';
  return isForbidden || NO_ACCESS.includes(error.code) ? 'no_access' : 'no_answer';
}
