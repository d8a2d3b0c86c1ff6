/** Clock, randomness and waiting, which tests replace. */
export interface Environment {
  readonly fetch: typeof fetch;
  /** Milliseconds on a clock that never goes back. */
  now(): number;
  /** From 0 to 1. */
  random(): number;
  /** @throws the reason of `signal` when it aborts */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** A new idempotency key. */
  newKey(): string;
}

export const SYSTEM: Environment = {
  fetch: (input, init) => fetch(input, init),
  now: () => performance.now(),
  random: Math.random,
  sleep,
  newKey: () => crypto.randomUUID(),
};

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
