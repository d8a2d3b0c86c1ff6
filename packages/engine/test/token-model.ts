// What the specification says of a guild's tokens (spec §2, §3; decisions: Tokens in the dashboard), in a few plain lines,
// with nothing of how they are kept. The test compares it with the database after every step.
import { isDeepStrictEqual } from 'node:util';
import { CAPABILITIES, type Capability, intersect } from '@bailiff/core';
import { expect } from 'vitest';

export interface ModelToken {
  readonly id: string;
  readonly issuerId: string;
  readonly snapshot: readonly Capability[];
  lifetimeDays: number | null;
  expiresAt: number | null;
  /** Every secret it ever had, the newest last. */
  secrets: string[];
  /** Until when the secret before the newest works too. */
  overlapEndsAt: number | null;
  /** Since when the sweeps found that it can do nothing, and when they did last. */
  lostAt: number | null;
  lostSeenAt: number | null;
  revokedFor: string | null;
  /** Operations of the audit rows it must have. */
  audit: string[];
}

export interface Model {
  readonly guildId: string;
  ownerId: string;
  tier: 'free' | 'pro' | 'operator';
  /** What the role that may be held grants. */
  granted: readonly Capability[];
  /** Who is in the guild, and whether they hold that role. */
  members: Record<string, { hasRole: boolean }>;
  tokens: ModelToken[];
  /** The database's time when the model was last compared with it; all times are its milliseconds. */
  now: number;
}

/** The outcome of an attempt. */
export type Outcome = { readonly done: unknown } | { readonly refused: string };

export const MOST_TOKENS = 25;
export const OVERLAP_MS = 5 * 60_000;
export const DAY_MS = 86_400_000;
const LONGEST_SILENCE_MS = 60 * 60_000;
/** Times are stored in whole milliseconds. */
export const ROUNDING_MS = 2;

export const unrevoked = (model: Model) => model.tokens.filter(({ revokedFor }) => revokedFor === null);

export function capabilitiesOf(model: Model, token: ModelToken): readonly Capability[] {
  if (token.issuerId === model.ownerId) return token.snapshot;
  return model.members[token.issuerId]?.hasRole === true ? intersect(token.snapshot, model.granted) : [];
}

/** What a secret must meet at a moment: `live`, `expired`, `revoked`, or `unknown` when it is no secret any more. */
export function standingOf(token: ModelToken, secret: string, at: number): string {
  const isNewest = secret === token.secrets.at(-1);
  const isOverlapping =
    secret === token.secrets.at(-2) && token.overlapEndsAt !== null && at < token.overlapEndsAt;
  if (!isNewest && !isOverlapping) return 'unknown';
  if (token.revokedFor !== null) return 'revoked';
  return token.expiresAt !== null && token.expiresAt <= at ? 'expired' : 'live';
}

export function mayMint(model: Model, userId: string): string | null {
  if (userId !== model.ownerId) return 'NOT_OWNER';
  if (model.tier === 'free') return 'GUILD_NOT_PAID';
  return unrevoked(model).length >= MOST_TOKENS ? 'TOKEN_LIMIT' : null;
}

/**
 * Why an owner's change of a token is refused; `life` for those that prolong it, which neither a revoked one nor that of
 * a former owner admits.
 */
export function mayChange(
  model: Model,
  userId: string,
  token: ModelToken,
  kind: 'life' | 'any',
): string | null {
  if (userId !== model.ownerId) return 'NOT_OWNER';
  if (kind === 'any') return null;
  if (token.revokedFor !== null) return 'TOKEN_REVOKED';
  return token.issuerId === userId ? null : 'NOT_ISSUER';
}

export function revoke(token: ModelToken, reason: string): void {
  if (token.revokedFor !== null) return;
  token.revokedFor = reason;
  token.audit.push('tokens.revoke');
}

/** A sweep at a moment: who could do nothing for a day without a break loses the token (spec §3). */
export function sweep(model: Model, at: number): void {
  for (const token of unrevoked(model)) {
    const isLost = capabilitiesOf(model, token).length === 0;
    const isBroken = token.lostSeenAt !== null && token.lostSeenAt < at - LONGEST_SILENCE_MS;
    token.lostAt = isLost ? ((isBroken ? null : token.lostAt) ?? at) : null;
    token.lostSeenAt = isLost ? at : null;
    if (token.lostAt !== null && token.lostAt <= at - DAY_MS) revoke(token, 'capabilities_lost');
  }
}

export const INHERITABLE: readonly Capability[] = CAPABILITIES;

/** As `expect(…).toEqual`, for what is compared a million times. */
export function same(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected && !isDeepStrictEqual(actual, expected)) expect(actual, what).toEqual(expected);
}
