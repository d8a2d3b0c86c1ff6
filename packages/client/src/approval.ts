import type { Environment } from './environment.ts';
import { BailiffError } from './error.ts';
import type { DetailsOf, Outputs } from './operations.ts';

/** What became of an approval request. */
export type Approval = Outputs['approvals.get'];

/** What the owner is asked: show them `reauth_url`. */
export type AskedApproval = Extract<DetailsOf<'RE_AUTH_REQUIRED'>, { approval_state: 'pending' | 'refused' }>;

/** How a call waits for the guild's owner. */
export interface ApprovalOptions {
  /** Receives where the owner decides, once for each request. */
  readonly onAsked?: (asked: AskedApproval) => void;
  /** How long to wait for the decision, in milliseconds; default: an hour, after which a request lapses. */
  readonly waitMs?: number;
}

/** How long one request waits for a decision. */
export const FOLLOW_SECONDS = 30;
/** How long to wait for a decision: a request lapses then. */
export const APPROVAL_WAIT_MS = 60 * 60_000;
const PAUSE_SECONDS = 5;
const GIVEN: ReadonlySet<string> = new Set<Approval['state']>(['approved', 'used']);
/** A request in another state, also in one that this client does not know, has no decision yet. */
const NOT_GIVEN: ReadonlySet<string> = new Set<Approval['state']>(['refused', 'withdrawn', 'lapsed']);

/** A request for an approval that has no decision yet, or its decision; and how long to wait before the next look. */
export interface Look {
  readonly approval: Approval;
  readonly retryAfterSeconds: number | undefined;
  /** Whether the answer already waited. */
  readonly hasWaited: boolean;
}

/** How long to look for a decision. */
export interface Waiting {
  readonly waitMs: number;
  /** How long the first look may take at least, also where that is more than `waitMs`. */
  readonly firstLookMs: number;
  /** Where Bailiff has just said that the request has no decision. */
  readonly asked?: AskedApproval;
}

/** The request that an error is about, if the owner is asked. */
export function askedIn(error: unknown): AskedApproval | undefined {
  if (!(error instanceof BailiffError && error.is('RE_AUTH_REQUIRED'))) return undefined;
  const { details } = error;
  return details?.approval_state === 'pending' ? details : undefined;
}

/**
 * The approval once it is given, or the call was made. A temporary error of a look decides nothing: it is made again.
 *
 * @param look asks for the request, with the milliseconds that it may take
 * @throws BailiffError NOT_APPROVED if it is refused, withdrawn or lapsed, or nobody has decided within `waitMs`
 * @throws BailiffError of the last look, if there is no time for another
 * @throws the reason of `signal` when it aborts
 */
export async function untilApproved(
  look: (withinMs: number) => Promise<Look>,
  { waitMs, firstLookMs, asked }: Waiting,
  environment: Environment,
  signal: AbortSignal,
): Promise<Approval> {
  const until = environment.now() + waitMs;
  const left = () => until - environment.now();
  let known = asked && notApproved(asked.approval_id, asked.approval_state);
  for (let withinMs = Math.max(waitMs, firstLookMs); ; withinMs = left()) {
    const seen = await look(withinMs).catch(temporary);
    if (seen instanceof BailiffError) {
      // A pause of 0 would ask without any.
      const pauseMs = (seen.retryAfterSeconds || PAUSE_SECONDS) * 1_000;
      // The end of the wait may have cut this look short: what was known before still holds.
      if (left() - pauseMs < 1) throw seen.code === 'NO_ANSWER' ? (known ?? seen) : seen;
      known = seen;
      await environment.sleep(pauseMs, signal);
      continue;
    }
    const { approval, retryAfterSeconds = PAUSE_SECONDS, hasWaited } = seen;
    if (GIVEN.has(approval.state)) return approval;
    known = notApproved(approval.id, approval.state);
    if (NOT_GIVEN.has(approval.state)) throw known;
    if (left() > 0 && (!hasWaited || approval.state !== 'pending'))
      await environment.sleep(Math.min(retryAfterSeconds * 1_000, left()), signal);
    // Timers take no part of a millisecond.
    if (left() < 1) throw known;
  }
}

function temporary(error: unknown): BailiffError {
  if (error instanceof BailiffError && error.retryable) return error;
  throw error;
}

function notApproved(id: string, state: Approval['state']): BailiffError {
  const message = NOT_GIVEN.has(state)
    ? `The approval was not given: it is ${state}.`
    : 'The guild owner has not decided yet.';
  const details = { approval_id: id, approval_state: state };
  return new BailiffError({
    code: 'NOT_APPROVED',
    message,
    details,
    retryable: false,
    mayHaveHappened: false,
  });
}
