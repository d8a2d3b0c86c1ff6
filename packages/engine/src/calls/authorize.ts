import {
  ApiError,
  addressAllowed,
  bearerSecret,
  CAPABILITIES,
  type Call,
  type Capability,
  callOf,
  canBeDestructive,
  entryOf,
  id,
  isOperationName,
  type OperationName,
  type ReadInput,
  type RestOperation,
} from '@bailiff/core';
import { type Patience, patience } from '#src/database/database-errors.ts';
import type { Engine } from '#src/engine.ts';
import { type AdmittedToken, admit, liveMember } from './admission.ts';
import { auditRefusal } from './record-refusal.ts';
import { settingsRefusal } from './settings-refusal.ts';

const ACTION_ID = id('action');

/** A call as it arrives over a token, before anything about it is believed. */
export interface TokenCall {
  readonly operation: RestOperation;
  /** Parameters of the path, `guildId` among them where the path has one. */
  readonly params: Readonly<Record<string, string>>;
  readonly guildId: string | null;
  readonly address: string;
  readonly requestId: string;
  /** Reads and parses the input; called once the caller may know whether it is right. */
  readonly readInput: () => Promise<ReadInput<RestOperation>>;
}

export interface Authorized {
  readonly token: AdmittedToken;
  readonly call: Call<RestOperation>;
  /** `_confirmation` as sent. */
  readonly confirmation: string | undefined;
}

/** What the guard asks about a token and its call before it reads the input. */
interface TokenCheck {
  readonly name: 'address' | 'revoked' | 'expired' | 'guild' | 'tier' | 'mirror' | 'capability';
  /** A destructive call refused here leaves a row in the audit log. */
  readonly recorded?: true;
  /** Null when nothing stands against the call. */
  readonly refusal: (token: AdmittedToken, call: TokenCall) => ApiError | null;
}

/** Steps 5 to 9 of decisions: Request pipeline, in the order in which a caller may learn of them. */
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
  { name: 'mirror', refusal: ({ mirrorFresh }) => (mirrorFresh ? null : mirrorStale()) },
  {
    name: 'capability',
    recorded: true,
    refusal: (token, { operation }) => {
      const needed = capabilityNeeded(operation, token);
      return needed === null || token.capabilities.includes(needed)
        ? null
        : capabilityDenied(needed, 'The token may not do this now');
    },
  },
];

/**
 * The guard of every call over a token, steps 4 to 10 of decisions: Request pipeline, in that order. Window, sentinel
 * and budgets (11, 12) are judged in the transaction that records the call: `perform-call.ts`.
 *
 * @param onToken is told of the token as soon as it is known, for the limits in the answer's header.
 * @param forStore is what the caller has left of waiting for the database.
 * @throws ApiError of the first check that fails; refusals of destructive calls are in the audit log then.
 */
export async function authorize(
  { db }: Engine,
  call: TokenCall & { readonly authorization: string | null },
  onToken: (token: AdmittedToken) => void,
  forStore: Patience = patience(),
): Promise<Authorized> {
  const bearer = bearerSecret(call.authorization);
  if (bearer.kind !== 'secret') throw unusableToken();
  const token = await forStore.within(admit(db, bearer.secret, actionIdOf(call)));
  if (token === null) throw unusableToken();
  onToken(token);

  const refuse = async (error: ApiError): Promise<never> => {
    if (canBeDestructive(call.operation)) await forStore.within(auditRefusal(db, token, call, error.code));
    throw error;
  };

  for (const { refusal, recorded } of TOKEN_CHECKS) {
    const error = refusal(token, call);
    if (error === null) continue;
    if (recorded === true) return refuse(error);
    throw error;
  }
  const parsed = await forStore.aside(call.readInput());
  if (!parsed.ok) throw inputRefused(parsed);
  const read = callOf(call.operation, parsed.input);
  const against = await forStore.within(settingsRefusal(db, token.guild.id, read));
  if (against !== null) return refuse(against);
  return { token, call: read, confirmation: parsed.confirmation };
}

export function inputRefused({ status, issues }: Extract<ReadInput<RestOperation>, { ok: false }>): ApiError {
  return new ApiError('VALIDATION_FAILED', sayIssues(issues), { status, details: { issues } });
}

/**
 * The same question for a person in chat or in the dashboard: is the mirror fresh, and do they hold the capability?
 *
 * @returns what they may do now
 * @throws ApiError UPSTREAM_UNAVAILABLE, CAPABILITY_DENIED or NOT_FOUND.
 */
export async function authorizePerson(
  { db }: Engine,
  call: { operation: OperationName; guildId: string; userId: string },
): Promise<readonly Capability[]> {
  const member = await liveMember(db, call.guildId, call.userId);
  if (member === null) throw new ApiError('NOT_FOUND', 'Bailiff does not know this guild.');
  if (!member.mirrorFresh) throw mirrorStale();
  const capability = capabilityOf(call.operation);
  if (capability !== null && !member.capabilities.includes(capability)) {
    throw capabilityDenied(capability, 'You may not do this');
  }
  return member.capabilities;
}

/** What an operation itself needs; null where it needs nothing, or what another operation or each case needs. */
export function capabilityOf(operation: OperationName): Capability | null {
  const { capability } = entryOf(operation);
  return CAPABILITIES.find((name) => name === capability) ?? null;
}

/** The action of the path, where it can be one: the path is checked only later, and PostgreSQL takes no U+0000. */
export function actionIdOf({ params: { actionId = '' } }: TokenCall): string | null {
  return ACTION_ID.safeParse(actionId).success ? actionId : null;
}

function capabilityNeeded(operation: OperationName, { actionOperation }: AdmittedToken): Capability | null {
  if (entryOf(operation).capability !== 'of_action') return capabilityOf(operation);
  // Where there is no such action, the read itself says so.
  return actionOperation === null || !isOperationName(actionOperation) ? null : capabilityOf(actionOperation);
}

/** Missing, malformed and unknown tokens are one answer (decisions: Errors). */
export function unusableToken(): ApiError {
  const message = 'Send a token of this service as "Authorization: Bearer svcpat_…".';
  return new ApiError('UNAUTHORIZED', message, { details: { reason: 'TOKEN_INVALID' } });
}

function mirrorStale(): ApiError {
  const message =
    'The bot is not connected to Discord, so nobody can say what you may do now. Try again in a minute.';
  return new ApiError('UPSTREAM_UNAVAILABLE', message, {
    details: { upstream: 'bot', outcome: 'not_performed', retry_after_seconds: 30 },
  });
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
