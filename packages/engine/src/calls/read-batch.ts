import { type ErrorCode, TIERS } from '@bailiff/core';
import { type Columns, type Queryable, type RowOf, sql, type ValuesOf } from '@bailiff/prisma';
import type { Balances } from './admission.ts';
import { capabilityOf } from './authorize.ts';
import type { ReadRecord } from './read-call.ts';
import type { Read } from './readers.ts';

/** A window in which the requests of each address are counted. */
export interface AddressWindow {
  readonly name: string;
  /** How many it admits. */
  readonly requests: number;
  readonly windowSeconds: number;
}

/** How a request is counted. */
export interface Counting {
  /** The address or its network. */
  readonly countedUnder: string;
  readonly windows: readonly AddressWindow[];
}

/** A read over a token, of which nothing is checked yet. Those of one kind that arrive together are one batch. */
export interface ArrivedRead extends ReadRecord, Counting {
  // biome-ignore lint/suspicious/noExplicitAny: each read has rows of its own, which only its `answer` sees
  readonly read: Read<any, object>;
  readonly secretHash: Buffer;
}

/** What a batch found out about one of its calls. */
export interface CheckedRead {
  /** For each window. */
  readonly counts: readonly Count[];
  /** The check that refuses the call, before it costs anything; null if none does. */
  readonly refusedAt: string | null;
  /** Null if a check refused the call. */
  readonly charge: Charge | null;
  /** What the read found, if it was paid for. */
  readonly rows: RowOf<Columns>[];
}

/** What a window holds. */
export interface Count {
  /** The requests in it, this one included, admitted or not. */
  readonly points: number;
  /** The milliseconds until the oldest of them no longer count. */
  readonly msLeft: number;
}

export interface Charge {
  readonly tokenId: string;
  readonly userId: string;
  readonly refusedBy: 'token' | 'user' | null;
  readonly retryAfterSeconds: number | null;
  readonly balances: Balances;
}

/** The parameters of a batch. Arrays have the value of each call; those of the read follow, one array for each. */
const PARAMETERS = [
  sql.arrayOf(sql.text), // $1: what the address is counted under
  sql.arrayOf(sql.text), // $2 to $4: the windows
  sql.arrayOf(sql.int),
  sql.arrayOf(sql.bigint),
  sql.arrayOf(sql.bytea), // $5: the hash of the secret
  sql.arrayOf(sql.text), // $6: the address
  sql.arrayOf(sql.text), // $7: the guild
  sql.text.orNull, // $8: the capability that the operation needs
  sql.text, // $9: the operation
  sql.arrayOf(sql.text.orNull), // $10, $11: the target
  sql.arrayOf(sql.text.orNull),
  sql.arrayOf(sql.text), // $12: the id of the request
  sql.arrayOf(sql.text), // $13: the digest
  sql.float, // $14, $15: the budgets
  sql.float,
] as const;

/**
 * The columns of a batch. A row says either how a call was checked and charged, or has a row of its page. Then these are
 * null, except the first, and the columns of the read have values.
 */
const CHECKED = {
  call_no: sql.int,
  call_points: sql.arrayOf(sql.int).orNull,
  call_ms_left: sql.arrayOf(sql.float).orNull,
  call_refused_at: sql.text.orNull,
  call_token_id: sql.text.orNull,
  call_user_id: sql.text.orNull,
  call_refused_by: sql.text.as<'token' | 'user'>().orNull,
  call_retry_after_seconds: sql.float.orNull,
  call_token_balance: sql.float.orNull,
  call_user_balance: sql.float.orNull,
};

/** The page of each call that was paid for, and how the audit log says that the call ended. */
interface Answering {
  readonly pages: string;
  readonly columns: Columns;
  /** SQL for each row of `charged`: the outcome, the code, and whether it is recorded now. */
  readonly outcome: string;
  readonly code: string;
  readonly isRecorded: string;
}

/**
 * Counts, checks, charges, answers and records, in this order. Each part is a function in prisma/functions, except the
 * pages, which are different for each kind of read.
 */
function batchText({ pages, columns, outcome, code, isRecorded }: Answering): string {
  const names = Object.keys(columns);
  const noRow = Object.entries(columns).map(([name, type]) => `NULL::${type.name} AS ${name}`);
  const noCheck = Object.entries(CHECKED)
    .slice(1)
    .map(([, type]) => `NULL::${type.name}`);
  return `WITH counted AS MATERIALIZED (
      SELECT * FROM count_calls($1, $2, $3, $4)
    ), admitted AS MATERIALIZED (
      SELECT * FROM admit_reads($5, $6, $7, $8)
    ), charged AS MATERIALIZED (
      SELECT spent.* FROM (
        SELECT array_agg(call_no ORDER BY call_no) AS nos, array_agg(guild_id ORDER BY call_no) AS guild_ids,
               array_agg(token_id ORDER BY call_no) AS token_ids, array_agg(user_id ORDER BY call_no) AS user_ids
        FROM admitted JOIN counted USING (call_no) WHERE refused_at IS NULL AND NOT is_refused
      ) AS due, spend_reads(nos, guild_ids, token_ids, user_ids, $14, $15) AS spent
    ), pages AS MATERIALIZED (${pages}
    ), recorded AS MATERIALIZED (
      SELECT record_reads($9, array_agg(token_id), array_agg(target_type), array_agg(target_id), array_agg(request_id),
        array_agg(address), array_agg(digest), array_agg(${outcome}::"AuditOutcome"), array_agg(${code}::text))
      FROM charged JOIN admitted USING (call_no) JOIN unnest($10::text[], $11::text[], $12::text[], $6, $13::text[])
        WITH ORDINALITY AS call (target_type, target_id, request_id, address, digest, call_no) USING (call_no)
      WHERE refused_by IS NULL AND ${isRecorded}
    )
    SELECT call_no, points AS call_points, ms_left AS call_ms_left,
      CASE WHEN is_refused THEN 'window' ELSE refused_at END AS call_refused_at,
      token_id AS call_token_id, user_id AS call_user_id, refused_by AS call_refused_by,
      retry_after_seconds AS call_retry_after_seconds, token_balance AS call_token_balance,
      user_balance AS call_user_balance, ${noRow.join(', ')}
    FROM counted JOIN admitted USING (call_no) LEFT JOIN charged USING (call_no) LEFT JOIN recorded ON true
    UNION ALL
    SELECT call_no, ${noCheck.join(', ')}, ${names.join(', ')} FROM pages`;
}

