import {
  type ApiError,
  type Call,
  callOf,
  digestOf,
  type ErrorCode,
  entryOf,
  type InputOf,
  isReadOperation,
  type OutputOf,
  type ReadOperation,
} from '@bailiff/core';
import { AuditOutcome, type Columns, type Queryable, type RowOf, sql } from '@bailiff/prisma';
import { only } from '#src/cases/cases.ts';
import {
  DatabaseTooSlow,
  isDatabaseUnavailable,
  type Patience,
  patience,
} from '#src/database/database-errors.ts';
import { readInTurn } from '#src/database/in-turn.ts';
import { together } from '#src/database/send-together.ts';
import type { Engine } from '#src/engine.ts';
import { askMember, type HeardMember } from '#src/guilds/ask-member.ts';
import type { Viewer } from '#src/guilds/guilds.ts';
import type { Balances } from './admission.ts';
import { authorizePerson, capabilityDenied, capabilityOf } from './authorize.ts';
import {
  CHARGE,
  CHARGED,
  chargeBehind,
  chargeOf,
  type ReadCall,
  type ReadRecord,
  recordOf,
} from './read-charge.ts';
import { type Asked, type PersonRead, type Read, readOf } from './readers.ts';
import { budgetUsedUp } from './submit.ts';

/** Whether a call is a read, which one statement charges and records. */
export function isRead<Made extends Call>(call: Made): call is Made & Call<ReadOperation> {
  return isReadOperation(call.operation);
}

const chargeOnly = sql.statement({
  parameters: [...CHARGE, sql.text],
  columns: CHARGED,
  text: `WITH charged AS MATERIALIZED (SELECT * FROM ${chargeBehind(0).spend}),
      recorded AS MATERIALIZED (
        SELECT ${chargeBehind(0).record(`'failed', $${CHARGE.length + 1}`)} FROM charged WHERE refused_by IS NULL)
    SELECT charged.* FROM charged LEFT JOIN recorded ON true`,
});

/**
 * Charges a read that was not answered, and records it as failed with `code`. Returns what the budgets say: an error if
 * they refuse it.
 */
export async function chargeUnanswered(
  db: Queryable,
  call: ReadCall,
  code: ErrorCode,
): Promise<ApiError | null> {
  const { refused_by, retry_after_seconds } = await chargeOnly.only(db, [...chargeOf(call), code]);
  return refused_by === null ? null : budgetUsedUp(refused_by, 'read', retry_after_seconds ?? 1);
}

/** Each read with each set of filters is its own text. Only some hundred of them occur. */
const chargedReads = sql.family('reads over a token', 200);
const readsOfPeople = sql.family('reads of people in chat', 100);
const readsOfPages = sql.family('reads for pages', 200);

/**
 * The charge, then the read, which finds nothing if the charge was refused, then the audit row with what the read found.
 */
export function chargedRead(read: Read<Columns, object>) {
  const { spend, record } = chargeBehind(read.values.length);
  return chargedReads.statement({
    prepared: read.isPrepared ?? true,
    parameters: [...read.parameters, ...CHARGE],
    // If the read found nothing, `found` is null in its only row.
    columns: { ...CHARGED, found: sql.bool.orNull, ...read.columns },
    text: `WITH charged AS MATERIALIZED (SELECT * FROM ${spend}),
      answer AS MATERIALIZED (
        SELECT read.* FROM charged
        LEFT JOIN LATERAL (SELECT * FROM (${read.text}) AS read WHERE charged.refused_by IS NULL) AS read ON true),
      recorded AS MATERIALIZED (SELECT ${record(endedOf(read))} FROM charged WHERE refused_by IS NULL
        ${read.member === undefined ? '' : 'AND EXISTS (SELECT FROM answer WHERE found)'})
      SELECT charged.*, answer.* FROM charged CROSS JOIN answer LEFT JOIN recorded ON true`,
  });
}

/** SQL of the outcome and the code of a read whose rows are in `answer` (decisions: Audit). */
function endedOf({ mayBeEmpty }: Read<Columns, object>): string {
  if (mayBeEmpty) return `'performed', NULL`;
  const of = (found: string, absent: string) =>
    `CASE WHEN EXISTS (SELECT FROM answer WHERE found) THEN ${found} ELSE ${absent} END`;
  return `${of("'performed'", "'refused'")}::"AuditOutcome", ${of('NULL', "'NOT_FOUND'")}`;
}

