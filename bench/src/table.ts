export interface Measurement {
  name: string;
  value: number;
  unit: 's' | 'ms';
  /** What it must not be above. */
  promise?: number;
  /** What the least possible work for the same costs, in the same unit. */
  baseline?: { name: string; value: number };
}

export function printTable(measurements: readonly Measurement[]): void {
  const rows = measurements.map(({ name, value, unit, promise, baseline }) => [
    name,
    `${value.toFixed(1)} ${unit}`,
    promise === undefined ? '' : `${value <= promise ? '✓' : '✗'} under ${promise} ${unit}`,
    baseline === undefined ? '' : `${(value / baseline.value).toFixed(1)} × ${baseline.name}`,
  ]);
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

/** The middle one; of none, NaN. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
