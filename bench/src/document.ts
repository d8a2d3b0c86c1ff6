import { boundOf, type Figure, inUnit, type Part, withSpread } from './figure.ts';
import type { PartResult, Results } from './results.ts';

/** The figures of a curve by size, in the order of the parts. */
export interface Curve {
  readonly title: string;
  readonly by: string;
  readonly unit: Figure['unit'];
  readonly points: readonly {
    readonly size: number;
    readonly value: number;
    readonly least: number;
    readonly most: number;
  }[];
}

/** The curves that a part has measured. */
export function curvesOf({ figures }: Part, result: PartResult | undefined): Curve[] {
  const curves = new Map<string, Curve & { points: Curve['points'][number][] }>();
  for (const [id, { point, unit }] of Object.entries(figures)) {
    const found = result?.figures[id];
    if (point === undefined || found === undefined) continue;
    const curve = curves.get(point.curve) ?? { title: point.curve, by: point.by, unit, points: [] };
    curve.points.push({ size: point.size, value: found.value, least: found.least, most: found.most });
    curves.set(point.curve, curve);
  }
  return [...curves.values()].filter(({ points }) => points.length > 1);
}

/** When and under what load a part was measured. */
export function occasionOf(result: PartResult): string {
  const share = (busy: number) => `${Math.round(busy * 100)} %`;
  const machine = result.isQuiet
    ? 'a quiet machine'
    : `a busy machine, on which others used ${share(result.before.busy)} before and ${share(result.after.busy)} after`;
  return `${result.measuredAt.slice(0, 16).replace('T', ' ')} UTC, ${result.cores} cores, ${machine}, load ${result.before.load}`;
}

/** `docs/performance.md` with the tables of its parts as the results are. */
export function documentWith(text: string, parts: Readonly<Record<string, Part>>, results: Results): string {
  return text.replaceAll(/<!-- part (\S+) -->\n[\s\S]*?<!-- end -->/g, (block, name: string) => {
    const part = parts[name];
    return part === undefined
      ? block
      : `<!-- part ${name} -->\n\n${sectionOf(name, part, results[name])}\n\n<!-- end -->`;
  });
}

function sectionOf(name: string, part: Part, result: PartResult | undefined): string {
  const command = `\`npm run bench -- ${name}\`${part.isLong === true ? ', not in a whole run' : ''}`;
  const rows = Object.entries(part.figures).map(([id, figure]) => {
    const found = result?.figures[id];
    const value =
      found === undefined ? 'not measured' : `${found.isKept ? '' : '**missed** '}${withSpread(found)}`;
    return `| ${figure.title} | ${value} | ${boundOf(figure)} | ${figure.limits} |`;
  });
  const occasion =
    result === undefined
      ? 'Not measured yet.'
      : result.error === undefined
        ? `Measured ${occasionOf(result)}.`
        : 'The last run failed; bench/results.json says why.';
  const curves = curvesOf(part, result).map(({ title, by, unit, points }) => {
    const list = points.map(({ size, value }) => `${inUnit(value, unit)} at ${size.toLocaleString('en-US')}`);
    return `- ${title}, by ${by}: ${list.join(', ')}.`;
  });
  return [
    `### ${part.title}`,
    '',
    ...wrapped(part.how),
    '',
    ...wrapped(`${command}. ${occasion}`),
    '',
    '| Figure | Measured | Bound | What limits it |',
    '|---|---|---|---|',
    ...rows,
    ...(curves.length === 0
      ? []
      : ['', 'How it grows:', '', ...curves.flatMap((line) => wrapped(line, '  '))]),
  ].join('\n');
}

const COLUMNS = 120;

function wrapped(text: string, indent = ''): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > COLUMNS) {
      lines.push(line);
      line = `${indent}${word}`;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
