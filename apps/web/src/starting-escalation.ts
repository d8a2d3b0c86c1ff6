import type { EscalationWire } from '@bailiff/engine/cases/escalation';

const A_DAY_MINUTES = 1_440;

/** What is proposed to a guild without steps. Nothing of it is in force before the owner has seen and saved it. */
export const STARTING_ESCALATION: EscalationWire = {
  minor_points: 1,
  major_points: 3,
  decay_days: 90,
  steps: [
    { points: 3, sanction: 'mute', duration_minutes: 60 },
    { points: 6, sanction: 'mute', duration_minutes: A_DAY_MINUTES },
    { points: 9, sanction: 'mute', duration_minutes: 7 * A_DAY_MINUTES },
    { points: 12, sanction: 'ban', duration_minutes: null },
  ],
};
