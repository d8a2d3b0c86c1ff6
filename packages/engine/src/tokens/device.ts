import { hash, randomBytes } from 'node:crypto';
import {
  ApiError,
  type Capability,
  DEVICE_INTERVAL_SECONDS,
  DEVICE_LIFETIME_SECONDS,
  inTableOrder,
  intersect,
  MCP_CLIENT_ID,
  USER_CODE_BYTES,
  userCodeFromBytes,
} from '@bailiff/core';
import { type Database, DeviceState, type RowOf, sql } from '@bailiff/prisma';
import type { DashboardCall } from '#src/calls/dashboard-call.ts';
import { inTransaction } from '#src/database/transaction.ts';
import { ownedGuild } from '#src/guilds/guilds.ts';
import { type IssuedToken, mintWithin } from './mint.ts';
import type { Lifetime } from './token-view.ts';

/** Random bytes in a device code: 256 bits, because only its hash protects it. */
const DEVICE_CODE_BYTES = 32;
/** A new user code is drawn if another flow has it. That two draws in a row fail is already a one-in-millions event. */
const MOST_DRAWS = 5;
/** How much too early a poll may arrive, because network delays vary. */
const POLL_TOLERANCE_SECONDS = 0.5;

/** The codes that a client shows and polls with. Both are returned only here. */
export interface DeviceCodes {
  readonly deviceCode: string;
  /** 8 characters, without the dash that people see. */
  readonly userCode: string;
}

const insertDevice = sql.command({
  parameters: [
    sql.bytea,
    sql.text,
    sql.text,
    sql.text.orNull,
    sql.text.orNull,
    sql.text,
    sql.text,
    sql.int,
    sql.float,
  ],
  text: `INSERT INTO device_authorizations (device_code_hash, user_code, client_id, client_name, scope, address,
      token_name, interval_seconds, created_at, expires_at)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8, moment, moment + make_interval(secs => $9)
    FROM (SELECT date_trunc('milliseconds', clock_timestamp()) AS moment) AS clock
    ON CONFLICT (user_code) DO NOTHING`,
});

/** A client that asks for a token. */
export interface AskingClient {
  readonly clientId: string;
  /** What it calls itself; null if it gives no name. */
  readonly clientName: string | null;
  /** The capabilities that it asks for; null for all that the owner holds. */
  readonly scope: readonly Capability[] | null;
  readonly address: string;
  /** The name that its token gets unless the owner chooses another. */
  readonly tokenName: string;
}

/** Begins the device flow for a client (spec §5.8, RFC 8628 §3.1). Only the hash of the device code is stored. */
export async function startDevice(db: Database, client: AskingClient): Promise<DeviceCodes> {
  const deviceCode = randomBytes(DEVICE_CODE_BYTES).toString('base64url');
  for (let draw = 0; draw < MOST_DRAWS; draw += 1) {
    const userCode = userCodeFromBytes(randomBytes(USER_CODE_BYTES));
    const inserted = await insertDevice.run(db.pool, [
      hashDeviceCode(deviceCode),
      userCode,
      client.clientId,
      client.clientName,
      client.scope?.join(' ') ?? null,
      client.address,
      client.tokenName,
      DEVICE_INTERVAL_SECONDS,
      DEVICE_LIFETIME_SECONDS,
    ]);
    if (inserted === 1) return { deviceCode, userCode };
  }
  throw new Error(`No free user code in ${MOST_DRAWS} draws: the random source must be broken.`);
}

/** RFC 8628 §3.5, RFC 6749 §5.2. */
export type DevicePollError =
  | 'authorization_pending'
  | 'slow_down'
  | 'access_denied'
  | 'expired_token'
  | 'invalid_grant'
  | 'invalid_scope';

/** The answer to a poll: the token, once, or the reason why there is none. */
export type DevicePoll =
  | { readonly issued: IssuedToken }
  | { readonly issued: null; readonly error: DevicePollError; readonly why: string };

const REFUSALS: Readonly<Record<DevicePollError, string>> = {
  authorization_pending: 'The guild owner has not decided yet. Poll again after the interval.',
  slow_down: `You poll too often. The interval is now ${DEVICE_INTERVAL_SECONDS} seconds longer.`,
  access_denied: 'The request was refused in the dashboard.',
  expired_token: 'The device code has expired. Start again for a new one.',
  invalid_grant: 'The device code is unknown, was issued to another client or was redeemed before.',
  invalid_scope:
    'The guild owner holds none of the authorised capabilities any more. Start again for a new code.',
};

function refused(error: DevicePollError, why = REFUSALS[error]): DevicePoll {
  return { issued: null, error, why };
}

export interface DevicePollCall {
  readonly deviceCode: string;
  readonly clientId: string;
  readonly requestId: string;
  readonly address: string;
}

/**
 * The answer to a client's poll (RFC 8628 §3.4). If the code is authorised, it mints the token as the owner chose, with
 * what the owner still holds of it. Only one of several concurrent polls gets it.
 *
 * @throws ApiError UPSTREAM_UNAVAILABLE if the database is unavailable.
 */
