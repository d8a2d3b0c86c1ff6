import { sql } from '@bailiff/prisma';
import { forbidden, notFound } from '#src/calls/action-errors.ts';
import type { StorePerformer } from '#src/calls/store-performers.ts';
import { actorUserId } from '#src/calls/submit.ts';
import { CASE, CASE_COLUMNS, caseWire } from './cases.ts';

/** Most files and messages of one case (decisions: Evidence). */
const MOST_EVIDENCE = 50;

const lockCase = sql.statement({
  parameters: [sql.text, sql.text, sql.text.orNull],
  columns: { ...CASE, evidence: sql.int },
  text: `SELECT ${CASE_COLUMNS},
      ((SELECT count(*) FROM evidence WHERE case_id = cases.id OR action_id = $3)
        + (SELECT count(*) FROM case_messages WHERE case_id = cases.id OR action_id = $3))::int AS evidence
    FROM cases WHERE guild_id = $1 AND id = $2 FOR NO KEY UPDATE`,
});

const bindFiles = sql.command({
  parameters: [sql.text, sql.text],
  text: 'UPDATE evidence SET case_id = $1 WHERE action_id = $2 AND case_id IS NULL',
});

const bindMessages = sql.command({
  parameters: [sql.text, sql.text],
  text: 'UPDATE case_messages SET case_id = $1 WHERE action_id = $2 AND case_id IS NULL',
});

/** Makes what is on record for the call's action evidence for a case, whether or not it is in force. */
export const attachToCase: StorePerformer<'cases.attach'> = async (
  tx,
  { guildId, input, actor, actionId },
) => {
  const row = await lockCase.first(tx, [guildId, input.case_id, actionId ?? null]);
  if (row === null) return { state: 'failed', error: notFound('case', input.case_id) };
  if (row.user_id === actorUserId(actor)) return { state: 'failed', error: forbidden('TARGET_IS_SELF') };
  if (row.evidence > MOST_EVIDENCE) return { state: 'failed', error: forbidden('CASE_EVIDENCE_LIMIT') };
  return {
    state: 'done',
    write: async (_tx, id) => {
      await bindFiles.run(tx, [row.id, id]);
      await bindMessages.run(tx, [row.id, id]);
      return { case: caseWire(row) };
    },
  };
};
