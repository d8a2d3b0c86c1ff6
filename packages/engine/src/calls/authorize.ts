import {
  ApiError,
  addressAllowed,
  bearerSecret,
  CAPABILITIES,
  type Call,
  type Capability,
  callOf,
  canBeDestructive,
  caseKind,
  entryOf,
  type ForbiddenReason,
  id,
  kindOfCaseId,
  type OperationName,
  REST_OPERATION_NAMES,
  type ReadInput,
  type RestOperation,
} from '@bailiff/core';
import { type Patience, patience } from '#src/database/database-errors.ts';
import type { Engine } from '#src/engine.ts';
import { mirrorAway } from '#src/guilds/mirror-state.ts';
import { getAction } from './actions.ts';
import { type AdmittedToken, admit, liveMember } from './admission.ts';
import { auditRefusal } from './record-refusal.ts';
import { settingsDenial } from './settings-refusal.ts';

const ACTION_ID = id('action');

/** An unchecked call over a token. */
export interface TokenCall {
  readonly operation: RestOperation;
  /** Path parameters. They include `guildId` if the path has one. */
  readonly params: Readonly<Record<string, string>>;
  readonly guildId: string | null;
  readonly address: string;
  readonly requestId: string;
  /** Reads and parses the input. Called only once the caller may learn whether it is valid. */
  readonly readInput: () => Promise<ReadInput<RestOperation>>;
}

export interface Authorized {
  readonly token: AdmittedToken;
  readonly call: Call<RestOperation>;
  /** `_confirmation` as sent. */
  readonly confirmation: string | undefined;
  /** Why the guild's own settings deny the call, which its submission then refuses; null if they allow it. */
  readonly deniedBecause: ForbiddenReason | null;
}

/** What the guard checks about a token and its call before it reads the input. */
interface TokenCheck {
  readonly name: 'address' | 'revoked' | 'expired' | 'guild' | 'tier' | 'mirror' | 'capability';
  /** Whether a refusal here of a destructive call is recorded in the audit log. Those of dead tokens are not. */
  readonly recorded?: true;
  /** Null if the check passes. */
  readonly refusal: (token: AdmittedToken, call: TokenCall) => ApiError | null;
}

/** Steps 5 to 9 of decisions: Request pipeline. The order decides which problem a caller learns of first. */
export const TOKEN_CHECKS: readonly TokenCheck[] = [
  {
    name: 'address',
    recorded: true,
    refusal: (token, { address }) => {
      if (addressAllowed(token.ipAllowlist, address)) return null;
      const message = `The token "${token.name}" is not allowed from ${address}. Its owner can add this address.`;
      return new ApiError('TOKEN_IP_NOT_ALLOWED', message);
    },
  },
  {
    name: 'revoked',
    refusal: ({ revoked }) =>
      revoked
        ? new ApiError('TOKEN_REVOKED', 'This token was revoked. Ask the guild owner for a new one.')
        : null,
  },
  {
    name: 'expired',
    refusal: ({ expired }) =>
      expired ? new ApiError('TOKEN_EXPIRED', 'This token has expired. The guild owner can renew it.') : null,
  },
  {
    name: 'guild',
    refusal: ({ guild }, { guildId }) =>
      guildId === null || guildId === guild.id
        ? null
        : new ApiError('FORBIDDEN', 'This token is for another guild.', {
            details: { reason: 'OTHER_GUILD' },
          }),
  },
  {
    name: 'tier',
    refusal: ({ guild }) =>
      guild.tier === 'free'
        ? new ApiError('TOKEN_REVOKED', 'The guild has left the paid tier, and its tokens with it.')
        : null,
  },
  {
    name: 'mirror',
    // `me` says so itself, and why.
    refusal: ({ mirrorFresh, mirrorState }, { operation }) =>
      mirrorFresh || operation === 'me' ? null : mirrorAway(mirrorState, 'what you may do'),
  },
  {
    name: 'capability',
    recorded: true,
    refusal: (token, { operation, params }) => {
      const needed = capabilityNeeded(operation, token, params.caseId);
      return needed === null || token.capabilities.includes(needed)
        ? null
        : capabilityDenied(needed, 'The token may not do this now');
    },
  },
];

/**
 * The admitted token and parsed call: the guard of every call over a token, steps 4 to 10 of decisions: Request
 * pipeline, in that order. Steps 11 and 12 refuse a call in the transaction that records it: `write-call.ts`.
 *
 * @param onToken receives the token as soon as it is known, for the rate limit headers of the answer.
 * @param forStore how long the caller can still wait for the database.
 * @throws ApiError of the first check that fails. Refusals of destructive calls are recorded in the audit log first.
 */
