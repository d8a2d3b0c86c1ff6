import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** A machine that has a processor to spare lets a thread that does nothing else run within twice that. */
const TICK_MS = 10;

const TICKING = `
  const { parentPort, workerData } = require('node:worker_threads');
  // This thread runs only when no other has work.
  require('node:os').setPriority(19);
  const shared = new Float64Array(workerData);
  const now = () => Number(process.hrtime.bigint()) / 1e6;
  shared[1] = now();
  setInterval(() => {
    const passed = now() - shared[1];
    if (passed > ${2 * TICK_MS}) shared[0] += passed - ${TICK_MS};
    shared[1] += passed;
  }, ${TICK_MS});
  parentPort.postMessage('ticking');
`;

/**
 * Returns a clock for what is bounded in time and mostly waits: the milliseconds that have passed, without those in which
 * the machine was paused or had no processor to spare.
 */
export async function startMachineClock(): Promise<() => number> {
  const memory = new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT);
  const worker = new Worker(TICKING, { eval: true, workerData: memory });
  await once(worker, 'message');
  worker.unref();
  const shared = new Float64Array(memory);
  return () => {
    const now = Number(process.hrtime.bigint()) / 1e6;
    const [lost = 0, tickedAt = now] = shared;
    const late = now - tickedAt;
    return now - lost - (late > 2 * TICK_MS ? late - TICK_MS : 0);
  };
}
