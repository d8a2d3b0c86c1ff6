import { z } from 'zod';
import type { PresetKind } from './case-kinds.ts';
import { Minutes, Reason, SEVERITIES, type Severity, text } from './operations/shapes.ts';

/** A preset reason: moderators pick it instead of writing one, and it sets the severity or the duration. */
export interface PresetFields {
  readonly kind: PresetKind;
  /** The name that moderators search for. */
  readonly name: string;
  readonly reason: string;
  /** Severity of a strike; null for mutes and bans. */
  readonly severity: Severity | null;
  /** Duration of a mute or ban. Null: a permanent ban, or a strike. */
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

/** Schema of a preset in a request. A strike has a severity, a mute has a duration, and a ban may have a duration. */
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
