import type { TracingSettings } from '@bailiff/core';
import { SPAN_KINDS, type Span, type Tracer } from './spans.ts';

/** A tracer that sends its spans away. */
export interface SpanExporter extends Tracer {
  /** Sends what is left, for `closeWithinMs` at most. */
  close(): Promise<void>;
}

interface Exporting {
  /** `bailiff-web` or `bailiff-bot`. */
  readonly service: string;
  readonly log: { warn(fields: object, message: string): void };
  /** Longest time of one request. Default 5,000. */
  readonly sendWithinMs?: number;
  /** How long what is left is sent at the end. Default 1,000. */
  readonly closeWithinMs?: number;
}

/** More spans than this do not wait: the newest are dropped and counted. */
const MOST_WAITING = 2_048;
const MOST_AT_ONCE = 512;
const SENT_EVERY_MS = 2_000;
const COMPLAIN_EVERY_MS = 60_000;
const FAILED = 2;

/**
 * Sends spans to an OpenTelemetry collector, as OTLP over HTTP in JSON. A collector that is away or hangs costs nothing
 * but the spans: few wait, one request is under way at a time, and nobody waits for it (decisions: Traces).
 */
export function exportSpans(
  settings: TracingSettings,
  { service, log, sendWithinMs = 5_000, closeWithinMs = 1_000 }: Exporting,
): SpanExporter {
  let waiting: Span[] = [];
  let dropped = 0;
  let complainedAt = Number.NEGATIVE_INFINITY;
  let sending: Promise<void> | undefined;
  const complain = (reason: unknown) => {
    if (performance.now() - complainedAt < COMPLAIN_EVERY_MS) return;
    complainedAt = performance.now();
    log.warn(
      { err: reason, dropped },
      'spans could not be sent to OTEL_EXPORTER_OTLP_ENDPOINT and are dropped',
    );
  };
  const send = async (timeoutMs: number) => {
    const spans = waiting.slice(0, MOST_AT_ONCE);
    waiting = waiting.slice(MOST_AT_ONCE);
    try {
      const answer = await fetch(settings.url, {
        method: 'POST',
        headers: { ...settings.headers, 'Content-Type': 'application/json' },
        body: JSON.stringify(requestOf(service, spans)),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      // The connection is free for the next request only when the answer is read or thrown away.
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`It answered ${answer.status}.`);
    } catch (error) {
      dropped += spans.length;
      complain(error);
    }
  };
  const flush = (timeoutMs = sendWithinMs) => {
    if (waiting.length > 0)
      sending ??= send(timeoutMs).finally(() => {
        sending = undefined;
      });
    return sending;
  };
  const timer = setInterval(() => void flush(), SENT_EVERY_MS);
  timer.unref();
  return {
    // The last digits of a random id are random, and the same in each process.
    wants: (traceId) => Number.parseInt(traceId.slice(-8), 16) < settings.share * 0x1_0000_0000,
    take: (span) => {
      if (waiting.length < MOST_WAITING) waiting.push(span);
      else dropped += 1;
      if (waiting.length >= MOST_AT_ONCE) void flush();
    },
    close: async () => {
      clearInterval(timer);
      const deadline = performance.now() + closeWithinMs;
      for (let left = closeWithinMs; left > 0; left = deadline - performance.now()) {
        const sent = flush(left);
        if (sent === undefined) return;
        await Promise.race([sent, new Promise<void>((resolve) => setTimeout(resolve, left).unref())]);
      }
    },
  };
}

/** An `ExportTraceServiceRequest` (OTLP 1, JSON Protobuf encoding). */
function requestOf(service: string, spans: readonly Span[]): object {
  const resource = { 'service.name': service, 'service.namespace': 'bailiff', 'process.pid': process.pid };
  return {
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [{ scope: { name: 'bailiff' }, spans: spans.map(wireSpan) }],
      },
    ],
  };
}

function wireSpan({ parentId, kind, startMs, endMs, attributes, failed, link, ...span }: Span): object {
  return {
    ...span,
    ...(parentId === undefined ? {} : { parentSpanId: parentId }),
    kind: SPAN_KINDS[kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: keyValues(attributes),
    status: failed ? { code: FAILED } : {},
    ...(link === undefined ? {} : { links: [link] }),
  };
}

function keyValues(attributes: Span['attributes']): object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(Math.round(value)) } : { stringValue: value },
  }));
}

function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * 1_000n);
}
