import { z } from 'zod';

/** Operations of which a guild can let everybody in the channel read, when one was done by a command. */
export const PUBLIC_ANSWERS = [
  'warnings.add',
  'strikes.add',
  'mutes.add',
  'mutes.lift',
  'members.kick',
  'bans.soft',
  'bans.add',
  'bans.lift',
] as const;

export type PublicAnswer = (typeof PUBLIC_ANSWERS)[number];

export function isPublicAnswer(operation: string): operation is PublicAnswer {
  return PUBLIC_ANSWERS.some((each) => each === operation);
}

/** Schema of a guild's choice of them. */
export const PublicAnswers = z
  .array(z.enum(PUBLIC_ANSWERS))
  .max(PUBLIC_ANSWERS.length)
  .refine((chosen) => new Set(chosen).size === chosen.length, 'must name each of them once');