/** The read and its audit row. The first value of every read is the guild. */
export function recordedRead(read: Read<Columns, object>) {
  const place = (n: number) => `$${read.values.length + n}`;
  return readsOfPeople.statement({
    prepared: read.isPrepared ?? true,
    parameters: [
      ...read.parameters,
      sql.text,
      sql.text,
      sql.text.orNull,
      sql.text.orNull,
      sql.text,
      sql.text,
    ],
    columns: { found: sql.bool, ...read.columns },
    text: `WITH answer AS MATERIALIZED (${read.text}),
      kept AS (INSERT INTO audit (is_read, guild_id, actor_source, actor_user_id, operation, target_type,
        target_id, request_id, digest, outcome, code)
      VALUES (true, $1, 'chat', ${place(1)}, ${place(2)}, ${place(3)}, ${place(4)}, ${place(5)}, ${place(6)},
        ${endedOf(read)}))
      SELECT * FROM answer`,
  });
}

export function plainRead(read: Read<Columns, object>) {
  const { parameters, columns, text, isPrepared: prepared = true } = read;
  return readsOfPages.statement({ parameters, columns: { found: sql.bool, ...columns }, text, prepared });
}

const recordOnly = sql.command({
  parameters: [
    sql.text,
    sql.text,
    sql.text.orNull,
    sql.text.orNull,
    sql.text,
    sql.text,
    sql.text,
    sql.oneOf({ AuditOutcome }),
    sql.text.orNull,
  ],
  text: `SELECT record_reads($1, ARRAY[$2::text], ARRAY[$3::text], ARRAY[$4::text], ARRAY[$5::text], ARRAY[$6::text],
    ARRAY[$7::text], ARRAY[$8::"AuditOutcome"], ARRAY[$9::text])`,
});

/**
 * The answer of Discord about the person of a read that found nothing of them. How the read ends depends on it, and is
 * recorded now.
 */
export async function askAndRecord(
  engine: Engine,
  { operation, guildId, requestId, address, target, digest }: ReadRecord,
  { tokenId, userId, isRecorded }: { tokenId: string; userId: string; isRecorded: boolean },
  forStore: Patience,
): Promise<HeardMember | undefined> {
  const heard = await forStore.aside(askMember(engine, { guildId, userId, requestId }));
  if (isRecorded) return heard;
  const ended = heard ? (['performed', null] as const) : (['refused', 'NOT_FOUND'] as const);
  const recorded = [
    operation,
    tokenId,
    target?.type ?? null,
    target?.id ?? null,
    requestId,
    address,
    digest,
  ] as const;
  await forStore.within(recordOnly.run(engine.db.pool, [...recorded, ...ended]));
  return heard;
}

/**
 * The answer to a read. One statement charges it to both budgets, answers it and records it. If that statement fails,
 * another one charges and records the read all the same.
 *
 * @param forStore how long the caller can still wait for the database
 * @throws ApiError RATE_LIMITED, which costs nothing; NOT_FOUND or VALIDATION_FAILED from the read itself.
 */
export async function performRead(
  engine: Engine,
  call: ReadCall,
  onBalances: (balances: Balances) => void,
  forStore: Patience = patience(),
): Promise<object> {
  const { db } = engine;
  const { token } = call;
  const read = readOf(call, token.guild.id, { ...token, userId: token.issuerId });
  const statement = chargedRead(read);
  const send = (to: Queryable) => statement.all(to, [...read.values, ...chargeOf(call)]);
  const sent = read.isQuick
    ? send(together(db, forStore))
    : readInTurn(db, token.guild.id, forStore, () => send(db.pool));
  const reading = sent.catch(async (error) => {
    // Nothing was sent, and the caller is told so.
    if (error instanceof DatabaseTooSlow) throw error;
    const code = isDatabaseUnavailable(error) ? 'UPSTREAM_UNAVAILABLE' : 'INTERNAL_ERROR';
    // Without the database nothing can be charged, and the error below says why.
    await chargeUnanswered(db.pool, call, code).catch(() => {});
    throw error;
  });
  const rows = await forStore.within(reading);
  const charged = only(rows.slice(0, 1));
  const balances = { token: charged.token_balance, user: charged.user_balance };
  onBalances(balances);
  if (charged.refused_by !== null) {
    throw budgetUsedUp(charged.refused_by, 'read', charged.retry_after_seconds ?? 1);
  }
  const found = charged.found === null ? [] : rows;
  const about = { tokenId: token.id, userId: read.member?.userId ?? '', isRecorded: found.length > 0 };
  const heard = read.member?.isOpen(found)
    ? await askAndRecord(engine, recordOf(call, token.guild.id), about, forStore)
    : undefined;
  return answerTo(read, found, { readerId: token.issuerId, charged: balances, heard });
}

