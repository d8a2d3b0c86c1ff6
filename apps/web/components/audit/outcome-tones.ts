import type { AuditOutcome } from '@bailiff/core';

/** The tone of the badge for each outcome of an audit row. */
export const OUTCOME_TONES = {
  requested: 'waiting',
  performed: 'good',
  failed: 'bad',
  unknown: 'warn',
  cancelled: 'off',
  refused: 'bad',
} as const satisfies Record<AuditOutcome, string>;
