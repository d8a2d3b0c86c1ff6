/** Runs a statement of an export when its turn has come. */
export type Turn = <T>(run: () => Promise<T>) => Promise<T>;

/** Some milliseconds of the database. */
export const ROWS_OF_A_STEP = 500;

/**
 * SQL for what a record is called in an archive: one that came with an archive keeps the id that it had there, so that
 * it is known again on its way back.
 *
 * @param record the column with its id
 * @param prefix what stands before the id among the ids of imported rows
 */
export function idInArchive(record: string, prefix = ''): string {
  return `coalesce((SELECT substr(external_id, ${prefix.length + 1}) FROM imported_rows
    WHERE record_id = ${record} AND source = 'bailiff' AND external_id NOT LIKE 'messages:%' LIMIT 1), ${record})`;
}

/** The fields that have a value: others take no room in an archive. */
export function filled(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** A moment that PostgreSQL wrote into JSON, as archives have it. */
export function iso(written: string): string {
  return new Date(written).toISOString();
}

/** Steps of lines, read in the order of a key. */
export async function* pages<Place, Row>(
  read: (after: Place) => Promise<readonly Row[]>,
  first: Place,
  placeOf: (row: Row) => Place,
): AsyncGenerator<readonly Row[]> {
  for (let after = first; ; ) {
    const rows = await read(after);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_OF_A_STEP) return;
    after = placeOf(last);
  }
}
