import { isDeepStrictEqual } from 'node:util';
import {
  ApiError,
  type Capability,
  entryBlockedSeconds,
  type Issue,
  inTableOrder,
  intersect,
  MOST_WRONG_CODES,
  readUserCode,
  shownUserCode,
  withWrongCode,
} from '@bailiff/core';
import type { WordedIssue } from '@bailiff/core/issue-words';
import { type Database, DeviceState, type RowOf, sql } from '@bailiff/prisma';
import { type DashboardCall, recordChange } from '#src/calls/dashboard-call.ts';
import { databaseNow } from '#src/database/clock.ts';
import { inTransaction, type Transaction } from '#src/database/transaction.ts';
import { ownedGuild } from '#src/guilds/guilds.ts';
import { refuseMint } from './mint.ts';
import type { Lifetime } from './token-view.ts';

/** A client that waits for consent, as shown to the person who entered its code. */
export interface WaitingDevice {
  /** As shown, in two groups of four. */
  readonly userCode: string;
  readonly clientId: string;
  /** What the client calls itself, which nobody has verified; null if it gave no name. */
  readonly clientName: string | null;
  /** The capabilities that it asks for; null for all that the owner holds. */
  readonly scope: readonly Capability[] | null;
  /** The name that is proposed for its token. */
  readonly tokenName: string;
  /** Address that the client's request came from. */
  readonly address: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** The person who enters a code, and their session. Wrong codes are counted for both. */
export interface DeviceEntry extends DashboardCall {
  /** As {@link Session.key}. */
  readonly sessionKey: string;
}

/**
 * The client that waits with a user code, however a person typed it.
 *
 * @throws ApiError NOT_FOUND if no client waits with this code, which counts as a wrong code; RATE_LIMITED after five
 * wrong codes (spec §5.8, decisions: Device flow); VALIDATION_FAILED (409) if this person has already decided it.
 */
export async function findDevice(db: Database, entry: DeviceEntry, typed: string): Promise<WaitingDevice> {
  return enter(db, entry, typed, async (_tx, row) => {
    if (row.state !== 'pending') throw decided();
    return {
      userCode: shownUserCode(row.user_code),
      clientId: row.client_id,
      clientName: row.client_name,
      scope: scopeOf(row),
      tokenName: row.token_name,
      address: row.address,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
    };
  });
}

/** What the owner gives a waiting client. */
export interface Consent {
  readonly guildId: string;
  /** Default: all that the client asks for and the owner holds. */
  readonly capabilities?: readonly Capability[] | undefined;
  /** Default: the proposed name. */
  readonly name?: string | undefined;
  readonly expiresIn: Lifetime;
  readonly ipAllowlist: readonly string[];
}

/**
 * Authorises the client that waits with a code, for a guild that its owner picked. The token is minted when the client
 * fetches it. Repeating the same decision changes nothing.
 *
 * @throws ApiError as {@link findDevice}, {@link ownedGuild} and {@link refuseMint}; VALIDATION_FAILED (422) for more
 * than the client asks for, and where nothing of that is left.
 */
export async function confirmDevice(
  db: Database,
  entry: DeviceEntry,
  typed: string,
  consent: Consent,
): Promise<void> {
  const { guildId } = consent;
  const guild = await ownedGuild(db, guildId, entry.userId, { needsMirror: true });
  await enter(db, entry, typed, async (tx, row) => {
    const chosen = {
      guildId,
      capabilities: [...givenCapabilities(row, consent, guild.capabilities)],
      tokenName: consent.name ?? row.token_name,
      lifetime: consent.expiresIn,
      ipAllowlist: [...consent.ipAllowlist],
    };
    if (row.state !== 'denied' && isChosen(row, chosen)) return;
    if (row.state !== 'pending') throw decided();
    await refuseMint(tx, guildId, entry.userId);
    await recordChange(tx, entry, {
      guildId,
      operation: 'device.authorize',
      details: {
        device_id: row.id,
        client_id: row.client_id,
        client_name: row.client_name,
        client_address: row.address,
        capabilities: chosen.capabilities,
      },
    });
    // From here on the owner acts, which PostgreSQL wants of whoever authorizes.
    await tx.prisma.deviceAuthorization.update({
      where: { id: row.id },
      data: { state: 'authorized', decidedBy: entry.userId, ...chosen },
      select: { id: true },
    });
  });
}

/** What the token gets: never more than the client asks for or the owner holds. */
function givenCapabilities(
  row: DeviceRow,
  { capabilities }: Consent,
  held: readonly Capability[],
): readonly Capability[] {
  const possible = intersect(scopeOf(row) ?? held, held);
  if (possible.length === 0) {
    throw notGiven(
      'The client asks only for capabilities that you do not hold. Refuse it, and let it ask anew',
    );
  }
  const beyond = (capabilities ?? []).filter((name) => !possible.includes(name));
  if (beyond.length > 0) throw notGiven(`The client does not ask for ${beyond.join(', ')}`);
  return capabilities ?? possible;
}

function notGiven(message: string): ApiError {
  return new ApiError('VALIDATION_FAILED', `${message}.`, {
    status: 422,
    details: { issues: [{ path: 'capabilities', message }] },
  });
}

/** Whether a flow was authorised with exactly these choices. */
function isChosen(row: DeviceRow, chosen: Chosen): boolean {
  const { guild_id: guildId, capabilities, token_name: tokenName, lifetime, ip_allowlist: ipAllowlist } = row;
  return isDeepStrictEqual({ guildId, capabilities, tokenName, lifetime, ipAllowlist }, chosen);
}

interface Chosen {
  readonly guildId: string;
  readonly capabilities: string[];
  readonly tokenName: string;
  readonly lifetime: Lifetime;
  readonly ipAllowlist: string[];
}

/**
 * Refuses the client that waits with a code. There is no audit row, because rows belong to a guild, and none was
 * picked.
 *
 * @throws ApiError as {@link findDevice}.
 */
export async function denyDevice(db: Database, entry: DeviceEntry, typed: string): Promise<void> {
  await enter(db, entry, typed, async (tx, row) => {
    if (row.state === 'denied') return;
    if (row.state !== 'pending') throw decided();
    await tx.prisma.deviceAuthorization.update({
      where: { id: row.id },
      data: { state: 'denied', decidedBy: entry.userId },
      select: { id: true },
    });
  });
}

const DEVICE = {
  id: sql.text,
  user_code: sql.text,
  client_id: sql.text,
  client_name: sql.text.orNull,
  scope: sql.text.orNull,
  token_name: sql.text,
  capabilities: sql.arrayOf(sql.text),
  lifetime: sql.text.as<Lifetime>(),
  ip_allowlist: sql.arrayOf(sql.text),
  address: sql.text,
  created_at: sql.timestamptz,
  expires_at: sql.timestamptz,
  state: sql.oneOf({ DeviceState }),
  guild_id: sql.text.orNull,
};
type DeviceRow = RowOf<typeof DEVICE>;

function scopeOf({ scope }: DeviceRow): readonly Capability[] | null {
  return scope === null ? null : inTableOrder(scope.split(' '));
}

/**
 * Runs `use` with the flow of a code, under its lock. Wrong, unknown and expired codes, and codes that another person
 * decided, give the same answer. Entries of a session and of a person are processed one after the other, so that
 * concurrent guesses are counted one by one.
 */
async function enter<Result>(
  db: Database,
  entry: DeviceEntry,
  typed: string,
  use: (tx: Transaction, row: DeviceRow) => Promise<Result>,
): Promise<Result> {
  const entered = await inTransaction(db, async (tx) => {
    const wrong = await lockWrongCodes(tx, entry.sessionKey);
    const blocked = Math.max(
      entryBlockedSeconds(wrong.ofSession, MOST_WRONG_CODES.session, wrong.now),
      entryBlockedSeconds(wrong.ofPerson, MOST_WRONG_CODES.person, wrong.now),
    );
    if (blocked > 0) throw entryBlocked(blocked);
    const row = await lockWaiting(tx, typed, entry.userId);
    if (row !== null) return { result: await use(tx, row) };
    await keepWrongCode(tx, entry, wrong);
    return null; // not thrown, because the count must be committed
  });
  if (entered !== null) return entered.result;
  const message =
    'No client waits with this code. Codes live ten minutes and work once: compare it, or start again for a new one.';
  throw new ApiError('NOT_FOUND', message);
}

interface WrongCodes {
  readonly ofSession: readonly Date[];
  readonly ofPerson: readonly Date[];
  readonly now: Date;
}

const lockSession = sql.statement({
  parameters: [sql.text],
  columns: {
    of_session: sql.arrayOf(sql.timestamptz).orNull,
    of_person: sql.arrayOf(sql.timestamptz).orNull,
  },
  text: `SELECT s.wrong_codes_at AS of_session, u.wrong_codes_at AS of_person
    FROM sessions s JOIN users u ON u.id = s.user_id
    WHERE s.token_hash = decode($1, 'hex') FOR NO KEY UPDATE`,
});

async function lockWrongCodes(tx: Transaction, sessionKey: string): Promise<WrongCodes> {
  const row = await lockSession.first(tx, [sessionKey]);
  if (row === null) {
    const details = { reason: 'SESSION_REQUIRED' } as const;
    throw new ApiError('UNAUTHORIZED', 'Your session has ended. Sign in again.', { details });
  }
  // Read after the wait for the lock, so that codes entered meanwhile are not in the future.
  const now = await databaseNow(tx);
  return { ofSession: row.of_session ?? [], ofPerson: row.of_person ?? [], now };
}

const keepWrongCodeOfSession = sql.command({
  parameters: [sql.text, sql.arrayOf(sql.timestamptz)],
  text: "UPDATE sessions SET wrong_codes_at = $2 WHERE token_hash = decode($1, 'hex')",
});

const keepWrongCodeOfPerson = sql.command({
  parameters: [sql.text, sql.arrayOf(sql.timestamptz)],
  text: 'UPDATE users SET wrong_codes_at = $2 WHERE id = $1',
});

async function keepWrongCode(tx: Transaction, entry: DeviceEntry, wrong: WrongCodes): Promise<void> {
  await keepWrongCodeOfSession.run(tx, [entry.sessionKey, withWrongCode(wrong.ofSession, wrong.now)]);
  await keepWrongCodeOfPerson.run(tx, [entry.userId, withWrongCode(wrong.ofPerson, wrong.now)]);
}

const lockDevice = sql.statement({
  parameters: [sql.text, sql.text],
  columns: DEVICE,
  text: `SELECT id, user_code, client_id, client_name, scope, token_name, capabilities, lifetime, ip_allowlist, address,
      created_at, expires_at, state, guild_id FROM device_authorizations
    WHERE user_code = $1 AND ((state = 'pending' AND expires_at > clock_timestamp()) OR decided_by = $2)
    FOR UPDATE`,
});

async function lockWaiting(tx: Transaction, typed: string, userId: string): Promise<DeviceRow | null> {
  const userCode = readUserCode(typed);
  if (userCode === null) return null;
  return lockDevice.first(tx, [userCode, userId]);
}

function decided(): ApiError {
  const message = 'You have decided this code already, and that stands. Start again for a new one.';
  const issue = { path: 'user_code', message, say: { key: 'codeDecided' } } satisfies WordedIssue & Issue;
  return new ApiError('VALIDATION_FAILED', message, {
    status: 409,
    details: { issues: [issue] },
  });
}

function entryBlocked(seconds: number): ApiError {
  const minutes = Math.ceil(seconds / 60);
  const message = `Too many wrong codes. No code is taken for ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}; then start again for a new one.`;
  return new ApiError('RATE_LIMITED', message, {
    details: { scope: 'session', retry_after_seconds: seconds },
  });
}