const batches = sql.family('reads that arrive together', 50);

/** The statement for calls of the same kind of read. */
export function readBatch(read: Read<Columns, object>) {
  const places = read.parameters.map((_, n) => `p${n + 1}`);
  const page = read.text.replaceAll(/\$(\d+)/g, 'asked.p$1');
  const found = 'EXISTS (SELECT FROM pages WHERE pages.call_no = charged.call_no)';
  const isAnswer = read.mayBeEmpty || read.member !== undefined;
  const columns = { found: sql.bool.orNull, ...read.columns };
  return batches.statement({
    parameters: [...PARAMETERS, ...read.parameters.map((type) => sql.arrayOf(type))],
    columns: { ...CHECKED, ...columns },
    text: batchText({
      pages: `
      SELECT charged.call_no, page.* FROM charged
      JOIN unnest(${places.map((_, n) => `$${PARAMETERS.length + n + 1}::${read.parameters[n]?.name}[]`).join(', ')})
        WITH ORDINALITY AS asked (${places.join(', ')}, call_no) USING (call_no)
      CROSS JOIN LATERAL (${page}) AS page WHERE refused_by IS NULL`,
      columns,
      outcome: isAnswer ? `'performed'` : `(CASE WHEN ${found} THEN 'performed' ELSE 'refused' END)`,
      code: isAnswer ? 'NULL' : `(CASE WHEN NOT ${found} THEN 'NOT_FOUND' END)`,
      // How a read about a person who is not found ends depends on what Discord says of them.
      isRecorded: read.member === undefined ? 'true' : found,
    }),
  });
}

/** The same without an answer: the calls are charged, and recorded as failed with the code in $16. */
const unanswered = sql.statement({
  parameters: [...PARAMETERS, sql.text],
  columns: { ...CHECKED, found: sql.bool.orNull },
  text: batchText({
    pages: `
      SELECT call_no, false AS found FROM charged WHERE false`,
    columns: { found: sql.bool.orNull },
    outcome: `'failed'`,
    code: '$16',
    isRecorded: 'true',
  }),
});

/** Checks, charges and answers calls of the same kind in one statement. */
export async function answerBatch(db: Queryable, calls: Batch): Promise<CheckedRead[]> {
  const { read } = calls[0];
  const own = read.parameters.map((_, n) => calls.map(({ read: { values } }) => values[n]));
  return checkedFrom(calls, await readBatch(read).all(db, [...valuesOf(calls), ...own]));
}

/** Checks and charges calls of the same kind that cannot be answered, and records them as failed. */
export async function chargeBatch(db: Queryable, calls: Batch, code: ErrorCode): Promise<CheckedRead[]> {
  return checkedFrom(calls, await unanswered.all(db, [...valuesOf(calls), code]));
}

/** Calls of the same kind, at least one. */
export type Batch = readonly [ArrivedRead, ...ArrivedRead[]];

function valuesOf(calls: Batch): ValuesOf<typeof PARAMETERS> {
  const [{ operation, windows }] = calls;
  return [
    calls.map(({ countedUnder }) => countedUnder),
    windows.map(({ name }) => name),
    windows.map(({ requests }) => requests),
    windows.map(({ windowSeconds }) => windowSeconds * 1_000),
    calls.map(({ secretHash }) => secretHash),
    calls.map(({ address }) => address),
    calls.map(({ guildId }) => guildId),
    capabilityOf(operation),
    operation,
    calls.map(({ target }) => target?.type ?? null),
    calls.map(({ target }) => target?.id ?? null),
    calls.map(({ requestId }) => requestId),
    calls.map(({ digest }) => digest),
    TIERS.read.capacity,
    TIERS.read.refillPerMinute,
  ];
}

type BatchRow = RowOf<typeof CHECKED & Columns>;

function checkedFrom(calls: Batch, rows: readonly BatchRow[]): CheckedRead[] {
  const checked: CheckedRead[] = [];
  for (const row of rows) {
    const index = row.call_no - 1;
    if (row.call_points === null) checked[index]?.rows.push(row);
    else checked[index] = checkOf(row, row.call_points);
  }
  if (checked.length !== calls.length) throw new Error('A batch says nothing of one of its calls');
  return checked;
}

function checkOf(row: BatchRow, points: readonly number[]): CheckedRead {
  const counts = points.map((counted, n) => ({ points: counted, msLeft: row.call_ms_left?.[n] ?? 0 }));
  return { counts, refusedAt: row.call_refused_at, charge: chargeOf(row), rows: [] };
}

function chargeOf(row: BatchRow): Charge | null {
  const { call_token_balance: token, call_user_balance: user } = row;
  if (token === null || user === null) return null;
  return {
    tokenId: row.call_token_id ?? '',
    userId: row.call_user_id ?? '',
    refusedBy: row.call_refused_by,
    retryAfterSeconds: row.call_retry_after_seconds,
    balances: { token, user },
  };
}
