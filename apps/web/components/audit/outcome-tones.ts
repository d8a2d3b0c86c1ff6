import type { AuditOutcome } from '@bailiff/core';

/** The tone of the badge for each outcome of an audit row. */
export const OUTCOME_TONES = {
  requested: 'warn',
  performed: 'good',
  failed: 'bad',
  unknown: 'warn',
  cancelled: 'off',
  refused: 'bad',
} as const satisfies Record<AuditOutcome, string>;

/** The word for the outcome of an audit row, and the tone of its badge. A call that needs approval is not over. */
export function outcomeOf({ outcome, code }: { outcome: AuditOutcome; code: string | null }) {
  if (code === 'RE_AUTH_REQUIRED') return { word: 'needsApproval', tone: 'warn' } as const;
  return { word: outcome, tone: OUTCOME_TONES[outcome] } as const;
}
