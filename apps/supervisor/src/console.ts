// The console shows warnings and errors of the services. The log files have everything.

// On a full disk, or with a reader that is gone, lines are lost and nothing else is.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

/** Pino's number for a warning. */
export const WARNING = 40;
const LEVELS: Record<number, string> = { 40: 'warning', 50: 'error', 60: 'fatal' };

interface LogLine {
  level: number;
  msg?: string;
  err?: { message?: string; stack?: string };
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function complain(line: string): void {
  process.stderr.write(`${line}\n`);
}

/**
 * The line for the console, or undefined if the console should not show it.
 *
 * @param stream other text than log lines is shown if it comes from stderr, because it explains a crash
 */
export function consoleLine(service: string, line: string, stream: 'stdout' | 'stderr'): string | undefined {
  const entry = parseLogLine(line);
  if (entry === undefined) return stream === 'stderr' && line.trim() !== '' ? line : undefined;
  if (entry.level < WARNING) return undefined;
  const level = LEVELS[entry.level] ?? `level ${entry.level}`;
  const cause = entry.err?.message;
  const text = [entry.msg, cause === entry.msg ? undefined : cause].filter(Boolean).join(': ');
  return `${service} ${level}: ${text}`;
}

function parseLogLine(line: string): LogLine | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === 'object' && entry !== null && 'level' in entry && typeof entry.level === 'number'
      ? (entry as LogLine)
      : undefined;
  } catch {
    return undefined;
  }
}
