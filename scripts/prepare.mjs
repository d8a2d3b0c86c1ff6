// Prepares what every command needs: the packages, the project's Node version, the built product. Plain JavaScript with
// only Node's own modules, because it runs on Node 20 with nothing installed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import * as module from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endOnStopRequest, onStopRequest, run, TIMED_OUT } from '../apps/supervisor/src/processes.mjs';
import { isBuilt, noteBuilt, sources } from './built.mjs';
import { inTurn } from './in-turn.mjs';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');

const LOCAL_NODE = join(ROOT, 'node_modules', '.bin', 'node');
const STAMP = join(ROOT, '.bailiff', 'installed');
/** What Node has compiled of all that it loaded. Half of what a later start costs is compiling. */
const COMPILED = join(ROOT, 'node_modules', '.cache', 'bailiff-compiled');
/** For the first start, which installs and builds everything, on a small machine that has other things to do. */
const STAGE_TIMEOUT_MS = 20 * 60_000;
/** Longer than a stage, with what is done before and after it. */
const TURN_MS = STAGE_TIMEOUT_MS + 60_000;
const TURN = join(ROOT, '.bailiff', 'preparing');
const CANNOT_WRITE = new Set(['EACCES', 'EDQUOT', 'EEXIST', 'EFBIG', 'ENOSPC', 'EPERM', 'EROFS']);
/** Of turbo.json: what the product needs. */
const ALL_TASKS = ['generate', 'build'];

/** The error of a stage that failed. Its message is for the person at the terminal. */
export class StageError extends Error {}

/**
 * Installs the packages if the lock file changed, and continues under the project's own Node.
 *
 * @returns {Promise<boolean>} true if this process is that Node and should continue; false if a child process has done
 * the work, and set our exit code
 */
export async function prepare() {
  if (!isInstalled()) await alone(async () => isInstalled() || installPackages());
  process.env.NODE_COMPILE_CACHE ??= COMPILED;
  // Node 20 has none, but hands the variable to the project's own.
  module.enableCompileCache?.(process.env.NODE_COMPILE_CACHE);
  if (!existsSync(LOCAL_NODE)) {
    throw new StageError(
      'Node 24 is missing in node_modules. It comes with an install script: if npm is told to skip those ' +
        '("npm config get ignore-scripts"), allow them and run "npm install".',
    );
  }
  if (realpathSync(process.execPath) === realpathSync(LOCAL_NODE)) {
    return true;
  }
  process.exitCode = await repeatUnderLocalNode();
  return false;
}

/** Runs `main`. An error that is meant for people is printed as one line. */
export async function runMain(/** @type {() => Promise<void>} */ main) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof StageError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

/**
 * Several processes may be started at once in a folder that was updated, such as the units of deploy/systemd.
 *
 * @param {() => Promise<unknown>} work
 */
async function alone(work) {
  const releaseSignals = endOnStopRequest();
  await inTurn(TURN, TURN_MS, work).catch((error) => {
    if (!CANNOT_WRITE.has(error.code)) throw error;
    // Such as after an update by another user, or on a full disk.
    throw new StageError(
      `Packages or the build are missing, and nothing can be written in ${ROOT} (${error.message}). ` +
        'Make room on its disk, or start as the user that it belongs to.',
    );
  });
  releaseSignals();
}

/** What the packages depend on. */
function wantedPackages() {
  return createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .update(`${process.platform} ${process.arch}`)
    .digest('hex');
}

function isInstalled() {
  const found = existsSync(STAMP) ? readFileSync(STAMP, 'utf8').trim() : '';
  return found === wantedPackages() && existsSync(LOCAL_NODE);
}

async function installPackages() {
  const wanted = wantedPackages();
  // Not `npm ci`: it refuses a lock file that lacks the optional packages of other platforms, which registries may not
  // offer. This installs the locked versions too, and does not change the lock file.
  await stage('Installing packages', async () => {
    rmSync(STAMP, { force: true });
    rmSync(COMPILED, { recursive: true, force: true });
    const { command, args, env } = npm();
    const { code, output } = await run(command, [...args, 'install', '--no-save', '--loglevel=error'], {
      cwd: ROOT,
      env,
      timeoutMs: STAGE_TIMEOUT_MS,
    });
    if (code !== 0) throw failed(`npm install failed (exit code ${code})`, code, output);
    mkdirSync(dirname(STAMP), { recursive: true });
    writeFileSync(STAMP, `${wanted}\n`);
  });
}

