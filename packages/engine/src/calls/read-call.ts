import {
  type ApiError,
  type Call,
  callOf,
  digestOf,
  entryOf,
  type InputOf,
  isReadOperation,
  type OutputOf,
  type ReadOperation,
  TIERS,
} from '@bailiff/core';
import { type Columns, type Queryable, sql, type ValuesOf } from '@bailiff/prisma';
import { only } from '#src/cases/cases.ts';
import { together } from '#src/database/send-together.ts';
import type { Engine } from '#src/engine.ts';
import type { Viewer } from '#src/guilds/guilds.ts';
import type { AdmittedToken, Balances } from './admission.ts';
import { authorizePerson, capabilityDenied, capabilityOf } from './authorize.ts';
import { type PersonRead, type Read, readOf } from './readers.ts';
import { budgetUsedUp } from './submit.ts';

/** A read over a token. */
export type ReadCall<N extends ReadOperation = ReadOperation> = Call<N> & {
  readonly token: AdmittedToken;
  readonly requestId: string;
  readonly address: string;
};

/** Whether a call is a read, which one statement charges and records. */
export function isRead<Made extends Call>(call: Made): call is Made & Call<ReadOperation> {
  return isReadOperation(call.operation);
}

const CHARGE = [
  sql.text,
  sql.text,
  sql.text,
  sql.text,
  sql.float,
  sql.float,
  sql.bool,
  sql.text,
  sql.text.orNull,
  sql.text.orNull,
  sql.text,
  sql.text,
  sql.text,
] as const;

const CHARGED = {
  refused_by: sql.text.as<'token' | 'user'>().orNull,
  retry_after_seconds: sql.float.orNull,
  token_balance: sql.float,
  user_balance: sql.float,
};

/** Placeholders of the charge's arguments, after those of the read. */
function places(behind: number): string {
  return CHARGE.map((_, n) => `$${behind + n + 1}`).join(', ');
}

/** The arguments of the SQL function `charge_read`. */
function chargeOf({ operation, token, input, requestId, address }: ReadCall): ValuesOf<typeof CHARGE> {
  const target = entryOf(operation).target(input);
  return [
    token.guild.id,
    token.id,
    token.name,
    token.issuerId,
    TIERS.read.capacity,
    TIERS.read.refillPerMinute,
    !token.usedLately,
    operation,
    target?.type ?? null,
    target?.id ?? null,
    requestId,
    address,
    digestOf(operation, token.guild.id, input),
  ];
}

const chargeOnly = sql.statement({
  parameters: CHARGE,
  columns: CHARGED,
  text: `SELECT * FROM charge_read(${places(0)})`,
});

/** Charges a read without answering it, for a transaction that is rolled back. Returns what the budgets say. */
export async function chargeRefusal(tx: Queryable, call: ReadCall): Promise<ApiError | null> {
  const { refused_by, retry_after_seconds } = await chargeOnly.only(tx, chargeOf(call));
  return refused_by === null ? null : budgetUsedUp(refused_by, 'read', retry_after_seconds ?? 1);
}

/** Each read with each set of filters is its own text. Only some hundred of them occur. */
const chargedReads = sql.family('reads over a token', 200);
const readsOfPeople = sql.family('reads of people in chat', 100);
const readsOfPages = sql.family('reads for pages', 200);

/** The charge, followed by the read, which finds nothing if the charge was refused. */
export function chargedRead(read: Read<Columns, object>) {
  return chargedReads.statement({
    parameters: [...read.parameters, ...CHARGE],
    // If the read found nothing, `found` is null in its only row.
    columns: { ...CHARGED, found: sql.bool.orNull, ...read.columns },
    text: `WITH charged AS MATERIALIZED (SELECT * FROM charge_read(${places(read.values.length)}))
      SELECT * FROM charged
      LEFT JOIN LATERAL (SELECT * FROM (${read.text}) AS read WHERE charged.refused_by IS NULL) AS read ON true`,
  });
}

/** The read and its audit row. The first value of every read is the guild. */
export function recordedRead(read: Read<Columns, object>) {
  const place = (n: number) => `$${read.values.length + n}`;
  return readsOfPeople.statement({
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
    text: `WITH kept AS (INSERT INTO audit (is_read, guild_id, actor_source, actor_user_id, operation, target_type,
        target_id, outcome, request_id, digest)
      VALUES (true, $1, 'chat', ${place(1)}, ${place(2)}, ${place(3)}, ${place(4)}, 'performed', ${place(5)}, ${place(6)}))
      ${read.text}`,
  });
}

export function plainRead(read: Read<Columns, object>) {
  const { parameters, columns, text } = read;
  return readsOfPages.statement({ parameters, columns: { found: sql.bool, ...columns }, text });
}

/**
 * The answer to a read. One statement charges it to both budgets, records it and answers it.
 *
 * @throws ApiError RATE_LIMITED, which costs nothing; NOT_FOUND or VALIDATION_FAILED from the read itself.
 */
export async function performRead(
  { db }: Engine,
  call: ReadCall,
  onBalances: (balances: Balances) => void,
): Promise<object> {
  const { token } = call;
  const read = readOf(call, token.guild.id, { ...token, userId: token.issuerId });
  const rows = await chargedRead(read).all(together(db), [...read.values, ...chargeOf(call)]);
  const charged = only(rows.slice(0, 1));
  const balances = { token: charged.token_balance, user: charged.user_balance };
  onBalances(balances);
  if (charged.refused_by !== null) {
    throw budgetUsedUp(charged.refused_by, 'read', charged.retry_after_seconds ?? 1);
  }
  return read.answer(charged.found === null ? [] : rows.map(ownRow), balances);
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
  return read.answer(rows.map(ownRow), NOTHING_CHARGED);
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
  return read.answer(rows.map(ownRow), NOTHING_CHARGED);
}

const NOTHING_CHARGED: Balances = { token: 0, user: 0 };

/** A row without the columns that every read has, because lists return their rows unchanged. */
function ownRow(row: Readonly<Record<string, unknown>>): object {
  const {
    refused_by: _,
    retry_after_seconds: _wait,
    token_balance: _token,
    user_balance: _user,
    found: _found,
    ...own
  } = row;
  return own;
}
