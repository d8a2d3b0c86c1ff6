import { ApiError, decodeCursor, encodeCursor } from '@bailiff/core';
import { Bindings, type Columns, type RowOf, type SqlType, sql } from '@bailiff/prisma';
import type { Read } from './readers.ts';

/** A list of rows of one guild, newest first by id. Ids grow with time. */
export interface List<C extends Columns & { readonly id: SqlType<string> }, Item> {
  /** Name of the operation. A cursor of another list is refused. */
  readonly name: string;
  readonly from: string;
  readonly columns: C;
  /** SQL of the columns, if it is not just their names. */
  readonly select?: string;
  /** SQL condition that always applies, for a list that is part of a table. */
  readonly part?: string;
  /** SQL of each filter with `?` for its value, and the type of the value. */
  readonly filters: Readonly<Record<string, readonly [sql: string, type: SqlType<unknown>]>>;
  readonly wire: (row: RowOf<C>) => Item;
}

/** Sorts after every id: ids have a lower-case prefix and a hexadecimal body. */
export const AFTER_EVERY_ID = 'zzz';

type PageInput = { limit: number; cursor?: string | undefined; [filter: string]: unknown };

/**
 * The id after which a page begins.
 *
 * @throws ApiError VALIDATION_FAILED 400 if the cursor is altered, or belongs to another list, guild or filter.
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

/** One page of a list (decisions: Names). Throws as {@link startOfPage} does. */
export function readPage<C extends Columns & { readonly id: SqlType<string> }, Item>(
  list: List<C, Item>,
  guildId: string,
  input: PageInput,
): Read<C, { data: Item[]; next_cursor: string | null }> {
  const { limit, cursor: _, ...filters } = input;
  const bindings = new Bindings();
  const conditions = [
    `guild_id = ${bindings.bind(sql.text, guildId)}`,
    `id < ${bindings.bind(sql.text, startOfPage(list.name, guildId, input))}`,
    ...(list.part === undefined ? [] : [list.part]),
  ];
  const rowsRead = bindings.bind(sql.bigint, limit + 1);
  for (const [filter, [condition, type]] of Object.entries(list.filters)) {
    const value = filters[filter];
    if (value !== undefined) conditions.push(condition.replaceAll('?', bindings.bind(type, value)));
  }
  return {
    ...bindings,
    columns: list.columns,
    mayBeEmpty: true,
    text: `SELECT true AS found, ${list.select ?? sql.names(list.columns)} FROM ${list.from}
      WHERE ${conditions.join(' AND ')} ORDER BY id DESC LIMIT ${rowsRead}`,
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
