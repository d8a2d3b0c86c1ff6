// Runs commands for scripts, each in its own process group, so that none of its processes is left when we end.
import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

/** The exit code of a command that was stopped because it took too long, as timeout(1) has it. */
export const TIMED_OUT = 124;

const GRACE_MS = 5_000;
const PARENT_POLL_MS = 250;
const PARENT = process.ppid;

/** @type {Map<number, Promise<unknown>>} */
const running = new Map();

const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * Runs a command to its end.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs: number, output?: 'show' | 'keep' }} options
 *   `show` passes the output on, `keep` (the default) only returns it
 * @returns {Promise<{ code: number, output: string }>} the exit code: {@link TIMED_OUT} after a timeout, 127 when there is no such command
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
    child.once('close', (code) => resolve(timedOut ? TIMED_OUT : (code ?? 1)));
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
 * Ends a process group: SIGTERM, then SIGKILL for processes that are left after the grace period.
 *
 * @param {number} group
 * @param {number} graceMs
 */
export async function endGroup(group, graceMs = GRACE_MS) {
  const deadline = performance.now() + graceMs;
  if (!signal(-group, 'SIGTERM')) return;
  // A stopped process would handle the SIGTERM only after SIGCONT.
  signal(-group, 'SIGCONT');
  while (performance.now() < deadline) {
    if (!signal(-group, 0)) return;
    await delay(20);
  }
  signal(-group, 'SIGKILL');
}

/**
 * @param {number} pid of a process; negative, of a group
 * @param {NodeJS.Signals | 0} name
 * @returns {boolean} whether it is there
 */
function signal(pid, name) {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}

/**
 * Calls `act` on Ctrl-C, SIGTERM, a closed terminal, and when the npm that runs us has ended, because npm sends SIGTERM
 * to a shell that does not pass it on.
 *
 * @param {(signal: NodeJS.Signals) => void} act may be called more than once
 * @returns {() => void} stops listening
 */
export function onStopRequest(act) {
  for (const name of SIGNALS) process.on(name, act);
  const watch = setInterval(() => {
    if (process.env.npm_lifecycle_event === undefined || process.ppid === PARENT) return;
    clearInterval(watch);
    act('SIGTERM');
  }, PARENT_POLL_MS);
  watch.unref();
  return () => {
    clearInterval(watch);
    for (const name of SIGNALS) process.off(name, act);
  };
}

/**
 * Ends this process when it is asked to stop, after everything that it runs.
 *
 * @param {() => Promise<void>} [cleanUp] what else must be done before
 * @returns {() => void} stops listening, for a caller that handles stop requests itself from then on
 */
export function endOnStopRequest(cleanUp = async () => {}) {
  let isEnding = false;
  return onStopRequest((name) => {
    if (isEnding) return;
    isEnding = true;
    void endAll()
      .then(cleanUp)
      .finally(() => process.exit(name === 'SIGINT' ? 130 : 143));
  });
}

async function endAll() {
  await Promise.all(
    [...running].map(async ([group, ended]) => {
      await endGroup(group);
      await ended;
    }),
  );
}

/**
 * Ends every process whose command line contains the directory: processes that an interrupted run left behind.
 *
 * @param {string} directory
 */
export async function endProcessesNaming(directory) {
  const { output } = await run('ps', ['-axo', 'pid=,command='], { timeoutMs: GRACE_MS });
  const pids = output
    .split('\n')
    .filter((line) => line.includes(directory))
    .map((line) => Number.parseInt(line, 10))
    .filter((pid) => pid !== process.pid);
  for (const pid of pids) signal(pid, 'SIGTERM');
  const deadline = performance.now() + GRACE_MS;
  while (pids.some((pid) => signal(pid, 0)) && performance.now() < deadline) await delay(20);
  for (const pid of pids) signal(pid, 'SIGKILL');
}
