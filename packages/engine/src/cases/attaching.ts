import { hash } from 'node:crypto';
import { sql } from '@bailiff/prisma';
import { forbidden, notFound } from '#src/calls/action-errors.ts';
import type { ActionError } from '#src/calls/actions.ts';
import type { StorePerformer } from '#src/calls/store-performers.ts';
import { actorUserId } from '#src/calls/submit.ts';
import type { Transaction } from '#src/database/transaction.ts';
import { CASE, CASE_COLUMNS, caseWire } from './cases.ts';
import type { UploadedFile } from './evidence.ts';

/** Most files and messages of one case (decisions: Evidence). */
export const MOST_EVIDENCE = 50;

const lockCase = sql.statement({
  parameters: [sql.text, sql.text, sql.text.orNull],
  columns: { ...CASE, is_forgotten: sql.bool, evidence: sql.int },
  // The id that stands for a forgotten person is older than Discord.
  text: `SELECT ${CASE_COLUMNS}, length(user_id) = 17 AND user_id < '19' AS is_forgotten,
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

/**
 * Makes evidence for a case, whether or not it is in force: of what is on record for the call's action, or of the file
 * that was uploaded on the page of the case.
 */
export const attachToCase: StorePerformer<'cases.attach'> = async (
  tx,
  { guildId, input, actor, actionId, uploaded },
) => {
  const row = await lockCase.first(tx, [guildId, input.case_id, actionId ?? null]);
  if (row === null) return { state: 'failed', error: notFound('case', input.case_id) };
  if (row.user_id === actorUserId(actor)) return { state: 'failed', error: forbidden('TARGET_IS_SELF') };
  if (row.is_forgotten) return { state: 'failed', error: forbidden('CASE_FORGOTTEN') };
  if (actor.source === 'dashboard') {
    const plan = await planUpload(tx, { guildId, caseId: row.id, evidence: row.evidence }, uploaded);
    if (plan.error !== null) return { state: 'failed', error: plan.error };
    return {
      state: 'done',
      write: async (_tx, id) => {
        if (plan.file !== null) await keepUploaded.run(tx, [row.id, id, plan.file.name, plan.file.content]);
        return { case: caseWire(row) };
      },
    };
  }
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

const lookAtUploaded = sql.statement({
  parameters: [sql.text, sql.text, sql.bytea],
  columns: { is_known: sql.bool, room: sql.bigint },
  text: `SELECT EXISTS (SELECT FROM evidence WHERE case_id = $1 AND sha256 = $3 AND problem IS NULL) AS is_known,
      evidence_room($2) AS room`,
});

const keepUploaded = sql.command({
  parameters: [sql.text, sql.text, sql.text, sql.bytea],
  text: 'SELECT upload_evidence($1, $2, $3, $4)',
});

const NO_FILE: ActionError = {
  code: 'VALIDATION_FAILED',
  message: 'Attach a file on the page of the case.',
  details: { issues: [{ path: '', message: 'must have a file' }] },
};

/** What becomes of an uploaded file: it is kept (`file`), known to the case already, or refused. */
async function planUpload(
  tx: Transaction,
  { guildId, caseId, evidence }: { guildId: string; caseId: string; evidence: number },
  uploaded: UploadedFile | undefined,
): Promise<{ file: UploadedFile | null; error: null } | { error: ActionError }> {
  if (uploaded === undefined) return { error: NO_FILE };
  const { is_known, room } = await lookAtUploaded.only(tx, [
    caseId,
    guildId,
    hash('sha256', uploaded.content, 'buffer'),
  ]);
  if (is_known) return { file: null, error: null };
  if (evidence >= MOST_EVIDENCE) return { error: forbidden('CASE_EVIDENCE_LIMIT') };
  if (uploaded.content.byteLength > Number(room)) return { error: forbidden('GUILD_EVIDENCE_LIMIT') };
  return { file: uploaded, error: null };
}
