import { escaped, fixed } from '../report.ts';
import { REPORT_STYLE } from '../report-style.ts';
import type { Check, Judged } from './judge.ts';
import type { Kills } from './kills.ts';

/** What a soak has shown. */
export interface Shown {
  readonly title: string;
  /** What ran, when, and on what machine: one sentence each. */
  readonly occasion: readonly string[];
  readonly warmSeconds: number;
  readonly killed: Kills['killed'];
  readonly judged: readonly Judged[];
  readonly checks: readonly Check[];
  readonly answers: ReadonlyMap<string, number>;
}

const STYLE = `
.plot { width: 100%; max-width: none; margin: 12px 0 0; }
.plot svg { height: 130px; }
.plot figcaption { display: flex; justify-content: space-between; gap: 16px; flex-wrap: wrap; }
.plot polyline { vector-effect: non-scaling-stroke; }
.plot .warm { fill: var(--line); opacity: 0.5; }
.plot .kill { stroke: var(--missed); stroke-dasharray: 2 3; vector-effect: non-scaling-stroke; }
.plot .axis { vector-effect: non-scaling-stroke; }
.ends { display: flex; justify-content: space-between; color: var(--muted); font-size: 12px; }
li.kept::marker { content: '✓  '; } li.missed::marker { content: '✗  '; } li.missed { color: var(--missed); }
`;

/** A page with every plot that needs no other file. */
export function pageOf({ title, occasion, warmSeconds, killed, judged, checks, answers }: Shown): string {
  const all = [...judged, ...checks];
  const missed = all.filter(({ isKept }) => !isKept).length;
  const verdict =
    missed === 0 ? 'Nothing grew that must not grow.' : `${missed} of ${all.length} not as promised.`;
  const rows = [...answers].toSorted(([a], [b]) => a.localeCompare(b));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${(REPORT_STYLE + STYLE).replaceAll(/\s+/g, ' ')}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<p>${escaped(verdict)}</p>
${occasion.map((line) => `<p class="how">${escaped(line)}</p>`).join('\n')}
<p class="legend">The grey part is the warm-up, which is not judged. A dashed line is a kill. Growth is the median slope
(Theil and Sen) times the judged time; what counts is the least growth that is still plausible at 95 %.</p>
<section>
<h2>Checks</h2>
<ul>${checks.map((check) => `<li class="${stateOf(check)}">${escaped(check.title)}: ${escaped(check.seen)}</li>`).join('\n')}</ul>
</section>
<section>
<h2>What was held</h2>
${judged.map((each) => plotOf(each, warmSeconds, killed)).join('\n')}
</section>
<section>
<h2>Answers</h2>
<dl>${rows.map(([name, many]) => `<div><dt>${escaped(name)}</dt><dd>${many.toLocaleString('en-US')}</dd></div>`).join('\n')}</dl>
</section>
</main>
</body>
</html>
`;
}

function stateOf({ isKept }: { readonly isKept: boolean }): 'kept' | 'missed' {
  return isKept ? 'kept' : 'missed';
}

const WIDTH = 1000;
const HEIGHT = 130;
const TOP = 8;
const BOTTOM = HEIGHT - 6;

function plotOf(judged: Judged, warmSeconds: number, killed: Shown['killed']): string {
  const { measure, points, grew, grewAtLeast } = judged;
  const { title, unit, mayGrow, why } = measure;
  const end = points.at(-1)?.seconds ?? 1;
  const highest = Math.max(...points.map(({ value }) => value)) || 1;
  const x = (seconds: number) => fixed((seconds / end) * WIDTH);
  const y = (value: number) => fixed(BOTTOM - (value / highest) * (BOTTOM - TOP));
  const amount = (value: number) => `${value.toFixed(1)}${unit === '' ? '' : ` ${unit}`}`;
  const said =
    mayGrow === undefined
      ? `grew by ${amount(grew)}`
      : `${judged.isKept ? '✓' : '✗'} grew by ${amount(grew)}, at least ${amount(grewAtLeast)}; may grow by ${amount(mayGrow)}`;
  const line = points.map(({ seconds, value }) => `${x(seconds)},${y(value)}`).join(' ');
  const kills = killed.map(
    ({ seconds, victim }) =>
      `<line class="kill" x1="${x(seconds)}" x2="${x(seconds)}" y1="0" y2="${HEIGHT}"><title>${escaped(victim)}</title></line>`,
  );
  return `<figure class="plot bound-of ${stateOf(judged)}"><figcaption><span>${escaped(title)}</span><span class="value">${escaped(said)}</span></figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${escaped(`${title}: ${said}`)}"><rect class="warm" x="0" y="0" width="${x(Math.min(end, warmSeconds))}" height="${HEIGHT}"/><line class="axis" x1="0" x2="${WIDTH}" y1="${BOTTOM}" y2="${BOTTOM}"/>${kills.join('')}<polyline points="${line}"/></svg>
<div class="ends"><span>0 s, from 0 to ${amount(highest)}. ${escaped(why)}</span><span>${Math.round(end)} s: ${amount(points.at(-1)?.value ?? 0)}</span></div></figure>`;
}
