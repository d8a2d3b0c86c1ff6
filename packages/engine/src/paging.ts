import { ApiError, decodeCursor, encodeCursor } from '@bailiff/core';
import type { Database } from '@bailiff/prisma';

/** A list of rows of one guild, read newest first by id, which is the order of their making. */
export interface List<Row, Item> {
  /** Name of the operation; a cursor of another list is refused. */
  readonly name: string;
  readonly from: string;
  readonly columns: string;
  /** SQL that always holds, for a list that is part of a table. */
  readonly part?: string;
  /** SQL of each filter, with `?` for its value. */
  readonly filters: Readonly<Record<string, string>>;
  readonly wire: (row: Row) => Item;
}

/** Sorts after every id of ours: their bodies are hexadecimal, and every prefix begins with a lower-case letter. */
const AFTER_EVERY_ID = 'zzz';

/**
 * One page of a list (decisions: Operations, Paging).
 *
 * @throws ApiError VALIDATION_FAILED 400 for a cursor that is altered or belongs to another list, guild or filter.
 */
export async function readPage<Row extends { id: string }, Item>(
  db: Database,
  list: List<Row, Item>,
  guildId: string,
  { limit, cursor, ...filters }: { limit: number; cursor?: string | undefined; [filter: string]: unknown },
): Promise<{ data: Item[]; next_cursor: string | null }> {
  const scope = { list: list.name, guildId, filters };
  const after = cursor === undefined ? AFTER_EVERY_ID : decodeCursor(cursor, scope);
  if (after === null) {
    const issue = {
      path: 'cursor',
      message: 'must be the next_cursor of a page of this list with these filters',
    };
    throw new ApiError('VALIDATION_FAILED', 'The cursor does not belong to this list.', {
      status: 400,
      details: { issues: [issue] },
    });
  }
  const values: unknown[] = [guildId, after, limit + 1];
  const conditions = ['guild_id = $1', 'id < $2', ...(list.part === undefined ? [] : [list.part])];
  const given = Object.entries(list.filters).filter(([filter]) => filters[filter] !== undefined);
  for (const [filter, sql] of given) {
    values.push(filters[filter]);
    conditions.push(sql.replaceAll('?', `$${values.length}`));
  }
  const { rows } = await db.pool.query<Row>({
    name: [list.name, ...given.map(([filter]) => filter)].join('+'),
    text: `SELECT ${list.columns} FROM ${list.from} WHERE ${conditions.join(' AND ')} ORDER BY id DESC LIMIT $3`,
    values,
  });
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    data: rows.slice(0, limit).map(list.wire),
    next_cursor: last === undefined ? null : encodeCursor({ ...scope, after: last.id }),
  };
}
