import { entryOf, isBotOperation } from '@bailiff/core';
import { type Database, sql } from '@bailiff/prisma';
import { ACTION, actionFrom, parseAction } from '#src/calls/actions.ts';

const claimable = sql.statement({
  parameters: [sql.text],
  columns: ACTION,
  text: `SELECT ${sql.names(ACTION)} FROM actions
    WHERE guild_id = $1 AND state = 'pending' AND claim_by > clock_timestamp() ORDER BY id LIMIT 100`,
});

const offer = sql.command({ parameters: [sql.text, sql.text.orNull], text: 'SELECT offer_action($1, $2)' });

/**
 * Queues a guild's pending actions again. No worker claims an action while its guild's mirror is not trusted, so those
 * whose callers still wait are offered once more when it is.
 */
export async function performWaiting({ pool }: Pick<Database, 'pool'>, guildId: string): Promise<void> {
  for (const row of await claimable.all(pool, [guildId])) {
    const { operation, ...record } = actionFrom(row);
    const action = isBotOperation(operation) ? parseAction({ ...record, operation }) : null;
    if (action === null) continue;
    await offer.run(pool, [action.id, entryOf(action.operation).oneAtATime?.(action.input) ?? null]);
  }
}