/**
 * @param {string} what
 * @param {number} code
 * @param {string} output
 */
function failed(what, code, output) {
  const hint =
    code === TIMED_OUT ? 'Is this machine busy? Call it again: what was finished already is kept.\n' : '';
  return new StageError(`${what}:\n${output.trimEnd()}\n${hint}`);
}

/**
 * The npm that the user called, but not under a Node of node_modules, which npm may be about to replace.
 *
 * @returns {{ command: string, args: string[], env: NodeJS.ProcessEnv }}
 */
function npm() {
  const isOutside = (/** @type {string} */ path) => !path.includes('node_modules');
  /** @type {NodeJS.ProcessEnv} */
  const env = {
    ...process.env,
    PATH: (process.env.PATH ?? '').split(delimiter).filter(isOutside).join(delimiter),
  };
  delete env.NODE;
  const { npm_execpath: script = '', npm_node_execpath: node = '' } = process.env;
  const isUsable = script.endsWith('.js') && node !== '' && isOutside(node) && existsSync(node);
  return isUsable ? { command: node, args: [script], env } : { command: 'npm', args: [], env };
}

/** @returns {Promise<number>} the exit code */
function repeatUnderLocalNode() {
  // Newer ones can become the other Node, and leave no second process in memory. A channel to a parent would be lost.
  if (process.platform !== 'win32' && process.execve !== undefined && process.send === undefined) {
    process.execve(LOCAL_NODE, [LOCAL_NODE, ...process.argv.slice(1)]);
  }
  // Before it starts: a stop between the two would end us alone, and what reads our output would wait for it.
  onStopRequest((signal) => child.kill(signal));
  // It is in our process group, so Ctrl-C reaches it directly. The IPC channel closes when we end.
  const child = spawn(LOCAL_NODE, process.argv.slice(1), { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** What {@link build} does, unless the last one was of the same files: a look at these is faster than turbo's. */
export async function buildIfChanged() {
  if (!isBuilt(ROOT)) await alone(async () => isBuilt(ROOT) || runTasks(ALL_TASKS));
}

/**
 * Generates the Prisma client and builds the dashboard, if their sources changed.
 *
 * @param {string[]} tasks of turbo.json
 */
export async function build(tasks = ALL_TASKS) {
  await alone(() => runTasks(tasks));
}

/** @param {string[]} tasks of turbo.json */
async function runTasks(tasks) {
  const before = sources(ROOT);
  const { code, output } = await stage('Building', () => turbo(tasks, STAGE_TIMEOUT_MS));
  if (code !== 0) throw failed('The build failed', code, output);
  if (tasks === ALL_TASKS) noteBuilt(ROOT, before);
}

/**
 * @param {string[]} tasks of turbo.json
 * @param {number} timeoutMs
 */
export function turbo(tasks, timeoutMs) {
  return run(
    join(ROOT, 'node_modules', '.bin', 'turbo'),
    ['run', ...tasks, '--output-logs=new-only', '--log-order=grouped'],
    {
      cwd: ROOT,
      env: {
        ...process.env,
        TURBO_TELEMETRY_DISABLED: '1',
        NEXT_TELEMETRY_DISABLED: '1',
        TURBO_NO_UPDATE_NOTIFIER: '1',
      },
      timeoutMs,
    },
  );
}

/**
 * Runs `work`, and prints its title if it takes long.
 *
 * @template Result
 * @param {string} title
 * @param {() => Promise<Result>} work
 * @returns {Promise<Result>}
 */
async function stage(title, work) {
  const startedAt = Date.now();
  const timer = setTimeout(() => process.stdout.write(`${title} …\n`), 1_000);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    const seconds = (Date.now() - startedAt) / 1000;
    if (seconds >= 1) process.stdout.write(`${title} took ${seconds.toFixed(0)} s\n`);
  }
}