export async function pollDevice(db: Database, call: DevicePollCall): Promise<DevicePoll> {
  const found = await notePoll.first(db.pool, [
    hashDeviceCode(call.deviceCode),
    call.clientId,
    POLL_TOLERANCE_SECONDS,
    DEVICE_INTERVAL_SECONDS,
  ]);
  if (found === null || found.state === 'redeemed') return refused('invalid_grant');
  if (found.state === 'denied')
    return refused(found.refusal ?? 'access_denied', found.refusal_reason ?? undefined);
  if (found.expired) return refused('expired_token');
  if (found.state === 'authorized') return redeem(db, call, found);
  return refused(found.too_early ? 'slow_down' : 'authorization_pending');
}

const POLLED = {
  id: sql.text,
  state: sql.oneOf({ DeviceState }),
  guild_id: sql.text.orNull,
  decided_by: sql.text.orNull,
  client_id: sql.text,
  token_name: sql.text,
  capabilities: sql.arrayOf(sql.text),
  lifetime: sql.text.as<Lifetime>(),
  ip_allowlist: sql.arrayOf(sql.text),
  refusal: sql.text.as<DevicePollError>().orNull,
  refusal_reason: sql.text.orNull,
  expired: sql.bool,
  too_early: sql.bool,
};

/** Records the poll. If it came too early, the interval becomes permanently longer. */
const notePoll = sql.statement({
  parameters: [sql.bytea, sql.text, sql.float, sql.int],
  columns: POLLED,
  text: `WITH found AS (
      SELECT id, state, guild_id, decided_by, client_id, token_name, capabilities, lifetime, ip_allowlist,
        refusal, refusal_reason, expires_at <= clock_timestamp() AS expired,
        coalesce(last_polled_at > clock_timestamp() - make_interval(secs => interval_seconds - $3::float8), false)
          AS too_early
      FROM device_authorizations WHERE device_code_hash = $1 AND client_id = $2 FOR UPDATE),
    noted AS (
      UPDATE device_authorizations AS d SET last_polled_at = clock_timestamp(),
        interval_seconds = d.interval_seconds + CASE WHEN found.too_early THEN $4::int ELSE 0 END
      FROM found WHERE d.id = found.id AND d.state = 'pending')
    SELECT * FROM found`,
});

const redeemOnce = sql.command({
  parameters: [sql.text],
  text: `UPDATE device_authorizations SET state = 'redeemed'
    WHERE id = $1 AND state = 'authorized' AND expires_at > clock_timestamp()`,
});

/**
 * Mints the token of an authorised code, in one transaction with its audit row. The person who confirmed must still own
 * the guild, and the guild must have room for another token (decisions: Device flow).
 */
async function redeem(
  db: Database,
  { requestId, address, deviceCode }: DevicePollCall,
  found: RowOf<typeof POLLED>,
): Promise<DevicePoll> {
  const { decided_by: userId, guild_id: guildId } = found;
  if (userId === null || guildId === null) throw new Error(`${found.id} is authorized by nobody.`);
  const call: DashboardCall = { userId, deviceCode, requestId, address };
  try {
    const guild = await ownedGuild(db, guildId, userId, { needsMirror: true });
    const capabilities = intersect(inTableOrder(found.capabilities), guild.capabilities);
    if (capabilities.length === 0) return await deny(db, found.id, 'invalid_scope');
    const issued = await inTransaction(db, async (tx) => {
      if ((await redeemOnce.run(tx, [found.id])) !== 1) return null;
      const minted = await mintWithin(tx, call, {
        guildId: guild.id,
        name: found.token_name,
        kind: found.client_id === MCP_CLIENT_ID ? 'mcp' : 'rest',
        capabilities,
        expiresIn: found.lifetime,
        ipAllowlist: found.ip_allowlist,
        clientId: found.client_id,
      });
      await tx.prisma.deviceAuthorization.update({
        where: { id: found.id },
        data: { tokenId: minted.token.id },
        select: { id: true },
      });
      return minted;
    });
    return issued === null ? refused('invalid_grant') : { issued };
  } catch (error) {
    return withoutToken(db, found.id, error);
  }
}

/** An error that ends the flow if the guild changed after the owner confirmed. A bot that is away only delays it. */
async function withoutToken(db: Database, id: string, error: unknown): Promise<DevicePoll> {
  if (!(error instanceof ApiError)) throw error;
  if (error.code === 'FORBIDDEN' || error.code === 'NOT_FOUND') {
    return deny(db, id, 'access_denied', error.message);
  }
  const { details } = error;
  if (details !== undefined && 'upstream' in details && details.upstream === 'bot') {
    return refused('authorization_pending', error.message);
  }
  throw error;
}

/** Ends an authorised flow without a token. Each later poll gets the same answer. */
async function deny(
  db: Database,
  id: string,
  error: DevicePollError,
  why = REFUSALS[error],
): Promise<DevicePoll> {
  await db.prisma.deviceAuthorization.updateMany({
    where: { id, state: 'authorized' },
    data: { state: 'denied', refusal: error, refusalReason: why },
  });
  return refused(error, why);
}

/** A device code has 256 random bits, so a fast hash is safe. */
function hashDeviceCode(deviceCode: string): Buffer {
  return hash('sha256', deviceCode, 'buffer');
}
