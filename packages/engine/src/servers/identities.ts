import { IDENTITY_RULES, identityKey, type OutputOf, readIdentity } from '@bailiff/core';
import { GamePlatform, type RowOf, sql } from '@bailiff/prisma';
import { forbidden, notFound } from '#src/calls/action-errors.ts';
import type { List } from '#src/calls/paging.ts';
import type { StorePerformer } from '#src/calls/store-performers.ts';
import { actorUserId } from '#src/calls/submit.ts';
import { lockGuild } from '#src/cases/notes.ts';

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

const IDENTITY_COLUMNS = sql.names(IDENTITY);

function identityWire(row: IdentityRow): Identity {
  return { ...row, set_at: row.set_at.toISOString() };
}

/** Identities of the people of a guild. */
export const IDENTITIES: List<typeof IDENTITY, Identity> = {
  name: 'identities.list',
  from: 'identities',
  columns: IDENTITY,
  filters: {
    in_game_id: { column: 'key', type: sql.text },
    user_id: { column: 'user_id', type: sql.text },
  },
  wire: identityWire,
};

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

/**
 * Keeps an identity of a person; one that they have already is answered and not kept twice. Locks the guild's row, so
 * that two people cannot get the same identity at once.
 */
export const addIdentity: StorePerformer<'identities.add'> = async (tx, call) => {
  const { user_id: userId, platform } = call.input;
  const identity = readIdentity(platform, call.input.in_game_id);
  if (identity === null) {
    const details = { reason: 'IDENTITY_FORMAT', platform } as const;
    return { state: 'failed', error: { code: 'FORBIDDEN', message: IDENTITY_RULES[platform], details } };
  }
  await lockGuild.run(tx, [call.guildId]);
  const key = identityKey(identity);
  const existing = await sameIdentity.first(tx, [call.guildId, platform, key]);
  if (existing !== null) {
    return existing.user_id === userId
      ? { state: 'done', write: async () => ({ identity: identityWire(existing) }) }
      : { state: 'failed', error: forbidden('IDENTITY_TAKEN') };
  }
  const { of_user, of_guild } = await countIdentities.only(tx, [call.guildId, userId]);
  if (of_user >= MOST_IDENTITIES_PER_USER) return { state: 'failed', error: forbidden('IDENTITY_LIMIT') };
  if (of_guild >= MOST_IDENTITIES_PER_GUILD)
    return { state: 'failed', error: forbidden('GUILD_IDENTITY_LIMIT') };
  return {
    state: 'done',
    write: async () => {
      const values = [call.guildId, userId, platform, identity, key, actorUserId(call.actor)] as const;
      return { identity: identityWire(await insertIdentity.only(tx, values)) };
    },
  };
};

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
