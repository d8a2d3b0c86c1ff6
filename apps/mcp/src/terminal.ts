// The only file that writes to stdout, and `serve` never does: there stdout belongs to the protocol.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { webAddress } from './web-address.ts';

/** The terminal of the person who runs a command. */
export interface Terminal {
  /** Whether it is an interactive terminal. */
  readonly isInteractive: boolean;
  /** Prints the requested output. */
  print(line: string): void;
  /** Prints errors and progress. */
  say(line: string): void;
  /** Asks a question to which yes is the usual answer. Returns null if the person leaves instead of answering. */
  confirm(question: string): Promise<boolean | null>;
  /** Opens an address in the browser, if there is one. @returns whether a browser was started */
  open(url: string): Promise<boolean>;
}

export const TERMINAL: Terminal = {
  isInteractive: process.stdin.isTTY === true && process.stderr.isTTY === true,
  print: (line) => void process.stdout.write(`${line}\n`),
  say: (line) => void process.stderr.write(`${line}\n`),
  confirm,
  open: openBrowser,
};

/** Ends the process without an error when nobody reads its output any more, as after `| head`. */
export function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit();
    });
}

async function confirm(question: string): Promise<boolean | null> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    lines.setPrompt(`${question} [Y/n] `);
    lines.prompt();
    // Ctrl-C and Ctrl-D end the lines.
    for await (const line of lines) {
      const answer = line.trim().toLowerCase();
      if (['', 'y', 'yes'].includes(answer)) return true;
      if (['n', 'no'].includes(answer)) return false;
      lines.prompt();
    }
    return null;
  } finally {
    lines.close();
  }
}

async function openBrowser(url: string): Promise<boolean> {
  const page = webAddress(url);
  const [command, ...args] = opener();
  if (page === null || command === undefined) return false;
  const child = spawn(command, [...args, page.href], { stdio: 'ignore', detached: true });
  const started = once(child, 'spawn').then(
    () => true,
    () => false,
  );
  child.unref();
  return started;
}

/** The command that opens an address on this system, without a shell. */
function opener(): readonly string[] {
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  if (process.platform === 'darwin') return ['open'];
  const hasScreen = process.env.DISPLAY || process.env.WAYLAND_DISPLAY;
  return hasScreen && !process.env.SSH_CONNECTION ? ['xdg-open'] : [];
}
