import { ApiError, type ImportRow, type Issue, readImportRow } from '@bailiff/core';
import type { ImportProblem } from '@bailiff/core/imports';
import type { WordedIssue } from '@bailiff/core/issue-words';
import { type Database, ImportSource, type RowOf, sql } from '@bailiff/prisma';
import { type DashboardCall, recordChange, sessionRefusal } from '#src/calls/dashboard-call.ts';
import { databaseErrorCode, patience } from '#src/database/database-errors.ts';
import { writeInTurn } from '#src/database/in-turn.ts';
import { inTransaction, type Transaction } from '#src/database/transaction.ts';
import { changeAsOwner, ownedGuild } from '#src/guilds/guilds.ts';

export { ImportSource };

/** Most rows of a step: some tenths of a second of the database, in which other guilds wait little. */
export const MOST_ROWS_OF_STEP = 500;
/** Most rows that a guild has of its imports. */
const MOST_ROWS_OF_GUILD = 250_000;
/** Most bytes that these rows have, as the browser sends them. */
const MOST_BYTES_OF_GUILD = 1024 ** 3;
/** Most imports of a guild that were not undone. */
const MOST_IMPORTS = 100;
/** Rows that one step of an undo removes. */
const UNDONE_IN_STEP = 1_000;
const LONGEST_STEP_MS = 10_000;
const INSUFFICIENT_PRIVILEGE = '42501';

const IMPORT = {
  id: sql.text,
  source: sql.oneOf({ ImportSource }),
  file_name: sql.text,
  begun_by: sql.text,
  begun_at: sql.timestamptz,
  brought: sql.int,
  finished_at: sql.timestamptz.orNull,
  undone_at: sql.timestamptz.orNull,
};
const IMPORT_COLUMNS = sql.names(IMPORT);
export type ImportView = RowOf<typeof IMPORT>;

/** What became of a row, or would: `full` if the guild has as many imported rows as it may. */
export type RowFate =
  | { readonly fate: 'new'; readonly case_number: number | null }
  | { readonly fate: 'known' | 'duplicate' | 'full' }
  | { readonly fate: 'refused'; readonly problem: ImportProblem };

/** What an import brings: a file of a source, as the browser calls it, or the guild's bans at Discord. */
export interface ImportedFile {
  readonly source: ImportSource;
  readonly fileName: string;
  readonly fileSize: number;
}

const importsOfGuild = sql.statement({
  parameters: [sql.text],
  columns: IMPORT,
  text: `SELECT ${IMPORT_COLUMNS} FROM (SELECT * FROM imports WHERE guild_id = $1
      ORDER BY undone_at IS NOT NULL, id DESC LIMIT ${MOST_IMPORTS}) AS listed ORDER BY id DESC`,
});

/** All imports of a guild that were not undone, and besides them the newest others. Newest first, only for its owner. */
export function listImports({ pool }: Pick<Database, 'pool'>, guildId: string): Promise<ImportView[]> {
  return importsOfGuild.all(pool, [guildId]);
}

const unfinished = sql.statement({
  parameters: [sql.text, sql.oneOf({ ImportSource }), sql.text, sql.bigint],
  columns: IMPORT,
  text: `SELECT ${IMPORT_COLUMNS} FROM imports
    WHERE guild_id = $1 AND source = $2 AND file_name = $3 AND file_size = $4
      AND finished_at IS NULL AND undone_at IS NULL
    ORDER BY id DESC LIMIT 1`,
});

const countImports = sql.statement({
  parameters: [sql.text],
  columns: { count: sql.int.neverNull },
  text: 'SELECT count(*)::int AS count FROM imports WHERE guild_id = $1 AND undone_at IS NULL',
});

const insertImport = sql.statement({
  parameters: [sql.text, sql.oneOf({ ImportSource }), sql.text, sql.bigint, sql.text],
  columns: IMPORT,
  text: `INSERT INTO imports (guild_id, source, file_name, file_size, begun_by) VALUES ($1, $2, $3, $4, $5)
    RETURNING ${IMPORT_COLUMNS}`,
});

