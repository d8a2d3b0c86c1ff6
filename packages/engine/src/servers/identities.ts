import { IDENTITY_RULES, type InputOf, identityKey, type OutputOf, readIdentity } from '@bailiff/core';
import { identityByForm, identityKeys } from '@bailiff/core/game-identities';
import { GamePlatform, type RowOf, sql } from '@bailiff/prisma';
import { forbidden, notFound } from '#src/calls/action-errors.ts';
import type { ActionError } from '#src/calls/actions.ts';
import { type List, readPage } from '#src/calls/paging.ts';
import type { Read } from '#src/calls/readers.ts';
import type { Outcome } from '#src/calls/settle.ts';
import type { StorePerformer } from '#src/calls/store-performers.ts';
import { actorUserId } from '#src/calls/submit.ts';
import type { Transaction } from '#src/database/transaction.ts';

/** Most identities of one person in a guild, and of all people in it (decisions: Game servers). */
export const MOST_IDENTITIES_PER_USER = 10;
export const MOST_IDENTITIES_PER_GUILD = 50_000;

const IDENTITY = {
  id: sql.text,
  user_id: sql.text,
  platform: sql.oneOf({ GamePlatform }),
  in_game_id: sql.text,
  set_by: sql.text,
  set_at: sql.timestamptz,
};
type IdentityRow = RowOf<typeof IDENTITY>;
type Identity = OutputOf<'identities.list'>['data'][number];
type IdentityKept = OutputOf<'identities.add'>;

const IDENTITY_COLUMNS = sql.names(IDENTITY);

function identityWire(row: IdentityRow): Identity {
  return { ...row, set_at: row.set_at.toISOString() };
}

/** Identities of the people of a guild. */
const IDENTITIES: List<typeof IDENTITY, Identity> = {
  name: 'identities.list',
  from: 'identities',
  columns: IDENTITY,
  filters: {
    keys: {
      column: 'key',
      type: sql.arrayOf(sql.text),
      parts: (_: readonly string[], place) => [`key = ANY (${place()})`],
    },
    user_id: { column: 'user_id', type: sql.text },
  },
  wire: identityWire,
};

/** A page of identities. A name or id is looked for in each spelling in which it can be kept. */
export function readIdentities(
  guildId: string,
  { in_game_id: text, ...input }: InputOf<'identities.list'>,
): Read<typeof IDENTITY, OutputOf<'identities.list'>> {
  return readPage(IDENTITIES, guildId, { ...input, keys: text === undefined ? text : identityKeys(text) });
}

const sameIdentity = sql.statement({
  parameters: [sql.text, sql.oneOf({ GamePlatform }), sql.text],
  columns: IDENTITY,
  text: `SELECT ${IDENTITY_COLUMNS} FROM identities WHERE guild_id = $1 AND platform = $2 AND key = $3`,
});

const countIdentities = sql.statement({
  parameters: [sql.text, sql.text],
  columns: { of_user: sql.int, of_guild: sql.int },
  text: `SELECT (SELECT count(*)::int FROM identities WHERE guild_id = $1 AND user_id = $2) AS of_user,
    (SELECT count(*)::int FROM identities WHERE guild_id = $1) AS of_guild`,
});

const insertIdentity = sql.statement({
  parameters: [sql.text, sql.text, sql.oneOf({ GamePlatform }), sql.text, sql.text, sql.text],
  columns: IDENTITY,
  text: `INSERT INTO identities (guild_id, user_id, platform, in_game_id, key, set_by) VALUES ($1, $2, $3, $4, $5, $6)
    RETURNING ${IDENTITY_COLUMNS}`,
});

const lockIdentity = sql.statement({
  parameters: [sql.text, sql.text, sql.text],
  columns: IDENTITY,
  text: `SELECT ${IDENTITY_COLUMNS} FROM identities WHERE guild_id = $1 AND user_id = $2 AND id = $3 FOR UPDATE`,
});

