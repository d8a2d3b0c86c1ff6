import type { Activity, ActivityCount } from '@bailiff/engine/desk/activity';

/** The kinds of activity that charts distinguish, in the order they are shown. */
export const ACTIVITY_KINDS = [
  'strikes',
  'bans',
  'mutes',
  'tickets',
  'messages',
  'servers',
  'members',
  'other',
] as const;
export type ActivityKind = (typeof ACTIVITY_KINDS)[number];

/** Counts per key and day. */
export interface Chart<Key extends string = string> {
  /** Moderators are ordered by their counts, largest first; other keys have a fixed order. */
  readonly keys: readonly Key[];
  /** Oldest first, today last. `values` has one number for each of `keys`. */
  readonly days: readonly { readonly day: string; readonly values: readonly number[] }[];
}

export interface ActivityCharts {
  readonly byKind: Chart<ActivityKind>;
  readonly bySource: Chart<ActivityCount['source']>;
  /** Counts per user id; `OTHERS` sums the moderators after the first five. */
  readonly byModerator: Chart;
}

export const OTHERS = 'others';
const MOST_MODERATORS = 5;
const SOURCES = ['chat', 'dashboard', 'token', 'system', 'operator'] as const;

/** The charts of performed actions. What nobody moderated is not in the chart per moderator. */
export function activityCharts({ days }: Pick<Activity, 'days'>): ActivityCharts {
  const performed = days.map(({ day, counts }) => ({
    day,
    counts: counts.filter(({ outcome }) => outcome === 'performed'),
  }));
  const totals = new Map<string, number>();
  for (const row of performed.flatMap(({ counts }) => counts)) {
    const moderator = moderatorOf(row);
    if (moderator !== null) totals.set(moderator, (totals.get(moderator) ?? 0) + row.count);
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
        const index = indexOfKey(keys, keyOf(row));
        if (index !== -1) values[index] = (values[index] ?? 0) + row.count;
      }
      return { day, values };
    }),
  });
  return {
    byKind: withoutEmpty(chart(ACTIVITY_KINDS, KEY_FUNCTIONS.byKind)),
    bySource: withoutEmpty(chart(SOURCES, KEY_FUNCTIONS.bySource)),
    byModerator: chart(moderators, KEY_FUNCTIONS.byModerator),
  };
}

type Counted = Pick<ActivityCount, 'operation' | 'source' | 'actorId'>;

const KEY_FUNCTIONS = {
  byKind: ({ operation }: Counted) => kindOf(operation),
  bySource: ({ source }: Counted) => source,
  byModerator: moderatorOf,
} as const satisfies Record<keyof ActivityCharts, (row: Counted) => string | null>;

/** The changes that need no capability. A test compares them with the table of operations, which is not in the browser. */
export const FOR_EVERY_MEMBER: readonly string[] = ['tickets.open', 'reports.add', 'identities.link'];

/** What people do about their own cases. It is no operation of moderators. */
const FILED_BY_PERSON = 'appeals.file';

/** Who moderated; null for what the bot did by itself, and for what every member may do. */
function moderatorOf({ operation, source, actorId }: Counted): string | null {
  return source === 'system' || FOR_EVERY_MEMBER.includes(operation) || operation === FILED_BY_PERSON
    ? null
    : actorId;
}

function kindOf(operation: string): ActivityKind {
  const [area = ''] = operation.split('.');
  return ACTIVITY_KINDS.find((kind) => kind === area) ?? 'other';
}

function indexOfKey(keys: readonly string[], key: string | null): number {
  if (key === null) return -1;
  const index = keys.indexOf(key);
  return index === -1 ? keys.indexOf(OTHERS) : index;
}

/** The chart without keys that have no counts. */
function withoutEmpty<Key extends string>({ keys, days }: Chart<Key>): Chart<Key> {
  const kept = keys.map((_, index) => days.some(({ values }) => (values[index] ?? 0) > 0));
  return {
    keys: keys.filter((_, index) => kept[index]),
    days: days.map(({ day, values }) => ({ day, values: values.filter((_, index) => kept[index]) })),
  };
}

/** The charts with one more action counted today; null if its day is not their last one. */
export function withOneMore(
  charts: ActivityCharts,
  row: Counted & { readonly at: string },
): ActivityCharts | null {
  const grown: Partial<Record<keyof ActivityCharts, Chart>> = {};
  for (const name of ['byKind', 'bySource', 'byModerator'] as const) {
    const key = KEY_FUNCTIONS[name](row);
    const chart = withKey(
      charts[name],
      key,
      name === 'byModerator' ? MOST_MODERATORS : Number.POSITIVE_INFINITY,
    );
    const today = chart.days.at(-1);
    if (today?.day !== row.at.slice(0, 10)) return null;
    const index = indexOfKey(chart.keys, key);
    const values = today.values.map((value, each) => (each === index ? value + 1 : value));
    grown[name] = { ...chart, days: [...chart.days.slice(0, -1), { ...today, values }] };
  }
  return grown as ActivityCharts;
}

/** The chart with this key added, or with `OTHERS` once it has `mostKeys` keys. */
function withKey({ keys, days }: Chart, key: string | null, mostKeys: number): Chart {
  if (key === null || indexOfKey(keys, key) !== -1) return { keys, days };
  return {
    keys: [...keys, keys.length < mostKeys ? key : OTHERS],
    days: days.map(({ day, values }) => ({ day, values: [...values, 0] })),
  };
}

/** How many actions were performed, failed, or were refused. What may have happened is among what needs attention. */
export interface OutcomeCounts {
  readonly performed: number;
  readonly failed: number;
  readonly refused: number;
}

export function countOutcomes(counts: readonly ActivityCount[]): OutcomeCounts {
  const sum = (of: ActivityCount['outcome']) =>
    counts.filter(({ outcome }) => outcome === of).reduce((total, { count }) => total + count, 0);
  return {
    performed: sum('performed'),
    failed: sum('failed'),
    refused: sum('refused'),
  };
}

const WEEK_DAYS = 7;

/** The mean number of performed actions per day, over the seven days that ended before yesterday. */
export function dailyMeanOfWeekBefore({ days }: Pick<Activity, 'days'>): number {
  const week = days.slice(-2 - WEEK_DAYS, -2);
  const performed = countOutcomes(week.flatMap(({ counts }) => counts)).performed;
  return week.length === 0 ? 0 : Math.round(performed / week.length);
}
