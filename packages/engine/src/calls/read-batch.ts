import { type ErrorCode, TIERS } from '@bailiff/core';
import { type Columns, type Queryable, type RowOf, type SqlType, sql, type ValuesOf } from '@bailiff/prisma';
import type { Balances } from './admission.ts';
import { capabilityOf } from './authorize.ts';
import {
  type COUNTED,
  COUNTING,
  type Count,
  type CountedRequest,
  countingOf,
  countsInTurn,
} from './count-requests.ts';
import type { ReadRecord } from './read-charge.ts';
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

export interface Charge {
  readonly tokenId: string;
  readonly userId: string;
  readonly refusedBy: 'token' | 'user' | null;
  readonly retryAfterSeconds: number | null;
  readonly balances: Balances;
}

/** The parameters of a batch. Arrays have the value of each call; those of the read follow, one array for each. */
const PARAMETERS = [
  ...COUNTING, // $1 to $4, an element for each key
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
  sql.arrayOf(sql.text), // $16: what the address is counted under
  sql.arrayOf(sql.int), // $17: how many of the later calls are counted under the same
] as const;

/**
 * The columns of a batch besides those of the read. A row has what a window holds, or how a call was checked and charged,
 * or a row of a call's page. What it does not have is null.
 */
const CHECKED = {
  call_no: sql.int.orNull,
  call_key: sql.text.orNull,
  call_points: sql.int.orNull,
  call_ms_left: sql.float.orNull,
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
  const types = [...Object.entries(CHECKED), ...Object.entries(columns)];
  /** The columns with these values, and null in all others. */
  const only = (values: Readonly<Record<string, string>>) =>
    types.map(([name, type]) => `${values[name] ?? `NULL::${type.name}`} AS ${name}`).join(', ');
  const ofWindow = only({ call_key: 'key', call_points: 'points', call_ms_left: 'ms_left' });
  const ofCall = only({
    call_no: 'call_no',
    call_refused_at: 'refused_at',
    call_token_id: 'token_id',
    call_user_id: 'user_id',
    call_refused_by: 'refused_by',
    call_retry_after_seconds: 'retry_after_seconds',
    call_token_balance: 'token_balance',
    call_user_balance: 'user_balance',
  });
  const ofPage = only({
    call_no: 'call_no',
    ...Object.fromEntries(Object.keys(columns).map((name) => [name, name])),
  });
  return `WITH counted AS MATERIALIZED (
      SELECT * FROM count_requests($1, $2, $3, $4)
    ), exceeded AS MATERIALIZED (
      SELECT substr(key, strpos(key, ':') + 1) AS counted_under, max(points - most) AS excess
      FROM counted WHERE points > most GROUP BY 1
    ), admitted AS MATERIALIZED (
      SELECT * FROM admit_reads($5, $6, $7, $8)
    ), charged AS MATERIALIZED (
      SELECT spent.* FROM (
        SELECT array_agg(call_no) AS nos, array_agg(guild_id) AS guild_ids, array_agg(token_id) AS token_ids,
               array_agg(user_id) AS user_ids, array_agg(used_lately) AS used_lately
        FROM admitted WHERE refused_at IS NULL AND NOT EXISTS (
          SELECT FROM exceeded WHERE counted_under = ($16::text[])[call_no] AND excess > ($17::int[])[call_no])
      ) AS due, spend_reads(nos, guild_ids, token_ids, user_ids, used_lately, $14, $15) AS spent
    ), pages AS MATERIALIZED (${pages}
    ), recorded AS MATERIALIZED (
      SELECT record_reads($9, array_agg(token_id), array_agg(($10::text[])[call_no]), array_agg(($11::text[])[call_no]),
        array_agg(($12::text[])[call_no]), array_agg(($6::text[])[call_no]), array_agg(($13::text[])[call_no]),
        array_agg(${outcome}::"AuditOutcome"), array_agg(${code}::text))
      FROM charged JOIN admitted USING (call_no) WHERE refused_by IS NULL AND ${isRecorded}
    )
    SELECT ${ofWindow} FROM counted
    UNION ALL
    SELECT ${ofCall} FROM admitted LEFT JOIN charged USING (call_no) LEFT JOIN recorded ON true
    UNION ALL
    SELECT ${ofPage} FROM pages`;
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

/** The same without an answer: the calls are charged, and recorded as failed with the code in $18. */
const unanswered = sql.statement({
  parameters: [...PARAMETERS, sql.text],
  columns: { ...CHECKED, found: sql.bool.orNull },
  text: batchText({
    pages: `
      SELECT call_no, false AS found FROM charged WHERE false`,
    columns: { found: sql.bool.orNull },
    outcome: `'failed'`,
    code: '$18',
    isRecorded: 'true',
  }),
});

export type BatchStatement = ReturnType<typeof readBatch>;

/** Calls of the same kind, at least one. */
export type Batch = readonly [ArrivedRead, ...ArrivedRead[]];

/** Checks, charges and answers calls in the statement of their kind. */
export async function answerBatch(
  db: Queryable,
  statement: BatchStatement,
  calls: Batch,
): Promise<CheckedRead[]> {
  const own = calls[0].read.parameters.map((_, n) => calls.map(({ read: { values } }) => values[n]));
  const requests = requestsOf(calls);
  const rows = await statement.all(db, [...valuesOf(calls, requests), ...own]);
  return checkedFrom(calls, requests, rows);
}

/** Checks and charges calls of the same kind that cannot be answered, and records them as failed. */
export async function chargeBatch(db: Queryable, calls: Batch, code: ErrorCode): Promise<CheckedRead[]> {
  const requests = requestsOf(calls);
  return checkedFrom(calls, requests, await unanswered.all(db, [...valuesOf(calls, requests), code]));
}

/** What is counted: each call in each window. */
function requestsOf(calls: Batch): CountedRequest[] {
  return calls.flatMap(({ countedUnder, windows }) =>
    windows.map(({ name, requests, windowSeconds }) => ({
      key: `${name}:${countedUnder}`,
      points: 1,
      most: requests,
      windowMs: windowSeconds * 1_000,
    })),
  );
}

function valuesOf(calls: Batch, requests: readonly CountedRequest[]): ValuesOf<typeof PARAMETERS> {
  const [{ operation }] = calls;
  const countedUnder = calls.map((call) => call.countedUnder);
  return [
    ...countingOf(requests),
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
    countedUnder,
    countedUnder.map((own, n) =>
      countedUnder.reduce((later, each, m) => later + Number(m > n && each === own), 0),
    ),
  ];
}

type BatchRow = RowOf<typeof CHECKED & { found: SqlType<boolean | null> } & Columns>;

function checkedFrom(
  calls: Batch,
  requests: readonly CountedRequest[],
  rows: readonly BatchRow[],
): CheckedRead[] {
  const checks = calls.map((): { row: BatchRow | null; page: BatchRow[] } => ({ row: null, page: [] }));
  const counted: RowOf<typeof COUNTED>[] = [];
  for (const row of rows) {
    const check = checks[(row.call_no ?? 0) - 1];
    if (check === undefined)
      counted.push({ key: row.call_key ?? '', points: row.call_points ?? 0, ms_left: row.call_ms_left ?? 0 });
    else if (row.found === null) check.row = row;
    else check.page.push(row);
  }
  const counts = countsInTurn(requests, counted);
  const each = counts.length / calls.length;
  return checks.map(({ row, page }, n) => {
    if (row === null) throw new Error('A batch says nothing of one of its calls');
    const ofCall = counts.slice(n * each, (n + 1) * each);
    return { counts: ofCall, refusedAt: row.call_refused_at, charge: chargeOf(row), rows: page };
  });
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