/**
 * Begins an import, or continues the one of the same file that stopped on its way.
 *
 * @throws ApiError as `ownedGuild`; VALIDATION_FAILED if the guild has too many
 */
export async function beginImport(
  db: Database,
  call: DashboardCall,
  guildId: string,
  { source, fileName, fileSize }: ImportedFile,
): Promise<ImportView> {
  return changeAsOwner(db, call, guildId, async (tx) => {
    const stopped = await unfinished.first(tx, [guildId, source, fileName, fileSize]);
    if (stopped !== null) return stopped;
    if ((await countImports.only(tx, [guildId])).count >= MOST_IMPORTS) {
      const message = `A guild has at most ${MOST_IMPORTS} imports. Undo one that nobody needs.`;
      const say = { key: 'importsFull', values: { most: String(MOST_IMPORTS) } } as const;
      const issue = { path: '', message, say } satisfies WordedIssue & Issue;
      throw new ApiError('VALIDATION_FAILED', message, { details: { issues: [issue] } });
    }
    const begun = await insertImport.only(tx, [guildId, source, fileName, fileSize, call.userId]);
    await record(tx, call, guildId, 'imports.begin', { import_id: begun.id, source, file: fileName });
    return begun;
  });
}

const knownRows = sql.statement({
  parameters: [sql.text, sql.oneOf({ ImportSource }), sql.arrayOf(sql.text)],
  columns: { external_id: sql.text.neverNull },
  text: `SELECT id AS external_id FROM unnest($3::text[]) AS id WHERE imported_before($1, $2, id)`,
});

/** What would become of rows. Changes nothing. Of a part of a transcript it takes for granted that its ticket comes. */
export async function checkRows(
  db: Database,
  call: DashboardCall,
  guildId: string,
  source: ImportSource,
  values: readonly unknown[],
): Promise<RowFate[]> {
  await ownedGuild(db, guildId, call.userId, { needsMirror: false });
  const rows = readRows(values);
  const ids = rows.flatMap((row) => (typeof row === 'string' ? [] : [row.external_id]));
  const known = new Set((await knownRows.all(db.pool, [guildId, source, ids])).map((row) => row.external_id));
  const seen = new Set<string>();
  return rows.map((row): RowFate => {
    if (typeof row === 'string') return { fate: 'refused', problem: row };
    if (known.has(row.external_id)) return { fate: 'known' };
    if (seen.has(row.external_id)) return { fate: 'duplicate' };
    seen.add(row.external_id);
    return { fate: 'new', case_number: null };
  });
}

const bringRows = sql.statement({
  parameters: [sql.jsonb<object>(), sql.int, sql.bigint],
  columns: {
    place: sql.int.neverNull,
    fate: sql.text.as<'new' | 'known' | 'duplicate' | 'full' | 'refused'>().neverNull,
    number: sql.int.orNull,
  },
  text: 'SELECT place, fate, number FROM import_rows($1, $2, $3)',
});

/**
 * Brings rows into the guild's records, each once, in one transaction (SQL `import_rows`). A row without a moderator is
 * said to be of the person who imports it.
 *
 * @throws ApiError as `ownedGuild`; NOT_FOUND if the import is not the guild's, or was undone
 */
export async function importRows(
  db: Database,
  call: DashboardCall,
  guildId: string,
  importId: string,
  values: readonly unknown[],
): Promise<RowFate[]> {
  await ownedGuild(db, guildId, call.userId, { needsMirror: false });
  const rows = readRows(values);
  const fates: RowFate[] = rows.map((row) => ({
    fate: 'refused',
    problem: typeof row === 'string' ? row : 'unreadable',
  }));
  const good = rows.flatMap((row, place) =>
    typeof row === 'string' ? [] : [{ ...row, place, ...whoDid(row, call.userId) }],
  );
  const brought = await step(db, guildId, (tx) =>
    bringRows.all(tx, [
      { ...proofOf(call, guildId, importId), rows: good },
      MOST_ROWS_OF_GUILD,
      MOST_BYTES_OF_GUILD,
    ]),
  );
  for (const { place, fate, number } of brought) {
    if (fate === 'new') fates[place] = { fate, case_number: number };
    else fates[place] = fate === 'refused' ? { fate, problem: 'no_ticket' } : { fate };
  }
  return fates;
}

