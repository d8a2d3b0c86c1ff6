import { spawn } from 'node:child_process';
import { once } from 'node:events';

interface Surroundings {
  readonly cwd?: string;
  /** Variables beside those of the tests. */
  readonly env?: Readonly<Record<string, string>>;
  /** Decides about an approval request whose address the program has printed. */
  readonly decide?: (approvalId: string) => Promise<void>;
}

/** Runs a program to its end. It may ask for approvals, which are decided while it waits. */
export async function runProgram(
  command: string,
  args: readonly string[],
  { cwd, env, decide }: Surroundings = {},
): Promise<{ code: number | null; printed: string; errors: string }> {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env } });
  let printed = '';
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const ended = once(child, 'close');
  for await (const text of child.stdout.setEncoding('utf8')) {
    printed += text;
    for (const [, id = ''] of String(text).matchAll(/approval=(apr_\w+)/g)) await decide?.(id);
  }
  const [code] = await ended;
  return { code, printed, errors };
}
