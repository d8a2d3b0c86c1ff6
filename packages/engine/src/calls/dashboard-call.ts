import { ApiError, type EventName, type Target } from '@bailiff/core';
import { type Queryable, sql } from '@bailiff/prisma';
import type { Transaction } from '#src/database/transaction.ts';
import type { ChangeKind } from '#src/desk/changes.ts';
import type { Session } from '#src/desk/sessions.ts';

/** A person in the dashboard, and what shows the database who they are. */
export interface Person {
  readonly userId: string;
  /**
   * As {@link Session.proof}. The database then takes the person from their session. Absent where a process that is not
   * reachable from the internet acts for them.
   */
  readonly sessionProof?: string | undefined;
}

/** The person who makes a change in the dashboard, for its audit row. */
export interface DashboardCall extends Person {
  /** Instead of a session: the device code whose flow the person has authorized (SQL `act_by_device_code`). */
  readonly deviceCode?: string | undefined;
  readonly requestId: string;
  readonly address: string;
}

const recordChangeOf = sql.statement({
  parameters: [sql.jsonb<object>()],
  columns: { id: sql.text },
  text: 'SELECT record_change($1) AS id',
});

/**
 * The ApiError of a session that the database does not accept (SQL `act_in_session`); any other error as it is.
 */
export function sessionRefusal(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'BF002') {
    return new ApiError('UNAUTHORIZED', 'Your session has ended. Sign in again.', {
      details: { reason: 'SESSION_REQUIRED' },
    });
  }
  if (code === 'BF006') return signInTooOld();
  if (code !== 'BF003') return error;
  const message =
    'The bot has not confirmed your sign-in with Discord yet, so nothing was done. Try again in a moment; if it stays so, sign in again.';
  return new ApiError('UPSTREAM_UNAVAILABLE', message, {
    details: { upstream: 'bot', outcome: 'not_performed', retry_after_seconds: 5 },
  });
}

/** What a person is answered who signed in too long ago for what they want to do. */
export function signInTooOld(): ApiError<'UNAUTHORIZED'> {
  return new ApiError('UNAUTHORIZED', 'This needs a sign-in of the last hour. Sign in again.', {
    details: { reason: 'SIGN_IN_AGAIN' },
  });
}

const actsAfterFreshSignIn = sql.statement({
  parameters: [],
  columns: { signed_in_freshly: sql.bool.orNull },
  text: 'SELECT signed_in_freshly FROM acting()',
});

/**
 * Refuses what gives power to others where the session that acts in this transaction began more than an hour ago. For
 * changes of which only the database knows whether they do. Call it after {@link recordChange}.
 *
 * @throws ApiError UNAUTHORIZED SIGN_IN_AGAIN
 */
export async function requireFreshSession(tx: Transaction): Promise<void> {
  // Null where a process acts that is not reachable from the internet.
  const { signed_in_freshly } = await actsAfterFreshSignIn.only(tx, []);
  if (signed_in_freshly === false) throw signInTooOld();
}

/**
 * Writes the audit row of a dashboard change, in the transaction of the change (decisions: Tokens in the dashboard).
 * Returns the row's id.
 */
export async function recordChange(
  tx: Transaction,
  call: DashboardCall,
  change: {
    guildId: string;
    operation: EventName;
    /** Default: the guild. */
    target?: Target;
    token?: { id: string; name: string };
    details?: object;
  },
): Promise<string> {
  const { target = { type: 'guild', id: change.guildId } } = change;
  const recorded = recordChangeOf.only(tx, [
    {
      guild_id: change.guildId,
      actor_user_id: call.userId,
      session_proof: call.sessionProof ?? null,
      device_code: call.deviceCode ?? null,
      token_id: change.token?.id ?? null,
      token_name: change.token?.name ?? null,
      operation: change.operation,
      target_type: target.type,
      target_id: target.id,
      request_id: call.requestId,
      address: call.address,
      details: change.details ?? null,
    },
  ]);
  const { id } = await recorded.catch((error: unknown) => {
    throw sessionRefusal(error);
  });
  return id;
}

const tellOf = sql.command({
  parameters: [sql.text, sql.text, sql.jsonb<object>()],
  text: 'SELECT tell($1, $2, $3)',
});

/**
 * Notifies every process of a change in a guild, after the COMMIT. For audit rows, cases, tickets, notes and settings,
 * the database sends the notification itself.
 */
export async function tell(
  db: Queryable,
  kind: Extract<ChangeKind, 'approval' | 'conversation' | 'window' | 'token' | 'server'>,
  guildId: string,
  more: object = {},
): Promise<void> {
  await tellOf.run(db, [kind, guildId, more]);
}
