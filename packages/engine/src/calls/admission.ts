import {
  balanceAt,
  CAPABILITIES,
  type Capability,
  type GuildState,
  hashSecret,
  inTableOrder,
  intersect,
  secretProof,
  TIERS,
  type Tier,
} from '@bailiff/core';
import { type Database, GuildTier, type MirrorProblem, type RowOf, sql, TokenKind } from '@bailiff/prisma';
import { coalesce, perOwner } from '#src/database/coalesce.ts';
import { MIRROR_STATE } from '#src/guilds/mirror-state.ts';

/** Calls left in the two budgets of a tier. */
export interface Balances {
  readonly token: number;
  readonly user: number;
}

/** A token at the time of a call, with everything the guard checks about it. */
export interface AdmittedToken {
  readonly id: string;
  readonly name: string;
  readonly kind: TokenKind;
  /** {@link secretProof} of the secret in the call. Null for a token that was named by its id. */
  readonly secretProof: Buffer | null;
  readonly issuerId: string;
  readonly issuerName: string | null;
  readonly guild: {
    readonly id: string;
    readonly name: string;
    readonly ownerId: string;
    readonly tier: GuildTier;
  };
  readonly ipAllowlist: readonly string[];
  readonly createdAt: Date;
  readonly rotatedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly revoked: boolean;
  readonly expired: boolean;
  readonly snapshot: readonly Capability[];
  /** The intersection of the snapshot and the issuer's current capabilities (spec §5.5). */
  readonly capabilities: readonly Capability[];
  /** False if the mirror cannot be trusted. Then `capabilities` cannot be trusted either. */
  readonly mirrorFresh: boolean;
  readonly mirrorState: GuildState;
  readonly mirrorProblem: MirrorProblem | null;
  /** Whether a use within the last minute is already recorded. */
  readonly usedLately: boolean;
  /** When this was read: the database's time as the database formats it, and `performance.now()` of this process. */
  readonly admittedAt: { readonly database: string; readonly here: number };
  /** Id under which a write of this call will be recorded. It is known even if the answer to the submission is lost. */
  readonly newActionId: string;
  /**
   * Operation of the action that the call names; of one that stopped another, whose answer is that other one, of that.
   * Null if the call names none, or the guild has no such action.
   */
  readonly actionOperation: string | null;
  /** What that action was about. */
  readonly actionTarget: string | null;
}

const ADMITTED = {
  asked: sql.int,
  id: sql.text,
  name: sql.text,
  kind: sql.oneOf({ TokenKind }),
  issuer_id: sql.text,
  issuer_name: sql.text.orNull,
  guild_id: sql.text,
  guild_name: sql.text,
  owner_id: sql.text,
  tier: sql.oneOf({ GuildTier }),
  capabilities: sql.arrayOf(sql.text),
  ip_allowlist: sql.arrayOf(sql.text),
  created_at: sql.timestamptz,
  rotated_at: sql.timestamptz.orNull,
  expires_at: sql.timestamptz.orNull,
  revoked: sql.bool,
  expired: sql.bool,
  used_lately: sql.bool,
  granted: sql.arrayOf(sql.text),
  mirror_fresh: sql.bool,
  ...MIRROR_STATE,
  admitted_at: sql.text,
  new_action_id: sql.text,
  action_operation: sql.text.orNull,
  action_target: sql.text.orNull,
};

const admitTokens = sql.statement({
  parameters: [sql.arrayOf(sql.bytea), sql.arrayOf(sql.text.orNull)],
  columns: ADMITTED,
  text: `SELECT asked.place::int AS asked, t.id, t.name, t.kind, t.issuer_id, m.username AS issuer_name,
      t.guild_id, g.name AS guild_name, g.owner_id, g.tier, t.capabilities, t.ip_allowlist, t.created_at,
      t.rotated_at, t.expires_at, t.revoked_at IS NOT NULL AS revoked,
      coalesce(t.expires_at <= clock_timestamp(), false) AS expired,
      coalesce(t.last_used_at > clock_timestamp() - interval '1 minute', false) AS used_lately,
      granted.capabilities AS granted, g.mirror_fresh, g.mirror_state, g.mirror_problem,
      clock_timestamp()::text AS admitted_at, new_id('act') AS new_action_id,
      coalesce(stopped.operation, named.operation) AS action_operation,
      CASE WHEN stopped.id IS NULL THEN named.target_id ELSE stopped.target_id END AS action_target
    FROM asked_tokens($1, $2) AS asked
    JOIN tokens t ON t.secret_hash = asked.hash
      OR (t.previous_secret_hash = asked.hash AND t.previous_secret_expires_at > clock_timestamp())
    JOIN live_guilds g ON g.id = t.guild_id
    LEFT JOIN members m ON m.guild_id = t.guild_id AND m.user_id = t.issuer_id
    LEFT JOIN actions named ON named.id = asked.action_id AND named.guild_id = t.guild_id
    LEFT JOIN actions stopped ON named.operation = 'actions.stop' AND stopped.id = named.target_id
      AND stopped.guild_id = t.guild_id
    CROSS JOIN LATERAL granted_to(t.guild_id, t.issuer_id) AS granted`,
});

const hashOfToken = sql.statement({
  parameters: [sql.text, sql.text],
  columns: { secret_hash: sql.bytea },
  text: 'SELECT secret_hash FROM tokens WHERE id = $1 AND guild_id = $2',
});

/** The caller to admit, and the action that the call names, if it names one. */
interface Asked {
  readonly secretHash: Buffer;
  readonly secretProof: Buffer | null;
  readonly actionId: string | null;
}

/** Concurrent calls share one round trip. */
const admissions = perOwner((db: Database) => coalesce((asked: readonly Asked[]) => admitAll(db, asked)));

