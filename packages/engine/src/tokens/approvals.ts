import { ApiError, type Issue } from '@bailiff/core';
import type { IssueKey, WordedIssue } from '@bailiff/core/issue-words';
import { type Database, type RowOf, ApprovalState as StoredState, sql } from '@bailiff/prisma';
import { type DashboardCall, recordChange, tell } from '#src/calls/dashboard-call.ts';
import { inTransaction, type Transaction } from '#src/database/transaction.ts';
import { ownedGuild } from '#src/guilds/guilds.ts';
import { endWindows } from './end-windows.ts';
import { lockOwnedToken, refuseUnusable } from './tokens.ts';
import { insertWindow, type OpenWindow } from './windows.ts';

/**
 * `call`: this call only, once. `window`: a window as the specification defines it. `withdraw` takes back an approval of
 * one call, until the call is being done.
 */
export type Decision = 'call' | 'window' | 'refuse' | 'withdraw' | 'call_after_refusal';
export const DECISIONS: readonly Decision[] = ['call', 'window', 'refuse', 'withdraw', 'call_after_refusal'];

/** `admitted`: nobody has decided it, and while a window of its token is open nobody needs to. */
export type ApprovalState = StoredState | 'lapsed' | 'admitted';

/** A destructive call that was refused until it is approved (decisions: Approval requests). */
export interface ApprovalView {
  readonly id: string;
  readonly token: { readonly id: string; readonly name: string };
  readonly operation: string;
  /** The call without `_confirmation`. */
  readonly input: unknown;
  readonly digest: string;
  readonly requestId: string;
  readonly address: string;
  readonly state: ApprovalState;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly decidedAt: Date | null;
  /** Whether it was refused and can still be allowed. Until then the same call is refused without a new request. */
  readonly canBeAllowed: boolean;
  /** How long the approved call may still be made. Null if the request approved a window, or once the call was made. */
  readonly admitsUntil: Date | null;
}

/** How many are listed that wait no more. Those that wait are bounded for each token (SQL `request_approval`). */
const LISTED_OVER = 100;

const approvalsOfGuild = sql.statement({
  parameters: [sql.text, sql.text.orNull],
  columns: {
    id: sql.text,
    token_id: sql.text,
    token_name: sql.text,
    operation: sql.text,
    input: sql.jsonb(),
    digest: sql.text,
    request_id: sql.text,
    address: sql.text,
    created_at: sql.timestamptz,
    expires_at: sql.timestamptz,
    decided_at: sql.timestamptz.orNull,
    state: sql.text.as<ApprovalState>(),
    can_be_allowed: sql.bool,
    admits_until: sql.timestamptz.orNull,
  },
  // Requests of a token that was revoked since are not shown as waiting.
  text: `SELECT a.id, a.token_id, t.name AS token_name, a.operation, a.input, a.digest, a.request_id, a.address,
      a.created_at, a.expires_at, a.decided_at,
      CASE WHEN a.state = 'pending' AND NOT waits.waits THEN 'lapsed'
           WHEN a.state = 'pending' AND has_open_window(a.token_id) THEN 'admitted'
           -- Approved once and never made: the window was closed, or its time ended.
           WHEN a.state = 'approved_call' AND a.action_id IS NULL AND NOT open.open
             THEN CASE WHEN w.closed_at < w.expires_at THEN 'withdrawn' ELSE 'lapsed' END
           ELSE a.state::text END AS state,
      t.revoked_at IS NULL AND refusal_holds(a.state, a.decided_at) AS can_be_allowed,
      CASE WHEN w.digest IS NOT NULL AND open.open THEN w.expires_at END AS admits_until
    FROM approval_requests a
    JOIN tokens t ON t.id = a.token_id
    LEFT JOIN windows w ON w.id = a.window_id
    CROSS JOIN LATERAL (SELECT a.state = 'pending' AND a.expires_at > clock_timestamp()
                               AND t.revoked_at IS NULL AS waits) AS waits
    CROSS JOIN LATERAL (SELECT coalesce(window_is_open(w.opened_at, w.expires_at, w.closed_at), false) AS open) AS open
    WHERE a.guild_id = $1 AND (waits.waits OR a.created_at > clock_timestamp() - interval '1 day' OR a.id = $2)
    ORDER BY waits.waits DESC, a.id IS NOT DISTINCT FROM $2 DESC, a.id DESC
    LIMIT ${LISTED_OVER} + (SELECT count(*) FROM approval_requests p JOIN tokens ON tokens.id = p.token_id
      WHERE p.guild_id = $1 AND p.state = 'pending' AND p.expires_at > clock_timestamp() AND revoked_at IS NULL)`,
});

/**
 * Approval requests of a guild: pending requests first, then those of the last day, newest first.
 *
 * @param linked one that a link names. It is listed as long as it is kept, before the others that wait no more
 * @throws ApiError NOT_FOUND, FORBIDDEN OWNER_ONLY.
 */
export async function listApprovals(
  db: Database,
  userId: string,
  guildId: string,
  linked: string | null = null,
): Promise<ApprovalView[]> {
  await ownedGuild(db, guildId, userId, { needsMirror: false });
  const rows = await approvalsOfGuild.all(db.pool, [guildId, linked]);
  return rows.map(({ token_id, token_name, ...row }) => ({
    id: row.id,
    token: { id: token_id, name: token_name },
    operation: row.operation,
    input: row.input,
    digest: row.digest,
    requestId: row.request_id,
    address: row.address,
    state: row.state,
    canBeAllowed: row.can_be_allowed,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    decidedAt: row.decided_at,
    admitsUntil: row.admits_until,
  }));
}

