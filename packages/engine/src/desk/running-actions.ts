import { isLongOperation, LONG_OPERATIONS, type LongOperation } from '@bailiff/core';
import { type Database, sql } from '@bailiff/prisma';
import type { Progress } from '#src/calls/actions.ts';
import { capabilityOf } from '#src/calls/authorize.ts';
import type { Viewer } from '#src/guilds/guilds.ts';

/** A long action that has not ended. */
export interface RunningAction {
  readonly id: string;
  readonly operation: LongOperation;
  /** The channel or ticket it is about, or the action; null for a preview. */
  readonly targetId: string | null;
  /** The channel's name, if it is known. */
  readonly channelName: string | null;
  readonly ticketNumber: number | null;
  readonly actorUserId: string;
  readonly tokenName: string | null;
  readonly since: Date;
  readonly progress: Progress;
  /** Who asked for it to stop; null if nobody did. */
  readonly stoppedBy: string | null;
}

const MOST = 25;

const runningInGuild = sql.statement({
  parameters: [sql.text, sql.arrayOf(sql.text), sql.bigint],
  columns: {
    id: sql.text,
    operation: sql.text,
    target_id: sql.text.orNull,
    channel_name: sql.text.orNull,
    ticket_number: sql.int.orNull,
    actor_user_id: sql.text,
    token_name: sql.text.orNull,
    created_at: sql.timestamptz,
    progress: sql.jsonb<Progress>().orNull,
    stopped_by: sql.text.orNull,
  },
  text: `SELECT a.id, a.operation, a.target_id, c.name AS channel_name, t.number AS ticket_number, a.actor_user_id,
      a.token_name, a.created_at, a.progress, a.stopped_by
    FROM actions a
    LEFT JOIN known_channels c ON c.channel_id = a.target_id AND c.guild_id = a.guild_id
    LEFT JOIN tickets t ON t.id = a.target_id AND t.guild_id = a.guild_id
    WHERE a.guild_id = $1 AND a.state = 'running' AND a.operation = ANY ($2)
    ORDER BY a.id DESC LIMIT $3`,
});

/** The long actions of a guild that this person began or may do as well, which are those they may stop. Newest first. */
export async function runningActions(
  { pool }: Pick<Database, 'pool'>,
  viewer: Pick<Viewer, 'id' | 'capabilities'> & { readonly userId: string },
): Promise<RunningAction[]> {
  const rows = await runningInGuild.all(pool, [viewer.id, LONG_OPERATIONS, MOST]);
  return rows.flatMap((row): RunningAction[] => {
    const { operation } = row;
    // Another version of Bailiff wrote it.
    if (!isLongOperation(operation)) return [];
    const needed = capabilityOf(operation);
    const maySee =
      row.actor_user_id === viewer.userId || (needed !== null && viewer.capabilities.includes(needed));
    if (!maySee) return [];
    return [
      {
        id: row.id,
        operation,
        targetId: row.target_id,
        channelName: row.channel_name,
        ticketNumber: row.ticket_number,
        actorUserId: row.actor_user_id,
        tokenName: row.token_name,
        since: row.created_at,
        progress: row.progress ?? { done: 0, of: null },
        stoppedBy: row.stopped_by,
      },
    ];
  });
}
