import {
  ApiError,
  type Call,
  type Capability,
  digestOf,
  type EscalationStep,
  entryOf,
  expectedSentinel,
  type ForbiddenReason,
  isDestructive,
  matchesSentinel,
  TIERS,
  tierOf,
  type WriteOperation,
} from '@bailiff/core';
import { type Queryable, sql } from '@bailiff/prisma';
import type { UploadedFile } from '#src/cases/evidence.ts';
import { databaseUnavailable, type Patience, patience } from '#src/database/database-errors.ts';
import { DEADLINES } from '#src/engine.ts';
import type { ReportedMessage } from '#src/reports/reports.ts';
import type { AdmittedToken, Balances } from './admission.ts';
import { capabilityDenied, capabilityNeeded, capabilityOf, caseIdOf, unusableToken } from './authorize.ts';
import { type Person, sessionRefusal } from './dashboard-call.ts';
import { deniedBySettings } from './settings-refusal.ts';

/** The caller. Calls by a token need consent and spend budgets. Calls by a person are made by hand. */
export type Actor =
  | { readonly source: 'token'; readonly token: AdmittedToken }
  | { readonly source: 'chat' | 'system'; readonly userId: string }
  | ({ readonly source: 'dashboard' } & Person);

/** An authorized write with its parsed input. */
export type WriteCall<N extends WriteOperation = WriteOperation> = CallMade & Call<N>;

interface CallMade {
  readonly guildId: string;
  readonly actor: Actor;
  readonly requestId: string;
  readonly address: string | null;
  /** `_confirmation` as sent. */
  readonly confirmation?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Why the guild's own settings deny the call. Then it is refused, unless it is a repetition. */
  readonly deniedBecause?: ForbiddenReason | null | undefined;
  /** The escalation that the person was shown before they confirmed. Absent if they were shown none. */
  readonly foreseen?: EscalationStep | null | undefined;
  /** The id that its action gets, where something was recorded for it before. Absent: a new one. */
  readonly actionId?: string | undefined;
  /** The message that a report is about, as Discord showed it. Absent for every other call. */
  readonly reported?: ReportedMessage | undefined;
  /** The code by which a member will be known who links an identity in a game. Absent for every other call. */
  readonly linkCode?: string | undefined;
  /** The file that is attached to a case on its page. Absent for every other call. */
  readonly uploaded?: UploadedFile | undefined;
}

export function actorUserId(actor: Actor): string {
  return actor.source === 'token' ? actor.token.issuerId : actor.userId;
}

/** What the SQL function `submit_call` returns. */
type Submitted = { token_balance?: number; user_balance?: number } & (
  | { status: 'admitted' | 'replayed'; action_id: string; digest?: string }
  | SubmissionRefused
);

type SubmissionRefused = { status: 'refused' } & (
  | {
      code:
        | 'UNAUTHORIZED'
        | 'TOKEN_REVOKED'
        | 'TOKEN_EXPIRED'
        | 'INVALID_CONFIRMATION'
        | 'UPSTREAM_UNAVAILABLE';
    }
  | { code: 'CAPABILITY_DENIED'; missing: Capability }
  | { code: 'FORBIDDEN'; reason: ForbiddenReason }
  | ({ code: 'RE_AUTH_REQUIRED' } & Asked)
  | { code: 'RATE_LIMITED'; refused_by: 'token' | 'user'; retry_after_seconds: number }
);

/** What the SQL function `ask_approval` returns. */
type Asked =
  | { approval_state: 'pending' | 'refused'; approval_id: string }
  | { approval_state: 'muted'; approval_id?: undefined };

export interface Admitted {
  readonly actionId: string;
  /** An earlier call with this Idempotency-Key made the action. Nothing is done again. */
  readonly replayed: boolean;
  /** Calls left after this one. Absent if the call spent none. */
  readonly balances?: Balances | undefined;
}

export interface Refused {
  readonly refused: ApiError;
  readonly balances?: Balances | undefined;
}

