import { z } from 'zod';
import { id, Snowflake } from '../ids.ts';
import { operation } from './operation.ts';
import { because } from './phrases.ts';
import { page, pageInput, Reason, SEVERITIES, Strike, Timestamp, text } from './shapes.ts';

export const strikes = {
  'strikes.list': operation({
    summary: 'List strikes, newest first',
    http: { method: 'GET', path: '/strikes', success: 200 },
    tool: { name: 'list_strikes' },
    chat: { command: 'strike list' },
    capability: 'strikes.read',
    tier: 'read',
    performedBy: 'store',
    input: pageInput({
      user_id: Snowflake.optional().describe('Only strikes of this user'),
      severity: z.enum(SEVERITIES).optional().describe('Only strikes of this severity'),
      active: z.boolean().optional().describe('Only strikes that count, or only those removed'),
    }),
    output: page(Strike),
    target: ({ user_id }) => (user_id === undefined ? null : { type: 'user', id: user_id }),
  }),
  'strikes.get': operation({
    summary: 'Get one strike',
    http: { method: 'GET', path: '/strikes/{strikeId}', success: 200 },
    tool: { name: 'get_strike' },
    capability: 'strikes.read',
    tier: 'read',
    performedBy: 'store',
    input: z.strictObject({ strikeId: id('strike') }),
    output: Strike,
    target: ({ strikeId }) => ({ type: 'strike', id: strikeId }),
  }),
  'strikes.add': operation({
    summary: 'Add a strike to a user',
    http: { method: 'POST', path: '/strikes', success: 201 },
    tool: { name: 'add_strike' },
    chat: { command: 'strike add' },
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
    sentinel: {
      template: 'ADD STRIKE TO USER {user_id} IN GUILD {guildId} SEVERITY {MINOR or MAJOR}',
      choice: ({ severity }) => severity.toUpperCase(),
    },
    sentence: ({ user_id, player_name, in_game_id, reason, category, severity }, say) => {
      const facts = [
        player_name === undefined ? [] : [`player ${say.quote(player_name)}`],
        in_game_id === undefined ? [] : [`in-game id ${say.quote(in_game_id)}`],
        category === undefined ? [] : [`category ${say.quote(category)}`],
      ].flat();
      const known = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
      return `Add a ${severity} strike to ${say.name('user', user_id)} in ${say.guild}${known}: ${say.quote(reason)}`;
    },
    target: ({ user_id }) => ({ type: 'user', id: user_id }),
  }),
  'strikes.remove': operation({
    summary: 'Remove a strike; it stays on record as removed',
    http: { method: 'DELETE', path: '/strikes/{strikeId}', success: 200 },
    tool: { name: 'remove_strike' },
    chat: { command: 'strike remove' },
    capability: 'strikes.write',
    tier: 'destructive_write',
    performedBy: 'store',
    input: z.strictObject({ strikeId: id('strike'), reason: Reason.optional() }),
    output: z.object({ strike: Strike }),
    sentinel: { template: 'REMOVE STRIKE {strikeId} IN GUILD {guildId}' },
    sentence: ({ strikeId, reason }, say) =>
      `Remove ${say.name('strike', strikeId)} in ${say.guild}${because(reason, say)}`,
    target: ({ strikeId }) => ({ type: 'strike', id: strikeId }),
  }),
};
