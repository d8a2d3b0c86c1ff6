import type { Activity, ActivityCount } from '@bailiff/engine/desk/activity';

/** What is done, as charts tell it apart; in the order in which they show it. */
export const ACTIVITY_KINDS = [
  'strikes',
  'bans',
  'mutes',
  'tickets',
  'messages',
  'servers',
  'other',
] as const;
export type ActivityKind = (typeof ACTIVITY_KINDS)[number];

/** How often what, day by day. */
export interface Chart<Key extends string = string> {
  /** What is counted; those with the greatest counts first where the order is not given. */
  readonly keys: readonly Key[];
  /** Oldest first, today last. `values` are those of `keys`. */
  readonly days: readonly { readonly day: string; readonly values: readonly number[] }[];
}

export interface ActivityCharts {
  readonly byKind: Chart<ActivityKind>;
  readonly bySource: Chart<ActivityCount['source']>;
  /** By user id; `OTHERS` are those who did less. */
  readonly byModerator: Chart;
}

export const OTHERS = 'others';
const MOST_MODERATORS = 5;
const SOURCES = ['chat', 'dashboard', 'token', 'system', 'operator'] as const;

/** What was performed; what only one chart can tell, such as what had no person behind it, is in that one alone. */
export function activityCharts({ days }: Pick<Activity, 'days'>): ActivityCharts {
  const performed = days.map(({ day, counts }) => ({
    day,
    counts: counts.filter(({ outcome }) => outcome === 'performed'),
  }));
  const totals = new Map<string, number>();
  for (const { actorId, count } of performed.flatMap(({ counts }) => counts)) {
    if (actorId !== null) totals.set(actorId, (totals.get(actorId) ?? 0) + count);
  }
  const ranked = [...totals].toSorted(([, a], [, b]) => b - a).map(([id]) => id);
  const moderators = [
    ...ranked.slice(0, MOST_MODERATORS),
    ...(ranked.length > MOST_MODERATORS ? [OTHERS] : []),
  ];
  const chart = <Key extends string>(
    keys: readonly Key[],
    keyOf: (row: Counted) => string | null,
  ): Chart<Key> => ({
    keys,
    days: performed.map(({ day, counts }) => {
      const values = keys.map(() => 0);
      for (const row of counts) {
        const place = placeOf(keys, keyOf(row));
        if (place !== -1) values[place] = (values[place] ?? 0) + row.count;
      }
      return { day, values };
    }),
  });
  return {
    byKind: withoutEmpty(chart(ACTIVITY_KINDS, KEY_OF.byKind)),
    bySource: withoutEmpty(chart(SOURCES, KEY_OF.bySource)),
    byModerator: chart(moderators, KEY_OF.byModerator),
  };
}

type Counted = Pick<ActivityCount, 'operation' | 'source' | 'actorId'>;

const KEY_OF = {
  byKind: ({ operation }: Counted) => kindOf(operation),
  bySource: ({ source }: Counted) => source,
  byModerator: ({ actorId }: Counted) => actorId,
} as const satisfies Record<keyof ActivityCharts, (row: Counted) => string | null>;

function kindOf(operation: string): ActivityKind {
  const [area = ''] = operation.split('.');
  return ACTIVITY_KINDS.find((kind) => kind === area) ?? 'other';
}

function placeOf(keys: readonly string[], key: string | null): number {
  if (key === null) return -1;
  const place = keys.indexOf(key);
  return place === -1 ? keys.indexOf(OTHERS) : place;
}

/** Without what did not happen at all. */
function withoutEmpty<Key extends string>({ keys, days }: Chart<Key>): Chart<Key> {
  const kept = keys.map((_, place) => days.some(({ values }) => (values[place] ?? 0) > 0));
  return {
    keys: keys.filter((_, place) => kept[place]),
    days: days.map(({ day, values }) => ({ day, values: values.filter((_, place) => kept[place]) })),
  };
}

/** The charts with one more thing done today; null when it was done on a day that they do not have. */
export function withOneMore(
  charts: ActivityCharts,
  row: Counted & { readonly at: string },
): ActivityCharts | null {
  const grown: Partial<Record<keyof ActivityCharts, Chart>> = {};
  for (const name of ['byKind', 'bySource', 'byModerator'] as const) {
    const key = KEY_OF[name](row);
    const chart = withKey(
      charts[name],
      key,
      name === 'byModerator' ? MOST_MODERATORS : Number.POSITIVE_INFINITY,
    );
    const today = chart.days.at(-1);
    if (today?.day !== row.at.slice(0, 10)) return null;
    const place = placeOf(chart.keys, key);
    const values = today.values.map((value, each) => (each === place ? value + 1 : value));
    grown[name] = { ...chart, days: [...chart.days.slice(0, -1), { ...today, values }] };
  }
  return grown as ActivityCharts;
}

/** A chart that has a place for what was not in it before. */
function withKey({ keys, days }: Chart, key: string | null, mostKeys: number): Chart {
  if (key === null || placeOf(keys, key) !== -1) return { keys, days };
  return {
    keys: [...keys, keys.length < mostKeys ? key : OTHERS],
    days: days.map(({ day, values }) => ({ day, values: [...values, 0] })),
  };
}

/** How often it was performed, failed, or was refused. */
export interface OutcomeCounts {
  readonly performed: number;
  readonly failed: number;
  readonly refused: number;
}

export function countOutcomes(counts: readonly ActivityCount[]): OutcomeCounts {
  const sum = (...outcomes: readonly ActivityCount['outcome'][]) =>
    counts.filter(({ outcome }) => outcomes.includes(outcome)).reduce((total, { count }) => total + count, 0);
  return {
    performed: sum('performed'),
    failed: sum('failed', 'unknown', 'cancelled'),
    refused: sum('refused'),
  };
}

const WEEK_DAYS = 7;

/** What was performed on a day of the week before: of the seven days that ended before yesterday. */
export function dailyMeanOfWeekBefore({ days }: Pick<Activity, 'days'>): number {
  const week = days.slice(-2 - WEEK_DAYS, -2);
  const performed = countOutcomes(week.flatMap(({ counts }) => counts)).performed;
  return week.length === 0 ? 0 : Math.round(performed / week.length);
}
