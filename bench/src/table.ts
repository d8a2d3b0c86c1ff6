export interface Measurement {
  name: string;
  value: number;
  unit: 's' | 'ms' | '/s' | '×' | 'KB' | 'MB' | '';
  /** The highest value that passes. */
  atMost?: number;
  /** The lowest value that passes. */
  atLeast?: number;
  /** The value of the smallest program that does the same, in the same unit. */
  baseline?: { name: string; value: number };
}

export function isKept({ value, atMost, atLeast }: Measurement): boolean {
  return (atMost === undefined || value <= atMost) && (atLeast === undefined || value >= atLeast);
}

export function printTable(measurements: readonly Measurement[]): void {
  const rows = measurements.map((measurement) => {
    const { name, value, unit, atMost, atLeast, baseline } = measurement;
    const promise = [
      ...(atMost === undefined ? [] : [`at most ${atMost} ${unit}`]),
      ...(atLeast === undefined ? [] : [`at least ${atLeast} ${unit}`]),
    ].join(', ');
    return [
      name,
      `${value.toFixed(unit === '×' ? 2 : 1)} ${unit}`,
      promise === '' ? '' : `${isKept(measurement) ? '✓' : '✗'} ${promise}`,
      baseline === undefined ? '' : `${(value / baseline.value).toFixed(1)} × ${baseline.name}`,
    ];
  });
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows) {
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
  }
}

/** The median; NaN for an empty list. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
