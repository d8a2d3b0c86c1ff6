import { randomBytes } from 'node:crypto';
import { ERRORS, type ErrorCode, type ErrorEnvelope, type Issue } from '@bailiff/core';

const OWN = 'mcp_';

/** Whether the request of that id never got an answer of the instance's. */
export function isOwn(requestId: string): boolean {
  return requestId.startsWith(OWN);
}

/** An error of this process in the envelope of all others (spec §7): of a call that was not sent, or not answered. */
export function envelopeOf(
  code: ErrorCode,
  message: string,
  details?: object,
  retryable: boolean = ERRORS[code].retryable,
): ErrorEnvelope {
  return {
    error: {
      code,
      message,
      retryable,
      request_id: `${OWN}${randomBytes(12).toString('hex')}`,
      ...(details === undefined ? {} : { details }),
    },
  };
}

/** What is wrong with a tool's arguments. */
export function invalidArguments(issues: readonly Issue[]): ErrorEnvelope {
  const [first] = issues;
  const what = first === undefined ? '' : `: ${first.path} ${first.message}`;
  return envelopeOf('VALIDATION_FAILED', `The arguments are wrong${what}. Nothing was sent.`, { issues });
}
