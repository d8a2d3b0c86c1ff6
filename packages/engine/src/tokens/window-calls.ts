import { ActionState, type Database, sql } from '@bailiff/prisma';

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

// Ids grow with time, so nothing older than the oldest window is read.
const callsSince = sql.statement({
  parameters: [sql.text, sql.text, sql.arrayOf(sql.text)],
  columns: {
    id: sql.text,
    window_id: sql.text.neverNull,
    operation: sql.text,
    input: sql.jsonb(),
    state: sql.oneOf({ ActionState }),
    created_at: sql.timestamptz,
  },
  text: `SELECT id, window_id, operation, input, state, created_at FROM actions
    WHERE guild_id = $1 AND id > 'act_' || substr($2, 5) AND window_id = ANY ($3)
    ORDER BY id DESC LIMIT ${LISTED}`,
});

/** The calls made in some windows of a guild, the latest first. The caller must be allowed to see the windows. */
export async function callsInWindows(
  db: Database,
  guildId: string,
  windowIds: readonly string[],
): Promise<WindowCall[]> {
  const [oldest] = [...windowIds].sort();
  if (oldest === undefined) return [];
  const rows = await callsSince.all(db.pool, [guildId, oldest, windowIds]);
  return rows.map(({ window_id, created_at, ...row }) => ({
    ...row,
    windowId: window_id,
    createdAt: created_at,
  }));
}