/** An identity in the one spelling in which it is kept, or why it is none. */
export function spelledIdentity(
  platform: GamePlatform,
  text: string,
): { readonly identity: string } | { readonly error: ActionError } {
  const identity = readIdentity(platform, text);
  if (identity !== null) return { identity };
  const details = { reason: 'IDENTITY_FORMAT', platform } as const;
  return { error: { code: 'FORBIDDEN', message: IDENTITY_RULES[platform], details } };
}

/** An identity that somebody wants to keep of a person, in the one spelling. */
interface WantedIdentity {
  readonly guildId: string;
  readonly userId: string;
  readonly platform: GamePlatform;
  readonly identity: string;
  readonly setBy: string;
}

/** Not the guild's row: admit_call shares it among the calls of all tokens, and two of them would wait for each other. */
const lockIdentities = sql.command({
  parameters: [sql.text],
  text: "SELECT pg_advisory_xact_lock(hashtextextended('identities:' || $1, 0))",
});

/**
 * Keeps an identity of a person; one that they have already is answered and not kept twice. Locks the identities of the
 * guild, so that two people cannot get the same one at once.
 */
export async function keepIdentity(tx: Transaction, wanted: WantedIdentity): Promise<Outcome<IdentityKept>> {
  const { guildId, userId, platform, identity, setBy } = wanted;
  await lockIdentities.run(tx, [guildId]);
  const key = identityKey(identity);
  const existing = await sameIdentity.first(tx, [guildId, platform, key]);
  if (existing !== null) {
    return existing.user_id === userId
      ? { state: 'done', write: async () => ({ identity: identityWire(existing) }) }
      : { state: 'failed', error: forbidden('IDENTITY_TAKEN') };
  }
  const { of_user, of_guild } = await countIdentities.only(tx, [guildId, userId]);
  if (of_user >= MOST_IDENTITIES_PER_USER) return { state: 'failed', error: forbidden('IDENTITY_LIMIT') };
  if (of_guild >= MOST_IDENTITIES_PER_GUILD)
    return { state: 'failed', error: forbidden('GUILD_IDENTITY_LIMIT') };
  return {
    state: 'done',
    write: async () => {
      const values = [guildId, userId, platform, identity, key, setBy] as const;
      return { identity: identityWire(await insertIdentity.only(tx, values)) };
    },
  };
}

/** Keeps an identity of a person, as a moderator says it. */
export const addIdentity: StorePerformer<'identities.add'> = async (tx, call) => {
  const { user_id: userId, platform } = call.input;
  const spelled = spelledIdentity(platform, call.input.in_game_id);
  if ('error' in spelled) return { state: 'failed', error: spelled.error };
  const { guildId } = call;
  const setBy = actorUserId(call.actor);
  return keepIdentity(tx, { guildId, userId, platform, identity: spelled.identity, setBy });
};

/**
 * Keeps who the person of a strike is in a game, where the strike says it in a form that tells the game. Null where it
 * does not. The strike stands also if it cannot be kept, as one that somebody else has.
 */
export async function identityOfStrike(
  tx: Transaction,
  { guildId, actor, input }: Parameters<StorePerformer<'strikes.add'>>[1],
): Promise<Outcome<IdentityKept> | null> {
  const told = identityByForm(input.in_game_id ?? '');
  if (told === null) return null;
  return keepIdentity(tx, { guildId, userId: input.user_id, setBy: actorUserId(actor), ...told });
}

/** Removes an identity. The actions that added and removed it stay. */
export const removeIdentity: StorePerformer<'identities.remove'> = async (tx, call) => {
  const { user_id: userId, identity_id: identityId } = call.input;
  const row = await lockIdentity.first(tx, [call.guildId, userId, identityId]);
  if (row === null) return { state: 'failed', error: notFound('identity', identityId) };
  return {
    state: 'done',
    write: async () => {
      await tx.prisma.identity.deleteMany({ where: { id: identityId } });
      return { identity: identityWire(row) };
    },
  };
};