const decide = sql.command({
  parameters: [sql.text, sql.oneOf({ ApprovalState: StoredState }), sql.text, sql.text.orNull],
  text: `UPDATE approval_requests SET state = $2, decided_by = $3, decided_at = clock_timestamp(), window_id = $4
    WHERE id = $1`,
});

// One may admit this call still, or again if what it admitted does not happen (SQL `settle_action`).
const endAllowances = sql.command({
  parameters: [sql.text, sql.text],
  text: `SELECT end_windows(ARRAY[token_id], id) FROM windows
    WHERE token_id = $1 AND digest = $2 AND expires_at > clock_timestamp()`,
});

const STATES = {
  call: 'approved_call',
  window: 'approved_window',
  refuse: 'refused',
  withdraw: 'withdrawn',
  call_after_refusal: 'approved_call',
} as const satisfies Record<Decision, StoredState>;

/** Whether a decision gives the token something. */
export function isApproval(decision: Decision): boolean {
  return STATES[decision] === 'approved_call' || STATES[decision] === 'approved_window';
}

/**
 * Decides an approval request, once. An approval of one call can be withdrawn afterwards, and a refusal of the last hour
 * can become an approval, if the decision says that it knows of it. Returns the opened window, or null if none was opened.
 *
 * @throws ApiError NOT_FOUND if the request is not of a guild the user owns; VALIDATION_FAILED (409) if it has lapsed,
 * was decided, or is too late to withdraw; TOKEN_REVOKED or TOKEN_EXPIRED (409) for an approval.
 */
export async function decideApproval(
  db: Database,
  call: DashboardCall,
  approvalId: string,
  decision: Decision,
  windowMinutes: number,
): Promise<OpenWindow | null> {
  const decided = await inTransaction(db, async (tx) => {
    const request = await tx.prisma.approvalRequest.findFirst({
      where: { id: approvalId },
      select: { tokenId: true },
    });
    if (request === null) throw absent();
    const token = await lockOwnedToken(tx, call.userId, request.tokenId, {
      needsMirror: isApproval(decision),
    }).catch((error: unknown) => {
      throw error instanceof ApiError && error.code === 'NOT_FOUND' ? absent() : error;
    });
    const row = await lockRequest.first(tx, [approvalId]);
    if (row === null) throw absent();
    let windowId = row.window_id;
    let window: OpenWindow | null = null;
    if (decision === 'withdraw') {
      // What it has done stays: a call that is being made is not allowed again if it did not happen.
      if (!(await withdraw(tx, token.id, row))) return 'nothing to withdraw';
    } else {
      requireUndecided(row, decision);
      if (isApproval(decision)) {
        refuseUnusable(token);
        const digest = decision === 'window' ? null : row.digest;
        window = await insertWindow(tx, token, { openedBy: call.userId, windowMinutes, digest });
        windowId = window.id;
      } else {
        await endAllowances.run(tx, [token.id, row.digest]);
      }
    }
    await decide.run(tx, [approvalId, STATES[decision], call.userId, windowId]);
    await tell(tx, 'approval', token.guildId, { id: approvalId });
    const { operation, digest } = row;
    await recordChange(tx, call, {
      guildId: token.guildId,
      operation: 'approvals.decide',
      target: { type: 'token', id: token.id },
      token,
      details: { approval_id: approvalId, decision, operation, digest, window_id: windowId },
    });
    return window;
  });
  if (decided === 'nothing to withdraw')
    throw conflict('noApproval', 'There is no approval to withdraw: it was used, or it has ended.');
  return decided;
}

const REQUEST = {
  state: sql.oneOf({ ApprovalState: StoredState }),
  lapsed: sql.bool,
  refusal_holds: sql.bool,
  digest: sql.text,
  operation: sql.text,
  window_id: sql.text.orNull,
};

const lockRequest = sql.statement({
  parameters: [sql.text],
  columns: REQUEST,
  text: `SELECT state, expires_at <= clock_timestamp() AS lapsed, refusal_holds(state, decided_at), digest, operation,
      window_id FROM approval_requests WHERE id = $1 FOR UPDATE`,
});

/** @throws ApiError VALIDATION_FAILED (409) if the request was decided or has lapsed. */
function requireUndecided({ state, lapsed, refusal_holds }: RowOf<typeof REQUEST>, decision: Decision): void {
  // Whoever looks at an old page decides about a request that waits, and does not know that it was refused.
  if (decision === 'call_after_refusal') {
    if (!refusal_holds) throw conflict('noRefusal', 'There is no refusal of the last hour to change.');
    return;
  }
  if (state !== 'pending')
    throw conflict('requestDecided', 'This request was decided already. What was decided stands.');
  if (lapsed)
    throw conflict('requestLapsed', 'This request has lapsed after an hour. Let the caller ask again.');
}

/** Ends an approval of one call. False if none stands, or the call has begun. */
async function withdraw(
  tx: Transaction,
  tokenId: string,
  { state, window_id }: RowOf<typeof REQUEST>,
): Promise<boolean> {
  if (state !== 'approved_call' || window_id === null) return false;
  const { closed, cancelled } = await endWindows(tx, tokenId, window_id);
  return closed.length + cancelled > 0;
}

function absent(): ApiError {
  return new ApiError('NOT_FOUND', 'There is no such approval request among yours.');
}

function conflict(key: IssueKey, message: string): ApiError {
  const issue = { path: 'decision', message, say: { key } } satisfies WordedIssue & Issue;
  return new ApiError('VALIDATION_FAILED', message, {
    status: 409,
    details: { issues: [issue] },
  });
}
