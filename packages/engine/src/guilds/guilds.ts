import {
  ApiError,
  type Capability,
  type DiscordPermission,
  type GuildState,
  inTableOrder,
  isAbove,
  moderatingPermissions,
  proposeCapabilities,
  type ShownCommands,
  shownCommands,
} from '@bailiff/core';
import { type Database, GuildTier, type MirrorProblem, type RowOf, sql } from '@bailiff/prisma';
import { liveCapabilities } from '#src/calls/admission.ts';
import { type DashboardCall, recordChange } from '#src/calls/dashboard-call.ts';
import { inTransaction, type Transaction } from '#src/database/transaction.ts';
import { MIRROR_STATE, mirrorAway } from './mirror-state.ts';

/** A guild as the dashboard shows it to one of its own people. */
export interface GuildView {
  readonly id: string;
  readonly name: string;
  readonly iconHash: string | null;
  readonly ownerId: string;
  readonly tier: GuildTier;
  /** Null until the owner has confirmed what each role may do. */
  readonly grantsConfirmedAt: Date | null;
  /** False while no bot updates the mirror. Then nobody's current rights are known. */
  readonly mirrorFresh: boolean;
  /** What the mirror waits for, and why. */
  readonly mirrorState: GuildState;
  readonly mirrorProblem: MirrorProblem | null;
  readonly isOwner: boolean;
  /** The viewer's current capabilities. */
  readonly capabilities: readonly Capability[];
}

/** A person who views data of a guild, and their current rights there. */
export type Viewer = Pick<GuildView, 'id' | 'isOwner' | 'capabilities'>;

const GUILD = {
  id: sql.text,
  name: sql.text,
  icon_hash: sql.text.orNull,
  owner_id: sql.text,
  tier: sql.oneOf({ GuildTier }),
  grants_confirmed_at: sql.timestamptz.orNull,
  mirror_fresh: sql.bool,
  ...MIRROR_STATE,
  granted: sql.arrayOf(sql.text),
};
const GUILD_COLUMNS = `g.id, g.name, g.icon_hash, g.owner_id, g.tier, g.grants_confirmed_at,
  g.mirror_fresh, g.mirror_state, g.mirror_problem, (SELECT capabilities FROM granted_to(g.id, $1)) AS granted`;

const guildsOfUser = sql.statement({
  parameters: [sql.text],
  columns: GUILD,
  text: `SELECT ${GUILD_COLUMNS} FROM live_guilds g
    WHERE g.left_at IS NULL AND (g.owner_id = $1 OR g.id IN (SELECT guild_id FROM members WHERE user_id = $1))
    ORDER BY lower(g.name), g.id`,
});

const guildOfUser = sql.statement({
  parameters: [sql.text, sql.text],
  columns: GUILD,
  text: `SELECT ${GUILD_COLUMNS} FROM live_guilds g WHERE g.id = $2 AND g.left_at IS NULL`,
});

function viewOf(row: RowOf<typeof GUILD>, userId: string): GuildView {
  return {
    id: row.id,
    name: row.name,
    iconHash: row.icon_hash,
    ownerId: row.owner_id,
    tier: row.tier,
    grantsConfirmedAt: row.grants_confirmed_at,
    mirrorFresh: row.mirror_fresh,
    mirrorState: row.mirror_state,
    mirrorProblem: row.mirror_problem,
    isOwner: row.owner_id === userId,
    capabilities: liveCapabilities(row.owner_id, userId, row.granted),
  };
}

/** The guilds that a user owns or moderates, by name. A moderator holds at least one capability. */
export async function guildsOf(db: Database, userId: string): Promise<GuildView[]> {
  const rows = await guildsOfUser.all(db.pool, [userId]);
  return rows.map((row) => viewOf(row, userId)).filter(belongs);
}

/**
 * The guild if the user owns or moderates it, otherwise null. Unknown guilds and other people's guilds give the same
 * answer.
 */
export async function guildFor(db: Database, guildId: string, userId: string): Promise<GuildView | null> {
  const row = await guildOfUser.first(db.pool, [userId, guildId]);
  const view = row === null ? null : viewOf(row, userId);
  return view !== null && belongs(view) ? view : null;
}

function belongs({ isOwner, capabilities }: GuildView): boolean {
  return isOwner || capabilities.length > 0;
}

/**
 * The guild if the user owns it.
 *
 * @param options.needsMirror for changes that give rights: the mirror must be trustworthy, because otherwise the owner may no
 * longer be the owner.
 * @throws ApiError NOT_FOUND (foreign or absent), FORBIDDEN OWNER_ONLY (to its moderators), UPSTREAM_UNAVAILABLE.
 */
