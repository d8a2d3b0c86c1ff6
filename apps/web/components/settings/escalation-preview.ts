import type { EscalationStep, Severity } from '@bailiff/core';

/** A policy as typed so far. */
export interface Draft {
  readonly minorPoints: number;
  readonly majorPoints: number;
  readonly steps: readonly EscalationStep[];
}

/** How many strikes of one severity lead to which step. */
export interface Consequence {
  readonly severity: Severity;
  readonly strikes: number;
  readonly step: EscalationStep;
}

/**
 * Examples of a policy: which steps repeated strikes of one severity lead to. A step that they jump over is left out.
 */
export function consequencesOf({ minorPoints, majorPoints, steps }: Draft): Consequence[] {
  const pointsBySeverity = [
    ['minor', minorPoints],
    ['major', majorPoints],
  ] as const;
  return pointsBySeverity.flatMap(([severity, pointsPerStrike]) => {
    if (pointsPerStrike < 1) return [];
    const stepByStrikes = new Map<number, EscalationStep>();
    for (const step of steps.toSorted((one, other) => one.points - other.points)) {
      // If one strike reaches several steps, the highest applies.
      stepByStrikes.set(Math.ceil(step.points / pointsPerStrike), step);
    }
    return [...stepByStrikes].map(([strikes, step]) => ({ severity, strikes, step }));
  });
}
