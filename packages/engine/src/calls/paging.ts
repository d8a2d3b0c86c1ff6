import { ApiError, decodeCursor, encodeCursor } from '@bailiff/core';
import type { Read } from './readers.ts';

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
export const AFTER_EVERY_ID = 'zzz';

type PageInput = { limit: number; cursor?: string | undefined; [filter: string]: unknown };

/**
 * The id after which a page begins.
 *
 * @throws ApiError VALIDATION_FAILED 400 for a cursor that is altered or belongs to another list, guild or filter.
 */
export function startOfPage(
  listName: string,
  guildId: string,
  { cursor, limit: _, ...filters }: PageInput,
): string {
  if (cursor === undefined) return AFTER_EVERY_ID;
  const after = decodeCursor(cursor, { list: listName, guildId, filters });
  if (after !== null) return after;
  const message = 'must be the next_cursor of a page of this list with these filters';
  throw new ApiError('VALIDATION_FAILED', `cursor: ${message}`, {
    status: 400,
    details: { issues: [{ path: 'cursor', message }] },
  });
}

/** One page of a list (decisions: Operations, Paging). Throws as {@link startOfPage} does. */
export function readPage<Row extends { id: string }, Item>(
  list: List<Row, Item>,
  guildId: string,
  input: PageInput,
): Read<Row, { data: Item[]; next_cursor: string | null }> {
  const { limit, cursor: _, ...filters } = input;
  const values: unknown[] = [guildId, startOfPage(list.name, guildId, input), limit + 1];
  const conditions = ['guild_id = $1', 'id < $2', ...(list.part === undefined ? [] : [list.part])];
  const given = Object.entries(list.filters).filter(([filter]) => filters[filter] !== undefined);
  for (const [filter, sql] of given) {
    values.push(filters[filter]);
    conditions.push(sql.replaceAll('?', `$${values.length}`));
  }
  return {
    name: [list.name, ...given.map(([filter]) => filter)].join('+'),
    text: `SELECT true AS found, ${list.columns} FROM ${list.from} WHERE ${conditions.join(' AND ')}
           ORDER BY id DESC LIMIT $3`,
    values,
    answer: (rows) => {
      const last = rows.length > limit ? rows[limit - 1] : undefined;
      return {
        data: rows.slice(0, limit).map(list.wire),
        next_cursor:
          last === undefined ? null : encodeCursor({ list: list.name, guildId, filters, after: last.id }),
      };
    },
  };
}
