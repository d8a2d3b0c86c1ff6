import type { AppealState } from '@bailiff/core';
import type { AppealRow } from '@bailiff/engine/appeals/appeals';

/** The tone of the badge for each state. */
export const STATE_TONES = {
  sent: 'waiting',
  in_review: 'waiting',
  accepted: 'good',
  refused: 'bad',
  over: 'off',
} as const satisfies Record<AppealState, string>;

/** The state to show: an appeal that nobody decided is over once its case has ended. */
export function shownState({
  active,
  decided_at,
  state,
}: Pick<AppealRow, 'active' | 'decided_at' | 'state'>): AppealState {
  return active || decided_at !== null ? state : 'over';
}
