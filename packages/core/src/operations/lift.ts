import { z } from 'zod';
import { Snowflake } from '#src/ids.ts';
import { type SentenceFormatter, type Target, yesOrNo } from './operation.ts';
import { Reason } from './shapes.ts';

const Lift = z.strictObject({ userId: Snowflake, reason: Reason.optional() });
type Lift = z.output<typeof Lift>;

/** The fields that lifting a ban and lifting a mute have in common: they end the sanction of a user, with a reason. */
export const LIFT = {
  tier: 'destructive_write',
  performedBy: 'bot',
  input: Lift,
  sentence: ({ userId, reason }: Lift, say: SentenceFormatter) => ({
    user: say.name('user', userId),
    reasoned: yesOrNo(reason !== undefined),
    reason: say.quote(reason),
  }),
  target: ({ userId }: Lift): Target => ({ type: 'user', id: userId }),
} as const;
