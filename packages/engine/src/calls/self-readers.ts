import { inTableOrder, type OutputOf, TIERS, type Tier } from '@bailiff/core';
import { type RowOf, sql } from '@bailiff/prisma';
import { type AdmittedToken, type Balances, balancesIn, KEPT_BUDGETS, type KeptBudget } from './admission.ts';
import type { Read, Reader } from './readers.ts';

const SELF = {
  owner_id: sql.text,
  grants: sql.json<{ readonly role_id: string; readonly capabilities: string[] }[]>().orNull,
};

/** What a person may do in a guild, and which roles grant it. */
export function readSelf(
  guildId: string,
  { userId, capabilities }: Reader,
): Read<typeof SELF, OutputOf<'members.self'>> {
  return {
    parameters: [sql.text, sql.text],
    columns: SELF,
    text: `SELECT true AS found, g.owner_id, (
             SELECT json_agg(json_build_object('role_id', x.role_id, 'capabilities', x.capabilities))
             FROM members m JOIN role_grants x ON x.guild_id = m.guild_id AND grant_reaches(x, m.role_ids)
             WHERE m.guild_id = g.id AND m.user_id = $2 AND may_use_grants(m)) AS grants
           FROM guilds g WHERE g.id = $1`,
    values: [guildId, userId],
    mayBeEmpty: false,
    isQuick: true,
    answer: ([row]) => ({
      is_owner: row?.owner_id === userId,
      capabilities: [...capabilities],
      grants: (row?.grants ?? []).map(({ role_id, capabilities: granted }) => ({
        role_id,
        capabilities: [...inTableOrder(granted)],
      })),
    }),
  };
}

const WINDOW_AND_BUDGETS = {
  window_id: sql.text.orNull,
  window_expires_at: sql.timestamptz.orNull,
  budgets: sql.json<KeptBudget[]>().orNull,
};
type WindowAndBudgets = RowOf<typeof WINDOW_AND_BUDGETS>;

/** What a token is and may do now, with its window and budgets. */
export function readMe(token: AdmittedToken): Read<typeof WINDOW_AND_BUDGETS, OutputOf<'me'>> {
  return {
    parameters: [sql.text, sql.text, sql.text],
    columns: WINDOW_AND_BUDGETS,
    text: `SELECT true AS found, w.id AS window_id, w.expires_at AS window_expires_at,
             (SELECT json_agg(kept) FROM (${KEPT_BUDGETS}) AS kept) AS budgets
           FROM (VALUES (1)) AS once
           LEFT JOIN LATERAL (SELECT id, expires_at FROM windows
             WHERE token_id = $2 AND digest IS NULL AND window_is_open(opened_at, expires_at, closed_at)
             ORDER BY id DESC LIMIT 1) AS w ON true`,
    values: [token.guild.id, token.id, token.issuerId],
    mayBeEmpty: false,
    isQuick: true,
    answer: ([row], { charged }) => meWire(token, row, charged),
  };
}

function meWire(token: AdmittedToken, row: WindowAndBudgets | undefined, charged: Balances): OutputOf<'me'> {
  // The statement saw the budgets before this read was charged.
  const balances = { ...balancesIn(row?.budgets ?? [], token), read: charged };
  const budgetsOf = (holder: keyof Balances) => {
    const budget = (tier: Tier) => ({
      capacity: TIERS[tier].capacity,
      remaining: Math.floor(balances[tier][holder]),
      refill_per_minute: TIERS[tier].refillPerMinute,
    });
    return {
      read: budget('read'),
      reversible_write: budget('reversible_write'),
      destructive_write: budget('destructive_write'),
    };
  };
  const expiresAt = row?.window_expires_at ?? null;
  return {
    token: {
      id: token.id,
      name: token.name,
      kind: token.kind,
      created_at: token.createdAt.toISOString(),
      rotated_at: token.rotatedAt?.toISOString() ?? null,
      expires_at: token.expiresAt?.toISOString() ?? null,
    },
    issuer: { user_id: token.issuerId, username: token.issuerName },
    guild: {
      id: token.guild.id,
      name: token.guild.name,
      tier: token.guild.tier,
      state: token.mirrorState,
      problem: token.mirrorProblem,
    },
    snapshot: [...token.snapshot],
    // What nobody can say, nobody may do: such a call is refused.
    effective_capabilities: token.mirrorFresh ? [...token.capabilities] : [],
    window:
      expiresAt === null
        ? { open: false }
        : {
            open: true,
            window: { window_id: row?.window_id ?? '', expires_at: expiresAt.toISOString() },
          },
    budgets: { token: budgetsOf('token'), user: budgetsOf('user') },
  };
}
