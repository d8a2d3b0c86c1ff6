import { LINK_CODE_MINUTES } from '@bailiff/core';
import { GamePlatform, sql } from '@bailiff/prisma';
import { forbidden } from '#src/calls/action-errors.ts';
import type { StorePerformer } from '#src/calls/store-performers.ts';
import { actorUserId } from '#src/calls/submit.ts';
import { lockGuild } from '#src/cases/notes.ts';
import { keepIdentity, spelledIdentity } from './identities.ts';
import { hashOfCode, LINK, LINK_COLUMNS, openLink } from './link-rows.ts';

/** Most codes of one member in a guild within an hour, and of all members within a day (decisions: Game servers). */
const MOST_LINKS_PER_HOUR = 5;
const MOST_LINKS_PER_GUILD = 2_000;

const countLinks = sql.statement({
  parameters: [sql.text, sql.text],
  columns: { of_user: sql.int, of_guild: sql.int },
  text: `SELECT (SELECT count(*)::int FROM identity_links WHERE guild_id = $1 AND user_id = $2
      AND asked_at > clock_timestamp() - interval '1 hour') AS of_user,
    (SELECT count(*)::int FROM identity_links WHERE guild_id = $1
      AND asked_at > clock_timestamp() - interval '1 day') AS of_guild`,
});

/** The codes that the member got before are worth nothing from then on. */
const insertLink = sql.statement({
  parameters: [sql.text, sql.text, sql.oneOf({ GamePlatform }), sql.text, sql.bytea],
  columns: LINK,
  text: `WITH replaced AS (
      UPDATE identity_links SET code_hash = NULL WHERE guild_id = $1 AND user_id = $2 AND code_hash IS NOT NULL)
    INSERT INTO identity_links (guild_id, user_id, platform, in_game_id, code_hash, expires_at)
    VALUES ($1, $2, $3, $4, $5, clock_timestamp() + interval '${LINK_CODE_MINUTES} minutes')
    RETURNING ${LINK_COLUMNS}`,
});

/** Notes who a member says they are, under the hash of the code that they get. Locks the guild's row for the limits. */
export const askLink: StorePerformer<'identities.link'> = async (tx, call) => {
  const { guildId, linkCode } = call;
  if (linkCode === undefined) throw new Error('A member who links an identity gets a code.');
  const { platform } = call.input;
  const spelled = spelledIdentity(platform, call.input.in_game_id);
  if ('error' in spelled) return { state: 'failed', error: spelled.error };
  const userId = actorUserId(call.actor);
  await lockGuild.run(tx, [guildId]);
  const { of_user, of_guild } = await countLinks.only(tx, [guildId, userId]);
  if (of_user >= MOST_LINKS_PER_HOUR) return { state: 'failed', error: forbidden('LINK_LIMIT') };
  if (of_guild >= MOST_LINKS_PER_GUILD) return { state: 'failed', error: forbidden('GUILD_LINK_LIMIT') };
  return {
    state: 'done',
    write: async () => {
      const values = [guildId, userId, platform, spelled.identity, hashOfCode(guildId, linkCode)] as const;
      const { in_game_id, expires_at } = await insertLink.only(tx, values);
      return { link: { platform, in_game_id, expires_at: expires_at.toISOString() } };
    },
  };
};

const lockLink = openLink('FOR UPDATE');

const dropLink = sql.command({ parameters: [sql.text], text: 'DELETE FROM identity_links WHERE id = $1' });

/** Keeps the identity as the moderator's word, and spends the code. What is refused leaves the code valid. */
export const confirmLink: StorePerformer<'identities.confirm'> = async (tx, call) => {
  const { link_id: linkId, linked_user_id: userId } = call.input;
  const { guildId } = call;
  // In the order in which askLink locks them.
  await lockGuild.run(tx, [guildId]);
  const link = await lockLink.first(tx, [guildId, linkId, userId]);
  if (link === null) return { state: 'failed', error: forbidden('LINK_CODE') };
  const setBy = actorUserId(call.actor);
  const { platform, in_game_id: identity } = link;
  const kept = await keepIdentity(tx, { guildId, userId, platform, identity, setBy });
  if (kept.state !== 'done') return kept;
  return {
    state: 'done',
    write: async (tx, actionId) => {
      await dropLink.run(tx, [linkId]);
      return kept.write(tx, actionId);
    },
  };
};
