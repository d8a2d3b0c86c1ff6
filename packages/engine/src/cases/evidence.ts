import { type Database, EvidenceProblem, type RowOf, sql } from '@bailiff/prisma';

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

const FILE = { name: sql.text.neverNull, media_type: sql.text.orNull, content: sql.bytea.neverNull };

const readFile = sql.statement({
  parameters: [sql.text, sql.text, sql.text],
  columns: FILE,
  text: 'SELECT name, media_type, content FROM read_evidence($1, $2, $3)',
});

/** A file with its content, for the person of a session; null if there is none that they may see. */
export function readEvidence(
  { pool }: Pick<Database, 'pool'>,
  proof: string,
  guildId: string,
  evidenceId: string,
): Promise<RowOf<typeof FILE> | null> {
  return readFile.first(pool, [proof, guildId, evidenceId]);
}
