import { ApiError } from '@bailiff/core';
import { type Database, sql } from '@bailiff/prisma';
import { followEffects } from '#src/database/effects.ts';
import { inTransaction, type Transaction } from '#src/database/transaction.ts';
import { everyStep } from '#src/worker/every-step.ts';

/** How many rows of which tables were deleted or changed. */
export type Counts = Readonly<Record<string, number>>;

const forgetPersonOf = sql.statement({
  parameters: [sql.text],
  columns: { counts: sql.jsonb<Counts>() },
  text: 'SELECT forget_person($1) AS counts',
});

/** Ends a transaction that was only to be counted. */
class Rehearsed extends Error {}

/**
 * Removes a person from the database (decisions: Forgetting), as the owner of the tables. A rehearsal changes nothing.
 *
 * @returns what was deleted or changed, or would be
 * @throws Error saying what is in the way
 */
export async function forgetPerson(
  db: Database,
  userId: string,
  { rehearse }: { readonly rehearse: boolean },
): Promise<Counts> {
  let counts: Counts = {};
  await inTransaction(db, async (tx) => {
    ({ counts } = await forgetPersonOf.only(tx, [userId]));
    if (rehearse) throw new Rehearsed();
  }).catch((error: unknown) => {
    if (!(error instanceof Rehearsed)) throw error;
  });
  return counts;
}

const forgetGuildStep = sql.statement({
  parameters: [sql.text, sql.int.orNull],
  columns: { counts: sql.jsonb<Counts>() },
  text: 'SELECT forget_guild($1, $2) AS counts',
});

/** What the database has of a guild that the bot has left. */
export async function countOfGuild(db: Database, guildId: string): Promise<Counts> {
  return (await forgetGuildStep.only(db.pool, [guildId, null])).counts;
}

const ROWS_PER_STEP = 1_000;

type Recording = (tx: Transaction, counts: Counts) => Promise<void>;

/**
 * Deletes what the database has of a guild that the bot has left, in steps. If it is interrupted, it can be called
 * again.
 *
 * @param mostSteps after which it stops, although there may be more
 * @param record of what was deleted. It is committed with the last step, or that step is not
 * @throws Error if the bot is in the guild, or, in the bot's own process, left it less than 90 days ago
 */
export async function forgetGuild(
  db: Database,
  guildId: string,
  mostSteps = Number.POSITIVE_INFINITY,
  record?: Recording,
): Promise<Counts> {
  return (await forgetInSteps(db, guildId, mostSteps, record)).counts;
}

async function forgetInSteps(
  db: Database,
  guildId: string,
  mostSteps: number,
  record: Recording = async () => {},
): Promise<{ readonly counts: Counts; readonly isForgotten: boolean }> {
  const total: Record<string, number> = {};
  let isForgotten = false;
  for (let step = 0; step < mostSteps && !isForgotten; step += 1) {
    isForgotten = await inTransaction(db, async (tx) => {
      const { counts } = await forgetGuildStep.only(tx, [guildId, ROWS_PER_STEP]);
      for (const [table, count] of Object.entries(counts)) total[table] = (total[table] ?? 0) + count;
      // A step ends early only where it has deleted as many rows of a table as it may.
      const isLast = Object.values(counts).every((count) => count < ROWS_PER_STEP);
      if (isLast) await record(tx, total);
      return isLast;
    });
  }
  return { counts: total, isForgotten };
}

const recordGuild = sql.command({
  parameters: [sql.text, sql.jsonb<Counts>()],
  text: `INSERT INTO forgettings (kind, mark, counts) VALUES ('guild', signature_of('forgotten guild ' || $1), $2)`,
});

/** Why a guild is forgotten in part only. */
export class PartlyForgotten extends Error {}

/**
 * Forgets a guild at the operator's request, and records that.
 *
 * @throws PartlyForgotten if it broke off when rows may have been deleted. It can be called again.
 * @throws Error if nothing was deleted
 */
export async function forgetGuildAsOperator(db: Database, guildId: string): Promise<Counts> {
  const { result, outcomeSoFar } = followEffects(() =>
    forgetGuild(db, guildId, Number.POSITIVE_INFINITY, async (tx, counts) => {
      if (Object.keys(counts).length > 0) await recordGuild.run(tx, [guildId, counts]);
    }),
  );
  try {
    return await result;
  } catch (error) {
    // What the database said, such as that its disk is full.
    const cause = error instanceof ApiError && error.cause instanceof Error ? error.cause : error;
    if (outcomeSoFar() === 'not_performed') throw cause;
    throw new PartlyForgotten(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

// None while somebody is being forgotten, which can take minutes: each would wait for that (forget_guild).
const deletedGuilds = sql.statement({
  parameters: [],
  columns: { id: sql.text },
  text: `SELECT id FROM guilds WHERE left_at < now() - interval '90 days'
      AND (SELECT pg_try_advisory_xact_lock_shared(hashtextextended('forgetting', 0)))
    ORDER BY left_at LIMIT 20`,
});

const STEPS_OF_A_RUN = 200;

/**
 * Deletes what is left of guilds that the bot left 90 days ago. Returns the ids of those of which nothing is left any
 * more; the next run continues with the others.
 *
 * @param mostSteps of a guild in this run
 * @throws AggregateError if some could not be forgotten, once all others are
 */
export async function forgetDeletedGuilds(db: Database, mostSteps = STEPS_OF_A_RUN): Promise<string[]> {
  const forgotten: string[] = [];
  const ids = (await deletedGuilds.all(db.pool, [])).map(({ id }) => id);
  await everyStep(
    ids.map((id) => async () => {
      if ((await forgetInSteps(db, id, mostSteps)).isForgotten) forgotten.push(id);
    }),
  );
  return forgotten;
}
