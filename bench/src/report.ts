import { type Curve, curvesOf, occasionOf } from './document.ts';
import { boundOf, inUnit, type Measured, type Part, withSpread } from './figure.ts';
import { REPORT_STYLE } from './report-style.ts';
import type { PartResult, Results } from './results.ts';

/** A page with every figure and its plots that needs no other file. */
export function reportOf(parts: Readonly<Record<string, Part>>, results: Results): string {
  const sections = Object.entries(parts).map(([name, part]) => sectionOf(name, part, results[name]));
  const all = Object.values(results);
  const bounded = all
    .flatMap(({ figures }) => Object.values(figures))
    .filter((figure) => boundOf(figure) !== '');
  const kept = bounded.filter(({ isKept }) => isKept).length;
  const failed = all.filter(({ error }) => error !== undefined).length;
  const busy = all.filter(({ isQuiet }) => !isQuiet).length;
  const summary = [
    `${kept} of ${bounded.length} bounds are kept`,
    ...(failed === 0 ? [] : [`${failed} parts failed`]),
    ...(busy === 0 ? [] : [`${busy} parts were measured on a busy machine`]),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Bailiff, measured</title>
<style>${REPORT_STYLE.replaceAll(/\s+/g, ' ')}</style>
</head>
<body>
<main>
<h1>Bailiff, measured</h1>
<p>${escaped(summary.join('; '))}. <code>npm run bench</code> writes this page. What limits each figure is in
<code>docs/performance.md</code>.</p>
<p class="legend"><span class="mark kept"></span> kept <span class="mark missed"></span> missed
<span class="line"></span> bound. A line through a mark is the spread over the rounds. Left of the bound is better.</p>
${sections.join('\n')}
</main>
</body>
</html>
`;
}

function sectionOf(name: string, part: Part, result: PartResult | undefined): string {
  const figures = Object.values(result?.figures ?? {});
  const bounded = figures.filter((figure) => boundOf(figure) !== '');
  const others = figures.filter((figure) => boundOf(figure) === '');
  const notes = (result?.notes ?? []).map((note) => `<p class="note">${escaped(note)}</p>`);
  return `<section>
<h2>${escaped(part.title)}</h2>
<p class="how">${code(part.how)}</p>
<p class="note">${result === undefined ? 'Not measured yet' : escaped(occasionOf(result))}. <code>${name}</code></p>
${result?.error === undefined ? '' : `<pre class="error">${escaped(result.error)}</pre>`}
${bounded.map(boundRow).join('\n')}
${others.length === 0 ? '' : `<dl>${others.map((each) => `<div><dt>${code(each.title)}</dt><dd>${escaped(withSpread(each))}</dd></div>`).join('')}</dl>`}
<div class="curves">${curvesOf(part, result).map(curveOf).join('')}</div>
${notes.join('\n')}
</section>`;
}

/** How many times the bound fits on each side of it. */
const WIDEST = 8;

/** A figure as a mark beside its bound, on a logarithmic scale: in the middle it is just kept. */
function boundRow(figure: Measured): string {
  const { value, least, most, atMost, atLeast = 1, isKept } = figure;
  const place = (of: number): number => {
    const ratio = atMost === undefined ? atLeast / of : of / (atMost === 0 ? 1 : atMost);
    // A bound of zero has no ratio: nothing is at the left end, anything else at the right.
    if (atMost === 0) return of <= 0 ? 0 : 100;
    const share = Math.log(Math.max(ratio, 1e-9)) / Math.log(WIDEST) / 2 + 0.5;
    return Math.round(Math.min(1, Math.max(0, share)) * 1000) / 10;
  };
  const [from, to] = [place(least), place(most)].toSorted((a, b) => a - b);
  const state = isKept ? 'kept' : 'missed';
  return `<div class="bound ${state}">
<span class="title">${code(figure.title)}</span>
<span class="value">${isKept ? '✓' : '✗'} ${escaped(withSpread(figure))}</span>
<svg role="img" aria-label="${escaped(`${inUnit(value, figure.unit)}, ${boundOf(figure)}`)}"><line class="axis" x1="0" x2="100%" y1="50%" y2="50%"/><line class="limit" x1="50%" x2="50%" y1="0" y2="100%"/><line class="spread" x1="${from}%" x2="${to}%" y1="50%" y2="50%"/><circle cx="${place(value)}%" cy="50%" r="5"/></svg>
<span class="promise">${escaped(boundOf(figure))}</span>
</div>`;
}

const WIDTH = 320;
const HEIGHT = 150;
const LEFT = 36;
const RIGHT = WIDTH - 40;
const TOP = 30;
const BOTTOM = HEIGHT - 26;

/** How something grows: sizes on a logarithmic scale, values from zero. */
function curveOf({ title, by, unit, points }: Curve): string {
  const sizes = points.map(({ size }) => Math.log(size));
  const [first, last] = [Math.min(...sizes), Math.max(...sizes)];
  const highest = Math.max(...points.map(({ most }) => most)) || 1;
  const x = (size: number) => LEFT + ((Math.log(size) - first) / (last - first || 1)) * (RIGHT - LEFT);
  const y = (value: number) => BOTTOM - (value / highest) * (BOTTOM - TOP);
  const marks = points.map(
    ({ size, value, least, most }) =>
      `<line class="spread" x1="${fixed(x(size))}" x2="${fixed(x(size))}" y1="${fixed(y(least))}" y2="${fixed(y(most))}"/>` +
      `<circle cx="${fixed(x(size))}" cy="${fixed(y(value))}" r="4"/>` +
      `<text x="${fixed(x(size))}" y="${fixed(y(most) - 8)}">${escaped(inUnit(value, unit))}</text>` +
      `<text class="size" x="${fixed(x(size))}" y="${HEIGHT - 8}">${size.toLocaleString('en-US')}</text>`,
  );
  const path = points.map(({ size, value }) => `${fixed(x(size))},${fixed(y(value))}`).join(' ');
  return `<figure><figcaption>${code(title)}, by ${by}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(points.map(({ size, value }) => `${inUnit(value, unit)} at ${size} ${by}`).join(', '))}"><line class="axis" x1="${LEFT}" x2="${RIGHT}" y1="${BOTTOM}" y2="${BOTTOM}"/><polyline points="${path}"/>${marks.join('')}</svg></figure>`;
}

export function fixed(value: number): string {
  return value.toFixed(1);
}

/** Text for HTML. */
export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Text with words in backquotes as code. */
function code(text: string): string {
  return escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}
