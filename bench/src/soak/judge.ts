import { type Growth, growthOf, type Point } from './growth.ts';
import { MEASURES, type Measure } from './measures.ts';
import { type Sample, tablesOfGrowth } from './samples.ts';

/** No action may add more rows than this to a table: one, its two audit rows, and one more. */
const MOST_ROWS_EACH = 4;

export interface Judged {
  readonly measure: Measure;
  /** All samples, those before the judged time too. */
  readonly points: readonly Point[];
  readonly growth: Growth;
  /** How much it grew in the judged time by its median slope, and at least. */
  readonly grew: number;
  readonly grewAtLeast: number;
  readonly isKept: boolean;
}

export interface Check {
  readonly title: string;
  readonly seen: string;
  readonly isKept: boolean;
}

/** Each measure from `warmSeconds` on. It grows if the least plausible slope adds more than it may in that time. */
export function judge(samples: readonly Sample[], warmSeconds: number): Judged[] {
  return MEASURES.map((measure) => {
    const points = samples.flatMap((sample) => {
      const value = measure.of(sample);
      return value === undefined ? [] : [{ seconds: sample.seconds, value }];
    });
    const warm = points.filter(({ seconds }) => seconds >= warmSeconds);
    const growth = growthOf(warm);
    const lasted = (warm.at(-1)?.seconds ?? 0) - (warm[0]?.seconds ?? 0);
    const grewAtLeast = growth.leastPerSecond * lasted;
    return {
      measure,
      points,
      growth,
      grew: growth.perSecond * lasted,
      grewAtLeast,
      isKept: measure.mayGrow === undefined || grewAtLeast <= measure.mayGrow,
    };
  });
}

/** Tables whose rows are kept: how many each thing done has added. */
export function judgeRecords(samples: readonly Sample[], warmSeconds: number): Check[] {
  const warm = samples.filter(({ seconds, database }) => seconds >= warmSeconds && database !== undefined);
  const [first, last] = [warm[0], warm.at(-1)];
  const done = (last?.done ?? 0) - (first?.done ?? 0);
  return tablesOfGrowth().growing.flatMap((table) => {
    const added = (last?.database?.rows[table] ?? 0) - (first?.database?.rows[table] ?? 0);
    if (added <= 0) return [];
    const each = added / Math.max(1, done);
    return [
      {
        title: `Rows of ${table} for each thing done`,
        seen: `${each.toFixed(2)} (${added.toLocaleString('en-US')} for ${done.toLocaleString('en-US')})`,
        isKept: each <= MOST_ROWS_EACH,
      },
    ];
  });
}

/** Tables that do not grow with use, and have more rows than before: to find what grew. */
export function grownTables(samples: readonly Sample[], warmSeconds: number): string[] {
  const warm = samples.filter(({ seconds, database }) => seconds >= warmSeconds && database !== undefined);
  const [first, last] = [warm[0]?.database?.rows, warm.at(-1)?.database?.rows];
  return tablesOfGrowth()
    .steady.map((table) => ({ table, by: (last?.[table] ?? 0) - (first?.[table] ?? 0) }))
    .filter(({ by }) => by > 0)
    .map(({ table, by }) => `${table} +${by}`);
}