/**
 * The token with this secret, its guild and its issuer's capabilities at this moment.
 *
 * @param actionId from the call's path; the operation of that action is returned too.
 */
export function admit(
  db: Database,
  secret: string,
  actionId: string | null = null,
): Promise<AdmittedToken | null> {
  return admissions(db)({ secretHash: hashSecret(secret), secretProof: secretProof(secret), actionId });
}

/** The same for a token named by its guild and id instead of its secret. Null if the guild has no such token. */
export async function admitNamed(
  db: Database,
  { guildId, tokenId, actionId }: { guildId: string; tokenId: string; actionId: string | null },
): Promise<AdmittedToken | null> {
  const row = await hashOfToken.first(db.pool, [tokenId, guildId]);
  return row === null ? null : admissions(db)({ secretHash: row.secret_hash, secretProof: null, actionId });
}

async function admitAll(db: Database, asked: readonly Asked[]): Promise<(AdmittedToken | null)[]> {
  const rows = await admitTokens.all(db.pool, [
    asked.map(({ secretHash }) => secretHash),
    asked.map(({ actionId }) => actionId),
  ]);
  const found = new Map(rows.map((row) => [row.asked - 1, row]));
  return asked.map((each, index) => {
    const row = found.get(index);
    return row === undefined ? null : tokenFrom(row, each.secretProof);
  });
}

function tokenFrom(row: RowOf<typeof ADMITTED>, proof: Buffer | null): AdmittedToken {
  const snapshot = inTableOrder(row.capabilities);
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    secretProof: proof,
    issuerId: row.issuer_id,
    issuerName: row.issuer_name,
    guild: { id: row.guild_id, name: row.guild_name, ownerId: row.owner_id, tier: row.tier },
    ipAllowlist: row.ip_allowlist,
    createdAt: row.created_at,
    rotatedAt: row.rotated_at,
    expiresAt: row.expires_at,
    revoked: row.revoked,
    expired: row.expired,
    usedLately: row.used_lately,
    snapshot,
    capabilities: intersect(snapshot, liveCapabilities(row.owner_id, row.issuer_id, row.granted)),
    mirrorFresh: row.mirror_fresh,
    mirrorState: row.mirror_state,
    mirrorProblem: row.mirror_problem,
    admittedAt: { database: row.admitted_at, here: performance.now() },
    newActionId: row.new_action_id,
    actionOperation: row.action_operation,
    actionTarget: row.action_target,
  };
}

/** What a user may do in a guild now: the owner everything, everybody else what their roles were granted. */
export function liveCapabilities(
  ownerId: string,
  userId: string,
  granted: readonly string[],
): readonly Capability[] {
  return userId === ownerId ? CAPABILITIES : inTableOrder(granted);
}

const KEPT_BUDGET = {
  holder_id: sql.text,
  tier: sql.text.as<Tier>(),
  balance: sql.float,
  /** Seconds since it was last written. */
  age: sql.float,
};
export type KeptBudget = RowOf<typeof KEPT_BUDGET>;

/** SQL of the budgets of a guild ($1) whose holder is a token ($2) or its issuer ($3), as {@link KeptBudget}s. */
export const KEPT_BUDGETS = `SELECT holder_id, tier, balance,
    extract(epoch FROM clock_timestamp() - updated_at)::float8 AS age
  FROM budgets WHERE guild_id = $1 AND holder_id IN ($2, $3)`;

const keptBudgets = sql.statement({
  parameters: [sql.text, sql.text, sql.text],
  columns: KEPT_BUDGET,
  text: KEPT_BUDGETS,
});

/** What is left now in each tier's budgets of a token and its issuer. */
export async function balancesOf(
  db: Database,
  token: AdmittedToken,
): Promise<Readonly<Record<Tier, Balances>>> {
  return balancesIn(await keptBudgets.all(db.pool, [token.guild.id, token.id, token.issuerId]), token);
}

export function balancesIn(
  kept: readonly KeptBudget[],
  token: Pick<AdmittedToken, 'id' | 'issuerId'>,
): Readonly<Record<Tier, Balances>> {
  const left = (holderId: string, tier: Tier) => {
    const budget = kept.find((row) => row.holder_id === holderId && row.tier === tier);
    if (budget === undefined) return TIERS[tier].capacity;
    return balanceAt(tier, { balance: budget.balance, atMs: 0 }, budget.age * 1000);
  };
  const both = (tier: Tier) => ({ token: left(token.id, tier), user: left(token.issuerId, tier) });
  return {
    read: both('read'),
    reversible_write: both('reversible_write'),
    destructive_write: both('destructive_write'),
  };
}

const memberOfGuild = sql.statement({
  parameters: [sql.text, sql.text],
  columns: {
    owner_id: sql.text,
    mirror_fresh: sql.bool,
    mirror_state: MIRROR_STATE.mirror_state,
    granted: sql.arrayOf(sql.text),
  },
  text: `SELECT g.owner_id, g.mirror_fresh, g.mirror_state, granted.capabilities AS granted
    FROM live_guilds g CROSS JOIN LATERAL granted_to(g.id, $2) AS granted WHERE g.id = $1`,
});

/** What a person may do in a guild now, for chat and dashboard. Null if the guild is unknown. */
export async function liveMember(
  db: Database,
  guildId: string,
  userId: string,
): Promise<{
  capabilities: readonly Capability[];
  ownerId: string;
  mirrorFresh: boolean;
  mirrorState: GuildState;
} | null> {
  const row = await memberOfGuild.first(db.pool, [guildId, userId]);
  if (row === null) return null;
  return {
    capabilities: liveCapabilities(row.owner_id, userId, row.granted),
    ownerId: row.owner_id,
    mirrorFresh: row.mirror_fresh,
    mirrorState: row.mirror_state,
  };
}
