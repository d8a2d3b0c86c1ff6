import { REOPENED_WITHIN_DAYS } from '@bailiff/core';
import { forbidden, notFound } from '@bailiff/engine/calls/action-errors';
import type { Action, ActionError } from '@bailiff/engine/calls/actions';
import {
  reopenTicket,
  TICKET,
  TICKET_COLUMNS,
  type TicketRow,
  ticketWire,
} from '@bailiff/engine/tickets/tickets';
import type { Performer } from '@bailiff/engine/worker/perform-action';
import { sql } from '@bailiff/prisma';
import { RESTJSONErrorCodes as Code, Routes } from 'discord.js';
import { guildRefusal } from '#src/channel-access.ts';
import { DiscordFailure } from '#src/discord-api.ts';
import { welcomeSoon } from '#src/jobs.ts';
import { performerOf, Refusal } from './carry-out.ts';
import type { PerformerDeps } from './deps.ts';
import { tooManyToReopen } from './ticket-limits.ts';
import { channelName, channelRefusal, FOR_CHANNELS, findChannel, makeChannel } from './tickets.ts';

/** Opens a closed ticket again. Its channel is gone, so it gets a new one (decisions: Tickets). */
export function reopenTicketChannel(deps: PerformerDeps): Performer<'tickets.reopen'> {
  return performerOf(deps, (action) => {
    const { guildId, actor } = action;
    const { closed_ticket_id: id } = action.input;
    return {
      check: async (signal) => {
        const ticket = await ticketToReopen.first(deps.db.pool, [id, guildId, action.id]);
        if (ticket === null) return new Refusal(notFound('ticket', id));
        const refusal =
          (await guildRefusal(deps, guildId, signal, ...FOR_CHANNELS)) ??
          (await refusalOf(deps, action, ticket, signal));
        return refusal === null ? ticket : new Refusal(refusal);
      },
      send: ({ number, subject, opened_by: openedBy }, signal) =>
        makeChannel(deps, action, { name: channelName(number), openedBy, subject }, signal),
      look: (_seen, signal) => findChannel(deps, action, signal),
      refusal: channelRefusal,
      record: async ({ channelId }, tx) => {
        const row = await reopenTicket(tx, { id, channelId, by: actor.userId });
        await welcomeSoon(tx, id);
        return { ticket: ticketWire(row) };
      },
    };
  });
}

// The lock waits for an undo of an import that is removing it. An undo that comes later sees the action, and keeps it.
const ticketToReopen = sql.statement({
  parameters: [sql.text, sql.text, sql.text],
  columns: { ...TICKET, is_late: sql.bool.orNull, is_begun: sql.bool },
  text: `SELECT ${TICKET_COLUMNS},
      closed_at <= clock_timestamp() - make_interval(days => ${REOPENED_WITHIN_DAYS}) AS is_late,
      EXISTS (SELECT FROM actions a WHERE a.guild_id = $2 AND a.operation = 'tickets.reopen' AND a.target_id = $1
        AND a.state IN ('running', 'unknown') AND a.looked_at IS DISTINCT FROM 'infinity' AND a.id <> $3) AS is_begun
    FROM tickets WHERE id = $1 AND guild_id = $2 FOR KEY SHARE`,
});

/** When two people open it at the same moment, both may be refused: that is better than two channels. */
async function refusalOf(
  deps: PerformerDeps,
  { id: actionId, guildId }: Action<'tickets.reopen'>,
  ticket: TicketRow & { readonly is_late: boolean | null; readonly is_begun: boolean },
  signal: AbortSignal,
): Promise<ActionError | null> {
  if (ticket.status !== 'closed') return forbidden('TICKET_NOT_CLOSED');
  if (ticket.is_late !== false) return forbidden('REOPEN_TOO_LATE');
  if (ticket.is_begun) return forbidden('STILL_RUNNING');
  if (!(await isMember(deps, guildId, ticket.opened_by, signal))) return forbidden('OPENER_LEFT');
  return tooManyToReopen(deps.db.pool, { guildId, userId: ticket.opened_by, actionId });
}

async function isMember(
  { api }: PerformerDeps,
  guildId: string,
  userId: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await api.get(Routes.guildMember(guildId, userId), { signal });
    return true;
  } catch (error) {
    const isGone =
      error instanceof DiscordFailure &&
      (error.code === Code.UnknownMember || error.code === Code.UnknownUser);
    if (isGone) return false;
    throw error;
  }
}
