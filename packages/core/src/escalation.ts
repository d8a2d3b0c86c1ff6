import { z } from 'zod';
import { Minutes, type Severity } from './operations/shapes.ts';

/** What happens to a member who reaches so many points. */
export interface EscalationStep {
  readonly points: number;
  readonly sanction: 'mute' | 'ban';
  /** Null is for good; a mute has always one. */
  readonly durationMinutes: number | null;
}

/** What a guild's strikes add up to, and what follows. Without steps, nothing does. */
export interface EscalationPolicy {
  readonly minorPoints: number;
  readonly majorPoints: number;
  /** A strike older than this counts no more; null: it always counts. */
  readonly decayDays: number | null;
  /** By points. */
  readonly steps: readonly EscalationStep[];
}

/** A strike of a member, as the policy sees it. */
export interface CountedStrike {
  readonly severity: Severity;
  readonly issuedAt: Date;
  /** Not removed. */
  readonly active: boolean;
  /** Whether a person gave it. What a token does leads to nothing by itself (decisions: Escalation). */
  readonly byPerson: boolean;
}

/** What one more strike does to somebody's points. */
export interface Escalation {
  readonly pointsBefore: number;
  readonly pointsAfter: number;
  /** What follows from it; null where nothing does. */
  readonly step: EscalationStep | null;
}

export const MOST_ESCALATION_STEPS = 10;
export const MOST_ESCALATION_POINTS = 1_000;

const DAY_MS = 86_400_000;

/** What counts of a guild that has set nothing. */
export const NO_ESCALATION: EscalationPolicy = {
  minorPoints: 1,
  majorPoints: 3,
  decayDays: null,
  steps: [],
};

/** Points that these strikes are worth at a time. */
export function pointsOf(policy: EscalationPolicy, strikes: readonly CountedStrike[], now: Date): number {
  return strikes
    .filter((strike) => strike.active && !isDecayed(policy, strike, now))
    .reduce((sum, { severity }) => sum + worthOf(policy, severity), 0);
}

/**
 * What the last of these strikes does, by itself. The step it reaches is the highest whose points are there now and were
 * not with the last strike of a person before it: what the strikes of tokens since have reached falls due with it.
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

function highestStep(policy: EscalationPolicy, before: number, after: number): EscalationStep | null {
  return policy.steps
    .filter(({ points }) => points > before && points <= after)
    .reduce<EscalationStep | null>(
      (highest, step) => (highest === null || step.points > highest.points ? step : highest),
      null,
    );
}

function worthOf(policy: EscalationPolicy, severity: Severity): number {
  return severity === 'major' ? policy.majorPoints : policy.minorPoints;
}

function isDecayed({ decayDays }: EscalationPolicy, { issuedAt }: CountedStrike, now: Date): boolean {
  return decayDays !== null && now.getTime() - issuedAt.getTime() >= decayDays * DAY_MS;
}

/** Whether two answers to the same question lead to the same. */
export function isSameStep(one: EscalationStep | null, other: EscalationStep | null): boolean {
  if (one === null || other === null) return one === other;
  return (
    one.points === other.points &&
    one.sanction === other.sanction &&
    one.durationMinutes === other.durationMinutes
  );
}

const Worth = z.int().min(0).max(100);

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

/** A policy as its owner sends it; the steps come out by points. */
export const EscalationInput = z
  .strictObject({
    minor_points: Worth,
    major_points: Worth,
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
