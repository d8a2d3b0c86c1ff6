// Commands run for a script: each in a process group of its own, so that nothing of it is left when we end.
import { spawn } from 'node:child_process';

const GRACE_MS = 5_000;

/** @type {Map<number, Promise<unknown>>} */
const running = new Map();

export const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * Runs a command to its end.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs: number, output?: 'show' | 'keep' }} options
 *   `show` passes the output on, `keep` (the default) only returns it
 * @returns {Promise<{ code: number, output: string }>} the exit code: 124 after a timeout, 127 when there is no such command
 */
export async function run(command, args, { cwd, env = process.env, timeoutMs, output = 'keep' }) {
  const child = spawn(command, args, {
    ...(cwd === undefined ? {} : { cwd }),
    env,
    detached: true,
    stdio: ['ignore', output === 'show' ? 'inherit' : 'pipe', output === 'show' ? 'inherit' : 'pipe'],
  });
  /** @type {Buffer[]} */
  const chunks = [];
  child.stdout?.on('data', (chunk) => chunks.push(chunk));
  child.stderr?.on('data', (chunk) => chunks.push(chunk));
  const group = child.pid;
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    if (group !== undefined) void endGroup(group);
  }, timeoutMs);

  /** @type {Promise<number>} */
  const ended = new Promise((resolve) => {
    child.once('error', (error) => {
      chunks.push(Buffer.from(`${command} cannot be run: ${error.message}\n`));
      resolve(127);
    });
    child.once('close', (code) => resolve(timedOut ? 124 : (code ?? 1)));
  });
  if (group !== undefined) running.set(group, ended);
  const code = await ended;
  clearTimeout(timer);
  if (group !== undefined) {
    await endGroup(group);
    running.delete(group);
  }
  if (timedOut)
    chunks.push(Buffer.from(`\nStopped after ${timeoutMs / 1000} s: it should be done by then.\n`));
  return { code, output: Buffer.concat(chunks).toString('utf8') };
}

/**
 * Ends a process group: SIGTERM, then SIGKILL for what is left after the grace period.
 *
 * @param {number} group
 * @param {number} graceMs
 */
export async function endGroup(group, graceMs = GRACE_MS) {
  const deadline = Date.now() + graceMs;
  if (!signalGroup(group, 'SIGTERM')) return;
  // A stopped process would keep the SIGTERM for later.
  signalGroup(group, 'SIGCONT');
  while (Date.now() < deadline) {
    if (!signalGroup(group, 0)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  signalGroup(group, 'SIGKILL');
}

/**
 * @param {number} group
 * @param {NodeJS.Signals | 0} signal
 * @returns {boolean} whether there was such a group
 */
function signalGroup(group, signal) {
  try {
    process.kill(-group, signal);
    return true;
  } catch {
    return false;
  }
}

/**
 * Ends this process on Ctrl-C, SIGTERM or a closed terminal, and first everything it is running.
 *
 * @returns {() => void} takes that back, for who handles the signals from then on
 */
export function endWithSignals() {
  let ending = false;
  const end = (/** @type {NodeJS.Signals} */ signal) => {
    if (ending) return;
    ending = true;
    void endAll().then(() => process.exit(signal === 'SIGINT' ? 130 : 143));
  };
  for (const signal of SIGNALS) process.on(signal, end);
  return () => {
    for (const signal of SIGNALS) process.off(signal, end);
  };
}

async function endAll() {
  await Promise.all(
    [...running].map(async ([group, ended]) => {
      await endGroup(group);
      await ended;
    }),
  );
}
