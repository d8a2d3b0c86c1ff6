import type { AppealState } from '@bailiff/core';

/** The tone of the badge for each state. */
export const STATE_TONES = {
  sent: 'waiting',
  in_review: 'waiting',
  accepted: 'good',
  refused: 'bad',
  over: 'off',
} as const satisfies Record<AppealState, string>;
