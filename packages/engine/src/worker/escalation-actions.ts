import type { BotOperation, EscalationStep } from '@bailiff/core';
import { DEFAULT_LOCALE, localeOf, translator } from '@bailiff/messages';
import { ActionState, type Database, EscalationKind, type Queryable, type RowOf, sql } from '@bailiff/prisma';
import { type Action, type ActionError, type ActionRecord, getAction } from '#src/calls/actions.ts';
import { submitCall, type WriteCall } from '#src/calls/submit.ts';
import { judgeStrike } from '#src/cases/escalation.ts';
import { patience } from '#src/database/database-errors.ts';
import { inTransaction, type Transaction } from '#src/database/transaction.ts';
import { DEADLINES, type Engine } from '#src/engine.ts';

const ASKED = {
  guild_id: sql.text,
  user_id: sql.text,
  case_number: sql.int,
  issued_at: sql.timestamptz,
  points: sql.int,
  sanction: sql.oneOf({ EscalationKind }),
  duration_minutes: sql.int.orNull,
};
/** The escalation of a strike. */
type AskedRow = RowOf<typeof ASKED>;

const DUE = {
  ...ASKED,
  action_id: sql.text.orNull,
  action_error: sql.jsonb<ActionError>().orNull,
  attempts: sql.int,
  /** The strike's request id, so that both are found together. */
  request_id: sql.text.orNull,
  language: sql.text,
  /** The user already has such a sanction, and it ends no earlier. */
  superseded: sql.bool,
};
type DueRow = RowOf<typeof DUE>;

/** An escalation that failed, for a message to the guild. */
export interface FailedEscalation {
  readonly guildId: string;
  readonly userId: string;
  readonly strikeNumber: number;
  readonly points: number;
  readonly sanction: EscalationStep['sanction'];
  readonly error: ActionError | null;
}

/** Most actions for one escalation. A new one is made only if the last one certainly did not happen. */
const MOST_ATTEMPTS = 5;
/**
 * Whether its last action `a` is to be looked at, or it may be tried again: until 0, 3, 15 and 63 minutes after the
 * strike it was tried at most once, twice, three and four times. Discord may be away for longer than a few minutes.
 */
const IS_TIME = `(a.id IS NOT NULL AND a.error #>> '{details,outcome}' IS DISTINCT FROM 'not_performed'
  OR clock_timestamp() >= e.created_at
    + make_interval(secs => 60 * (power(4, least(e.attempts, ${MOST_ATTEMPTS - 1}) - 1) - 1)))`;

const settleEnded = sql.command({
  parameters: [sql.text, sql.text, sql.text],
  text: `UPDATE escalations SET settled_at = clock_timestamp()
    WHERE strike_id = $1 AND action_id = $2 AND settled_at IS NULL
      AND ($3 <> 'unknown' OR created_at < clock_timestamp() - interval '1 day')`,
});

/**
 * Carries out the escalation of a strike once, as an action of the system. The action is recorded in the transaction
 * that links it to the strike. Another one is made only if that one certainly did not happen, after a pause that grows.
 *
 * @param tell says why it failed, once, in the transaction that records that
 */
export async function carryOutEscalation(
  engine: Engine,
  strikeId: string,
  botUserId: string,
  tell: (tx: Transaction, failed: FailedEscalation) => Promise<void>,
): Promise<void> {
  const due = await inTransaction(engine.db, (tx) => submitDue(tx, engine.dashboardUrl, strikeId, botUserId));
  if (due === null) return;
  const action = await untilEnded(engine, due.row.guild_id, due.actionId, due.requestId);
  // The job that looks every minute continues from here. It checks an unknown action as long as Discord is asked about
  // it.
  if (action === null || (didNotHappen(action.error) && due.attempts < MOST_ATTEMPTS)) return;
  await inTransaction(engine.db, async (tx) => {
    const ended = await settleEnded.run(tx, [strikeId, due.actionId, action.state]);
    if (ended === 1 && action.state !== 'done') await tell(tx, failureOf(due.row, action.error));
  });
}

const MOST_RESUMED = 200;

const resumeDue = sql.command({
  parameters: [sql.bigint],
  text: `SELECT graphile_worker.add_job('escalate', json_build_object('strike_id', strike_id),
      job_key => 'escalate:' || strike_id, priority => -10)
    FROM (SELECT e.strike_id FROM escalations e LEFT JOIN actions a ON a.id = e.action_id
      WHERE e.settled_at IS NULL AND ${IS_TIME} ORDER BY e.created_at LIMIT $1) AS due`,
});

