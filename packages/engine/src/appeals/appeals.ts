import type { Appeal, ForbiddenReason } from '@bailiff/core';
import { AppealState, CaseKind, type Database, type RowOf, sql } from '@bailiff/prisma';
import type { z } from 'zod';
import { forbidden, notFound } from '#src/calls/action-errors.ts';
import type { StorePerformer } from '#src/calls/store-performers.ts';
import { actorUserId, type WriteCall } from '#src/calls/submit.ts';
import type { Transaction } from '#src/database/transaction.ts';

/** A question and what the person answered. */
export interface Answered {
  readonly question: string;
  readonly answer: string;
}

/** Columns of an appeal, in a SELECT of {@link APPEAL_COLUMNS} from `appeals`. */
export const APPEAL = {
  id: sql.text,
  case_id: sql.text,
  case_number: sql.int,
  kind: sql.oneOf({ CaseKind }),
  user_id: sql.text,
  state: sql.oneOf({ AppealState }),
  active: sql.bool,
  answers: sql.jsonb<readonly Answered[]>(),
  votes_for: sql.int,
  votes_against: sql.int,
  sent_at: sql.timestamptz,
  decided_by: sql.text.orNull,
  decided_at: sql.timestamptz.orNull,
  reply: sql.text.orNull,
};
export type AppealRow = RowOf<typeof APPEAL>;

const ofCase = (expression: string) => `(SELECT ${expression} FROM cases c WHERE c.id = appeals.case_id)`;
const votes = (which: string) =>
  `(SELECT count(*)::int FROM appeal_votes v WHERE v.appeal_id = appeals.id AND ${which})`;

export const APPEAL_COLUMNS = `id, case_id, user_id, state, answers, sent_at, decided_by, decided_at, reply,
  ${ofCase('c.case_number')} AS case_number, ${ofCase('c.kind')} AS kind,
  ${ofCase('case_is_in_force(c.ended_at, c.expires_at)')} AS active,
  ${votes('v.is_for')} AS votes_for, ${votes('NOT v.is_for')} AS votes_against`;

/**
 * An appeal as its reader may see it: its own person never learns who decided about it, also if they are a moderator.
 *
 * @param readerId null: anybody may read it later, as they may the answer of a call
 */
export function seenBy<Row extends AppealRow>(row: Row, readerId: string | null): Row {
  return readerId === null || readerId === row.user_id ? { ...row, decided_by: null } : row;
}

/** @param readerId as {@link seenBy} */
export function appealWire(appeal: AppealRow, readerId: string | null): z.output<typeof Appeal> {
  const row = seenBy(appeal, readerId);
  return {
    id: row.id,
    case_number: row.case_number,
    kind: row.kind,
    user_id: row.user_id,
    state: row.state,
    active: row.active,
    answers: [...row.answers],
    votes: { for: row.votes_for, against: row.votes_against },
    sent_at: row.sent_at.toISOString(),
    decided_by: row.decided_by,
    decided_at: row.decided_at?.toISOString() ?? null,
    reply: row.reply,
  };
}

/** Whether an appeal waits for a decision. */
export function isWaiting({ state, active }: Pick<AppealRow, 'state' | 'active'>): boolean {
  return active && (state === 'sent' || state === 'in_review');
}

