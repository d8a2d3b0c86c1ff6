import type { RunFile } from './run-file.ts';

/** What a person needs to know once everything runs. The first line is the sign that it does. */
export function table(run: RunFile, startedMs: number): string {
  const rows = [
    ['Dashboard', run.web],
    ['Sandbox', run.sandbox ?? 'off: a real Discord is connected'],
    ['Health', `${run.web}/readyz`],
  ];
  const people = Object.entries(run.people).map(([part, id]) => [part.replaceAll('_', ' '), id]);
  const lines = [`Bailiff is ready (${(startedMs / 1000).toFixed(1)} s)`, '', ...columns(rows)];
  if (people.length > 0) {
    lines.push(
      '',
      'To sign in, open the dashboard, choose "Sign in with Discord" and pick one of these people:',
      '',
      ...columns(people),
    );
  }
  return [...lines, '', 'Ctrl-C stops everything.', ''].join('\n');
}

function columns(rows: string[][]): string[] {
  const width = Math.max(...rows.map(([label = '']) => label.length));
  return rows.map(([label = '', value = '']) => `  ${label.padEnd(width)}  ${value}`);
}
