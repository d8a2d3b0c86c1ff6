import { type Queryable, sql } from '@bailiff/prisma';

const clock = sql.statement({
  parameters: [],
  columns: { now: sql.timestamptz },
  text: 'SELECT clock_timestamp() AS now',
});

/** The time by the database's clock, which all processes share. */
export async function databaseNow(db: Queryable): Promise<Date> {
  const { now } = await clock.only(db, []);
  return now;
}
