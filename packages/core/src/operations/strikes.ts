import { z } from 'zod';
import { id, Snowflake } from '#src/ids.ts';
import { EXAMPLE_IDS, exampleId, ISSUED_AT, LATER } from './example-values.ts';
import { list } from './list.ts';
import { operation, type Target, yesOrNo } from './operation.ts';
import { Notice, Reason, SEVERITIES, Strike, Timestamp, text } from './shapes.ts';

const STRIKE: z.output<typeof Strike> = {
  id: exampleId('strike'),
  case_number: 41,
  user_id: EXAMPLE_IDS.user,
  player_name: 'Blockbreaker',
  in_game_id: null,
  severity: 'minor',
  category: 'griefing',
  reason: 'Griefing in the market square',
  issued_by: EXAMPLE_IDS.issuer,
  issued_at: ISSUED_AT,
  removed_by: null,
  removed_at: null,
  active: true,
};

/** What the calls about one strike have in common. */
const OF_STRIKE = {
  performedBy: 'store',
  notFound: 'strike',
  target: ({ strikeId }: { strikeId: string }): Target => ({ type: 'strike', id: strikeId }),
} as const;

export const strikes = {
  'strikes.list': operation({
    summary: 'List strikes, newest first',
    http: { method: 'GET', path: '/strikes', success: 200 },
    tool: { name: 'list_strikes' },
    chat: { command: 'strike list', shownTo: 'ModerateMembers' },
    capability: 'strikes.read',
    ...list(Strike, {
      filters: {
        user_id: Snowflake.optional().describe('Only strikes of this user'),
        severity: z.enum(SEVERITIES).optional().describe('Only strikes of this severity'),
        active: z.boolean().optional().describe('Only strikes that count, or only those removed'),
      },
      asked: { user_id: EXAMPLE_IDS.user, active: true },
      found: [STRIKE],
    }),
    target: ({ user_id }) => (user_id === undefined ? null : { type: 'user', id: user_id }),
  }),
  'strikes.get': operation({
    summary: 'Get one strike',
    http: { method: 'GET', path: '/strikes/{strikeId}', success: 200 },
    tool: { name: 'get_strike' },
    ...OF_STRIKE,
    capability: 'strikes.read',
    tier: 'read',
    input: z.strictObject({ strikeId: id('strike') }),
    output: Strike.extend({ notice: Notice }).meta({ id: 'StrikeWithNotice' }),
    example: {
      input: { strikeId: STRIKE.id },
      output: { ...STRIKE, notice: 'told' },
    },
  }),
  'strikes.add': operation({
    summary: 'Add a strike to a user',
    http: { method: 'POST', path: '/strikes', success: 201 },
    tool: { name: 'add_strike' },
    chat: {
      command: 'strike add',
      shownTo: 'ModerateMembers',
      menus: ['user', 'message'],
      form: ['severity', 'reason'],
      takesEvidence: true,
    },
    dashboard: { on: 'person', icon: 'triangle-alert', form: ['severity', 'reason'] },
    presets: 'strike',
    capability: 'strikes.write',
    tier: 'destructive_write',
    performedBy: 'store',
    input: z.strictObject({
      user_id: Snowflake.describe('Who gets the strike'),
      player_name: text(64).optional().describe('Name in the game'),
      in_game_id: text(64).optional().describe('Id in the game'),
      reason: Reason,
      category: text(64).optional().describe('Kind of offence'),
      severity: z.enum(SEVERITIES),
    }),
    output: z.object({
      strike: Strike,
      strike_id: id('strike'),
      user_id: Snowflake,
      severity: z.enum(SEVERITIES),
      issued_by: Snowflake,
      issued_at: Timestamp,
    }),
    example: {
      input: {
        user_id: EXAMPLE_IDS.user,
        player_name: 'Blockbreaker',
        reason: STRIKE.reason,
        category: 'griefing',
        severity: 'minor',
      },
      output: {
        strike: STRIKE,
        strike_id: STRIKE.id,
        user_id: STRIKE.user_id,
        severity: STRIKE.severity,
        issued_by: STRIKE.issued_by,
        issued_at: STRIKE.issued_at,
      },
    },
    notFound: null,
    sentinel: {
      template: 'ADD STRIKE TO USER {user_id} IN GUILD {guildId} SEVERITY {MINOR or MAJOR}',
      choice: ({ severity }) => severity.toUpperCase(),
    },
    sentence: ({ user_id, player_name, in_game_id, reason, category, severity }, say) => ({
      severity,
      user: say.name('user', user_id),
      hasPlayer: yesOrNo(player_name !== undefined),
      player: say.quote(player_name),
      hasInGameId: yesOrNo(in_game_id !== undefined),
      inGameId: say.quote(in_game_id),
      hasCategory: yesOrNo(category !== undefined),
      category: say.quote(category),
      reason: say.quote(reason),
    }),
    target: ({ user_id }) => ({ type: 'user', id: user_id }),
  }),
  'strikes.change': operation({
    summary: 'Change the severity of a strike; what it was stays in its timeline',
    http: { method: 'PATCH', path: '/strikes/{strikeId}', success: 200 },
    tool: { name: 'change_strike' },
    chat: { command: 'strike severity', shownTo: 'ModerateMembers' },
    dashboard: { on: 'in_force', kind: 'strike' },
    ...OF_STRIKE,
    capability: 'strikes.write',
    tier: 'destructive_write',
    input: z.strictObject({
      strikeId: id('strike'),
      severity: z.enum(SEVERITIES),
      reason: Reason.optional().describe("Why it is changed, as the case's timeline will show it"),
    }),
    output: z.object({ strike: Strike }),
    example: {
      input: { strikeId: STRIKE.id, severity: 'major', reason: 'It was the third house' },
      output: { strike: { ...STRIKE, severity: 'major' } },
    },
    sentinel: {
      template: 'CHANGE STRIKE {strikeId} IN GUILD {guildId} TO SEVERITY {MINOR or MAJOR}',
      choice: ({ severity }) => severity.toUpperCase(),
    },
    sentence: ({ strikeId, severity, reason }, say) => ({
      strike: say.name('strike', strikeId),
      severity,
      reasoned: yesOrNo(reason !== undefined),
      reason: say.quote(reason),
    }),
  }),
  'strikes.remove': operation({
    summary: 'Remove a strike; it stays on record as removed',
    http: { method: 'DELETE', path: '/strikes/{strikeId}', success: 200 },
    tool: { name: 'remove_strike' },
    chat: { command: 'strike remove', shownTo: 'ModerateMembers' },
    dashboard: { on: 'case', kind: 'strike', form: ['reason'] },
    ...OF_STRIKE,
    capability: 'strikes.write',
    tier: 'destructive_write',
    input: z.strictObject({ strikeId: id('strike'), reason: Reason.optional() }),
    output: z.object({ strike: Strike }),
    example: {
      input: { strikeId: STRIKE.id, reason: 'Appeal accepted' },
      output: {
        strike: { ...STRIKE, removed_by: EXAMPLE_IDS.issuer, removed_at: LATER, active: false },
      },
    },
    sentinel: { template: 'REMOVE STRIKE {strikeId} IN GUILD {guildId}' },
    sentence: ({ strikeId, reason }, say) => ({
      strike: say.name('strike', strikeId),
      reasoned: yesOrNo(reason !== undefined),
      reason: say.quote(reason),
    }),
  }),
};