export async function authorize(
  { db }: Engine,
  call: TokenCall & {
    readonly authorization: string | null;
    /** The token of the call, if that was asked for already, without the action that the call names. */
    readonly admitting?: Promise<AdmittedToken | null> | undefined;
  },
  onToken: (token: AdmittedToken) => void,
  forStore: Patience = patience(),
): Promise<Authorized> {
  const bearer = bearerSecret(call.authorization);
  if (bearer.kind !== 'secret') throw unusableToken();
  const actionId = actionIdOf(call);
  const early = actionId === null ? call.admitting : undefined;
  const token = await forStore.within(early ?? admit(db, bearer.secret, actionId));
  if (token === null) throw unusableToken();
  onToken(token);

  for (const { refusal, recorded } of TOKEN_CHECKS) {
    const error = refusal(token, call);
    if (error === null) continue;
    if (recorded === true && !token.revoked && !token.expired && canBeDestructive(call.operation))
      await forStore.within(auditRefusal(db, token, call, error.code));
    throw error;
  }
  const parsed = await forStore.aside(call.readInput());
  if (!parsed.ok) throw inputRefused(parsed);
  const read = callOf(call.operation, parsed.input);
  const deniedBecause = await forStore.within(settingsDenial(db, token.guild.id, read));
  return { token, call: read, confirmation: parsed.confirmation, deniedBecause };
}

export function inputRefused({ status, issues }: Extract<ReadInput<RestOperation>, { ok: false }>): ApiError {
  return new ApiError('VALIDATION_FAILED', sayIssues(issues), { status, details: { issues } });
}

/**
 * Authorizes a person in chat or the dashboard: the mirror must be fresh, and the person must hold the capability. Who
 * began an action may act on it without.
 *
 * @param call.actionId of an operation on an action: which one
 * @param call.caseId of an operation on a case: which one
 * @returns the person's current capabilities
 * @throws ApiError UPSTREAM_UNAVAILABLE, CAPABILITY_DENIED or NOT_FOUND.
 */
export async function authorizePerson(
  { db }: Engine,
  call: {
    operation: OperationName;
    guildId: string;
    userId: string;
    actionId?: string | undefined;
    caseId?: string | undefined;
  },
): Promise<readonly Capability[]> {
  const member = await liveMember(db, call.guildId, call.userId);
  if (member === null) throw new ApiError('NOT_FOUND', 'Bailiff does not know this guild.');
  if (!member.mirrorFresh) throw mirrorAway(member.mirrorState, 'what you may do');
  // If there is no such action, the operation itself reports that.
  const action = call.actionId === undefined ? null : await getAction(db, call.guildId, call.actionId);
  const capability = capabilityOf(action?.operation ?? call.operation, action?.targetId ?? call.caseId);
  const isOwn = action?.actor.userId === call.userId;
  if (capability !== null && !isOwn && !member.capabilities.includes(capability)) {
    throw capabilityDenied(capability, 'You may not do this');
  }
  return member.capabilities;
}

/**
 * The capability that an operation needs. Null if it needs none, or if another operation or each case decides.
 *
 * @param caseId the case that the call is about, whose kind decides
 */
export function capabilityOf(operation: OperationName, caseId?: string | null): Capability | null {
  const { capability, tier } = entryOf(operation);
  if (capability === 'of_case') {
    const kind = kindOfCaseId(caseId ?? '');
    return kind === null ? null : caseKind(kind)[tier === 'read' ? 'reader' : 'writer'];
  }
  return CAPABILITIES.find((name) => name === capability) ?? null;
}

/**
 * The action id in the path, if it is a valid one. The path itself is checked later, and PostgreSQL does not accept
 * U+0000.
 */
export function actionIdOf({ params: { actionId = '' } }: TokenCall): string | null {
  return ACTION_ID.safeParse(actionId).success ? actionId : null;
}

/** As {@link capabilityOf}. For an operation on an action it is the capability of what that action does. */
export function capabilityNeeded(
  operation: OperationName,
  { actionOperation, actionTarget }: Pick<AdmittedToken, 'actionOperation' | 'actionTarget'>,
  caseId?: string,
): Capability | null {
  if (entryOf(operation).capability !== 'of_action') return capabilityOf(operation, caseId);
  // If there is no such action, or if only people do what it does, the operation itself answers that there is none.
  const of = REST_OPERATION_NAMES.find((name) => name === actionOperation);
  return of === undefined ? null : capabilityOf(of, actionTarget);
}

/** The case that a call is about, if its operation takes one of any kind. */
export function caseIdOf({ input }: Pick<Call, 'input'>): string | undefined {
  if ('case_id' in input) return input.case_id;
  return 'caseId' in input ? input.caseId : undefined;
}

/** Missing, malformed and unknown tokens give the same answer (decisions: Errors). */
export function unusableToken(): ApiError {
  const message = 'Send a token of this service as "Authorization: Bearer svcpat_…".';
  return new ApiError('UNAUTHORIZED', message, { details: { reason: 'TOKEN_INVALID' } });
}

export function capabilityDenied(capability: Capability, lead: string): ApiError {
  const message = `${lead}: it needs the capability ${capability}, which the guild owner grants in the dashboard.`;
  return new ApiError('CAPABILITY_DENIED', message, { details: { missing: [capability] } });
}

function sayIssues(issues: readonly { path: string; message: string }[]): string {
  const first = issues[0];
  if (first === undefined) return 'The request is not valid.';
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return `${first.path === '' ? 'The request' : first.path}: ${first.message}${more}`;
}
