import type { Severity } from '@bailiff/core';
import { CaseKind, type Database, sql } from '@bailiff/prisma';
import { forbidden, notFound } from '#src/calls/action-errors.ts';
import type { ActionError } from '#src/calls/actions.ts';
import type { Outcome } from '#src/calls/settle.ts';
import type { StorePerformer } from '#src/calls/store-performers.ts';
import { actorUserId } from '#src/calls/submit.ts';
import type { Transaction } from '#src/database/transaction.ts';
import { CASE, CASE_COLUMNS, type CaseRow, caseWire, IN_FORCE, strikeWire } from './cases.ts';

/** Most changes of one case (decisions: Changed cases). */
export const MOST_CHANGES = 50;

/** A token needs no window to edit a case, so it may not use up what people may change. */
const MOST_BEFORE_TOKEN = MOST_CHANGES / 2;

/** The columns that a change can set, and that its record keeps. */
interface Changeable {
  readonly reason?: string | null;
  readonly severity?: Severity;
  /** Null: permanent. */
  readonly duration_minutes?: number | null;
}

const changeCaseTo = sql.statement({
  parameters: [sql.text, sql.text, sql.text, sql.text.orNull, sql.jsonb<Changeable>()],
  columns: CASE,
  text: `SELECT ${CASE_COLUMNS} FROM change_case($1, $2, $3, $4, $5)`,
});

/** Changes a case that the caller has locked, and keeps what stood before. Returns the case. */
export function changeCase(
  tx: Transaction,
  caseId: string,
  by: { readonly actionId: string; readonly userId: string; readonly why: string | undefined },
  to: Changeable,
): Promise<CaseRow> {
  return changeCaseTo.only(tx, [caseId, by.actionId, by.userId, by.why ?? null, to]);
}

const lockChangeable = sql.statement({
  parameters: [sql.text, sql.text],
  columns: { ...CASE, is_forgotten: sql.bool, changes: sql.int },
  // The id that stands for a forgotten person is older than Discord.
  text: `SELECT ${CASE_COLUMNS}, length(user_id) = 17 AND user_id < '19' AS is_forgotten,
      (SELECT count(*) FROM case_changes WHERE case_id = cases.id)::int AS changes
    FROM cases WHERE guild_id = $1 AND id = $2 FOR UPDATE`,
});

/** Changes the reason of a case, whether or not it is in force. */
export const editCase: StorePerformer<'cases.edit'> = (tx, call) => {
  const { caseId, reason } = call.input;
  const most = call.actor.source === 'token' ? MOST_BEFORE_TOKEN : MOST_CHANGES;
  const change = { caseId, noun: 'case', why: undefined, to: { reason }, allows: () => true, most } as const;
  return performChange(tx, call, change, (row) => ({ case: caseWire(row) }));
};

/** Changes the severity of a strike that counts. */
export const changeStrike: StorePerformer<'strikes.change'> = (tx, call) => {
  const { strikeId, severity, reason } = call.input;
  const allows = ({ kind, active }: CaseRow) => kind === 'strike' && active;
  const change = {
    caseId: strikeId,
    noun: 'strike',
    why: reason,
    to: { severity },
    allows,
    most: MOST_CHANGES,
  } as const;
  return performChange(tx, call, change, (row) => ({ strike: strikeWire(row) }));
};

async function performChange<Output extends object>(
  tx: Transaction,
  { guildId, actor }: Pick<Parameters<typeof editCase>[1], 'guildId' | 'actor'>,
  change: {
    readonly caseId: string;
    readonly noun: 'case' | 'strike';
    readonly why: string | undefined;
    readonly to: Changeable;
    readonly allows: (row: CaseRow) => boolean;
    /** How often the case may have been changed by then. */
    readonly most: number;
  },
  answer: (row: CaseRow) => Output,
): Promise<Outcome<Output>> {
  const { caseId, noun, why, to, allows, most } = change;
  const userId = actorUserId(actor);
  const row = await lockChangeable.first(tx, [guildId, caseId]);
  if (row === null || !allows(row)) return { state: 'failed', error: notFound(noun, caseId) };
  // What the case says already is no change.
  const isSaid = to.reason === row.reason || to.severity === row.severity;
  const refusal = changeRefusal(row, userId, !isSaid && row.changes >= most);
  if (refusal !== null) return { state: 'failed', error: refusal };
  return {
    state: 'done',
    write: async (_tx, actionId) => answer(await changeCase(tx, caseId, { actionId, userId, why }, to)),
  };
}

/** Why a case cannot be changed by a person; null if it can. */
function changeRefusal(
  { user_id, is_forgotten }: { user_id: string; is_forgotten: boolean },
  userId: string,
  isOneTooMany: boolean,
): ActionError | null {
  if (user_id === userId) return forbidden('TARGET_IS_SELF');
  if (is_forgotten) return forbidden('CASE_FORGOTTEN');
  return isOneTooMany ? forbidden('CASE_CHANGE_LIMIT') : null;
}

