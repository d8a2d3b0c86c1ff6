import { ApiError, type Call, hashSecret, type ReadOperation } from '@bailiff/core';
import type { Database } from '@bailiff/prisma';
import { coalesce, endOfPoll, perOwner } from '#src/database/coalesce.ts';
import { isDatabaseUnavailable, type Patience } from '#src/database/database-errors.ts';
import type { Engine } from '#src/engine.ts';
import type { Balances } from './admission.ts';
import {
  type ArrivedRead,
  answerBatch,
  type Batch,
  type BatchStatement,
  type CheckedRead,
  type Counting,
  chargeBatch,
  readBatch,
} from './read-batch.ts';
import { answerTo, askAndRecord } from './read-call.ts';
import { recordOf } from './read-charge.ts';
import { readers } from './readers.ts';
import { budgetUsedUp } from './submit.ts';

/** Most calls of one batch. A larger one takes longer than the calls that wait for it save. */
const MOST_TOGETHER = 50;
/** Batches of one kind at once: this process reads and writes for one while the database works on the other. */
const AT_ONCE = 2;
/**
 * A batch costs the database as much as four of its calls, so fewer wait for the batch that is on its way. They are
 * calls of as many guilds: one that never stops calling gets no second batch.
 */
const WORTH_A_BATCH = 4;

/** Reads whose statement does not depend on who reads. They can be sent before that is known. */
const READS = [
  'strikes.list',
  'strikes.get',
  'bans.list',
  'bans.get',
  'mutes.list',
  'tickets.list',
  'tickets.get',
  'reports.list',
  'reports.get',
  'servers.list',
  'members.get',
  'members.events',
  'rules.get',
  'audit.list',
] as const satisfies readonly ReadOperation[];
type ReadTogether = (typeof READS)[number];

/** A call whose input is valid, and of which nothing else is checked. */
export type UncheckedRead = Call<ReadOperation> & {
  /** A Discord id: one bad value would be the end of a whole batch. */
  readonly guildId: string;
  readonly secret: string;
  readonly address: string;
  readonly requestId: string;
};

/** A read that can be sent with others. */
export type PreparedRead = Omit<ArrivedRead, 'countedUnder' | 'windows'>;

/** A read that was sent with others. */
export interface SentRead {
  readonly prepared: PreparedRead;
  readonly checked: Promise<CheckedRead & Failure>;
}

interface Failure {
  /** Why a call that was charged has no answer. */
  readonly failure?: { readonly error: unknown };
}

/** A quick read, ready to be sent with others. Null if the call takes the other way, alone (decisions: Reads together). */
export function prepareRead(call: UncheckedRead): PreparedRead | null {
  if (!isReadTogether(call)) return null;
  try {
    const read = describe(call);
    return read.isQuick
      ? { ...recordOf(call, call.guildId), read, secretHash: hashSecret(call.secret) }
      : null;
  } catch (error) {
    // A cursor that is not valid is refused on the other way, once the caller may learn of it.
    if (error instanceof ApiError) return null;
    throw error;
  }
}

function isReadTogether(call: UncheckedRead): call is Call<ReadTogether> & UncheckedRead {
  return READS.some((name) => name === call.operation);
}

const NOBODY = { userId: '', capabilities: [] };

function describe<N extends ReadTogether>({ operation, input, guildId }: Call<N> & { guildId: string }) {
  return readers[operation](guildId, input, NOBODY);
}

/**
 * Sends a read with all others of its kind that arrive meanwhile: one statement counts their requests, checks, charges,
 * answers and records them.
 */
export function sendTogether(
  { db }: Engine,
  prepared: PreparedRead,
  counting: Counting,
  forStore: Patience,
): SentRead {
  return { prepared, checked: batches(db)({ ...prepared, ...counting, forStore }) };
}

/** A read whose caller waits for it that long. Who was told that nothing was done neither pays nor is in the log. */
type AwaitedRead = ArrivedRead & { readonly forStore: Patience };

/** Batches of each kind. */
const batches = perOwner((db: Database) => {
  const kinds = new Map<string, (call: AwaitedRead) => Promise<CheckedRead & Failure>>();
  const make = ({ read }: ArrivedRead) => {
    const statement = readBatch(read);
    return coalesce((calls: readonly AwaitedRead[]) => answerAll(db, statement, calls), AT_ONCE, {
      beside: WORTH_A_BATCH,
      together: MOST_TOGETHER,
      turnOf: ({ guildId }) => guildId,
      isOver: ({ forStore }) => forStore.leftMs() === 0,
      gather: endOfPoll,
    });
  };
  return (call: AwaitedRead) => {
    const kind = kindOf(call);
    const send = kinds.get(kind) ?? make(call);
    kinds.set(kind, send);
    return send(call);
  };
});

/**
 * What quick reads with the same text have in common. Their text differs between operations, and between the first page
 * of a list and a later one, which has more parameters. To compare the texts would cost each call far more.
 */
export function kindOf({ operation, read }: Pick<PreparedRead, 'operation' | 'read'>): string {
  return `${operation} ${read.values.length}`;
}

async function answerAll(
  db: Database,
  statement: BatchStatement,
  calls: readonly ArrivedRead[],
): Promise<(CheckedRead & Failure)[]> {
  const [first, ...others] = calls;
  if (first === undefined) return [];
  const batch: Batch = [first, ...others];
  try {
    return await answerBatch(db.reads, statement, batch);
  } catch (error) {
    // Nothing of the batch is done. If one of its calls is at fault, the others are answered.
    if (others.length === 0 || isDatabaseUnavailable(error)) return chargeAll(db, batch, error);
    const alone = [];
    for (const call of calls) alone.push(...(await answerAll(db, statement, [call])));
    return alone;
  }
}

/** Charges and records calls that nothing answers. */
async function chargeAll(db: Database, batch: Batch, error: unknown): Promise<(CheckedRead & Failure)[]> {
  const code = isDatabaseUnavailable(error) ? 'UPSTREAM_UNAVAILABLE' : 'INTERNAL_ERROR';
  const checked = await chargeBatch(db.reads, batch, code).catch(() => {
    // Without the database nothing can be charged, and the first error says why.
    throw error;
  });
  return checked.map((each) => ({ ...each, failure: { error } }));
}

/**
 * The answer to a read that was sent with others; null if a check refuses it, and the other way says which.
 *
 * @throws ApiError RATE_LIMITED, which costs nothing; NOT_FOUND from the read itself.
 */
export async function answerTogether(
  engine: Engine,
  { prepared, checked }: SentRead,
  onBalances: (balances: Balances) => void,
  forStore: Patience,
): Promise<object | null> {
  // The counts of the same statement have come, so this takes no time.
  const { refusedAt, charge, rows, failure } = await checked;
  if (refusedAt !== null || charge === null) return null;
  onBalances(charge.balances);
  if (failure !== undefined) throw failure.error;
  if (charge.refusedBy !== null) throw budgetUsedUp(charge.refusedBy, 'read', charge.retryAfterSeconds ?? 1);
  const { member } = prepared.read;
  const about = { tokenId: charge.tokenId, userId: member?.userId ?? '', isRecorded: rows.length > 0 };
  const heard = member?.isOpen(rows) ? await askAndRecord(engine, prepared, about, forStore) : undefined;
  return answerTo(prepared.read, rows, { readerId: charge.userId, charged: charge.balances, heard });
}