export async function ownedGuild(
  db: Database,
  guildId: string,
  userId: string,
  options: { needsMirror: boolean },
): Promise<GuildView> {
  const guild = await guildFor(db, guildId, userId);
  if (guild === null) throw noSuchGuild();
  if (!guild.isOwner) {
    throw new ApiError('FORBIDDEN', `Only the owner of ${guild.name} can do this.`, {
      details: { reason: 'OWNER_ONLY' },
    });
  }
  if (options.needsMirror && !guild.mirrorFresh) throw mirrorAway(guild.mirrorState, 'who owns the guild');
  return guild;
}

/** The same for a guild that is absent, foreign, or was theirs until their roles or its members changed. */
export function noSuchGuild(): ApiError {
  return new ApiError('NOT_FOUND', 'This is not one of your guilds, or no longer is.');
}

const lockGuildOfOwner = sql.command({
  parameters: [sql.text, sql.text],
  text: 'SELECT FROM guilds WHERE id = $1 AND owner_id = $2 AND left_at IS NULL FOR NO KEY UPDATE',
});

/**
 * Locks the guild until the transaction ends, so that its owner makes one change at a time and is still the owner.
 *
 * @throws ApiError NOT_FOUND
 */
export async function lockOwnedGuild(tx: Transaction, guildId: string, ownerId: string): Promise<void> {
  const found = await lockGuildOfOwner.run(tx, [guildId, ownerId]);
  if (found !== 1) throw noSuchGuild();
}

/**
 * What a change of a guild returns that its owner makes, in a transaction that has locked the guild.
 *
 * @param options as of {@link ownedGuild}
 * @throws ApiError as {@link ownedGuild}
 */
export async function changeAsOwner<Result>(
  db: Database,
  { userId }: DashboardCall,
  guildId: string,
  change: (tx: Transaction) => Promise<Result>,
  options = { needsMirror: true },
): Promise<Result> {
  await ownedGuild(db, guildId, userId, options);
  return inTransaction(db, async (tx) => {
    await lockOwnedGuild(tx, guildId, userId);
    return change(tx);
  });
}

const namesOfMembers = sql.statement({
  parameters: [sql.text, sql.arrayOf(sql.text)],
  columns: { user_id: sql.text, display_name: sql.text },
  text: `SELECT user_id, display_name FROM members WHERE guild_id = $1 AND user_id = ANY ($2)
    UNION ALL
    -- A guild learns no name from the records of others.
    SELECT user_id, display_name FROM known_names k WHERE user_id = ANY ($2) AND $1 = ANY (k.guild_ids)
      AND NOT EXISTS (SELECT FROM members m WHERE m.guild_id = $1 AND m.user_id = k.user_id)`,
});

/** Known display names by user id: the name in the guild, or else on Discord. */
export async function memberNames(
  db: Database,
  guildId: string,
  userIds: readonly string[],
): Promise<Record<string, string>> {
  const rows = await namesOfMembers.all(db.pool, [guildId, [...new Set(userIds)]]);
  return Object.fromEntries(rows.map((row) => [row.user_id, row.display_name]));
}

/** A role: its grants, the grants that its Discord permissions suggest, and what to know before granting. */
export interface RoleGrantView {
  readonly roleId: string;
  readonly name: string;
  readonly color: number;
  /** Whether Discord or an application says who has it. */
  readonly managed: boolean;
  /** How it moderates in Discord itself. */
  readonly permissions: readonly DiscordPermission[];
  /** Whether it is above the bot's highest role, so that the bot cannot act on people who have it. */
  readonly isAboveBot: boolean;
  readonly capabilities: readonly Capability[];
  readonly proposed: readonly Capability[];
  /** Where what Discord shows to the role differs from its grants. */
  readonly commands: ShownCommands;
}

const topRoleOfBot = sql.statement({
  parameters: [sql.text],
  columns: { id: sql.text, position: sql.int },
  text: `SELECT r.id, r.position FROM guilds g
    JOIN gateway_shards s ON s.shard_id = g.shard_id
    JOIN members m ON m.guild_id = g.id AND m.user_id = s.bot_user_id
    JOIN roles r ON r.guild_id = g.id AND r.id = ANY (m.role_ids)
    WHERE g.id = $1 ORDER BY r.position DESC, r.id::numeric LIMIT 1`,
});

