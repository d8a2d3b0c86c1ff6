import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** A metric as docs/operations.md has it. */
export interface DocumentedMetric {
  readonly name: string;
  readonly processes: readonly string[];
  /** The values of each label; empty where the document does not list them. */
  readonly labels: ReadonlyMap<string, readonly string[]>;
}

const DOCUMENT = resolve(import.meta.dirname, '..', '..', '..', 'docs', 'operations.md');

/** The table of metrics for operators. */
export function documentedMetrics(): DocumentedMetric[] {
  const rows = readFileSync(DOCUMENT, 'utf8').matchAll(/^\| `(bailiff_\w+)` \| ([\w, ]+) \| (.*?) \|/gm);
  return [...rows].map(([, name = '', processes = '', labels = '']) => ({
    name,
    processes: processes.split(', '),
    labels: new Map(labels.split('; ').filter(Boolean).flatMap(labelsIn)),
  }));
}

/** The labels in a cell: `a`: `x`, `y` is one label with its values; `a`, `b` are two whose values are not listed. */
function labelsIn(text: string): [string, string[]][] {
  const quoted = (part: string) => [...part.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
  const [names = '', values] = text.split(': ');
  return quoted(names).map((name) => [name, values === undefined ? [] : quoted(values)]);
}

/** A value that a process serves to Prometheus. */
export interface Sample {
  /** With `_bucket`, `_sum` and `_count` cut off. */
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The samples of Prometheus's text format. @throws Error for a line that is none */
export function parseMetrics(text: string): Sample[] {
  const histograms = [...text.matchAll(/^# TYPE (\w+) histogram$/gm)].map(([, name = '']) => name);
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('# HELP ') && !line.startsWith('# TYPE '))
    .map((line) => {
      const [, name = '', labels = '', value = ''] =
        /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? ([-+\w.]+)$/.exec(line) ?? [];
      if (name === '') throw new Error(`This is not a sample: ${line}`);
      const histogram = histograms.find((each) => new RegExp(`^${each}_(bucket|sum|count)$`).test(name));
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
      return {
        metric: histogram ?? name,
        labels: Object.fromEntries(pairs.map(([, label = '', text = '']) => [label, text])),
        value: value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value),
      };
    });
}

/**
 * What does not fit between the samples of a process and the document: a metric, label or value that only one of them
 * has. Metrics of Node, which are not Bailiff's, are left out.
 */
export function undocumented(process: string, text: string): string[] {
  const documented = documentedMetrics().filter(({ processes }) => processes.includes(process));
  const served = new Set([...text.matchAll(/^# TYPE (bailiff_\w+)/gm)].map(([, name = '']) => name));
  const missing = documented
    .filter(({ name }) => !served.has(name))
    .map(({ name }) => `${name} is not served`);
  const unknown = [...served].filter((name) => documented.every((metric) => metric.name !== name));
  const wrong = parseMetrics(text).flatMap(({ metric, labels }) => {
    const known = documented.find(({ name }) => name === metric)?.labels;
    if (known === undefined) return [];
    return Object.entries(labels).flatMap(([label, value]) => {
      const values = known.get(label);
      const fits = values !== undefined && (values.length === 0 || values.includes(value));
      return fits ? [] : [`${metric}{${label}="${value}"}`];
    });
  });
  return [...missing, ...unknown.map((name) => `${name} is not documented`), ...wrong];
}