/** Queues the escalations that are not settled, each when it is time: to try again, or because its worker has died. */
export async function resumeEscalations({ pool }: Pick<Database, 'pool'>): Promise<void> {
  await resumeDue.run(pool, [MOST_RESUMED]);
}

interface Due {
  readonly row: DueRow;
  readonly attempts: number;
  readonly actionId: string;
  readonly requestId: string;
}

const settleDue = sql.command({
  parameters: [sql.text],
  text: 'UPDATE escalations SET settled_at = clock_timestamp() WHERE strike_id = $1',
});

/** The action that carries out an escalation, submitted now if there is none. Null if there is nothing left to do. */
async function submitDue(
  tx: Transaction,
  dashboardUrl: string,
  strikeId: string,
  botUserId: string,
): Promise<Due | null> {
  const row = await lockDue(tx, strikeId);
  if (row === null) return null;
  const requestId = row.request_id ?? strikeId;
  const { attempts } = row;
  if (row.action_id !== null && (!didNotHappen(row.action_error) || attempts >= MOST_ATTEMPTS)) {
    return { row, actionId: row.action_id, attempts, requestId };
  }
  if (!(await isDue(tx, row)) || row.superseded) {
    await settleDue.run(tx, [strikeId]);
    return null;
  }
  const submitted = await submitCall(tx, dashboardUrl, callOf(row, botUserId, requestId), patience());
  if ('refused' in submitted) throw submitted.refused;
  await tx.prisma.escalation.update({
    where: { strikeId },
    data: { actionId: submitted.actionId, attempts: { increment: 1 } },
    select: { strikeId: true },
  });
  return { row, actionId: submitted.actionId, attempts: attempts + 1, requestId };
}

/** Whether an action ended without effect for a temporary reason: no worker claimed it, or Discord was unavailable. */
function didNotHappen(error: ActionError | null): boolean {
  const details = error?.details;
  return details !== undefined && 'outcome' in details && details.outcome === 'not_performed';
}

const lockDueRow = sql.statement({
  parameters: [sql.text],
  columns: DUE,
  text: `SELECT s.guild_id, s.user_id, s.case_number, s.issued_at, e.points, e.sanction, e.duration_minutes,
       e.action_id, e.attempts, a.error AS action_error, given.request_id, g.language,
       EXISTS (SELECT FROM cases x WHERE x.guild_id = s.guild_id AND x.user_id = s.user_id
         AND x.kind::text = e.sanction::text AND case_is_enforced(x.id, x.import_id)
         AND case_is_in_force(x.ended_at, x.expires_at, clock_timestamp() + make_interval(mins => e.duration_minutes)))
         AS superseded
     FROM escalations e
     JOIN cases s ON s.id = e.strike_id
     JOIN guilds g ON g.id = e.guild_id
     LEFT JOIN actions given ON given.id = s.action_id
     LEFT JOIN actions a ON a.id = e.action_id
     WHERE e.strike_id = $1 AND e.settled_at IS NULL AND ${IS_TIME} FOR UPDATE OF e`,
});

function lockDue(tx: Transaction, strikeId: string): Promise<DueRow | null> {
  return lockDueRow.first(tx, [strikeId]);
}

/** Whether the policy demands it for this strike, by everything on record now. */
async function isDue(db: Queryable, row: AskedRow): Promise<boolean> {
  const { step } = await judgeStrike(db, row);
  return step !== null && step.sanction === row.sanction && step.durationMinutes === row.duration_minutes;
}

function callOf(row: DueRow, botUserId: string, requestId: string): WriteCall {
  const say = translator(localeOf(row.language) ?? DEFAULT_LOCALE, 'escalation');
  const reason = say('reason', { points: row.points, number: String(row.case_number) });
  const by = {
    guildId: row.guild_id,
    actor: { source: 'system', userId: botUserId },
    requestId,
    address: null,
  } as const;
  const { user_id, sanction, duration_minutes } = row;
  if (sanction === 'ban') {
    const length = duration_minutes === null ? {} : { duration_minutes };
    return { ...by, operation: 'bans.add', input: { user_id, reason, ...length } };
  }
  if (duration_minutes === null) throw new Error('A step of the escalation mutes without a length.');
  return { ...by, operation: 'mutes.add', input: { user_id, reason, duration_minutes } };
}

