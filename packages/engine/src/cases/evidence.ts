import { type Database, EvidenceProblem, type RowOf, sql } from '@bailiff/prisma';
import { sessionRefusal } from '#src/calls/dashboard-call.ts';

/** The largest file that is kept. */
export const MOST_EVIDENCE_MEGABYTES = 8;
export const MOST_EVIDENCE_BYTES = MOST_EVIDENCE_MEGABYTES * 1024 * 1024;

/** A file at Discord, or why it is not even fetched. */
interface FoundFile {
  /** Its link expires within a day. */
  readonly url: string;
  readonly name: string;
  /** As Discord told. */
  readonly bytes: number;
  readonly problem: EvidenceProblem | null;
}

/** A file that somebody sent from the page of a case. */
export interface UploadedFile {
  readonly name: string;
  readonly content: Buffer;
}

/** A message that a case is about. */
export interface FoundMessage {
  readonly channelId: string;
  readonly messageId: string;
  readonly authorId: string;
  /** Null if it could not be read any more. */
  readonly text: string | null;
}

/** A file that is to be fetched. */
const WAITING = { id: sql.text, url: sql.text.neverNull, size_bytes: sql.int, attached_at: sql.timestamptz };
export type WaitingFile = Pick<RowOf<typeof WAITING>, 'id' | 'url' | 'size_bytes'>;

const attach = sql.statement({
  parameters: [sql.jsonb<object>()],
  columns: {
    attached: sql.jsonb<{ action_id: string; files: { id: string; url: string; bytes: number }[] }>(),
  },
  text: 'SELECT attach_evidence($1) AS attached',
});

/**
 * Records what is evidence for the case that an action will open, before the action is submitted under the returned id:
 * then nothing is lost, whenever the bot ends. With `caseId` it is evidence of that case at once.
 */
export async function attachEvidence(
  { pool }: Pick<Database, 'pool'>,
  attached: {
    readonly guildId: string;
    readonly caseId?: string;
    readonly actionId?: string;
    readonly messages: readonly FoundMessage[];
    readonly files: readonly FoundFile[];
  },
): Promise<{ actionId: string; waiting: readonly WaitingFile[] }> {
  const { guildId, caseId = null, actionId = null, messages, files } = attached;
  const given = {
    guild_id: guildId,
    case_id: caseId,
    action_id: actionId,
    files,
    messages: messages.map(({ channelId, messageId, authorId, text }) => ({
      channel_id: channelId,
      message_id: messageId,
      author_id: authorId,
      text,
    })),
  };
  const { action_id, files: waiting } = (await attach.only(pool, [given])).attached;
  return {
    actionId: action_id,
    waiting: waiting.map(({ id, url, bytes }) => ({ id, url, size_bytes: bytes })),
  };
}

const drop = sql.command({
  parameters: [sql.text],
  text: `WITH files AS (DELETE FROM evidence WHERE action_id = $1 AND case_id IS NULL)
    DELETE FROM case_messages WHERE action_id = $1 AND case_id IS NULL`,
});

/** Deletes what was attached to an action that has certainly opened no case. */
export async function dropEvidence({ pool }: Pick<Database, 'pool'>, actionId: string): Promise<void> {
  await drop.run(pool, [actionId]);
}

const settleFile = sql.statement({
  parameters: [sql.text, sql.bytea.orNull, sql.oneOf({ EvidenceProblem }).orNull],
  columns: { problem: sql.oneOf({ EvidenceProblem }).orNull },
  text: 'SELECT settle_evidence($1, $2, $3) AS problem',
});

/** Keeps a file, or notes why it is not kept. Returns why not; null if it is. */
export async function settleEvidence(
  { pool }: Pick<Database, 'pool'>,
  fileId: string,
  content: Buffer | EvidenceProblem,
): Promise<EvidenceProblem | null> {
  const kept = typeof content === 'string' ? ([null, content] as const) : ([content, null] as const);
  return (await settleFile.only(pool, [fileId, ...kept])).problem;
}

const waitingFiles = sql.statement({
  parameters: [sql.text],
  columns: WAITING,
  text: `SELECT id, url, size_bytes, attached_at FROM evidence WHERE action_id = $1 AND url IS NOT NULL ORDER BY id`,
});

/** The files of an action that are still to be fetched. */
export function evidenceToFetch({ pool }: Pick<Database, 'pool'>, actionId: string) {
  return waitingFiles.all(pool, [actionId]);
}

const EVIDENCE = {
  id: sql.text,
  name: sql.text,
  media_type: sql.text.orNull,
  size_bytes: sql.int,
  sha256: sql.text.orNull,
  problem: sql.oneOf({ EvidenceProblem }).orNull,
  /** Whether it is still to be fetched from Discord. */
  fetching: sql.bool,
  attached_at: sql.timestamptz,
};

/** A file of a case, without its content. */
export type EvidenceRow = RowOf<typeof EVIDENCE>;

const evidenceOfCase = sql.statement({
  parameters: [sql.text],
  columns: EVIDENCE,
  text: `SELECT id, name, media_type, size_bytes, encode(sha256, 'hex') AS sha256, problem,
      sha256 IS NULL AND problem IS NULL AS fetching, attached_at
    FROM evidence WHERE case_id = $1 ORDER BY id LIMIT 100`,
});

/** The files of a case, oldest first. The caller decides who may see them. */
export function evidenceOf({ pool }: Pick<Database, 'pool'>, caseId: string): Promise<EvidenceRow[]> {
  return evidenceOfCase.all(pool, [caseId]);
}

const MESSAGE = {
  id: sql.text,
  channel_id: sql.text,
  message_id: sql.text,
  author_id: sql.text,
  text: sql.text.orNull,
  attached_at: sql.timestamptz,
};

/** A message that a case is about. */
export type CaseMessageRow = RowOf<typeof MESSAGE>;

const messagesOfCase = sql.statement({
  parameters: [sql.text],
  columns: MESSAGE,
  text: `SELECT id, channel_id, message_id, author_id, text, attached_at
    FROM case_messages WHERE case_id = $1 ORDER BY id LIMIT 100`,
});

/** The messages that a case is about, oldest first. The caller decides who may see them. */
export function messagesOf({ pool }: Pick<Database, 'pool'>, caseId: string): Promise<CaseMessageRow[]> {
  return messagesOfCase.all(pool, [caseId]);
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
