import { ApiError, decodeCursor, encodeCursor } from '@bailiff/core';
import { Bindings, type Columns, type RowOf, type SqlType, sql } from '@bailiff/prisma';
import type { Read } from './readers.ts';

/** A filter for rows with this value in a column of the list. */
export interface Filter {
  readonly column: string;
  readonly type: SqlType<unknown>;
  /**
   * SQL conditions that have these rows between them, each with an index of its own. Default: the column has the value.
   *
   * @param place makes the value a parameter, and returns its name.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the value is of the filter's own type
  readonly parts?: (value: any, place: () => string) => readonly string[];
}

/** A list of rows of one guild, newest first. */
export interface List<C extends ListColumns, Item> {
  /** Name of the operation. A cursor of another list is refused. */
  readonly name: string;
  readonly from: string;
  readonly columns: C;
  /** SQL of the columns, if it is not just their names. */
  readonly select?: string;
  /** SQL condition that always applies, for a list that is part of a table. */
  readonly part?: string;
  /** Whether it is sorted by its column `at`, and only then by id. Ids grow with time. */
  readonly byTime?: boolean;
  /**
   * An index serves each of them, in the order of the list. If a request has several, the first one here is read through
   * its index; for the others, a page looks at no more than {@link LOOKED_THROUGH} of its rows.
   */
  readonly filters: Readonly<Record<string, Filter>>;
  /** SQL of the filters by the column `at`, with `?` for the value. */
  readonly periods?: Readonly<Record<string, string>>;
  /** The item of a row, for this reader. */
  readonly wire: (row: RowOf<C>, readerId: string) => Item;
}

type ListColumns = Columns & { readonly id: SqlType<string> };

/**
 * Rows that a page with several filters looks at. Two filters can exclude each other in a guild with millions of rows
 * for each, and one call must not read them all.
 */
export const LOOKED_THROUGH = 500;

/** Most rows of a page, and one that shows whether another page follows. */
const MOST_READ = 101;

/** Sorts after every id: ids have a lower-case prefix and a hexadecimal body. */
const AFTER_EVERY_ID = 'zzz';

type PageInput = { limit: number; cursor?: string | undefined; [filter: string]: unknown };

/** How a list says where a page begins. */
interface Places {
  /** Name of the operation. */
  readonly name: string;
  readonly byTime?: boolean | 'or_not';
  /** Whether its rows are told apart by the numbers of cases, and not by ids. */
  readonly byNumber?: boolean;
}

/** The row before a page: its id or number, and its time if the list is sorted by time. */
interface Place {
  readonly id: string;
  readonly at: Date | null;
}

/**
 * The row after which a page begins. Null for the first page.
 *
 * @throws ApiError VALIDATION_FAILED 400 if the cursor is altered, or belongs to another list, guild or filter.
 */
export function startOfPage(
  { name, byTime = false, byNumber = false }: Places,
  guildId: string,
  { cursor, limit: _, ...filters }: PageInput,
): Place | null {
  if (cursor === undefined) return null;
  const [id, at] = decodeCursor(cursor, { list: name, guildId, filters })?.split('@') ?? [];
  const isPlace = id !== undefined && /^\d/.test(id) === byNumber;
  if (isPlace && (byTime === 'or_not' || byTime === (at !== undefined))) {
    return { id, at: at === undefined ? null : new Date(Number(at)) };
  }
  const message = 'must be the next_cursor of a page of this list with these filters';
  throw new ApiError('VALIDATION_FAILED', `cursor: ${message}`, {
    status: 400,
    details: { issues: [{ path: 'cursor', message }] },
  });
}

/** One page of a list (decisions: Names). Throws as {@link startOfPage} does. */
export function readPage<C extends ListColumns, Item>(
  list: List<C, Item>,
  guildId: string,
  input: PageInput,
): Read<C, { data: Item[]; next_cursor: string | null }> {
  const { limit, cursor: _, ...filters } = input;
  const bindings = new Bindings();
  const text = pageText(list, guildId, input, bindings);
  const cursorAfter = ({ id, at }: { readonly id: string; readonly at?: unknown }) => {
    const after = list.byTime === true && at instanceof Date ? `${id}@${at.getTime()}` : id;
    return encodeCursor({ list: list.name, guildId, filters, after });
  };
  const isWhole = Object.values(filters).every((value) => value === undefined);
  return {
    ...bindings,
    ...(isWhole ? {} : { isPrepared: false }),
    columns: list.columns,
    mayBeEmpty: true,
    isQuick: isWhole,
    text,
    answer: (rows, { readerId, lookedTo }) => {
      const last = rows.length > limit ? rows[limit - 1] : lookedTo;
      return {
        data: rows.slice(0, limit).map((row) => list.wire(row, readerId)),
        next_cursor: last === undefined ? null : cursorAfter(last),
      };
    },
  };
}

function pageText<C extends ListColumns>(
  list: List<C, unknown>,
  guildId: string,
  input: PageInput,
  bindings: Bindings,
): string {
  const order = list.byTime === true ? 'at DESC, id DESC' : 'id DESC';
  const conditions = [
    `guild_id = ${bindings.bind(sql.text, guildId)}`,
    ...(list.part === undefined ? [] : [list.part]),
    ...beforePage(list, startOfPage(list, guildId, input), bindings),
  ];
  const wanted = bindings.bind(sql.bigint, input.limit + 1);
  for (const [name, condition] of Object.entries(list.periods ?? {})) {
    if (input[name] === undefined) continue;
    conditions.push(condition.replace('?', bindings.bind<unknown>(sql.timestamptz, input[name])));
  }
  const [first, ...others] = Object.entries(list.filters).flatMap(([name, filter]) =>
    input[name] === undefined ? [] : [{ ...filter, value: input[name] }],
  );
  const newest = (most: number) => {
    const select = list.select ?? sql.names(list.columns);
    const parts = (first === undefined ? ['true'] : partsOf(first, bindings)).map(
      (part) => `SELECT ${select} FROM ${list.from} WHERE ${[...conditions, part].join(' AND ')}
        ORDER BY ${order} LIMIT ${most}`,
    );
    if (parts.length === 1) return parts.join('');
    return `SELECT * FROM (${parts.map((part) => `(${part})`).join(' UNION ALL ')}) AS parts
      ORDER BY ${order} LIMIT ${most}`;
  };
  // The planner knows no limit that is a parameter. The one in the text lets it choose a plan for few rows.
  if (others.length === 0)
    return `SELECT true AS found, * FROM (${newest(MOST_READ)}) AS page LIMIT ${wanted}`;
  const matching = others.map(
    ({ column, type, value }) => `${column} = ${bindings.bind<unknown>(type, value)}`,
  );
  // A page that is not full because it looked at enough ends with the last row that it looked at, which is not found.
  return `WITH looked AS MATERIALIZED (${newest(LOOKED_THROUGH)}),
      page AS MATERIALIZED (SELECT * FROM looked WHERE ${matching.join(' AND ')} ORDER BY ${order} LIMIT ${wanted})
    (SELECT true AS found, * FROM page ORDER BY ${order})
    UNION ALL
    (SELECT false, * FROM looked WHERE (SELECT count(*) FROM page) < ${wanted}
     ORDER BY ${order} LIMIT 1 OFFSET ${LOOKED_THROUGH - 1})`;
}

function partsOf(
  { column, type, value, parts }: Filter & { readonly value: unknown },
  bindings: Bindings,
): readonly string[] {
  const place = () => bindings.bind<unknown>(type, value);
  return parts === undefined ? [`${column} = ${place()}`] : parts(value, place);
}

function beforePage<C extends ListColumns>(
  { byTime = false }: List<C, unknown>,
  start: Place | null,
  bindings: Bindings,
): readonly string[] {
  if (!byTime) return [`id < ${bindings.bind(sql.text, start?.id ?? AFTER_EVERY_ID)}`];
  if (start?.at == null) return [];
  const at = bindings.bind(sql.timestamptz, start.at);
  // The first condition leaves out partitions.
  return [`at <= ${at}`, `(at, id) < (${at}, ${bindings.bind(sql.text, start.id)})`];
}