const finish = sql.statement({
  parameters: [sql.text, sql.text],
  columns: IMPORT,
  text: `UPDATE imports SET finished_at = clock_timestamp(), page = NULL
    WHERE guild_id = $1 AND id = $2 AND finished_at IS NULL AND undone_at IS NULL RETURNING ${IMPORT_COLUMNS}`,
});

/** Ends an import: the same file begins another one. An import that has ended already stays as it is. */
export async function finishImport(
  db: Database,
  call: DashboardCall,
  guildId: string,
  importId: string,
): Promise<void> {
  await ownedGuild(db, guildId, call.userId, { needsMirror: false });
  await inTransaction(db, async (tx) => {
    const finished = await finish.first(tx, [guildId, importId]);
    if (finished === null) return;
    const { source, brought } = finished;
    await record(tx, call, guildId, 'imports.finish', { import_id: importId, source, brought });
  });
}

const undo = sql.statement({
  parameters: [sql.jsonb<object>(), sql.int],
  columns: { removed: sql.int.neverNull, kept: sql.int.orNull },
  text: 'SELECT removed, kept FROM undo_import($1, $2)',
});

/** What a step of an undo did; `kept` is null while more is to be removed. */
export interface UndoStep {
  readonly removed: number;
  readonly kept: number | null;
}

/**
 * Removes a part of what an import brought (SQL `undo_import`). Call it until `kept` says how many cases stay because
 * somebody has done something with them since.
 *
 * @throws ApiError as `ownedGuild`
 */
export async function undoImport(
  db: Database,
  call: DashboardCall,
  guildId: string,
  importId: string,
): Promise<UndoStep> {
  await ownedGuild(db, guildId, call.userId, { needsMirror: true });
  return step(db, guildId, async (tx) => {
    const done = await undo.only(tx, [proofOf(call, guildId, importId), UNDONE_IN_STEP]);
    if (done.kept !== null) {
      await record(tx, call, guildId, 'imports.undo', { import_id: importId, kept: done.kept });
    }
    return done;
  });
}

/** One step in the guild's turn among writes. */
export function step<T>(db: Database, guildId: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return inTransaction(
    db,
    (tx) =>
      work(tx).catch((error: unknown) => {
        if (error instanceof Error && databaseErrorCode(error) === INSUFFICIENT_PRIVILEGE) {
          throw new ApiError('NOT_FOUND', 'There is no such import, or it was undone.');
        }
        throw sessionRefusal(error);
      }),
    { inTurn: (transaction) => writeInTurn(db, guildId, patience(LONGEST_STEP_MS), transaction) },
  );
}

function readRows(values: readonly unknown[]): (ImportRow | ImportProblem)[] {
  const now = Date.now();
  return values.map((value) => readImportRow(value, now));
}

/** An archive says null where nobody knows who ended a case. */
function whoDid({ issued_by, ended_at, ended_by }: ImportRow, importer: string) {
  const isKnown = ended_at === undefined || ended_at === null || ended_by !== undefined;
  const ended = isKnown ? (ended_by ?? null) : importer;
  return { issued_by: issued_by ?? importer, ended_by: ended };
}

export function proofOf({ userId, sessionProof }: DashboardCall, guildId: string, importId: string) {
  return {
    guild_id: guildId,
    import_id: importId,
    actor_user_id: userId,
    session_proof: sessionProof ?? null,
  };
}

function record(
  tx: Transaction,
  call: DashboardCall,
  guildId: string,
  operation: `imports.${'begin' | 'finish' | 'undo'}`,
  details: object,
): Promise<string> {
  return recordChange(tx, call, { guildId, operation, details });
}
