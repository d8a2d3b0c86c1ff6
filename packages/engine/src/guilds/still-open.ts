import { CAPABILITY_PRESETS, POWER_PERMISSIONS, permissionBits } from '@bailiff/core';
import { sql } from '@bailiff/prisma';
import type { Transaction } from '#src/database/transaction.ts';

const openIn = sql.statement({
  parameters: [sql.text, sql.bigint, sql.bigint, sql.bigint, sql.arrayOf(sql.text)],
  columns: { role_ids: sql.arrayOf(sql.text), channel_ids: sql.arrayOf(sql.text) },
  text: `SELECT
      ARRAY(SELECT id FROM roles WHERE guild_id = $1 AND id <> $1 AND NOT managed AND permissions & $2 <> 0
        AND permissions & $3 = 0 ORDER BY position DESC, id LIMIT 100) AS role_ids,
      ARRAY(SELECT id FROM channels WHERE guild_id = $1 AND EXISTS (
          SELECT FROM jsonb_array_elements(overwrites) AS o
          WHERE (o->>'allow')::bigint & $2 <> 0 AND (o->>'id' = $1 OR EXISTS (
            SELECT FROM roles r WHERE r.guild_id = $1 AND r.id = o->>'id' AND NOT r.managed
              AND r.permissions & ($2 | $4) = 0
              AND NOT EXISTS (SELECT FROM role_grants x
                WHERE x.guild_id = $1 AND x.role_id = r.id AND NOT x.capabilities <@ $5))))
        ORDER BY position, id LIMIT 100) AS channel_ids`,
});

/**
 * The roles that let their members write by themselves, and the channels that let everyone or another role: a lock of the
 * guild does not reach them. Without administrators and the roles that Discord or a bot manages, and without what a channel
 * allows to those who moderate in Discord or in Bailiff: who may only read in Bailiff does not. From the mirror.
 */
export async function stillOpen(
  tx: Transaction,
  guildId: string,
): Promise<{ role_ids: string[]; channel_ids: string[] }> {
  const writing = permissionBits(['SendMessages', 'SendMessagesInThreads']);
  const administrator = permissionBits(['Administrator']);
  return openIn.only(tx, [guildId, writing, administrator, POWER_PERMISSIONS, CAPABILITY_PRESETS.read]);
}
