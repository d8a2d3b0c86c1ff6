import { type Database, MeasureKind, type Queryable, sql } from '@bailiff/prisma';
import type { Transaction } from '#src/database/transaction.ts';

/** A slowmode, a lock of a channel or, where `subjectId` is the guild's id, of the guild, or a role of a member. */
export interface MeasureKey {
  readonly guildId: string;
  readonly kind: MeasureKind;
  readonly subjectId: string;
}

/** The subject of a role that somebody has for a while. */
export function roleSubject({ userId, roleId }: { userId: string; roleId: string }): string {
  return `${userId}:${roleId}`;
}

export function roleOfSubject(subjectId: string): { userId: string; roleId: string } {
  const [userId = '', roleId = ''] = subjectId.split(':');
  return { userId, roleId };
}

/** What stood in a channel, or stands since: seconds of a slowmode; permission bits of @everyone that a lock is about. */
export interface MeasureState {
  readonly seconds?: number;
  /** Whether @everyone had an overwrite in the channel. */
  readonly existed?: boolean;
  /** Bit sets as decimal numbers. */
  readonly allow?: string;
  readonly deny?: string;
}

export interface Measure {
  readonly actionId: string;
  readonly before: MeasureState;
  readonly after: MeasureState;
}

const KEY = [sql.text, sql.oneOf({ MeasureKind }), sql.text] as const;
const IS_IT = 'guild_id = $1 AND kind = $2 AND subject_id = $3';

const keyed = ({ guildId, kind, subjectId }: MeasureKey) => [guildId, kind, subjectId] as const;

const findMeasure = sql.statement({
  parameters: [...KEY],
  columns: {
    action_id: sql.text,
    before: sql.jsonb<MeasureState>(),
    after: sql.jsonb<MeasureState>(),
  },
  text: `SELECT action_id, before, after FROM measures WHERE ${IS_IT}`,
});

/** A measure that is in force, or of which nobody knows yet; null if there is none. */
export async function measureOf({ pool }: Database, key: MeasureKey): Promise<Measure | null> {
  const row = await findMeasure.first(pool, [...keyed(key)]);
  return row === null ? null : { actionId: row.action_id, before: row.before, after: row.after };
}

const plan = sql.command({
  parameters: [...KEY, sql.text, sql.jsonb<MeasureState>(), sql.jsonb<MeasureState>()],
  text: `INSERT INTO measures (guild_id, kind, subject_id, action_id, before, after)
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (guild_id, kind, subject_id) DO UPDATE SET action_id = $4, before = $5, after = $6,
      taken_at = NULL, expires_at = NULL, end_failed_at = NULL, created_at = now()`,
});

/**
 * Keeps what stands now, before Discord is asked to change it, so that it is known whatever happens to this process. A
 * measure of before that somebody has undone at Discord is replaced.
 */
export async function planMeasure(
  { pool }: Database,
  key: MeasureKey,
  { actionId, before, after }: Measure,
): Promise<void> {
  await plan.run(pool, [...keyed(key), actionId, before, after]);
}

const addPlan = sql.command({
  parameters: [...KEY, sql.jsonb<MeasureState>()],
  text: `UPDATE measures SET before = $4 WHERE ${IS_IT} AND taken_at IS NOT NULL`,
});

/**
 * As {@link planMeasure}, for a measure in force of which a part stands still: it stays on record until the new one is
 * known to have happened. False if there is none.
 */
export async function planOverMeasure(
  { pool }: Database,
  key: MeasureKey,
  before: MeasureState,
): Promise<boolean> {
  return (await addPlan.run(pool, [...keyed(key), before])) === 1;
}

/** Whether a later action than that of $4 set the measure: that one may be found out hours late. */
const IS_OF_LATER = `EXISTS (SELECT FROM actions later, actions this
  WHERE later.id = m.action_id AND this.id = $4 AND later.claimed_at > this.claimed_at)`;

const IN_FORCE = {
  taken_at: sql.timestamptz.neverNull,
  expires_at: sql.timestamptz.orNull,
  after: sql.jsonb<MeasureState>(),
};

const take = sql.statement({
  parameters: [...KEY, sql.text, sql.jsonb<MeasureState>(), sql.int.orNull],
  columns: IN_FORCE,
  text: `UPDATE measures m SET action_id = a.id, after = $5, end_failed_at = NULL,
      taken_at = coalesce(m.taken_at, a.created_at), expires_at = a.created_at + make_interval(mins => $6)
    FROM actions a WHERE a.id = $4 AND m.guild_id = $1 AND m.kind = $2 AND m.subject_id = $3
      AND NOT (m.taken_at IS NOT NULL AND ${IS_OF_LATER})
    RETURNING m.taken_at, m.expires_at, m.after`,
});

const findTaken = sql.statement({
  parameters: [...KEY],
  columns: IN_FORCE,
  text: `SELECT taken_at, expires_at, after FROM measures WHERE ${IS_IT} AND taken_at IS NOT NULL`,
});

const addEnd = sql.command({
  parameters: [...KEY, sql.timestamptz],
  text: `SELECT graphile_worker.add_job('end_measure',
      json_build_object('guild_id', $1::text, 'kind', $2::"MeasureKind", 'subject_id', $3::text), run_at => $4,
      job_key => 'end_measure:' || $1 || ':' || $2::"MeasureKind"::text || ':' || $3)`,
});

/** What stands in a place. */
interface InForce {
  readonly takenAt: Date;
  readonly expiresAt: Date | null;
  readonly after: MeasureState;
}

/**
 * Records that a planned measure is in force, or that one in force has another end, and schedules that end. What an
 * action has set that began later stays. Returns what stands then; null if somebody has ended it meanwhile.
 *
 * @param minutes after which it ends, counted from its action; null: never
 */
