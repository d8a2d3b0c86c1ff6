import type { DetailsOf, ErrorCode, ErrorEnvelope } from './operations.ts';

/** The API's error codes, two for calls that Bailiff did not answer, and what ended a wait. */
export type FailureCode = ErrorCode | 'NO_ANSWER' | 'UNEXPECTED_ANSWER' | 'STILL_RUNNING' | 'NOT_APPROVED';

/** Why an attempt did not succeed. */
export interface Failure {
  readonly code: FailureCode;
  readonly message: string;
  readonly status?: number;
  readonly details?: object;
  readonly requestId?: string;
  readonly retryable: boolean;
  readonly retryAfterSeconds?: number;
  readonly mayHaveHappened: boolean;
  /** Whether it is the stored answer to an earlier attempt. */
  readonly isReplay?: boolean;
  readonly envelope?: ErrorEnvelope;
  readonly cause?: unknown;
}

/** An error whose code is known, with the details of that code. */
type ErrorOf<C extends FailureCode> = BailiffError & {
  readonly code: C;
  readonly details: C extends ErrorCode ? DetailsOf<C> : undefined;
};

/** A call that did not succeed. */
export class BailiffError extends Error {
  override readonly name = 'BailiffError';
  /**
   * `NO_ANSWER`: the connection failed, broke or timed out. `UNEXPECTED_ANSWER`: the answer is not from Bailiff, for
   * example a proxy's error page or a redirect. `STILL_RUNNING`: the action was begun and may go on, and
   * `details.action_id` names it. `NOT_APPROVED`: the owner refused, withdrew or did not decide in time, as
   * `details.approval_state` says.
   */
  readonly code: FailureCode;
  /** HTTP status; undefined without an answer. */
  readonly status: number | undefined;
  /** Details of the error, by its code; `is` narrows their type. */
  readonly details: object | undefined;
  /** The id to quote when you report the error; undefined when Bailiff did not answer. */
  readonly requestId: string | undefined;
  /** Whether the same call may succeed later. The client has already repeated it within its bounds. */
  readonly retryable: boolean;
  /** How many seconds the answer asked to wait. */
  readonly retryAfterSeconds: number | undefined;
  /** Whether a write may have been carried out, by the last attempt or an earlier one. */
  readonly mayHaveHappened: boolean;
  /** The error as Bailiff sent it, to pass it on; undefined when Bailiff did not answer. */
  readonly envelope: ErrorEnvelope | undefined;

  constructor({ message, cause, ...failure }: Failure) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = failure.code;
    this.status = failure.status;
    this.details = failure.details;
    this.requestId = failure.requestId;
    this.retryable = failure.retryable;
    this.retryAfterSeconds = failure.retryAfterSeconds;
    this.mayHaveHappened = failure.mayHaveHappened;
    this.envelope = failure.envelope;
  }

  /** Whether the error has this code. */
  is<C extends FailureCode>(code: C): this is ErrorOf<C> {
    return this.code === code;
  }
}
