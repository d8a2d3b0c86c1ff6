import { randomBytes } from 'node:crypto';
import {
  type BotOperation,
  CAPABILITIES,
  type Capability,
  hashSecret,
  isBotOperation,
  lastFour,
  OPERATION_NAMES,
  secretFromBytes,
} from '@bailiff/core';
import type { Database } from '@bailiff/prisma';
import type { Action } from './calls/actions.ts';
import type { DashboardCall } from './calls/dashboard-call.ts';
import type { Outcome } from './calls/settle.ts';
import { findSession, keepUser, type SignInPlace } from './desk/sessions.ts';
import { DEADLINES } from './engine.ts';
import type { Run } from './worker/long-actions.ts';
import type { ClaimedAction, Performers } from './worker/perform-action.ts';

/** A performer made by a test. The compiler does not compare its answer with the operation's. */
export interface FakePerformer {
  perform(action: ClaimedAction, signal: AbortSignal): Promise<Outcome<never>>;
  verify(action: Action<BotOperation>, signal: AbortSignal, isLast: boolean): Promise<Outcome<never>>;
}

/** One test performer for every operation of the bot. A long one is performed in a single stretch. */
export function performersOf(fake: FakePerformer): Performers {
  const names = OPERATION_NAMES.filter(isBotOperation);
  const whole = {
    ...fake,
    work: (action: Action<BotOperation>, { leftMs, deadline, signal }: Run) =>
      fake.perform({ ...action, remainingMs: leftMs(), hierarchy: null }, deadline ?? signal),
  };
  return Object.fromEntries(names.map((name) => [name, whole])) as unknown as Performers;
}

type Times = Partial<Record<keyof typeof DEADLINES, number>>;
const PRODUCT: Times = { ...DEADLINES };
const LONG = {
  database: { storeMs: 120_000 },
  bot: { claimMs: 120_000, performMs: 130_000, answerMs: 140_000 },
};
const given = new Set<Times>();

/**
 * Gives calls more time for the database, or for the bot of a test, than callers have: a busy machine needs it. Returns
 * what takes it back, which other files of this process rely on.
 */
export function giveTime(to: keyof typeof LONG): () => void {
  const times = { ...LONG[to] };
  given.add(times);
  Object.assign(DEADLINES, ...given);
  return () => {
    given.delete(times);
    Object.assign(DEADLINES, PRODUCT, ...given);
  };
}

/** A guild for tests: an owner, a moderator above a member, and the bot above them all. */
export interface SeededGuild {
  readonly id: string;
  readonly ownerId: string;
  readonly moderatorId: string;
  /** A member with a granted role below the moderator's. */
  readonly memberId: string;
  /** A user that the mirror does not know. */
  readonly strangerId: string;
  readonly botId: string;
  readonly moderatorRoleId: string;
  readonly memberRoleId: string;
}

let nextSnowflake = 100_000_000_000_000_000n;

/** A Discord id that is unique in this run. */
export function snowflake(): string {
  nextSnowflake += 1n;
  return String(nextSnowflake);
}

const withHeartbeat = new WeakSet<Database>();

/** Lets the heartbeat of a database go on as a bot's does: on a busy machine tests last longer than one heartbeat. */
function keepHeartbeat(db: Database): void {
  if (withHeartbeat.has(db)) return;
  withHeartbeat.add(db);
  const beat = setInterval(() => {
    // A heartbeat that a test has made old stays old.
    if (db.pool.ending) return clearInterval(beat);
    // A database that a test takes away comes back.
    db.pool
      .query('UPDATE gateway_shards SET heartbeat_at = now() WHERE heartbeat_is_fresh(heartbeat_at)')
      .catch(() => {});
  }, 15_000);
  beat.unref();
}

