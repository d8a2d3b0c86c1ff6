import { type Database, sql } from '@bailiff/prisma';
import { actionFrom } from '#src/calls/actions.ts';
import { CLAIMED, rightsKnown, soundAction, UNSOUND_RECORD, withPermissions } from './claim.ts';
import { MOST_OF_GUILD } from './lanes.ts';
import { LEASE_SECONDS, newWorker, queueContinuation, stopOf, workOn } from './long-actions.ts';
import { isLongAction, settleWithRetries, unknownOutcome, type WorkerContext } from './perform-action.ts';

const ANOTHER_TRY_SECONDS = 2;
/** What could not be finished for so long is given up. */
const isGivenUp = "a.created_at < clock_timestamp() - interval '1 day'";

const CONTINUED = { ...CLAIMED, work: sql.jsonb().orNull, is_given_up: sql.bool };

const claimAgain = sql.statement({
  parameters: [sql.text, sql.text, sql.float, sql.bigint],
  columns: CONTINUED,
  text: `WITH claimed AS (
        UPDATE actions a SET worker = $2, continues_since = coalesce(continues_since, clock_timestamp()),
          lease_expires_at = clock_timestamp() + make_interval(secs => $3)
        WHERE id = $1 AND state = 'running' AND (worker IS NULL OR lease_expires_at < clock_timestamp())
          AND (${isGivenUp} OR (SELECT ${rightsKnown('a', 'g')} FROM live_guilds g WHERE g.id = a.guild_id))
          AND $4 > (SELECT count(*) FROM actions o WHERE o.guild_id = a.guild_id AND o.state = 'running'
            AND o.continues_since IS NOT NULL AND o.worker IS NOT NULL AND o.lease_expires_at > clock_timestamp())
        RETURNING *)
      ${withPermissions('0', `, a.work, ${isGivenUp} AS is_given_up`)}`,
});

const isLeft = sql.statement({
  parameters: [sql.text],
  columns: { is_left: sql.bool },
  text: `SELECT worker IS NULL OR lease_expires_at < clock_timestamp() AS is_left FROM actions
    WHERE id = $1 AND state = 'running'`,
});

/**
 * Works on a long action from where it was left, and settles it when it has ended. Does nothing if it has ended, if
 * another worker holds it, or while it is not known what its author may do.
 */
export async function continueAction(context: WorkerContext, actionId: string): Promise<void> {
  const { db, performers, log, closing } = context;
  const worker = newWorker();
  const row = await claimAgain.first(db.pool, [actionId, worker, LEASE_SECONDS, MOST_OF_GUILD]);
  if (row === null) return tryLater(db, actionId);
  const record = actionFrom(row);
  const action = soundAction(record);
  if (action === null || !isLongAction(action)) {
    return settleWithRetries(db, record, { state: 'failed', error: UNSOUND_RECORD }, log);
  }
  if (row.is_given_up) {
    return settleWithRetries(db, record, unknownOutcome(action), log);
  }
  const held = { worker, saved: row.work, stop: stopOf(action, row), awaited: null, closing };
  const outcome = await workOn(db, performers, action, held);
  if (outcome !== null) await settleWithRetries(db, action, outcome, log);
}

/** Others of the guild are being worked on, or the guild is not trusted yet. */
async function tryLater(db: Database, actionId: string): Promise<void> {
  const action = await isLeft.first(db.pool, [actionId]);
  if (action?.is_left === true) await queueContinuation(db.pool, actionId, ANOTHER_TRY_SECONDS);
}
