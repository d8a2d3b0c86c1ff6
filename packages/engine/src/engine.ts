import type { Database } from '@bailiff/prisma';
import type { Waiters } from '#src/database/waiters.ts';

/**
 * What a process needs to handle calls: the database, notifications of ended actions, and the address where people
 * approve.
 */
export interface Engine {
  readonly db: Database;
  readonly waiters: Waiters;
  /** Origin of the dashboard, without a trailing slash. */
  readonly dashboardUrl: string;
}

/** Limits of a call's steps, in milliseconds. A caller gets an answer within ten seconds (hazards G14). */
export const DEADLINES = {
  /** Time for the database to answer what a call reads before its effect (hazards G6: 503 within two seconds). */
  storeMs: 1_800,
  /** Time for a worker to claim an action. */
  claimMs: 3_000,
  /** Time for a worker to settle it. */
  performMs: 8_000,
  /** Time until the caller gets "outcome unknown". */
  answerMs: 9_000,
} as const;
