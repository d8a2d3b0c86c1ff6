import type { RunFile } from './run-file.ts';

/** What to try as each person of the sample guild. */
const PARTS: Readonly<Record<string, string>> = {
  owner: 'the guild owner: mints tokens, approves, grants',
  admin: 'a role with all permissions',
  moderator: 'may ban, mute and delete messages in Discord',
  helper: 'may mute in Discord',
  member: 'a member like any other',
  outsider: 'is not in the guild',
};

/**
 * The message on the console when everything runs. Scripts recognise its first line.
 *
 * @param names names of people, by id
 * @param options.hasWeb whether a web process runs here; further shards have none
 */
export function readyMessage(
  run: RunFile,
  names: ReadonlyMap<string, string>,
  { startedMs, hasWeb }: { startedMs: number; hasWeb: boolean },
): string {
  const rows = [
    ['Dashboard', hasWeb ? run.dashboard : 'not here: the process of the first shard has it'],
    ...(run.web === run.dashboard || !hasWeb ? [] : [['API', run.web]]),
    ['Sandbox', run.sandbox ?? 'off: a real Discord is connected'],
    ...(hasWeb ? [['API reference', `${run.dashboard}/docs/api`]] : []),
  ];
  const people = Object.entries(PARTS).flatMap(([part, meaning]) => {
    const id = run.people[part];
    return id === undefined ? [] : [[names.get(id) ?? part, meaning]];
  });
  const lines = [`Bailiff is ready (${(startedMs / 1000).toFixed(1)} s)`, '', ...columns(rows)];
  if (people.length > 0) {
    lines.push(
      '',
      'To sign in, open the dashboard, choose "Sign in with Discord" and pick a person:',
      '',
      ...columns(people),
    );
  }
  return [...lines, '', 'Ctrl-C stops everything.', ''].join('\n');
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(...rows.map(([label = '']) => label.length));
  return rows.map(([label = '', value = '']) => `  ${label.padEnd(width)}  ${value}`);
}