/** A guild on the paid tier whose mirror is fresh. */
export async function seedGuild(db: Database): Promise<SeededGuild> {
  const guild = {
    id: snowflake(),
    ownerId: snowflake(),
    moderatorId: snowflake(),
    memberId: snowflake(),
    strangerId: snowflake(),
    botId: '100000000000000000',
    moderatorRoleId: snowflake(),
    memberRoleId: snowflake(),
  };
  const { pool } = db;
  await pool.query(
    `INSERT INTO gateway_shards (shard_id, shard_count, bot_user_id, heartbeat_at) VALUES (0, 1, $1, now())
     ON CONFLICT (shard_id) DO UPDATE SET heartbeat_at = now()`,
    [guild.botId],
  );
  keepHeartbeat(db);
  await pool.query(
    `INSERT INTO guilds (id, name, owner_id, tier, mirrored_at, grants_confirmed_at)
     VALUES ($1, 'Seeded', $2, 'pro', now(), now())`,
    [guild.id, guild.ownerId],
  );
  const botRoleId = snowflake();
  for (const [id, position] of [
    [guild.id, 0],
    [guild.memberRoleId, 1],
    [guild.moderatorRoleId, 2],
    [botRoleId, 3],
  ]) {
    await pool.query(
      'INSERT INTO roles (guild_id, id, name, position, permissions) VALUES ($1, $2::text, $2::text, $3, 0)',
      [guild.id, id, position],
    );
  }
  for (const [userId, roleIds] of [
    [guild.ownerId, []],
    [guild.moderatorId, [guild.moderatorRoleId]],
    [guild.memberId, [guild.memberRoleId]],
    [guild.botId, [botRoleId]],
  ] as const) {
    await pool.query(
      'INSERT INTO members (guild_id, user_id, username, display_name, role_ids) VALUES ($1, $2::text, $2::text, $2::text, $3)',
      [guild.id, userId, roleIds],
    );
  }
  return guild;
}

/** Sets the capabilities of a role, replacing its previous ones. */
export async function grantRole(
  db: Database,
  guild: SeededGuild,
  roleId: string,
  capabilities: readonly Capability[],
): Promise<void> {
  await db.pool.query(
    `INSERT INTO role_grants (guild_id, role_id, capabilities, granted_by) VALUES ($1, $2, $3, $4)
     ON CONFLICT (guild_id, role_id) DO UPDATE SET capabilities = $3`,
    [guild.id, roleId, capabilities, guild.ownerId],
  );
}

export interface SeededToken {
  readonly id: string;
  readonly secret: string;
}

/** A token with a secret, issued by the owner unless another issuer is given. */
export async function seedToken(
  db: Database,
  guild: Pick<SeededGuild, 'id' | 'ownerId'>,
  options: {
    name?: string;
    issuerId?: string;
    capabilities?: readonly Capability[];
    ipAllowlist?: string[];
  } = {},
): Promise<SeededToken> {
  const secret = secretFromBytes(randomBytes(30));
  const { rows } = await db.pool.query<{ id: string }>(
    `INSERT INTO tokens (guild_id, issuer_id, name, kind, secret_hash, secret_last_four, capabilities, ip_allowlist,
       lifetime_days, expires_at)
     VALUES ($1, $2, $3, 'rest', $4, $5, $6, $7, 90, now() + interval '90 days') RETURNING id`,
    [
      guild.id,
      options.issuerId ?? guild.ownerId,
      options.name ?? 'seeded',
      hashSecret(secret),
      lastFour(secret),
      options.capabilities ?? CAPABILITIES,
      options.ipAllowlist ?? [],
    ],
  );
  return { id: rows[0]?.id ?? '', secret };
}

/** A session of a person with this cookie, of which the bot has heard whose it is. */
export async function seedSession(
  db: Database,
  userId: string,
  cookie: string,
  { browser, address }: SignInPlace = { browser: '', address: '' },
): Promise<void> {
  await keepUser(db, { id: userId, name: `User ${userId}`, image: null });
  await db.pool.query(
    `INSERT INTO sessions (token_hash, user_id, expires_at, confirmed_at, browser, address)
     VALUES (sha256(sha256(convert_to($1, 'UTF8'))), $2, now() + interval '14 days', now(), $3, $4)`,
    [cookie, userId, browser, address],
  );
}

/** What changes the dashboard makes for a person who has just signed in. */
export async function signedIn(db: Database, userId: string): Promise<DashboardCall> {
  const cookie = `cookie ${snowflake()}`;
  await seedSession(db, userId, cookie);
  const session = await findSession(db, cookie);
  return { userId, sessionProof: session?.proof, requestId: 'req_test', address: '192.0.2.1' };
}

/** Opens a 15-minute window. With a digest, it is for that call only. */
export async function seedWindow(
  db: Database,
  guild: Pick<SeededGuild, 'id' | 'ownerId'>,
  token: SeededToken,
  digest: string | null = null,
): Promise<string> {
  const { rows } = await db.pool.query<{ id: string }>(
    `INSERT INTO windows (token_id, guild_id, opened_by, expires_at, digest)
     VALUES ($1, $2, $3, now() + interval '15 minutes', $4) RETURNING id`,
    [token.id, guild.id, guild.ownerId, digest],
  );
  return rows[0]?.id ?? '';
}
