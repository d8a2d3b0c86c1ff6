/** The style of bench/report.html, in the colours of the dashboard's two themes. */
export const REPORT_STYLE = `
:root { color-scheme: light dark; --text: #1d2230; --muted: #5b6475; --line: #d6dae2; --ground: #fff; --panel: #f6f7f9;
  --kept: #1f7a4d; --missed: #b3261e; --mark: #3454d1; }
@media (prefers-color-scheme: dark) { :root { --text: #e7eaf0; --muted: #a2abbb; --line: #353c49; --ground: #14171d;
  --panel: #1b1f27; --kept: #5cc793; --missed: #ff8a80; --mark: #8ea6ff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1040px; margin: 0 auto; padding: 24px 16px 64px; }
h1 { font-size: 26px; margin: 0 0 8px; }
h2 { font-size: 18px; margin: 0 0 4px; }
p { margin: 0 0 8px; }
code { font: 0.92em ui-monospace, monospace; overflow-wrap: anywhere; }
main { overflow-wrap: anywhere; }
section { margin-top: 24px; padding: 16px; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; }
.how, .note, .legend { color: var(--muted); max-width: 80ch; }
.note { font-size: 13px; }
.error { white-space: pre-wrap; overflow-wrap: anywhere; color: var(--missed); font-size: 13px; }
.mark { display: inline-block; width: 10px; height: 10px; border-radius: 50%; margin-left: 8px; }
.mark.kept { background: var(--kept); margin-left: 0; }
.mark.missed { background: var(--missed); }
.line { display: inline-block; width: 2px; height: 14px; background: var(--text); margin: 0 4px 0 12px;
  vertical-align: middle; }
.bound { display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 3fr) minmax(0, 4fr) minmax(0, 2fr); gap: 4px 16px;
  align-items: center; padding: 6px 0; border-top: 1px solid var(--line); }
.bound svg { width: 100%; height: 24px; overflow: visible; }
.value { font-variant-numeric: tabular-nums; }
.promise { color: var(--muted); font-size: 13px; }
svg line { stroke: var(--line); }
svg .limit { stroke: var(--text); stroke-width: 2; }
svg .spread { stroke: var(--mark); stroke-width: 3; stroke-linecap: round; }
svg circle { fill: var(--mark); }
.kept .value { color: var(--kept); }
.kept circle { fill: var(--kept); }
.kept .spread { stroke: var(--kept); }
.missed .value { color: var(--missed); font-weight: 600; }
.missed circle { fill: var(--missed); }
.missed .spread { stroke: var(--missed); }
dl { margin: 8px 0 0; }
dl div { display: flex; justify-content: space-between; gap: 16px; padding: 3px 0; border-top: 1px solid var(--line); }
dt { color: var(--muted); min-width: 0; }
dd { margin: 0; text-align: right; font-variant-numeric: tabular-nums; }
.curves { display: flex; flex-wrap: wrap; gap: 16px; margin-top: 12px; }
.curves:empty { display: none; }
figure { margin: 0; width: 320px; max-width: 100%; }
figcaption { font-size: 13px; color: var(--muted); }
figure svg { width: 100%; height: auto; }
figure text { fill: var(--text); font-size: 11px; text-anchor: middle; }
figure text.size { fill: var(--muted); }
polyline { fill: none; stroke: var(--mark); stroke-width: 2; }
@media (max-width: 700px) {
  .bound { grid-template-columns: minmax(0, 1fr) auto; }
  .bound .title, .bound svg { grid-column: 1 / -1; }
  .promise { text-align: right; }
}
`;
