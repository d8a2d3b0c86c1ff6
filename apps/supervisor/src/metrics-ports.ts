/** Between the metrics' ports of two processes of a kind, so that those of the other kind have room. */
export const METRICS_STEP = 10;

/**
 * The port on which one of the processes of a kind serves its metrics. Each has its own: two on one port would let
 * Prometheus see one of them.
 *
 * @param first that of the first one. 0: each takes a free one
 */
export function metricsPort(first: number, index: number): number {
  return first === 0 ? 0 : first + index * METRICS_STEP;
}
