import type { AuditOutcome } from '@bailiff/core';

/** How the outcome of an audit row looks. */
export const OUTCOME_TONES = {
  requested: 'waiting',
  performed: 'good',
  failed: 'bad',
  unknown: 'warn',
  cancelled: 'off',
  refused: 'bad',
} as const satisfies Record<AuditOutcome, string>;