/** The roles of a guild, highest first, `@everyone` last. */
export async function listGrants(db: Database, guildId: string): Promise<RoleGrantView[]> {
  const [roles, botTop] = await Promise.all([
    db.prisma.role.findMany({
      where: { guildId },
      select: {
        id: true,
        name: true,
        color: true,
        managed: true,
        position: true,
        permissions: true,
        grant: { select: { capabilities: true } },
      },
      orderBy: [{ position: 'desc' }, { id: 'asc' }],
    }),
    topRoleOfBot.first(db.pool, [guildId]),
  ]);
  return roles.map(({ id, name, color, managed, position, permissions, grant }) => ({
    roleId: id,
    name,
    color,
    managed,
    permissions: moderatingPermissions(permissions),
    isAboveBot: botTop !== null && isAbove({ id, position }, botTop),
    capabilities: inTableOrder(grant?.capabilities ?? []),
    commands: shownCommands(inTableOrder(grant?.capabilities ?? []), permissions),
    // There are no suggestions for a bot's own role, which no moderator has, or for @everyone, which the owner grants
    // unprompted.
    proposed: managed || id === guildId ? [] : proposeCapabilities(permissions),
  }));
}

export interface RoleGrant {
  readonly roleId: string;
  readonly capabilities: readonly Capability[];
}

const confirmGrants = sql.command({
  parameters: [sql.text, sql.text],
  text: `UPDATE guilds SET grants_confirmed_at = coalesce(grants_confirmed_at, clock_timestamp())
    WHERE id = $1 AND owner_id = $2 AND left_at IS NULL`,
});

// Since when a role has tickets says whose channels are for it: what else it is granted does not change that.
const putGrants = sql.command({
  parameters: [sql.text, sql.jsonb<readonly RoleGrant[]>(), sql.text],
  text: `INSERT INTO role_grants (guild_id, role_id, capabilities, granted_by)
    SELECT $1, "roleId", capabilities, $3 FROM jsonb_to_recordset($2) AS granted ("roleId" text, capabilities text[])
    WHERE capabilities <> '{}'
    ON CONFLICT (guild_id, role_id) DO UPDATE
    SET capabilities = excluded.capabilities, granted_by = excluded.granted_by, granted_at = CASE
      WHEN role_grants.capabilities @> ARRAY(
        SELECT c FROM unnest(excluded.capabilities) AS c WHERE c IN ('tickets.read', 'tickets.write'))
      THEN role_grants.granted_at ELSE now() END`,
});

const mirrorGuildSoon = sql.command({
  parameters: [sql.text],
  text: "SELECT ask_bot('mirror_guild', $1)",
});

const lockRoles = sql.statement({
  parameters: [sql.text],
  columns: { id: sql.text },
  text: 'SELECT id FROM lock_roles($1) AS id',
});

/**
 * Sets the grants of the named roles and confirms the guild's grants. Other roles keep theirs. An empty list withdraws
 * a role's grants. Of a role that is named twice the last list counts.
 *
 * @throws ApiError as {@link ownedGuild}; VALIDATION_FAILED if the guild does not have a role.
 */
export async function updateGrants(
  db: Database,
  call: DashboardCall,
  guildId: string,
  grants: readonly RoleGrant[],
): Promise<void> {
  await ownedGuild(db, guildId, call.userId, { needsMirror: true });
  await inTransaction(db, async (tx) => {
    // One change at a time, and the owner must still be the owner.
    const confirmed = await confirmGrants.run(tx, [guildId, call.userId]);
    if (confirmed !== 1) throw noSuchGuild();
    await refuseUnknownRoles(tx, guildId, grants);
    const last = [...new Map(grants.map((grant) => [grant.roleId, grant])).values()];
    const withdrawn = last.filter(({ capabilities }) => capabilities.length === 0);
    await tx.prisma.roleGrant.deleteMany({
      where: { guildId, roleId: { in: withdrawn.map(({ roleId }) => roleId) } },
    });
    await putGrants.run(tx, [guildId, last, call.userId]);
    // Holders of a role with new grants now belong in the mirror. The bot looks for them.
    await mirrorGuildSoon.run(tx, [guildId]);
    await recordChange(tx, call, {
      guildId,
      operation: 'grants.update',
      details: { grants: grants.map(({ roleId, capabilities }) => ({ role_id: roleId, capabilities })) },
    });
  });
}

async function refuseUnknownRoles(
  tx: Transaction,
  guildId: string,
  grants: readonly RoleGrant[],
): Promise<void> {
  const roles = await lockRoles.all(tx, [guildId]);
  const known = new Set(roles.map(({ id }) => id));
  const issues = grants.flatMap(({ roleId }, index) =>
    known.has(roleId)
      ? []
      : [{ path: `grants.${index}.role_id`, message: `the guild has no role ${roleId}` }],
  );
  if (issues.length > 0) {
    throw new ApiError('VALIDATION_FAILED', issues[0]?.message ?? '', { details: { issues } });
  }
}
