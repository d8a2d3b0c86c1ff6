import type { ActionState } from '@bailiff/core';
import type { Database } from '@bailiff/prisma';

/** A call that a window admitted. */
export interface WindowCall {
  readonly id: string;
  readonly windowId: string;
  readonly operation: string;
  readonly input: unknown;
  readonly state: ActionState;
  readonly createdAt: Date;
}

const LISTED = 100;

/** The calls that were made in some windows of a guild, the latest first. Whoever asks has been told of the windows. */
export async function callsInWindows(
  db: Database,
  guildId: string,
  windowIds: readonly string[],
): Promise<WindowCall[]> {
  const [oldest] = [...windowIds].sort();
  if (oldest === undefined) return [];
  const { rows } = await db.pool.query<{
    id: string;
    window_id: string;
    operation: string;
    input: unknown;
    state: ActionState;
    created_at: Date;
  }>({
    name: 'calls_in_windows',
    // Ids grow with time: nothing older than the oldest window is looked at.
    text: `SELECT id, window_id, operation, input, state, created_at FROM actions
           WHERE guild_id = $1 AND id > 'act_' || substr($2, 5) AND window_id = ANY ($3)
           ORDER BY id DESC LIMIT ${LISTED}`,
    values: [guildId, oldest, windowIds],
  });
  return rows.map(({ window_id, created_at, ...row }) => ({
    ...row,
    windowId: window_id,
    createdAt: created_at,
  }));
}
