import { setTimeout as delay } from 'node:timers/promises';
import type { Service } from './service.ts';
import { StartError } from './start-error.ts';
import type { StopRequests } from './stop-requests.ts';

/** @throws StartError when the service is not ready in time */
export async function within<Result>(
  timeoutMs: number,
  ready: Promise<Result>,
  service: Service,
  stop: StopRequests,
): Promise<Result> {
  const timer = new AbortController();
  const signal = AbortSignal.any([timer.signal, stop.signal]);
  const late = delay(timeoutMs, undefined, { signal }).then(
    () => {
      throw new StartError(
        `The ${service.name} was not ready within ${timeoutMs / 1000} s. The end of ${service.logPath}:\n${service.lastLines()}`,
      );
    },
    () => new Promise<never>(() => {}),
  );
  const interrupted = stop.asked.then(() => {
    throw new StartError('Stopped while starting.');
  });
  interrupted.catch(() => {});
  try {
    return await Promise.race([ready, late, interrupted]);
  } finally {
    timer.abort();
  }
}
