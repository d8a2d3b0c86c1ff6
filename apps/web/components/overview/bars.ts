/** The data of a chart with one stacked bar per day. */
export interface BarsProps {
  readonly series: readonly { readonly key: string; readonly label: string; readonly colour: string }[];
  /** `values` has one number for each of `series`. */
  readonly days: readonly {
    readonly day: string;
    readonly label: string;
    readonly values: readonly number[];
  }[];
  /** The ticks of the scale, from 0 to a number that no bar exceeds. */
  readonly ticks: readonly number[];
}

const STEPS = 4;

/** Whole numbers from 0 in even steps of 1, 2 or 5 times a power of ten. */
export function ticksFor(days: readonly { readonly values: readonly number[] }[]): number[] {
  const most = Math.max(STEPS, ...days.map(({ values }) => values.reduce((sum, value) => sum + value, 0)));
  const power = 10 ** Math.floor(Math.log10(most / STEPS));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each * STEPS >= most) ?? most;
  const count = Math.ceil(most / step);
  return Array.from({ length: count + 1 }, (_, place) => place * step);
}