// The lock waits for an undo of an import that is removing it. An undo that comes later sees the action, and keeps it.
const sanctionInForce = sql.statement({
  parameters: [sql.text, sql.oneOf({ CaseKind }), sql.text, sql.int.orNull],
  columns: { case_id: sql.text, changes: sql.int, is_said: sql.bool, left_seconds: sql.float.orNull },
  text: `SELECT id AS case_id, (SELECT count(*) FROM case_changes WHERE case_id = cases.id)::int AS changes,
      (duration_minutes, expires_at) IS NOT DISTINCT FROM ($4, issued_at + make_interval(mins => $4)) AS is_said,
      extract(epoch FROM issued_at + make_interval(mins => $4) - clock_timestamp())::float8 AS left_seconds
    FROM cases WHERE guild_id = $1 AND kind = $2 AND user_id = $3 AND ${IN_FORCE} ORDER BY id DESC LIMIT 1
    FOR KEY SHARE`,
});

/** How long a sanction in force would still last with another length. */
export interface NewLength {
  readonly caseId: string;
  /** Null: without an end. */
  readonly leftSeconds: number | null;
}

/**
 * What another length means for the sanction of a kind that a user has in force.
 *
 * @param minutes from when it began; null: permanent
 * @returns the refusal if there is none, if that length is over already, or if the case was changed too often
 */
export async function newLength(
  { pool }: Pick<Database, 'pool'>,
  of: { readonly guildId: string; readonly kind: 'ban' | 'mute'; readonly userId: string },
  minutes: number | null,
): Promise<NewLength | ActionError> {
  const row = await sanctionInForce.first(pool, [of.guildId, of.kind, of.userId, minutes]);
  if (row === null) return notFound(of.kind, of.userId);
  if (row.left_seconds !== null && row.left_seconds <= 0) return forbidden('END_IS_PAST');
  if (!row.is_said && row.changes >= MOST_CHANGES) return forbidden('CASE_CHANGE_LIMIT');
  return { caseId: row.case_id, leftSeconds: row.left_seconds };
}

/** When the action began that changes a length. */
const BEGUN = '(SELECT claimed_at FROM actions WHERE id = $4)';

const WAS_IN_FORCE = `issued_at <= ${BEGUN}
  AND case_is_in_force(CASE WHEN ended_at <= ${BEGUN} THEN ended_at END, expires_at, ${BEGUN})`;

const lockChanged = sql.statement({
  parameters: [sql.text, sql.oneOf({ CaseKind }), sql.text, sql.text],
  columns: { ...CASE, is_latest: sql.bool },
  text: `SELECT ${CASE_COLUMNS}, ${WAS_IN_FORCE} AND ended_at IS NULL AND NOT EXISTS (SELECT FROM cases later
      WHERE later.guild_id = $1 AND later.kind = $2 AND later.user_id = $3 AND later.issued_at > ${BEGUN}) AS is_latest
    FROM cases WHERE guild_id = $1 AND kind = $2 AND user_id = $3
    ORDER BY ${WAS_IN_FORCE} DESC, id DESC LIMIT 1 FOR UPDATE`,
});

/**
 * Gives the sanction that a user had when the action began another length. One that somebody has ended or replaced
 * since stays as it is: the action may be found out hours later.
 */
export async function changeLength(
  tx: Transaction,
  of: { readonly guildId: string; readonly kind: 'ban' | 'mute'; readonly userId: string },
  by: Parameters<typeof changeCase>[2],
  minutes: number | null,
): Promise<{ readonly row: CaseRow; readonly isChanged: boolean }> {
  const row = await lockChanged.only(tx, [of.guildId, of.kind, of.userId, by.actionId]);
  if (!row.is_latest) return { row, isChanged: false };
  return { row: await changeCase(tx, row.id, by, { duration_minutes: minutes }), isChanged: true };
}

/** A change of a case, as its timeline shows it. */
export interface CaseChange {
  readonly id: string;
  /** What made it; of a change that an import knows of, the import. */
  readonly actionId: string;
  readonly changedBy: string;
  readonly changedAt: Date;
  readonly why: string | null;
  /** What stood before, by column; only what changed. */
  readonly before: Recorded;
  readonly after: Recorded;
}

interface Recorded extends Changeable {
  readonly expires_at?: string | null;
}

const changesOfCase = sql.statement({
  parameters: [sql.text, sql.bigint],
  columns: {
    id: sql.text,
    action_id: sql.text,
    changed_by: sql.text,
    changed_at: sql.timestamptz,
    why: sql.text.orNull,
    before: sql.jsonb<Recorded>(),
    after: sql.jsonb<Recorded>(),
  },
  text: `SELECT id, action_id, changed_by, changed_at, why, before, after FROM case_changes WHERE case_id = $1
    ORDER BY id LIMIT $2`,
});

/** The changes of a case, oldest first. The caller decides who may see them. */
export async function changesOf({ pool }: Pick<Database, 'pool'>, caseId: string): Promise<CaseChange[]> {
  const rows = await changesOfCase.all(pool, [caseId, MOST_CHANGES]);
  return rows.map(({ action_id: actionId, changed_by: changedBy, changed_at: changedAt, ...row }) => ({
    ...row,
    actionId,
    changedBy,
    changedAt,
  }));
}
