import { z } from 'zod';
import { id, Snowflake } from '#src/ids.ts';
import { EXAMPLE_IDS, exampleId, ISSUED_AT, LATER } from './example-values.ts';
import { operation, yesOrNo } from './operation.ts';
import { Reason, Strike, text } from './shapes.ts';

/** A strike without severity and player. It counts no points and leads to nothing. */
const Warning = Strike.omit({ player_name: true, in_game_id: true, severity: true })
  .extend({ id: id('warning') })
  .meta({ id: 'Warning' });

const WARNING: z.output<typeof Warning> = {
  id: exampleId('warning'),
  case_number: 44,
  user_id: EXAMPLE_IDS.user,
  category: 'language',
  reason: 'Please keep the language friendly',
  issued_by: EXAMPLE_IDS.issuer,
  issued_at: ISSUED_AT,
  removed_by: null,
  removed_at: null,
  active: true,
};

export const warnings = {
  'warnings.add': operation({
    summary: 'Warn a user; a warning counts no points',
    http: { method: 'POST', path: '/warnings', success: 201 },
    tool: { name: 'warn_user' },
    chat: {
      command: 'warn',
      shownTo: 'ModerateMembers',
      menus: ['message'],
      form: ['reason'],
      takesEvidence: true,
    },
    dashboard: { on: 'person', icon: 'message-square-warning', form: ['reason'] },
    capability: 'strikes.write',
    tier: 'destructive_write',
    performedBy: 'store',
    input: z.strictObject({
      user_id: Snowflake.describe('Who is warned'),
      reason: Reason,
      category: text(64).optional().describe('Kind of offence'),
    }),
    output: z.object({ warning: Warning }),
    example: {
      input: { user_id: EXAMPLE_IDS.user, reason: WARNING.reason, category: 'language' },
      output: { warning: WARNING },
    },
    notFound: null,
    sentinel: { template: 'WARN USER {user_id} IN GUILD {guildId}' },
    sentence: ({ user_id, reason, category }, say) => ({
      user: say.name('user', user_id),
      hasCategory: yesOrNo(category !== undefined),
      category: say.quote(category),
      reason: say.quote(reason),
    }),
    target: ({ user_id }) => ({ type: 'user', id: user_id }),
  }),
  'warnings.remove': operation({
    summary: 'Remove a warning; it stays on record as removed',
    http: { method: 'DELETE', path: '/warnings/{warningId}', success: 200 },
    tool: { name: 'remove_warning' },
    chat: { command: 'unwarn', shownTo: 'ModerateMembers' },
    dashboard: { on: 'case', kind: 'warning', form: ['reason'] },
    capability: 'strikes.write',
    tier: 'destructive_write',
    performedBy: 'store',
    input: z.strictObject({ warningId: id('warning'), reason: Reason.optional() }),
    output: z.object({ warning: Warning }),
    example: {
      input: { warningId: WARNING.id, reason: 'Meant for somebody else' },
      output: {
        warning: { ...WARNING, removed_by: EXAMPLE_IDS.issuer, removed_at: LATER, active: false },
      },
    },
    notFound: 'warning',
    sentinel: { template: 'REMOVE WARNING {warningId} IN GUILD {guildId}' },
    sentence: ({ warningId, reason }, say) => ({
      warning: say.name('warning', warningId),
      reasoned: yesOrNo(reason !== undefined),
      reason: say.quote(reason),
    }),
    target: ({ warningId }) => ({ type: 'warning', id: warningId }),
  }),
};
