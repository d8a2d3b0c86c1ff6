import type { ForbiddenReason } from '@bailiff/core';
import { forbidden } from '@bailiff/engine/calls/action-errors';
import type { ActionError, ActionRecord } from '@bailiff/engine/calls/actions';
import { sql } from '@bailiff/prisma';
import type { PerformerDeps } from './deps.ts';

/** Most tickets that are open at a time (decisions: Tickets). Discord allows a guild 500 channels. */
const MOST_OPEN_OF_PERSON = 5;
const MOST_OPEN_OF_GUILD = 200;
/** Most tickets that a member opens within ten minutes, also if they are closed again. */
const MOST_LATELY = 5;

const countTickets = sql.statement({
  parameters: [sql.text, sql.text, sql.text],
  columns: { own: sql.int, lately: sql.int, all_open: sql.int },
  text: `WITH begun AS (
      SELECT actor_user_id FROM actions WHERE guild_id = $1 AND operation = 'tickets.open'
        AND state IN ('running', 'unknown') AND id <> $3),
    open AS (SELECT opened_by FROM tickets WHERE guild_id = $1 AND status IN ('open', 'claimed'))
    SELECT
      ((SELECT count(*) FROM open WHERE opened_by = $2) + (SELECT count(*) FROM begun WHERE actor_user_id = $2))::int
        AS own,
      (SELECT count(*) FROM tickets WHERE guild_id = $1 AND opened_by = $2
        AND opened_at > clock_timestamp() - interval '10 minutes')::int AS lately,
      ((SELECT count(*) FROM open) + (SELECT count(*) FROM begun))::int AS all_open`,
});

/**
 * Why no further ticket may be opened. Null if one may. Also counts tickets that are being opened, so that concurrent
 * ones cannot exceed the limit. If two compete for the last place, both may be refused.
 */
export async function tooManyTickets(
  { db }: Pick<PerformerDeps, 'db'>,
  action: Pick<ActionRecord, 'id' | 'guildId' | 'actor'>,
): Promise<ActionError | null> {
  const counted = await countTickets.only(db.pool, [action.guildId, action.actor.userId, action.id]);
  const reason = limitReached(counted);
  return reason === null ? null : forbidden(reason);
}

function limitReached(counted: { own: number; lately: number; all_open: number }): ForbiddenReason | null {
  if (counted.own >= MOST_OPEN_OF_PERSON) return 'TICKET_LIMIT';
  if (counted.lately >= MOST_LATELY) return 'TICKET_COOLDOWN';
  return counted.all_open >= MOST_OPEN_OF_GUILD ? 'GUILD_TICKET_LIMIT' : null;
}
