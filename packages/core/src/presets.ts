import { z } from 'zod';
import { Minutes, Reason, SEVERITIES, type Severity, text } from './operations/shapes.ts';

/** What reasons can be kept for. */
export const PRESET_KINDS = ['strike', 'mute', 'ban'] as const;
export type PresetKind = (typeof PRESET_KINDS)[number];

/** A reason that moderators pick instead of writing it, with what goes with it. */
export interface PresetFields {
  readonly kind: PresetKind;
  /** What it is found by. */
  readonly name: string;
  readonly reason: string;
  /** Of a strike; null of the others. */
  readonly severity: Severity | null;
  /** Of a mute or a ban; null of a ban is for good. */
  readonly durationMinutes: number | null;
}

const MOST_NAME_CHARACTERS = 64;

const Shared = {
  name: z
    .string()
    .trim()
    .pipe(text(MOST_NAME_CHARACTERS))
    .refine((name) => !/\p{Cc}/u.test(name), 'must not contain control characters'),
  reason: Reason,
};

/** A preset as its owner sends it: a strike has a severity, a mute a length, a ban one or none. */
export const PresetInput = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('strike'), ...Shared, severity: z.enum(SEVERITIES) }),
    z.strictObject({ kind: z.literal('mute'), ...Shared, duration_minutes: Minutes }),
    z.strictObject({ kind: z.literal('ban'), ...Shared, duration_minutes: Minutes.nullable().default(null) }),
  ])
  .transform(
    (given): PresetFields => ({
      kind: given.kind,
      name: given.name,
      reason: given.reason,
      severity: 'severity' in given ? given.severity : null,
      durationMinutes: 'duration_minutes' in given ? given.duration_minutes : null,
    }),
  );
