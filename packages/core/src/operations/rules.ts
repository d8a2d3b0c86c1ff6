import { z } from 'zod';
import { operation } from './operation.ts';
import { Minutes, SEVERITIES } from './shapes.ts';

/** A guild's rules for its moderation: escalation and preset reasons. */
const Rules = z
  .object({
    escalation: z
      .object({
        minor_points: z.int().min(0),
        major_points: z.int().min(0),
        decay_days: z
          .int()
          .min(1)
          .nullable()
          .describe('Strikes older than this count no more; null: they always do'),
        steps: z.array(
          z.object({
            points: z.int().min(1),
            sanction: z.enum(['mute', 'ban']),
            duration_minutes: Minutes.nullable().describe('Null is permanent'),
          }),
        ),
      })
      .describe(
        'What strikes that people give lead to; those of tokens count, and lead to nothing by themselves',
      ),
    presets: z
      .array(
        z.object({
          kind: z.enum(['strike', 'mute', 'ban']),
          name: z.string(),
          reason: z.string(),
          severity: z.enum(SEVERITIES).nullable(),
          duration_minutes: Minutes.nullable(),
        }),
      )
      .describe('Reasons that moderators pick, with what goes with them'),
  })
  .meta({ id: 'Rules' });

export const rules = {
  'rules.get': operation({
    summary: "Get the guild's rules: what strikes lead to, and the usual reasons",
    http: { method: 'GET', path: '/rules', success: 200 },
    tool: { name: 'get_rules' },
    capability: 'none',
    tier: 'read',
    performedBy: 'store',
    input: z.strictObject({}),
    output: Rules,
    example: {
      input: {},
      output: {
        escalation: {
          minor_points: 1,
          major_points: 3,
          decay_days: 90,
          steps: [
            { points: 3, sanction: 'mute', duration_minutes: 1440 },
            { points: 6, sanction: 'ban', duration_minutes: null },
          ],
        },
        presets: [
          {
            kind: 'strike',
            name: 'Griefing',
            reason: 'Destroyed what others built',
            severity: 'major',
            duration_minutes: null,
          },
        ],
      },
    },
    notFound: null,
    target: () => null,
  }),
};