const lockAppeal = sql.statement({
  parameters: [sql.text, sql.text],
  columns: { ...APPEAL, votes_needed: sql.int, is_being_lifted: sql.bool },
  text: `SELECT ${APPEAL_COLUMNS},
      coalesce((SELECT votes_needed FROM appeal_settings s WHERE s.guild_id = appeals.guild_id), 0) AS votes_needed,
      EXISTS (SELECT FROM actions a WHERE a.guild_id = appeals.guild_id AND a.target_id = appeals.user_id
        AND a.operation = ${ofCase('c.kind')} || 's.lift'
        AND (a.state IN ('pending', 'running')
          -- It may have been lifted, which is still looked for.
          OR a.state = 'unknown' AND a.looked_at IS DISTINCT FROM 'infinity'
            AND a.created_at > ${ofCase('c.issued_at')}))
      OR EXISTS (SELECT FROM listed_people p JOIN person_lists l ON l.action_id = p.list_id
        JOIN actions a ON a.guild_id = l.guild_id AND a.target_id = l.taken_by AND a.operation = l.kind || 's.undo'
        WHERE p.action_id = ${ofCase('c.action_id')} AND p.spared IS NULL
          AND a.state IN ('pending', 'running')) AS is_being_lifted
    FROM appeals WHERE guild_id = $1 AND id = $2 FOR UPDATE`,
});

const appealById = sql.statement({
  parameters: [sql.text],
  columns: APPEAL,
  text: `SELECT ${APPEAL_COLUMNS} FROM appeals WHERE id = $1`,
});

const voteOn = sql.command({
  parameters: [sql.text, sql.bool],
  text: 'SELECT vote_on_appeal($1, $2)',
});

/** Notes what the caller thinks of an appeal. */
export const voteOnAppeal: StorePerformer<'appeals.vote'> = (tx, call) =>
  change(tx, call, (id) => voteOn.run(tx, [id, call.input.vote === 'for']));

const refuse = sql.command({
  parameters: [sql.text, sql.text.orNull],
  text: 'SELECT refuse_appeal($1, $2)',
});

/**
 * Refuses an appeal, where as many moderators are against it as the guild wants. While somebody else lifts its case it
 * is not refused: its person would be told so, and be free a moment later.
 */
export const refuseAppeal: StorePerformer<'appeals.refuse'> = (tx, call) =>
  change(
    tx,
    call,
    (id) => refuse.run(tx, [id, call.input.reply ?? null]),
    ({ votes_against, votes_needed, is_being_lifted }) => {
      if (is_being_lifted) return 'STILL_RUNNING';
      return votes_against >= votes_needed ? null : 'VOTES_NEEDED';
    },
  );

type Locked = AppealRow & { readonly votes_needed: number; readonly is_being_lifted: boolean };

/** Changes an appeal that waits for a decision. Nobody decides about their own. */
async function change(
  tx: Transaction,
  { guildId, actor, input: { appealId } }: WriteCall<'appeals.vote' | 'appeals.refuse'>,
  write: (id: string) => Promise<unknown>,
  obstacle: (appeal: Locked) => ForbiddenReason | null = () => null,
): ReturnType<StorePerformer<'appeals.vote' | 'appeals.refuse'>> {
  const appeal = await lockAppeal.first(tx, [guildId, appealId]);
  if (appeal === null) return { state: 'failed', error: notFound('appeal', appealId) };
  if (appeal.user_id === actorUserId(actor)) return { state: 'failed', error: forbidden('TARGET_IS_SELF') };
  if (!isWaiting(appeal)) return { state: 'failed', error: forbidden('APPEAL_DECIDED') };
  const reason = obstacle(appeal);
  if (reason !== null) return { state: 'failed', error: forbidden(reason) };
  return {
    state: 'done',
    write: async () => {
      await write(appealId);
      return { appeal: appealWire(await appealById.only(tx, [appealId]), null) };
    },
  };
}

const endLapsed = sql.command({
  parameters: [],
  text: `UPDATE appeals SET state = 'over', decided_at = clock_timestamp() WHERE id IN (
      SELECT a.id FROM appeals a JOIN cases c ON c.id = a.case_id
      WHERE a.state IN ('sent', 'in_review') AND NOT case_is_in_force(c.ended_at, c.expires_at)
      LIMIT 1000 FOR UPDATE OF a SKIP LOCKED)`,
});

/** Ends the appeals against sanctions that Discord has ended by itself, of which no case says so. */
export async function endLapsedAppeals(db: Database): Promise<void> {
  await endLapsed.run(db.pool, []);
}
