import { type OutputOf, readLinkCode } from '@bailiff/core';
import { type Database, sql } from '@bailiff/prisma';
import { forbidden } from '#src/calls/action-errors.ts';
import { authorizePerson } from '#src/calls/authorize.ts';
import { apiErrorOf } from '#src/calls/write-call.ts';
import type { Engine } from '#src/engine.ts';
import { hashOfCode, openLink } from './link-rows.ts';

/** Most wrong codes of one moderator in a guild within ten minutes. */
const MOST_WRONG_LINK_CODES = 10;
const WRONG_CODES_MS = 10 * 60_000;

/** What a member asked to link, as whoever has their code finds it. */
export interface TriedLink {
  readonly link_id: string;
  readonly user_id: string;
}

const tryCode = sql.statement({
  parameters: [sql.text, sql.text, sql.bytea, sql.int, sql.bigint],
  columns: { tried: sql.jsonb<TriedLink | { readonly refused: 'LINK_CODE' | 'LINK_TRIES' }>() },
  text: 'SELECT try_link_code($1, $2, $3, $4, $5) AS tried',
});

/**
 * What a member asked to link with this code. Wrong codes of a moderator are counted.
 *
 * @throws ApiError if they may not confirm it, or for a code that is wrong, used, replaced or old: one text for all
 */
export async function tryLinkCode(
  engine: Engine,
  { guildId, userId, typed }: { readonly guildId: string; readonly userId: string; readonly typed: string },
): Promise<TriedLink> {
  await authorizePerson(engine, { operation: 'identities.confirm', guildId, userId });
  const codeHash = hashOfCode(guildId, readLinkCode(typed) ?? '');
  const values = [guildId, userId, codeHash, MOST_WRONG_LINK_CODES, WRONG_CODES_MS] as const;
  const { tried } = await tryCode.only(engine.db.pool, values);
  if ('refused' in tried) throw apiErrorOf(forbidden(tried.refused));
  return tried;
}

const readLink = openLink('');

/**
 * What a member asked to link, for the question whether it is theirs.
 *
 * @throws ApiError if the code is not valid any more
 */
export async function linkToConfirm(
  db: Database,
  guildId: string,
  link: TriedLink,
): Promise<OutputOf<'identities.link'>['link']> {
  const row = await readLink.first(db.pool, [guildId, link.link_id, link.user_id]);
  if (row === null) throw apiErrorOf(forbidden('LINK_CODE'));
  const { platform, in_game_id, expires_at } = row;
  return { platform, in_game_id, expires_at: expires_at.toISOString() };
}
