import type { ApiError } from '@bailiff/core';
import type { Metrics } from '@bailiff/engine/metrics/serve-metrics';
import type { Pages } from './app-server.ts';

/** Counts an answer and how long it took. `error` is what refused the request, if an API did. */
export type RequestMeter = (
  api: string,
  operation: string | undefined,
  status: number,
  seconds: number,
  error?: ApiError | null,
) => void;

/** From a quick read to the longest wait for a decision. */
const BUCKETS_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];

/** A meter that adds to the process's metrics. Its labels have few values: never an id of a guild or person. */
export function createRequestMeter({ prometheus, registry }: Metrics): RequestMeter {
  const registers = [registry];
  const requests = new prometheus.Counter({
    name: 'bailiff_requests_total',
    help: 'Answered requests, by operation and by error code.',
    labelNames: ['api', 'operation', 'code'],
    registers,
  });
  const durations = new prometheus.Histogram({
    name: 'bailiff_request_duration_seconds',
    help: 'How long answers took.',
    labelNames: ['api', 'operation'],
    buckets: BUCKETS_SECONDS,
    registers,
  });
  const limited = new prometheus.Counter({
    name: 'bailiff_requests_limited_total',
    help: 'Requests refused because a budget or a limit was used up, by whose it was.',
    labelNames: ['scope', 'tier'],
    registers,
  });
  return (api, operation = 'none', status, seconds, error) => {
    requests.inc({ api, operation, code: error?.code ?? codeOf(status) });
    durations.observe({ api, operation }, seconds);
    if (error?.code === 'RATE_LIMITED') limited.inc(limitOf(error));
  };
}

/** For answers without an error code of Bailiff's. */
function codeOf(status: number): string {
  if (status < 400) return 'ok';
  return status < 500 ? 'refused' : 'failed';
}

function limitOf({ details = {} }: ApiError): { scope: string; tier: string } {
  const text = (name: string) => (name in details ? String(Reflect.get(details, name)) : 'none');
  return { scope: text('scope'), tier: text('tier') };
}

/** Pages that are counted: as `page`, `file` or `sign-in`. */
export function measuredPages(pages: Pages, meter: RequestMeter | undefined): Pages {
  if (meter === undefined) return pages;
  return async (message, response) => {
    const startedAt = performance.now();
    const operation = pageKind(message.url ?? '');
    await pages(message, response);
    if (operation !== null)
      meter('pages', operation, response.statusCode, (performance.now() - startedAt) / 1000);
  };
}

/** Null for a call of the public API, which counts itself. */
function pageKind(url: string): string | null {
  if (url.startsWith('/api/public/')) return null;
  if (url.startsWith('/api/auth/')) return 'sign-in';
  return url.startsWith('/_next/') ? 'file' : 'page';
}
