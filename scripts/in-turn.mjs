// One process at a time installs packages or builds in a folder. Plain JavaScript with only Node's own modules, because
// it runs on Node 20 with nothing installed.
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 200;

/**
 * Does `work` when no other process does its own. What a process left behind that was killed keeps nobody.
 *
 * @template Result
 * @param {string} path of the file that has the id of the process whose turn it is
 * @param {number} longestMs how long a turn takes at most: an older file is of a process that was killed, whose id
 *   another one may have by now
 * @param {() => Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function inTurn(path, longestMs, work) {
  mkdirSync(dirname(path), { recursive: true });
  let isTold = false;
  for (let look = 1; !take(path); look += 1) {
    const holder = contentOf(path);
    if (isOver(path, holder, longestMs)) clear(path, holder);
    else {
      // One that has only just made the file has written its id by the next look.
      if (!isTold && (holder !== '' || look > 1)) {
        isTold = true;
        process.stdout.write(waitingFor(path, holder));
      }
      await delay(POLL_MS);
    }
  }
  try {
    return await work();
  } finally {
    clear(path, String(process.pid));
  }
}

/**
 * @param {string} path
 * @param {string} holder
 */
function waitingFor(path, holder) {
  return holder === ''
    ? `Waiting for another process, which installs or builds here, or has left ${path} behind …\n`
    : `Waiting for process ${holder}, which installs or builds here …\n`;
}

/** @param {string} path */
function take(path) {
  const file = create(path);
  if (file === undefined) return false;
  try {
    writeFileSync(file, String(process.pid));
    return true;
  } catch (error) {
    // On a full disk the file is there and empty, and would keep every later process waiting.
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/**
 * @param {string} path
 * @returns {number | undefined} undefined if it is there
 */
function create(path) {
  try {
    return openSync(path, 'wx');
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return undefined;
    throw error;
  }
}

/**
 * @param {string} path
 * @param {string} holder
 * @param {number} longestMs
 */
function isOver(path, holder, longestMs) {
  const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
  return since < Date.now() - longestMs || (holder !== '' && !isThere(Number(holder)));
}

/** @param {number} pid of another process: ours would have waited for nobody */
function isThere(pid) {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // One that is another user's is there.
    return codeOf(error) === 'EPERM';
  }
}

/**
 * Deletes the file of a holder. It is moved first, because two processes may have seen the same one, and the slower of
 * them must not delete what the faster one has written since.
 *
 * @param {string} path
 * @param {string} holder
 */
function clear(path, holder) {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    if (contentOf(aside) === holder) rmSync(aside);
    else renameSync(aside, path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/**
 * @param {string} path
 * @returns {string} empty if it is not there or not written yet
 */
function contentOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
