export type Unit = 's' | 'ms' | '/s' | '×' | 'KB' | 'MB' | '%' | '';

/** One number that is measured. */
export interface Figure {
  /** What it is, as a person would say it. */
  readonly title: string;
  readonly unit: Unit;
  /** The highest value that is promised. */
  readonly atMost?: number;
  /** The lowest value that is promised. */
  readonly atLeast?: number;
  /** What limits it, for docs/performance.md. */
  readonly limits: string;
  /** One point of a curve that shows how something grows. */
  readonly point?: Point;
}

export interface Point {
  /** What grows. Figures with the same text make one curve. */
  readonly curve: string;
  readonly by: 'guilds' | 'members' | 'rows' | 'connections';
  readonly size: number;
}

const ROUNDS = 5;

/** What the rounds of a run gave for one figure. */
export type Samples = number | readonly number[];

/** A part of the benchmark. It runs in a process of its own. */
export interface Part<Id extends string = string> {
  readonly title: string;
  /** How it is measured. */
  readonly how: string;
  /** The part is too long for a whole run: it is measured with `--full`, or by its name. */
  readonly isLong?: true;
  /**
   * The part mostly waits, so it is measured beside others that do: `any`, also while parts are prepared, for none of its
   * figures depends on how fast the processors are (memory, counts, the time that Discord's limits leave), and `quiet`,
   * after that.
   */
  readonly besides?: 'any' | 'quiet';
  /** After this time the part counts as failed. */
  readonly deadlineSeconds: number;
  readonly figures: Readonly<Record<Id, Figure>>;
  /** Makes in the part's directory what is measured, before a run measures what needs quiet processors. */
  readonly prepare?: (directory: string) => Promise<void>;
  /** Gives samples for each of the figures. */
  readonly measure: (directory: string) => Promise<Readonly<Record<Id, Samples>>>;
}

/** The part, whose samples the compiler compares with its figures. */
export function part<Id extends string>(of: Part<Id>): Part<Id> {
  return of;
}

/** A measured figure, as results.json holds it. */
export interface Measured extends Omit<Figure, 'limits' | 'point'> {
  /** The median of the rounds. */
  readonly value: number;
  readonly least: number;
  readonly most: number;
  readonly rounds: number;
  readonly isKept: boolean;
}

/** @throws Error without a sample, or with one that is no number */
export function measured({ limits: _limits, point: _point, ...figure }: Figure, samples: Samples): Measured {
  const rounds = typeof samples === 'number' ? [samples] : samples;
  if (rounds.length === 0 || rounds.some((sample) => !Number.isFinite(sample)))
    throw new Error(`${figure.title}: the samples are ${rounds.join(', ') || 'missing'}.`);
  const value = round(median(rounds));
  const { atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY } = figure;
  return {
    ...figure,
    value,
    least: round(Math.min(...rounds)),
    most: round(Math.max(...rounds)),
    rounds: rounds.length,
    isKept: value <= atMost && value >= atLeast,
  };
}

/** Four significant digits: no clock here is better than that. */
function round(value: number): number {
  return Number(value.toPrecision(4));
}

/** The median; NaN for an empty list. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The medians of five stretches of samples that were taken one after the other: rounds with their spread. */
export function medians(samples: readonly number[]): number[] {
  const size = Math.ceil(samples.length / ROUNDS);
  const stretches = Array.from({ length: ROUNDS }, (_, round) =>
    samples.slice(round * size, (round + 1) * size),
  );
  return stretches.filter((stretch) => stretch.length > 0).map(median);
}

/** The value below which this share of the values is; NaN for an empty list. */
export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}

/** A value with its unit, such as `12.3 ms`. */
export function inUnit(value: number, unit: Unit): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  const number = value.toLocaleString('en-US', { maximumFractionDigits: digits });
  return unit === '' ? number : `${number} ${unit}`;
}

/** What is promised, such as `at most 15 ms`, or nothing. */
export function boundOf({ atMost, atLeast, unit }: Pick<Figure, 'atMost' | 'atLeast' | 'unit'>): string {
  if (atMost !== undefined) return `at most ${inUnit(atMost, unit)}`;
  return atLeast === undefined ? '' : `at least ${inUnit(atLeast, unit)}`;
}

/** The value with its spread over the rounds, such as `12.3 ms (11.9 to 14 in 5 rounds)`. */
export function withSpread({ value, least, most, rounds, unit }: Measured): string {
  const spread = rounds === 1 ? '' : ` (${inUnit(least, '')} to ${inUnit(most, '')} in ${rounds} rounds)`;
  return `${inUnit(value, unit)}${spread}`;
}
