// The only file that writes to stdout, and `serve` never does: there stdout belongs to the protocol.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { webAddress } from './web-address.ts';

/** The person at the other end of a command. */
export interface Terminal {
  /** Whether somebody is there to read. */
  readonly isInteractive: boolean;
  /** What was asked for. */
  print(line: string): void;
  /** What goes wrong or goes on. */
  say(line: string): void;
  /** Opens an address in the browser, where there is one. @returns whether one was started */
  open(url: string): Promise<boolean>;
}

export const TERMINAL: Terminal = {
  isInteractive: process.stdin.isTTY === true && process.stderr.isTTY === true,
  print: (line) => void process.stdout.write(`${line}\n`),
  say: (line) => void process.stderr.write(`${line}\n`),
  open: openBrowser,
};

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

/** What opens an address on this system; no shell is in between. */
function opener(): readonly string[] {
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  if (process.platform === 'darwin') return ['open'];
  const hasScreen = process.env.DISPLAY || process.env.WAYLAND_DISPLAY;
  return hasScreen && !process.env.SSH_CONNECTION ? ['xdg-open'] : [];
}
