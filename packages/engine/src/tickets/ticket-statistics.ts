import type { InputOf, OutputOf } from '@bailiff/core';
import { type RowOf, sql } from '@bailiff/prisma';
import type { Read } from '#src/calls/readers.ts';

type Statistics = OutputOf<'tickets.stats'>;
type Counted = Omit<Statistics['people'][number], 'user_id'>;

/** The categories and people of an answer. */
const MOST = 50;

/** What was counted, of all tickets or of those of a category or person, which `name` is. */
const COUNTED = {
  what: sql.text,
  of: sql.text,
  name: sql.text.orNull,
  count: sql.int,
  first_answer: sql.int.orNull,
  lasted: sql.int.orNull,
  rated: sql.int.orNull,
};

/** Whose work a closed ticket is: its claimer's, or else of who closed it. The bot closes what nobody claimed. */
const WORKER = `coalesce(t.claimed_by, CASE WHEN t.closed_by NOT IN (SELECT bot_user_id FROM gateway_shards)
  THEN t.closed_by END)`;

const OF = `CASE WHEN grouping(category) = 0 THEN 'category' WHEN grouping(user_id) = 0 THEN 'person' ELSE 'all' END`;
const NAME = `CASE WHEN grouping(category) = 0 THEN category WHEN grouping(user_id) = 0 THEN user_id END`;
const BY_EACH = 'GROUP BY GROUPING SETS ((), (category), (user_id))';

/** Null if it did not happen. Records of elsewhere may say that it came before the opening. */
const secondsTo = (column: 'closed_at' | 'answered_at') =>
  `CASE WHEN t.${column} >= t.opened_at THEN extract(epoch FROM t.${column} - t.opened_at)::float8 END`;

const median = (seconds: string) => `round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ${seconds}))::int`;

/** What became of a guild's tickets in the last days. Only those of that time are looked at, by two indexes. */
export function readTicketStatistics(
  guildId: string,
  { days }: InputOf<'tickets.stats'>,
): Read<typeof COUNTED, Statistics> {
  return {
    parameters: [sql.text, sql.int],
    columns: COUNTED,
    text: `WITH period AS MATERIALIZED (SELECT now() - make_interval(days => $2) AS since),
        closed AS MATERIALIZED (
          SELECT t.category, ${WORKER} AS user_id,
            ${secondsTo('closed_at')} AS lasted, ${secondsTo('answered_at')} AS first_answer
          FROM tickets t WHERE t.guild_id = $1 AND t.closed_at >= (SELECT since FROM period)),
        rated AS MATERIALIZED (
          SELECT t.category, ${WORKER} AS user_id, f.rating
          FROM ticket_feedback f JOIN tickets t ON t.id = f.ticket_id
          WHERE f.guild_id = $1 AND f.rated_at >= (SELECT since FROM period) AND f.rating IS NOT NULL),
        counted AS (
          SELECT 'closed' AS what, ${OF} AS "of", ${NAME} AS name, count(*)::int AS count,
            ${median('first_answer')} AS first_answer, ${median('lasted')} AS lasted, NULL::int AS rated
          FROM closed ${BY_EACH}
          UNION ALL
          SELECT 'rated', ${OF}, ${NAME}, count(*)::int, NULL, NULL, sum(rating)::int FROM rated ${BY_EACH}
          UNION ALL
          SELECT 'opened', CASE WHEN grouping(category) = 0 THEN 'category' ELSE 'all' END, category, count(*)::int,
            NULL, NULL, NULL
          FROM tickets WHERE guild_id = $1 AND opened_at >= (SELECT since FROM period)
          GROUP BY GROUPING SETS ((), (category))
          UNION ALL
          SELECT 'open', 'all', NULL, count(*)::int, NULL, NULL, NULL FROM tickets
          WHERE guild_id = $1 AND status IN ('open', 'claimed'))
      SELECT true AS found, what, "of", name, count, first_answer, lasted, rated FROM counted`,
    values: [guildId, days],
    mayBeEmpty: true,
    isQuick: false,
    answer: (rows) => statisticsOf(days, rows),
  };
}

function statisticsOf(days: number, rows: readonly RowOf<typeof COUNTED>[]): Statistics {
  const all = { open_now: 0, opened: 0, ...nothing() };
  const categories = new Map<string | null, Statistics['categories'][number]>();
  const people = new Map<string, Statistics['people'][number]>();
  for (const row of rows) {
    const { what, of, name, count } = row;
    // Nobody is a person whose work it was: such tickets count among all.
    if (of === 'person' && name === null) continue;
    const into =
      of === 'all'
        ? all
        : of === 'category'
          ? entryOf(categories, name, () => ({ category: name, opened: 0, ...nothing() }))
          : entryOf(people, name ?? '', () => ({ user_id: name ?? '', ...nothing() }));
    if (what === 'open') all.open_now = count;
    else if (what === 'opened' && 'opened' in into) into.opened = count;
    else if (what === 'closed') {
      into.closed = count;
      into.first_answer_seconds = row.first_answer;
      into.close_seconds = row.lasted;
    } else if (what === 'rated' && count > 0) {
      into.ratings = count;
      into.average_rating = Math.round(((row.rated ?? 0) / count) * 100) / 100;
    }
  }
  return {
    days,
    ...all,
    categories: [...categories.values()]
      .toSorted((a, b) => b.opened + b.closed - a.opened - a.closed || nameOrder(a.category, b.category))
      .slice(0, MOST),
    people: [...people.values()]
      .toSorted((a, b) => b.closed - a.closed || nameOrder(a.user_id, b.user_id))
      .slice(0, MOST),
  };
}

function nothing(): Counted {
  return { closed: 0, first_answer_seconds: null, close_seconds: null, ratings: 0, average_rating: null };
}

function entryOf<Key, Entry>(entries: Map<Key, Entry>, key: Key, make: () => Entry): Entry {
  const entry = entries.get(key) ?? make();
  entries.set(key, entry);
  return entry;
}

const nameOrder = (a: string | null, b: string | null) => ((a ?? '') < (b ?? '') ? -1 : 1);
