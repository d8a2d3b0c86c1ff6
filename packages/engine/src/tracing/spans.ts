import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';

/** What a span tells besides its time: names of operations, routes, states and codes. Never whom it is about. */
export type Attributes = Readonly<Record<string, string | number>>;

/** What a span is for its callers (OTLP `SpanKind`). */
export const SPAN_KINDS = { internal: 1, server: 2, client: 3, consumer: 5 } as const;

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId?: string;
  readonly kind: keyof typeof SPAN_KINDS;
  readonly name: string;
  /** Unix milliseconds, with a fraction. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly failed: boolean;
  /** The span of a caller who traces too. */
  readonly link?: { readonly traceId: string; readonly spanId: string };
}

/** Takes finished spans of the traces that it wants. */
export interface Tracer {
  wants(traceId: string): boolean;
  take(span: Span): void;
}

interface Place {
  readonly tracer: Tracer;
  readonly traceId: string;
  readonly spanId: string;
}

const here = new AsyncLocalStorage<Place>();

/**
 * The trace of a request: its id is that of the request without `req_`, and the id of its first span the second half of
 * it. So each process that knows the request adds to the same trace, and nothing has to be passed on (decisions:
 * Traces). Null for an id of another form.
 */
function placeOf(tracer: Tracer, requestId: string | null): Place | null {
  const traceId = /^req_([0-9a-f]{32})$/.exec(requestId ?? '')?.[1];
  return traceId === undefined || !tracer.wants(traceId)
    ? null
    : { tracer, traceId, spanId: traceId.slice(16) };
}

/** The first span of a request. */
export interface RequestSpan {
  /** Does the work of the request: spans within it belong to its trace. */
  run<T>(work: () => T): T;
  end(ended: { readonly name: string; readonly attributes: Attributes; readonly failed: boolean }): void;
}

const UNTRACED: RequestSpan = { run: (work) => work(), end: () => {} };

/**
 * @param tracer undefined: nothing is traced, which costs nothing
 * @param traceparent a caller's own, of which a link is kept (W3C Trace Context)
 */
export function traceRequest(
  tracer: Tracer | undefined,
  requestId: string,
  traceparent: () => string | null = () => null,
): RequestSpan {
  const place = tracer === undefined ? null : placeOf(tracer, requestId);
  if (place === null) return UNTRACED;
  const startMs = now();
  return {
    run: (work) => here.run(place, work),
    end: ({ name, attributes, failed }) => {
      const link = linkTo(traceparent());
      const { tracer: taker, ...ids } = place;
      const span = { ...ids, kind: 'server', name, startMs, endMs: now(), attributes, failed } as const;
      taker.take(link === undefined ? span : { ...span, link });
    },
  };
}

interface NamedSpan {
  readonly name: string;
  readonly kind?: Span['kind'];
  readonly attributes?: Attributes;
  /** Whether a result counts as a failure. An error always does. */
  readonly failed?: (result: unknown) => boolean;
}

/** Does a part of a request that another process received, in a span below the request's first one. */
export async function continueTrace<T>(
  tracer: Tracer | undefined,
  requestId: string | null,
  named: NamedSpan,
  work: () => Promise<T>,
): Promise<T> {
  const parent = tracer === undefined ? null : placeOf(tracer, requestId);
  return parent === null ? work() : spanBelow(parent, named, work);
}

/** Does a part of what is traced, in a span of its own. Outside a trace it only does it. */
export async function inSpan<T>(named: NamedSpan, work: () => Promise<T>): Promise<T> {
  const parent = here.getStore();
  return parent === undefined ? work() : spanBelow(parent, named, work);
}

async function spanBelow<T>(
  parent: Place,
  { name, kind = 'internal', attributes = {}, failed }: NamedSpan,
  work: () => Promise<T>,
): Promise<T> {
  const { tracer, traceId } = parent;
  const place = { tracer, traceId, spanId: randomBytes(8).toString('hex') };
  const startMs = now();
  const end = (isFailed: boolean) =>
    tracer.take({
      traceId,
      spanId: place.spanId,
      parentId: parent.spanId,
      kind,
      name,
      startMs,
      endMs: now(),
      attributes,
      failed: isFailed,
    });
  try {
    const result = await here.run(place, work);
    end(failed?.(result) ?? false);
    return result;
  } catch (error) {
    end(true);
    throw error;
  }
}

function now(): number {
  return performance.timeOrigin + performance.now();
}

/** Undefined for what is no `traceparent` of version 00. */
function linkTo(traceparent: string | null): NonNullable<Span['link']> | undefined {
  const [, traceId, spanId] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(traceparent ?? '') ?? [];
  const isId = (id: string | undefined) => id !== undefined && !/^0+$/.test(id);
  return traceId !== undefined && spanId !== undefined && isId(traceId) && isId(spanId)
    ? { traceId, spanId }
    : undefined;
}
