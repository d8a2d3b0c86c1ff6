import type { Database } from '@bailiff/prisma';
import type { Waiters } from '#src/database/waiters.ts';

/** What a process needs to take calls: the database, word of ended actions, and where people approve. */
export interface Engine {
  readonly db: Database;
  readonly waiters: Waiters;
  /** Origin of the dashboard, without a trailing slash. */
  readonly publicUrl: string;
}

/** How long a call may take, in milliseconds; a caller is answered within ten seconds (hazards G14). */
export const DEADLINES = {
  /** Until the database must have answered what a call asks before its effect (hazards G6: 503 within two seconds). */
  storeMs: 1_800,
  /** Until a worker must have taken an action up. */
  claimMs: 3_000,
  /** Until a worker must have settled it. */
  performMs: 8_000,
  /** Until the caller is told that the outcome is unknown. */
  answerMs: 9_000,
} as const;
