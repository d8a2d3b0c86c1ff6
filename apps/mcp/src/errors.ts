import { randomBytes } from 'node:crypto';
import { ERRORS, type ErrorCode, type ErrorEnvelope, type Issue } from '@bailiff/core';

const OWN = 'mcp_';

/** An error envelope (spec §7) for a call that was not sent, or not answered. */
export function envelopeOf(
  code: ErrorCode,
  message: string,
  details: object = {},
  retryable: boolean = ERRORS[code].retryable,
): ErrorEnvelope {
  return {
    error: {
      code,
      message,
      retryable,
      request_id: `${OWN}${randomBytes(12).toString('hex')}`,
      details,
    },
  };
}

/** The system's name for a failure, such as ECONNREFUSED, if it has one. */
export function codeOf(error: unknown): string {
  const { name, cause } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? name;
}

/** The error for wrong arguments of a tool. */
export function invalidArguments(issues: readonly Issue[]): ErrorEnvelope {
  const [first] = issues;
  const what = first === undefined ? '' : `: ${first.path} ${first.message}`;
  return envelopeOf('VALIDATION_FAILED', `The arguments are wrong${what}. Nothing was sent.`, { issues });
}