const submitCallOf = sql.statement({
  parameters: [sql.jsonb<object>()],
  columns: { submitted: sql.jsonb<Submitted>() },
  text: 'SELECT submit_call($1) AS submitted',
});

const rehearseCallOf = sql.statement({
  parameters: [sql.jsonb<object>()],
  columns: { submitted: sql.jsonb<Submitted>() },
  text: 'SELECT rehearse_call($1) AS submitted',
});

const askApprovalFor = sql.statement({
  parameters: [sql.jsonb<object>()],
  columns: { asked: sql.jsonb<Asked>() },
  text: 'SELECT ask_approval($1) AS asked',
});

/**
 * Submits a call: steps 11 to 13 in the database. Checks window, sentinel and both budgets, then writes action, audit
 * row and job, or the record of a refusal. A refusal is returned, not thrown, because its record must be committed.
 */
export async function submitCall(
  db: Queryable,
  dashboardUrl: string,
  call: WriteCall,
  forStore: Patience,
): Promise<Admitted | Refused> {
  const digest = digestOf(call.operation, call.guildId, call.input);
  const { submitted } = await submitCallOf
    .only(db, [submission(call, digest, forStore)])
    .catch((error: unknown) => {
      throw sessionRefusal(error);
    });
  return submittedOf(submitted, call, digest, dashboardUrl);
}

/** What {@link submitCall} would return. Nothing is done, charged or recorded. */
export async function rehearseCall(
  db: Queryable,
  dashboardUrl: string,
  call: WriteCall,
  forStore: Patience,
): Promise<Admitted | Refused> {
  const digest = digestOf(call.operation, call.guildId, call.input);
  const { submitted } = await rehearseCallOf.only(db, [submission(call, digest, forStore)]);
  return submittedOf(submitted, call, digest, dashboardUrl);
}

function submittedOf(
  submitted: Submitted,
  call: WriteCall,
  digest: string,
  dashboardUrl: string,
): Admitted | Refused {
  const balances =
    submitted.token_balance === undefined || submitted.user_balance === undefined
      ? undefined
      : { token: submitted.token_balance, user: submitted.user_balance };
  if (submitted.status === 'refused') return { refused: refusal(submitted, call, dashboardUrl), balances };
  if (submitted.status === 'replayed' && submitted.digest !== digest) {
    const message = 'This Idempotency-Key was used for another request. Use a new key.';
    const issues = [{ path: 'Idempotency-Key', message: 'was used for another request' }];
    return { refused: new ApiError('VALIDATION_FAILED', message, { details: { issues } }) };
  }
  return { actionId: submitted.action_id, replayed: submitted.status === 'replayed', balances };
}

/** Asks for the approval of a call whose window was closed after its submission. Returns the refusal. */
export async function askApproval(db: Queryable, dashboardUrl: string, call: WriteCall): Promise<ApiError> {
  const digest = digestOf(call.operation, call.guildId, call.input);
  const { asked } = await askApprovalFor.only(db, [submission(call, digest, patience())]);
  return reauthRequired(call, asked, dashboardUrl);
}

/** The argument of the SQL function `submit_call`, which documents it. */
function submission(call: WriteCall, digest: string, forStore: Patience): object {
  const entry = entryOf(call.operation);
  const tier = tierOf(call.operation, call.input);
  const destructive = isDestructive(call.operation, call.input);
  const target = entry.target(call.input);
  const { token } = call.actor.source === 'token' ? call.actor : { token: null };
  return {
    guild_id: call.guildId,
    operation: call.operation,
    input: call.input,
    digest,
    target_type: target?.type ?? null,
    target_id: target?.id ?? null,
    actor_source: call.actor.source,
    actor_user_id: actorUserId(call.actor),
    request_id: call.requestId,
    address: call.address,
    capability:
      token === null
        ? capabilityOf(call.operation, caseIdOf(call))
        : capabilityNeeded(call.operation, token, caseIdOf(call)),
    tier,
    capacity: TIERS[tier].capacity,
    refill_per_minute: TIERS[tier].refillPerMinute,
    destructive,
    confirmed:
      destructive &&
      call.confirmation !== undefined &&
      matchesSentinel(call.operation, call.guildId, call.input, call.confirmation),
    performed_by: entry.performedBy,
    claim_seconds: DEADLINES.claimMs / 1000,
    queue: entry.oneAtATime?.(call.input) ?? null,
    action_id: token?.newActionId ?? call.actionId ?? null,
    admitted_at: token?.admittedAt.database ?? null,
    arrives_within_seconds:
      token === null ? null : (performance.now() - token.admittedAt.here + forStore.leftMs()) / 1000,
    token_id: token?.id ?? null,
    token_name: token?.name ?? null,
    secret_proof: token?.secretProof?.toString('hex') ?? null,
    session_proof: call.actor.source === 'dashboard' ? (call.actor.sessionProof ?? null) : null,
    idempotency_key: call.idempotencyKey ?? null,
    denied_because: call.deniedBecause ?? null,
  };
}

