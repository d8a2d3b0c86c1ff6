/**
 * The result of `compute`, which runs at most once in this time and never twice at once, however many ask. A failure is
 * not kept.
 */
export function keptFor<T>(
  keptMs: number,
  compute: () => Promise<T>,
  now: () => number = () => performance.now(),
): () => Promise<T> {
  let last: { readonly at: number; readonly result: Promise<T>; ended: boolean } | undefined;
  const start = () => {
    const started = { at: now(), result: compute(), ended: false };
    last = started;
    started.result.then(
      () => {
        started.ended = true;
      },
      () => {
        last = undefined;
      },
    );
    return started.result;
  };
  return () => (last === undefined || (last.ended && now() - last.at >= keptMs) ? start() : last.result);
}
