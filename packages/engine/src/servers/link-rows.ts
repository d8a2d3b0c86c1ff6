import { hash } from 'node:crypto';
import { GamePlatform, sql } from '@bailiff/prisma';

export const LINK = {
  user_id: sql.text,
  platform: sql.oneOf({ GamePlatform }),
  in_game_id: sql.text,
  expires_at: sql.timestamptz,
};
export const LINK_COLUMNS = sql.names(LINK);

/** What a member of a guild asked to link, by its id and theirs, while its code is valid. */
export const openLink = (lock: '' | 'FOR UPDATE') =>
  sql.statement({
    parameters: [sql.text, sql.text, sql.text],
    columns: LINK,
    text: `SELECT ${LINK_COLUMNS} FROM identity_links WHERE guild_id = $1 AND id = $2 AND user_id = $3
      AND code_hash IS NOT NULL AND expires_at > clock_timestamp() ${lock}`,
  });

/** Codes are different in each guild, so that one guild's tell nothing of another's. */
export function hashOfCode(guildId: string, code: string): Buffer {
  return hash('sha256', `${guildId}:${code}`, 'buffer');
}