function refusal(refused: SubmissionRefused, call: WriteCall, dashboardUrl: string): ApiError {
  switch (refused.code) {
    case 'UNAUTHORIZED':
      return unusableToken();
    case 'TOKEN_REVOKED':
      return new ApiError('TOKEN_REVOKED', 'This token was revoked. Ask the guild owner for a new one.');
    case 'TOKEN_EXPIRED':
      return new ApiError('TOKEN_EXPIRED', 'This token has expired. The guild owner can renew it.');
    case 'CAPABILITY_DENIED':
      return capabilityDenied(refused.missing, 'The token may not do this any more');
    case 'FORBIDDEN':
      return deniedBySettings(refused.reason);
    case 'RE_AUTH_REQUIRED':
      return reauthRequired(call, refused, dashboardUrl);
    case 'INVALID_CONFIRMATION': {
      const { format, concrete } = expectedSentinel(call.operation, call.guildId, call.input);
      const message = `_confirmation must be "${concrete}" for this call.`;
      const details = { expected_format: format, expected_concrete: concrete };
      return new ApiError('INVALID_CONFIRMATION', message, { details });
    }
    case 'UPSTREAM_UNAVAILABLE':
      return databaseUnavailable('not_performed');
    case 'RATE_LIMITED': {
      const scope = refused.refused_by;
      const tier = tierOf(call.operation, call.input);
      return budgetUsedUp(scope, tier, refused.retry_after_seconds);
    }
  }
}

/** The 429 of a budget (spec §8, decisions: Errors). */
export function budgetUsedUp(scope: 'token' | 'user', tier: string, waitSeconds: number): ApiError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitSeconds));
  const whose = scope === 'token' ? "This token's" : "The issuing user's";
  const message = `${whose} budget of ${tier} calls is used up. Try again in ${retryAfterSeconds} s.`;
  return new ApiError('RATE_LIMITED', message, {
    details: { scope, tier, retry_after_seconds: retryAfterSeconds },
  });
}

const REAUTH_MESSAGES = {
  pending:
    'This call needs the approval of the guild owner. Show them details.reauth_url, then send it again. GET /approvals/{approvalId} tells what they decide.',
  refused:
    'The guild owner has refused this call, and is not asked again within an hour. Send it again only if they allow it.',
  muted:
    'The guild owner has muted the requests of this token, and is not asked. Only a window that they open admits this call.',
} as const;

function reauthRequired(call: WriteCall, asked: Asked, dashboardUrl: string): ApiError {
  const tokenId = call.actor.source === 'token' ? call.actor.token.id : '';
  const url = new URL(`${dashboardUrl}/guilds/${call.guildId}/approvals`);
  url.searchParams.set('token', tokenId);
  const { approval_state, approval_id } = asked;
  if (approval_id !== undefined) url.searchParams.set('approval', approval_id);
  const reauth_url = url.toString();
  const details =
    approval_id === undefined ? { reauth_url, approval_state } : { reauth_url, approval_state, approval_id };
  return new ApiError('RE_AUTH_REQUIRED', REAUTH_MESSAGES[approval_state], { details });
}
