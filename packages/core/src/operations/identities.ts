import { z } from 'zod';
import { GAME_PLATFORMS, MOST_IDENTITY_CHARACTERS } from '#src/game-identities.ts';
import { id, Snowflake } from '#src/ids.ts';
import { EXAMPLE_IDS, exampleId, ISSUED_AT, LATER } from './example-values.ts';
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

/** What a member says of themselves, until a moderator confirms it. */
const Link = z.object({ platform: Platform, in_game_id: z.string(), expires_at: Timestamp });

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
      filters: {
        user_id: Snowflake.optional().describe('Only those of this person'),
        in_game_id: text(MOST_IDENTITY_CHARACTERS)
          .toLowerCase()
          .optional()
          .describe('Only this name or id, in any spelling with which it can be added'),
      },
      asked: { in_game_id: 'blockbreaker' },
      found: [IDENTITY],
    }),
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
  'identities.link': operation({
    summary: 'Say who you are in a game, and get a code that a moderator confirms',
    // The code is for who asks: it is in no answer that others can read (decisions: Game servers).
    http: null,
    tool: null,
    chat: { command: 'link', shownTo: 'everyone' },
    capability: 'none',
    reader: 'members.read',
    tier: 'reversible_write',
    performedBy: 'store',
    input: z.strictObject({
      platform: Platform,
      in_game_id: text(MOST_IDENTITY_CHARACTERS).describe('Your name or id in the game'),
    }),
    output: z.object({ link: Link }),
    example: {
      input: { platform: 'minecraft', in_game_id: IDENTITY.in_game_id },
      output: { link: { platform: 'minecraft', in_game_id: IDENTITY.in_game_id, expires_at: LATER } },
    },
    notFound: null,
    target: () => null,
  }),
  'identities.confirm': operation({
    summary: 'Keep who a member is in a game, after they showed you their code there',
    http: null,
    tool: null,
    chat: { command: 'identity confirm', shownTo: 'ModerateMembers' },
    capability: 'strikes.write',
    tier: 'reversible_write',
    performedBy: 'store',
    // The code names both. It is not among them, so it is in no record.
    input: z.strictObject({
      link_id: id('link').describe('The code that the member showed'),
      linked_user_id: Snowflake,
    }),
    output: z.object({ identity: GameIdentity }),
    example: {
      input: { link_id: exampleId('link'), linked_user_id: EXAMPLE_IDS.user },
      output: { identity: IDENTITY },
    },
    notFound: null,
    target: ({ linked_user_id }) => ({ type: 'user', id: linked_user_id }),
  }),
};
