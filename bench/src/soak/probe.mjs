// Loaded into the long-lived processes of a soak: tells what they hold, after a garbage collection, on a local socket.
import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const ENTRIES = /(?:start-cluster\.mjs|apps\/(?:bot|web)\/src\/(?:main|server)\.ts)$/;
const LEAKS_EVERY_MS = 100;

// The address carries the settings, because a web process gets no variables that it does not know.
const SETTINGS = new URL(import.meta.url).searchParams;

if (ENTRIES.test(process.argv[1] ?? '')) serve();

function serve() {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  const server = createServer((socket) => {
    socket.on('error', () => {});
    void held(collect).then((answer) => socket.end(JSON.stringify(answer)));
  });
  server.on('error', () => {});
  server.listen(`${SETTINGS.get('folder')}/${process.pid}.sock`).unref();
  leak(Number(SETTINGS.get('leak') ?? 0));
}

/** @param {() => void} collect */
async function held(collect) {
  collect();
  // Some objects can be collected only after timers and finalisers have run.
  await delay(50);
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heapBytes: heapUsed, externalBytes: external, residentBytes: rss, files: openFiles() };
}

function openFiles() {
  return readdirSync('/proc/self/fd').length;
}

/** Keeps so much more each second, to see that a soak finds it. @param {number} kilobytesPerSecond */
function leak(kilobytesPerSecond) {
  if (kilobytesPerSecond === 0) return;
  /** @type {number[][]} */
  const kept = [];
  const numbers = Math.round((kilobytesPerSecond * 1024) / 8 / (1000 / LEAKS_EVERY_MS));
  setInterval(() => kept.push(Array.from({ length: numbers }, () => Math.random())), LEAKS_EVERY_MS).unref();
}