export async function takeMeasure(
  tx: Transaction,
  key: MeasureKey,
  { actionId, after }: Omit<Measure, 'before'>,
  minutes: number | null,
): Promise<InForce | null> {
  const taken = await take.first(tx, [...keyed(key), actionId, after, minutes]);
  const stands = taken ?? (await findTaken.first(tx, [...keyed(key)]));
  if (stands === null) return null;
  if (stands.expires_at !== null) await addEnd.run(tx, [...keyed(key), stands.expires_at]);
  return { takenAt: stands.taken_at, expiresAt: stands.expires_at, after: stands.after };
}

const dropPlan = sql.command({
  parameters: [sql.text],
  text: 'DELETE FROM measures WHERE action_id = $1 AND taken_at IS NULL',
});

/** Forgets the measure of an action that certainly did not happen. One of before of which a part stands is kept. */
export async function dropPlannedMeasure(tx: Transaction, actionId: string): Promise<void> {
  await dropPlan.run(tx, [actionId]);
}

const drop = sql.command({
  parameters: [...KEY, sql.text],
  text: `DELETE FROM measures m WHERE ${IS_IT} AND NOT ${IS_OF_LATER}`,
});

/** Forgets a measure that this action has ended. One of an action that began later stays, even if it is only planned. */
export async function dropMeasure(tx: Transaction, key: MeasureKey, actionId: string): Promise<void> {
  await drop.run(tx, [...keyed(key), actionId]);
}

/** A second is allowed: the queue found the job due by a clock that may have stepped back a little since. */
const IS_DUE = "expires_at <= clock_timestamp() + interval '1 second'";

const dropDue = sql.command({
  parameters: [...KEY],
  text: `DELETE FROM measures WHERE ${IS_IT} AND ${IS_DUE}`,
});

/** Forgets a measure whose time is over. One that somebody has given another end meanwhile stays. */
export async function dropDueMeasure({ pool }: Database, key: MeasureKey): Promise<void> {
  await dropDue.run(pool, [...keyed(key)]);
}

const due = sql.statement({
  parameters: [...KEY],
  columns: { before: sql.jsonb<MeasureState>(), was_refused: sql.bool },
  text: `SELECT before, end_failed_at IS NOT NULL AS was_refused FROM measures
    WHERE ${IS_IT} AND ${IS_DUE} AND guild_id IN (SELECT g.id FROM guilds g WHERE g.left_at IS NULL)`,
});

/** A measure whose time is over. */
interface DueMeasure {
  /** What stood before it. */
  readonly before: MeasureState;
  /** The guild kept the bot from ending it in time. */
  readonly wasRefused: boolean;
}

/** Null if its time is not over, somebody has ended it, or the bot has left the guild. */
export async function dueMeasure({ pool }: Database, key: MeasureKey): Promise<DueMeasure | null> {
  const row = await due.first(pool, [...keyed(key)]);
  return row === null ? null : { before: row.before, wasRefused: row.was_refused };
}

const jobOfEnd = (follows: boolean) => `graphile_worker.add_job('end_measure',
      json_build_object('guild_id', guild_id, 'kind', kind, 'subject_id', subject_id, 'follows', ${follows}),
      job_key => 'end_measure:' || guild_id || ':' || kind::text || ':' || subject_id)`;

/** So many of a kind that a guild keeps the bot from ending are tried each hour: Discord may let it end some of them. */
const MOST_TRIED_AGAIN = 5;

const addDueEnds = sql.command({
  parameters: [],
  text: `SELECT ${jobOfEnd(false)}
    FROM (SELECT m.*, row_number() OVER (PARTITION BY guild_id, kind, end_failed_at IS NULL ORDER BY end_failed_at) AS place
      FROM measures m JOIN guilds g ON g.id = m.guild_id AND g.left_at IS NULL
      WHERE expires_at <= clock_timestamp()) AS over
    WHERE end_failed_at IS NULL OR place <= ${MOST_TRIED_AGAIN}`,
});

/**
 * Queues the end of measures whose time is over: the queue keeps the job of a killed worker locked for hours. Of those
 * of a kind that a guild keeps the bot from ending only a few, those first that were not tried for longest.
 */
export async function endDueMeasures(db: Queryable): Promise<void> {
  await addDueEnds.run(db, []);
}

const addOtherEnds = sql.command({
  parameters: [sql.text, sql.oneOf({ MeasureKind })],
  text: `SELECT ${jobOfEnd(true)} FROM measures
    WHERE guild_id = $1 AND kind = $2 AND end_failed_at IS NOT NULL AND ${IS_DUE}`,
});

/**
 * Queues the end of a guild's other measures of this kind that it kept the bot from ending, once one has ended. None of
 * these asks for the others again.
 */
export async function endOtherMeasures(
  db: Queryable,
  { guildId, kind }: Pick<MeasureKey, 'guildId' | 'kind'>,
): Promise<void> {
  await addOtherEnds.run(db, [guildId, kind]);
}

const noteEndFailed = sql.statement({
  parameters: [...KEY],
  columns: { is_first: sql.bool },
  text: `UPDATE measures SET end_failed_at = clock_timestamp()
    FROM (SELECT end_failed_at FROM measures WHERE ${IS_IT} FOR UPDATE) AS before WHERE ${IS_IT}
    RETURNING before.end_failed_at IS NULL AS is_first`,
});

/** Notes that the guild kept the bot from ending a measure. True for the first time, of which moderators are told. */
export async function noteMeasureEndFailed(tx: Transaction, key: MeasureKey): Promise<boolean> {
  return (await noteEndFailed.first(tx, [...keyed(key)]))?.is_first === true;
}