/** The action, once it has ended. Null if it has not ended within the longest time that an action takes. */
async function untilEnded(
  { db, waiters }: Engine,
  guildId: string,
  actionId: string,
  requestId: string,
): Promise<ActionRecord | null> {
  const waiter = waiters.expect(requestId);
  const startedAt = performance.now();
  try {
    for (;;) {
      const action = await getAction(db, guildId, actionId);
      if (action === null || !['pending', 'running'].includes(action.state)) return action;
      const leftMs = DEADLINES.answerMs - (performance.now() - startedAt);
      if (leftMs <= 0) return null;
      await waiter.within(leftMs);
    }
  } finally {
    waiter.release();
  }
}

/** The result of a strike's escalation, for the person who gave the strike. */
export type EscalationEnd =
  | { readonly state: 'done'; readonly caseNumber: number; readonly points: number }
  /** It failed, and is not tried again. */
  | { readonly state: 'failed'; readonly error: ActionError }
  /** Such a sanction is already in force, or the policy no longer demands it. */
  | { readonly state: 'not_due' }
  | { readonly state: 'under_way' };

/** How often to look again without a notification. */
const LOOK_AGAIN_MS = 500;

/** The result of a strike's escalation, or its state when the time to wait is over. */
export async function escalationEnd(
  { db, waiters }: Engine,
  strike: { readonly id: string; readonly requestId: string },
  withinMs: number,
): Promise<EscalationEnd> {
  const waiter = waiters.expect(strike.requestId);
  const startedAt = performance.now();
  try {
    for (;;) {
      const end = await readEnd(db, strike.id);
      const leftMs = withinMs - (performance.now() - startedAt);
      if (end.state !== 'under_way' || leftMs <= 0) return end;
      await waiter.within(Math.min(leftMs, LOOK_AGAIN_MS));
    }
  } finally {
    waiter.release();
  }
}

const endOfEscalation = sql.statement({
  parameters: [sql.text],
  columns: {
    points: sql.int,
    settled: sql.bool,
    state: sql.oneOf({ ActionState }).orNull,
    error: sql.jsonb<ActionError>().orNull,
    case_number: sql.int.orNull,
  },
  text: `SELECT e.points, e.settled_at IS NOT NULL AS settled, a.state, a.error, x.case_number
      FROM escalations e
      JOIN cases s ON s.id = e.strike_id
      LEFT JOIN actions a ON a.id = e.action_id
      LEFT JOIN cases x ON x.guild_id = e.guild_id AND x.user_id = s.user_id AND x.kind IN ('mute', 'ban')
        AND x.action_id = e.action_id
      WHERE e.strike_id = $1`,
});

async function readEnd({ pool }: Database, strikeId: string): Promise<EscalationEnd> {
  const row = await endOfEscalation.first(pool, [strikeId]);
  if (row === null) return { state: 'not_due' };
  if (row.state === 'done' && row.case_number !== null) {
    return { state: 'done', caseNumber: row.case_number, points: row.points };
  }
  if (row.state === 'failed' && row.error !== null && !didNotHappen(row.error)) {
    return { state: 'failed', error: row.error };
  }
  return row.settled ? { state: 'not_due' } : { state: 'under_way' };
}

function failureOf(row: DueRow, error: ActionError | null): FailedEscalation {
  return {
    guildId: row.guild_id,
    userId: row.user_id,
    strikeNumber: row.case_number,
    points: row.points,
    sanction: row.sanction,
    error,
  };
}

const escalationOfAction = sql.statement({
  parameters: [sql.text, sql.text],
  columns: ASKED,
  text: `SELECT s.guild_id, s.user_id, s.case_number, s.issued_at, e.points, e.sanction, e.duration_minutes
     FROM escalations e JOIN cases s ON s.id = e.strike_id AND s.kind = 'strike' AND s.guild_id = e.guild_id
     WHERE e.action_id = $1 AND e.guild_id = $2`,
});

/**
 * Whether the strike that a system action is linked to demands exactly this action. Anyone who can write to the
 * database can write an action, so the bot checks this for itself.
 */
export async function isOfEscalation(
  db: Pick<Database, 'pool'>,
  action: Action<BotOperation>,
): Promise<boolean> {
  if (action.operation !== 'bans.add' && action.operation !== 'mutes.add') return false;
  const row = await escalationOfAction.first(db.pool, [action.id, action.guildId]);
  if (row === null || !(await isDue(db.pool, row))) return false;
  const { input, operation } = action;
  return (
    operation === (row.sanction === 'ban' ? 'bans.add' : 'mutes.add') &&
    input.user_id === row.user_id &&
    (input.duration_minutes ?? null) === row.duration_minutes
  );
}
