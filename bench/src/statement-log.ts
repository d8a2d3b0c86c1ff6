import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { asSuperuser } from './superuser.ts';

/** A statement by its text, with how long each of its calls took. */
export interface LoggedStatement {
  readonly text: string;
  readonly milliseconds: readonly number[];
}

/** A record that begins with its time and the process, and has a duration. */
const LINE =
  /^\S+ \S+ \S+ \[(\d+)\] LOG: {2}duration: ([\d.]+) ms {2}(?:(parse|bind|execute) [^:]*|statement): ([\s\S]*)/;
/** What the bench sends between the calls. */
const OURS = /^(?:TRUNCATE|UPDATE gateway_shards)\b/;
const RECORD = /\n(?=\d{4}-\d\d-\d\d )/;

/**
 * Lets an embedded server write down how long every statement takes, for sessions that begin from now on.
 *
 * @returns a function that reads what was written since it was last called
 */
export async function logStatements(directory: string): Promise<() => Promise<LoggedStatement[]>> {
  await asSuperuser(directory, [
    'ALTER DATABASE bailiff SET log_min_duration_statement = 0',
    'ALTER DATABASE bailiff SET log_parameter_max_length = 0',
  ]);
  const path = join(directory, 'postgres.log');
  let from = 0;
  return async () => {
    const file = await open(path);
    try {
      const written = Buffer.alloc((await file.stat()).size - from);
      const { bytesRead } = await file.read(written, 0, written.length, from);
      from += bytesRead;
      return statementsIn(written.toString('utf8', 0, bytesRead));
    } finally {
      await file.close();
    }
  };
}

/** A call is parsed, bound and executed: what one session does up to the end of that is one time. */
function statementsIn(log: string): LoggedStatement[] {
  const sofar = new Map<string, number>();
  const found = new Map<string, number[]>();
  for (const record of log.split(RECORD)) {
    const [, pid = '', ms, step, text = ''] = LINE.exec(record) ?? [];
    if (ms === undefined) continue;
    const total = (sofar.get(pid) ?? 0) + Number(ms);
    const isOver = step !== 'parse' && step !== 'bind';
    sofar.set(pid, isOver ? 0 : total);
    if (!isOver || OURS.test(text)) continue;
    const times = found.get(text) ?? [];
    found.set(text, times);
    times.push(total);
  }
  return [...found].map(([text, milliseconds]) => ({ text, milliseconds }));
}
