import type { EscalationStep, Severity } from '@bailiff/core';

/** A policy as it is being typed. */
export interface Draft {
  readonly minorPoints: number;
  readonly majorPoints: number;
  readonly steps: readonly EscalationStep[];
}

/** The first strikes of one severity that lead to something, and to what. */
export interface Consequence {
  readonly severity: Severity;
  readonly strikes: number;
  readonly step: EscalationStep;
}

/**
 * What strikes of one severity, one after the other, lead to: the policy told by examples. A step that they leap over is
 * not among them.
 */
export function consequencesOf({ minorPoints, majorPoints, steps }: Draft): Consequence[] {
  const worths = [
    ['minor', minorPoints],
    ['major', majorPoints],
  ] as const;
  return worths.flatMap(([severity, worth]) => {
    if (worth < 1) return [];
    const reached = new Map<number, EscalationStep>();
    for (const step of steps.toSorted((one, other) => one.points - other.points)) {
      // Of the steps that the same strike reaches, the highest counts.
      reached.set(Math.ceil(step.points / worth), step);
    }
    return [...reached].map(([strikes, step]) => ({ severity, strikes, step }));
  });
}
