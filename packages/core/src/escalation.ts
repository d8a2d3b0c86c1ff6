import { z } from 'zod';
import { Minutes, type Severity } from './operations/shapes.ts';

/** The sanction for a member who reaches a number of points. */
export interface EscalationStep {
  readonly points: number;
  readonly sanction: 'mute' | 'ban';
  /** Null: permanent. A mute always has a duration. */
  readonly durationMinutes: number | null;
}

/** How a guild counts strikes, and which sanctions follow. Without steps there are no sanctions. */
export interface EscalationPolicy {
  readonly minorPoints: number;
  readonly majorPoints: number;
  /** Strikes older than this no longer count. Null: strikes always count. */
  readonly decayDays: number | null;
  /** Sorted by points. */
  readonly steps: readonly EscalationStep[];
}

/** What the policy needs to know about a strike. */
export interface CountedStrike {
  readonly severity: Severity;
  readonly issuedAt: Date;
  /** Whether the strike has not been removed. */
  readonly active: boolean;
  /** Whether a person gave it. A strike by a token never causes a sanction by itself (decisions: Escalation). */
  readonly byPerson: boolean;
}

/** A member's points before and after a strike, and the sanction it causes. */
export interface Escalation {
  readonly pointsBefore: number;
  readonly pointsAfter: number;
  /** The step that the strike reaches; null when it reaches none. */
  readonly step: EscalationStep | null;
}

export const MOST_ESCALATION_STEPS = 10;
export const MOST_ESCALATION_POINTS = 1_000;

const DAY_MS = 86_400_000;

/** The policy of a guild that has not set one. */
export const NO_ESCALATION: EscalationPolicy = {
  minorPoints: 1,
  majorPoints: 3,
  decayDays: null,
  steps: [],
};

/** The sum of the points of these strikes at a time. */
export function pointsOf(policy: EscalationPolicy, strikes: readonly CountedStrike[], now: Date): number {
  return strikes
    .filter((strike) => strike.active && !isDecayed(policy, strike, now))
    .reduce((sum, { severity }) => sum + pointsOfSeverity(policy, severity), 0);
}

/**
 * The points before and after the last of these strikes, and the step it reaches. That is the highest step between the
 * points after the last earlier strike by a person and the points now, so steps that only strikes by tokens have
 * reached since then are included.
 *
 * @param strikes of one member, in the order in which they were given; the last one is judged
 * @param now when it was given
 */
export function escalationOf(
  policy: EscalationPolicy,
  strikes: readonly CountedStrike[],
  now: Date,
): Escalation {
  const before = strikes.slice(0, -1);
  const judged = strikes.at(-1);
  const pointsBefore = pointsOf(policy, before, now);
  const pointsAfter = pointsOf(policy, strikes, now);
  if (judged === undefined || !judged.active || !judged.byPerson) {
    return { pointsBefore, pointsAfter, step: null };
  }
  const seen = before.findLastIndex(({ byPerson }) => byPerson);
  const reachedBefore = pointsOf(policy, before.slice(0, seen + 1), now);
  return { pointsBefore, pointsAfter, step: highestStep(policy, reachedBefore, pointsAfter) };
}

function highestStep({ steps }: EscalationPolicy, before: number, after: number): EscalationStep | null {
  return steps.findLast(({ points }) => points > before && points <= after) ?? null;
}

function pointsOfSeverity(policy: EscalationPolicy, severity: Severity): number {
  return severity === 'major' ? policy.majorPoints : policy.minorPoints;
}

function isDecayed({ decayDays }: EscalationPolicy, { issuedAt }: CountedStrike, now: Date): boolean {
  return decayDays !== null && now.getTime() - issuedAt.getTime() >= decayDays * DAY_MS;
}

/** Whether two steps mean the same sanction. */
export function isSameStep(one: EscalationStep | null, other: EscalationStep | null): boolean {
  if (one === null || other === null) return one === other;
  return (
    one.points === other.points &&
    one.sanction === other.sanction &&
    one.durationMinutes === other.durationMinutes
  );
}

const SeverityPoints = z.int().min(0).max(100);

const StepInput = z
  .strictObject({
    points: z.int().min(1).max(MOST_ESCALATION_POINTS),
    sanction: z.enum(['mute', 'ban']),
    duration_minutes: Minutes.nullable().default(null),
  })
  .refine(({ sanction, duration_minutes }) => sanction === 'ban' || duration_minutes !== null, {
    path: ['duration_minutes'],
    error: 'a mute has a length',
  })
  .transform(
    ({ points, sanction, duration_minutes }): EscalationStep => ({
      points,
      sanction,
      durationMinutes: duration_minutes,
    }),
  );

/** Schema of a policy in a request. The steps are sorted by points. */
export const EscalationInput = z
  .strictObject({
    minor_points: SeverityPoints,
    major_points: SeverityPoints,
    decay_days: z.int().min(1).max(3_650).nullable().default(null),
    steps: z.array(StepInput).max(MOST_ESCALATION_STEPS),
  })
  .superRefine(({ steps }, context) => {
    const seen = new Set<number>();
    for (const [index, { points }] of steps.entries()) {
      if (seen.has(points)) {
        const path = ['steps', index, 'points'];
        context.addIssue({ code: 'custom', path, message: 'another step has as many points' });
      }
      seen.add(points);
    }
  })
  .transform(
    ({ minor_points, major_points, decay_days, steps }): EscalationPolicy => ({
      minorPoints: minor_points,
      majorPoints: major_points,
      decayDays: decay_days,
      steps: steps.toSorted((a, b) => a.points - b.points),
    }),
  );
