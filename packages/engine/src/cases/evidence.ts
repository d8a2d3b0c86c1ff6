import { type Database, EvidenceProblem, type RowOf, sql } from '@bailiff/prisma';
import { sessionRefusal } from '#src/calls/dashboard-call.ts';

/** The largest file that is kept. */
export const MOST_EVIDENCE_MEGABYTES = 8;
export const MOST_EVIDENCE_BYTES = MOST_EVIDENCE_MEGABYTES * 1024 * 1024;

/** A file that was attached to a case. */
interface AttachedEvidence {
  readonly caseId: string;
  readonly name: string;
  /** As Discord told. */
  readonly sizeBytes: number;
  /** Its content, or why it is not kept. */
  readonly content: Buffer | 'too_large' | 'unread';
}

const keepFile = sql.statement({
  parameters: [sql.text, sql.text, sql.int, sql.bytea.orNull, sql.oneOf({ EvidenceProblem }).orNull],
  columns: { problem: sql.oneOf({ EvidenceProblem }).orNull },
  text: 'SELECT keep_evidence($1, $2, $3, $4, $5) AS problem',
});

/** Keeps a file with a case, or notes that it is not kept. Returns why not; null if it is. */
export async function keepEvidenceFile(
  { pool }: Pick<Database, 'pool'>,
  { caseId, name, sizeBytes, content }: AttachedEvidence,
): Promise<EvidenceProblem | null> {
  const kept = typeof content === 'string' ? ([null, content] as const) : ([content, null] as const);
  return (await keepFile.only(pool, [caseId, name, sizeBytes, ...kept])).problem;
}

const EVIDENCE = {
  id: sql.text,
  name: sql.text,
  media_type: sql.text.orNull,
  size_bytes: sql.int,
  sha256: sql.text.orNull,
  problem: sql.oneOf({ EvidenceProblem }).orNull,
  attached_at: sql.timestamptz,
};

/** A file of a case, without its content. */
export type EvidenceRow = RowOf<typeof EVIDENCE>;

const evidenceOfCase = sql.statement({
  parameters: [sql.text],
  columns: EVIDENCE,
  text: `SELECT id, name, media_type, size_bytes, encode(sha256, 'hex') AS sha256, problem, attached_at
    FROM evidence WHERE case_id = $1 ORDER BY id LIMIT 100`,
});

/** The files of a case, oldest first. The caller decides who may see them. */
export function evidenceOf({ pool }: Pick<Database, 'pool'>, caseId: string): Promise<EvidenceRow[]> {
  return evidenceOfCase.all(pool, [caseId]);
}

const PART_BYTES = 256 * 1024;
const PART = {
  name: sql.text.neverNull,
  media_type: sql.text.orNull,
  size_bytes: sql.int.neverNull,
  part: sql.bytea.neverNull,
};
/** A file and some of its content. */
export type EvidencePart = RowOf<typeof PART>;

const readPart = sql.statement({
  parameters: [sql.text, sql.text, sql.text, sql.int, sql.int],
  columns: PART,
  text: 'SELECT name, media_type, size_bytes, part FROM read_evidence($1, $2, $3, $4, $5)',
});

/**
 * The part of a file that begins after `from` bytes, for the person of a session; null if there is no file that they may
 * see at this moment. A whole file would be in memory for as long as its reader takes.
 *
 * @throws ApiError UNAUTHORIZED if the session has ended, UPSTREAM_UNAVAILABLE if it is not confirmed
 */
export function readEvidencePart(
  { pool }: Pick<Database, 'pool'>,
  file: { readonly proof: string; readonly guildId: string; readonly evidenceId: string },
  from: number,
): Promise<EvidencePart | null> {
  const { proof, guildId, evidenceId } = file;
  return readPart.first(pool, [proof, guildId, evidenceId, from, PART_BYTES]).catch((error: unknown) => {
    throw sessionRefusal(error);
  });
}