/**
 * The answer to a read as it is now, for a caller who has paid for it and waits for it to change. It is neither charged
 * nor recorded again.
 */
export async function readAgain(
  { db }: Engine,
  { token, ...call }: Call<ReadOperation> & Pick<ReadCall, 'token'>,
): Promise<object> {
  const read = readOf(call, token.guild.id, { ...token, userId: token.issuerId });
  const rows = await plainRead(read).all(db.pool, [...read.values]);
  return answerTo(read, rows, { readerId: token.issuerId, charged: NOTHING_CHARGED });
}

/**
 * The answer to a read by a person in chat, with what they may read now. It is recorded and costs no budget.
 *
 * @throws ApiError UPSTREAM_UNAVAILABLE, CAPABILITY_DENIED; NOT_FOUND or VALIDATION_FAILED from the read itself.
 */
export async function readForPerson<N extends PersonRead>(
  engine: Engine,
  call: Call<N> & { readonly guildId: string; readonly userId: string; readonly requestId: string },
): Promise<OutputOf<N>> {
  const { operation, guildId, input, userId, requestId } = call;
  const capabilities = await authorizePerson(engine, { operation, guildId, userId });
  const target = entryOf(operation).target(input);
  const read = readOf(callOf(operation, input), guildId, { userId, capabilities });
  await read.before?.(engine);
  const rows = await recordedRead(read).all(engine.db.pool, [
    ...read.values,
    userId,
    operation,
    target?.type ?? null,
    target?.id ?? null,
    requestId,
    digestOf(operation, guildId, input),
  ]);
  // An answer to a person never contains a token's remaining budget.
  return answerTo(read, rows, { readerId: userId, charged: NOTHING_CHARGED });
}

/**
 * The answer to a read for a dashboard page. A page reads again whenever something changes, so its reads leave no row
 * in the audit log (decisions: Audit).
 *
 * @throws ApiError CAPABILITY_DENIED; NOT_FOUND or VALIDATION_FAILED from the read itself.
 */
export async function readForPage<N extends PersonRead>(
  { pool }: Engine['db'],
  viewer: Viewer & { readonly userId: string },
  operation: N,
  input: InputOf<N>,
): Promise<OutputOf<N>> {
  const needed = capabilityOf(operation);
  if (needed !== null && !viewer.capabilities.includes(needed)) {
    throw capabilityDenied(needed, 'You may not see this');
  }
  const read = readOf(callOf(operation, input), viewer.id, viewer);
  const rows = await plainRead(read).all(pool, [...read.values]);
  return answerTo(read, rows, { readerId: viewer.userId, charged: NOTHING_CHARGED });
}

/** The answer of a read to its rows, which may have other columns too. */
export function answerTo<Body extends object>(
  read: Read<Columns, Body>,
  rows: readonly RowOf<Columns>[],
  asked: Omit<Asked<Columns>, 'lookedTo'>,
): Body {
  const names = Object.keys(read.columns);
  // Lists return their rows unchanged.
  const ownRow = (row: RowOf<Columns>) => {
    const own: RowOf<Columns> = {};
    for (const name of names) own[name] = row[name];
    return own;
  };
  const lookedTo = rows.find(({ found }) => found === false);
  const found = rows.filter((row) => row !== lookedTo).map(ownRow);
  return read.answer(found, { ...asked, lookedTo: lookedTo === undefined ? undefined : ownRow(lookedTo) });
}

const NOTHING_CHARGED: Balances = { token: 0, user: 0 };
