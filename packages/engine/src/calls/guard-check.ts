import { ApiError, type Call, callOf, type ErrorCode, type RestOperation } from '@bailiff/core';
import { type Patience, patience } from '#src/database/database-errors.ts';
import { withoutEffect } from '#src/database/transaction.ts';
import type { Engine } from '#src/engine.ts';
import { type AdmittedToken, admitNamed } from './admission.ts';
import { actionIdOf, inputRefused, TOKEN_CHECKS, type TokenCall } from './authorize.ts';
import { chargeUnanswered, isRead } from './read-call.ts';
import { settingsDenial } from './settings-refusal.ts';
import { rehearseCall, type WriteCall } from './submit.ts';

/** Steps 5 to 12 of decisions: Request pipeline, in that order. */
export const GUARD_STEPS = [
  'address',
  'revoked',
  'expired',
  'guild',
  'tier',
  'mirror',
  'capability',
  'input',
  'settings',
  'window',
  'sentinel',
  'budgets',
] as const;
export type GuardStep = (typeof GUARD_STEPS)[number];

/** The check that would refuse a call, and the error the caller would get. */
export interface GuardRefusal {
  readonly step: GuardStep;
  readonly error: ApiError;
}

/** What would become of a call. `replayed`: an earlier one with its Idempotency-Key is answered again. */
export type GuardVerdict = GuardRefusal | 'admitted' | 'replayed';

/**
 * Which check would refuse a call over a token of a guild. Runs the checks of `authorize`, and the submission in a
 * transaction that is rolled back. Nothing is performed, charged, recorded or sent to the owner for approval.
 *
 * @throws ApiError NOT_FOUND if the guild has no such token; UPSTREAM_UNAVAILABLE.
 */
export async function checkCall(
  engine: Engine,
  of: { readonly guildId: string; readonly tokenId: string },
  call: TokenCall & Pick<WriteCall, 'idempotencyKey'>,
): Promise<GuardVerdict> {
  const { db } = engine;
  const forStore = patience();
  const token = await forStore.within(admitNamed(db, { ...of, actionId: actionIdOf(call) }));
  if (token === null) throw new ApiError('NOT_FOUND', 'There is no such token among yours.');
  for (const { name, refusal } of TOKEN_CHECKS) {
    const error = refusal(token, call);
    if (error !== null) return { step: name, error };
  }
  const parsed = await forStore.aside(call.readInput().catch(asRefusal));
  if (parsed instanceof ApiError) return { step: 'input', error: parsed };
  if (!parsed.ok) return { step: 'input', error: inputRefused(parsed) };
  const read = callOf(call.operation, parsed.input);
  const deniedBecause = await forStore.within(settingsDenial(db, token.guild.id, read));
  const { confirmation } = parsed;
  const outcome = await forStore.within(
    submissionOutcome(engine, token, read, { ...call, confirmation, deniedBecause }, forStore),
  );
  return typeof outcome === 'string' ? outcome : { step: stepOf(outcome), error: outcome };
}

/** A body that is not JSON is refused before it is parsed. */
function asRefusal(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}

async function submissionOutcome(
  { db, dashboardUrl }: Engine,
  token: AdmittedToken,
  call: Call<RestOperation>,
  sent: Pick<TokenCall, 'requestId' | 'address'> &
    Pick<WriteCall, 'confirmation' | 'idempotencyKey' | 'deniedBecause'>,
  forStore: Patience,
): Promise<ApiError | 'admitted' | 'replayed'> {
  const { confirmation, idempotencyKey, deniedBecause, requestId, address } = sent;
  return withoutEffect(db, async (tx) => {
    if (isRead(call)) {
      const charged = { ...call, token, requestId, address };
      return (await chargeUnanswered(tx, charged, 'INTERNAL_ERROR')) ?? 'admitted';
    }
    const actor = { source: 'token', token } as const;
    const submitted = await rehearseCall(
      tx,
      dashboardUrl,
      {
        ...call,
        guildId: token.guild.id,
        actor,
        requestId,
        address,
        confirmation,
        idempotencyKey,
        deniedBecause,
      },
      forStore,
    );
    if ('refused' in submitted) return submitted.refused;
    return submitted.replayed ? 'replayed' : 'admitted';
  });
}

/** The check behind a refusal of the submission. It is one of the first checks only if something changed in between. */
const STEPS: Partial<Record<ErrorCode, GuardStep>> = {
  UNAUTHORIZED: 'revoked',
  TOKEN_REVOKED: 'revoked',
  TOKEN_EXPIRED: 'expired',
  CAPABILITY_DENIED: 'capability',
  VALIDATION_FAILED: 'input', // its key was used for another request
  FORBIDDEN: 'settings',
  RE_AUTH_REQUIRED: 'window',
  INVALID_CONFIRMATION: 'sentinel',
  RATE_LIMITED: 'budgets',
};

/** @throws ApiError itself if it says nothing about the call: the database is unavailable. */
function stepOf(error: ApiError): GuardStep {
  const step = STEPS[error.code];
  if (step === undefined) throw error;
  return step;
}
