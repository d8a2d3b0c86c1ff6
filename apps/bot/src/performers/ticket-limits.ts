import { type ForbiddenReason, MOST_OPEN_TICKETS } from '@bailiff/core';
import { forbidden } from '@bailiff/engine/calls/action-errors';
import type { ActionError } from '@bailiff/engine/calls/actions';
import { ticketSettings } from '@bailiff/engine/tickets/ticket-settings';
import { type Queryable, sql } from '@bailiff/prisma';

/** Most tickets that a member opens within ten minutes, also if they are closed again. */
const MOST_LATELY = 5;

const countTickets = sql.statement({
  parameters: [sql.text, sql.text, sql.text, sql.int],
  columns: { own: sql.int, lately: sql.int, too_soon: sql.bool, all_open: sql.int },
  text: `WITH begun AS (
      SELECT CASE operation WHEN 'tickets.open' THEN actor_user_id
          ELSE (SELECT opened_by FROM tickets WHERE tickets.id = target_id) END AS opener
      FROM actions WHERE guild_id = $1 AND operation IN ('tickets.open', 'tickets.reopen')
        AND state IN ('running', 'unknown') AND looked_at IS DISTINCT FROM 'infinity' AND id <> $3),
    open AS (SELECT opened_by FROM tickets WHERE guild_id = $1 AND status IN ('open', 'claimed'))
    SELECT
      ((SELECT count(*) FROM open WHERE opened_by = $2) + (SELECT count(*) FROM begun WHERE opener = $2))::int
        AS own,
      (SELECT count(*) FROM tickets WHERE guild_id = $1 AND opened_by = $2
        AND opened_at > clock_timestamp() - interval '10 minutes')::int AS lately,
      EXISTS (SELECT FROM tickets WHERE guild_id = $1 AND opened_by = $2
        AND opened_at > clock_timestamp() - make_interval(mins => $4)) AS too_soon,
      ((SELECT count(*) FROM open) + (SELECT count(*) FROM begun))::int AS all_open`,
});

/** Whose ticket is opened, and by which action. */
interface Opener {
  readonly guildId: string;
  readonly userId: string;
  readonly actionId: string;
}

/**
 * Why a person may open no further ticket now. Null if they may. Also counts tickets that are being opened, other than
 * by the given action, so that concurrent ones cannot exceed the limit, and those of which it may still be found out
 * whether they were. If two compete for the last place, both may be refused.
 */
export async function tooManyTickets(
  db: Queryable,
  { guildId, userId, actionId }: Opener,
): Promise<ActionError<'FORBIDDEN'> | null> {
  const { counted, mostOwn, mostOpen, pause } = await count(db, { guildId, userId, actionId });
  if (counted.own >= mostOwn) return limited('TICKET_LIMIT', mostOwn);
  if (counted.lately >= MOST_LATELY) return forbidden('TICKET_COOLDOWN');
  if (counted.too_soon) return limited('TICKET_PAUSE', pause);
  return counted.all_open >= mostOpen ? limited('GUILD_TICKET_LIMIT', mostOpen) : null;
}

/** Why no ticket of this person can be opened again now. Null if one can. No pause counts: it is not theirs to ask. */
export async function tooManyToReopen(
  db: Queryable,
  opener: Opener,
): Promise<ActionError<'FORBIDDEN'> | null> {
  const { counted, mostOwn, mostOpen } = await count(db, opener);
  if (counted.own >= mostOwn) return limited('OPENER_TICKET_LIMIT', mostOwn);
  return counted.all_open >= mostOpen ? limited('GUILD_TICKET_LIMIT', mostOpen) : null;
}

async function count(db: Queryable, { guildId, userId, actionId }: Opener) {
  const settings = await ticketSettings(db, guildId);
  const { cooldown_minutes: pause, most_open_of_person: mostOwn } = settings;
  const mostOpen = Math.min(settings.most_open_of_guild, MOST_OPEN_TICKETS);
  return {
    counted: await countTickets.only(db, [guildId, userId, actionId, pause]),
    mostOwn,
    mostOpen,
    pause,
  };
}

function limited(reason: ForbiddenReason, limit: number): ActionError<'FORBIDDEN'> {
  return { ...forbidden(reason), details: { reason, limit } };
}
