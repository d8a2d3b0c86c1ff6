import { z } from 'zod';
import { GAME_PLATFORMS, MOST_IDENTITY_CHARACTERS } from '#src/game-identities.ts';
import { id, Snowflake } from '#src/ids.ts';
import { EXAMPLE_IDS, exampleId, ISSUED_AT } from './example-values.ts';
import { list } from './list.ts';
import { operation, type Target } from './operation.ts';
import { Timestamp, text } from './shapes.ts';

const Platform = z.enum(GAME_PLATFORMS).describe('What kind of identity it is');

/** Who somebody is in a game, so that game servers can be told whom a sanction is about. */
const GameIdentity = z
  .object({
    id: id('identity'),
    user_id: Snowflake,
    platform: Platform,
    in_game_id: z.string(),
    set_by: Snowflake,
    set_at: Timestamp,
  })
  .meta({ id: 'GameIdentity' });

const IDENTITY: z.output<typeof GameIdentity> = {
  id: exampleId('identity'),
  user_id: EXAMPLE_IDS.user,
  platform: 'minecraft',
  in_game_id: 'BlockBreaker',
  set_by: EXAMPLE_IDS.issuer,
  set_at: ISSUED_AT,
};

/** What adding and removing an identity have in common. */
const WRITE_IDENTITIES = {
  dashboard: { on: 'own_page' },
  capability: 'strikes.write',
  tier: 'reversible_write',
  performedBy: 'store',
  output: z.object({ identity: GameIdentity }),
  target: ({ user_id }: { readonly user_id: string }): Target => ({ type: 'user', id: user_id }),
} as const;

export const identities = {
  'identities.list': operation({
    summary: "List people's identities in games, newest first",
    http: { method: 'GET', path: '/identities', success: 200 },
    tool: { name: 'list_identities' },
    chat: { command: 'identity list', shownTo: 'ModerateMembers' },
    capability: 'members.read',
    ...list(GameIdentity, {
      user_id: Snowflake.optional().describe('Only those of this person'),
      in_game_id: text(MOST_IDENTITY_CHARACTERS)
        .toLowerCase()
        .optional()
        .describe('Only this name or id, in upper or lower case'),
    }),
    example: {
      input: { in_game_id: 'blockbreaker', limit: 10 },
      output: { data: [IDENTITY], next_cursor: null },
    },
    target: ({ user_id }) => (user_id === undefined ? null : { type: 'user', id: user_id }),
  }),
  'identities.add': operation({
    summary: 'Keep who somebody is in a game',
    http: { method: 'POST', path: '/members/{user_id}/identities', success: 201, idempotent: true },
    tool: { name: 'add_identity' },
    chat: { command: 'identity add', shownTo: 'ModerateMembers' },
    ...WRITE_IDENTITIES,
    input: z.strictObject({
      user_id: Snowflake.describe('Whose identity it is'),
      platform: Platform,
      in_game_id: text(MOST_IDENTITY_CHARACTERS).describe('Name or id in the game, as its kind has them'),
    }),
    example: {
      input: { user_id: EXAMPLE_IDS.user, platform: 'minecraft', in_game_id: IDENTITY.in_game_id },
      output: { identity: IDENTITY },
    },
    notFound: null,
  }),
  'identities.remove': operation({
    summary: 'Remove an identity of a person in a game',
    http: { method: 'DELETE', path: '/members/{user_id}/identities/{identity_id}', success: 200 },
    tool: { name: 'remove_identity' },
    chat: { command: 'identity remove', shownTo: 'ModerateMembers' },
    ...WRITE_IDENTITIES,
    input: z.strictObject({
      user_id: Snowflake.describe('Whose identity it is'),
      identity_id: id('identity').describe('Which one'),
    }),
    example: {
      input: { user_id: EXAMPLE_IDS.user, identity_id: IDENTITY.id },
      output: { identity: IDENTITY },
    },
    notFound: 'identity',
  }),
};
