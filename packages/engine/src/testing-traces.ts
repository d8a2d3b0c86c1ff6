import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A span as a collector receives it. */
export interface ReceivedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly links?: readonly { traceId: string; spanId: string }[];
  readonly status: { code?: number };
}

export interface Collector {
  readonly endpoint: string;
  readonly spans: readonly ReceivedSpan[];
  /** The bodies as they came. */
  readonly bodies: readonly string[];
  readonly headers: readonly IncomingHttpHeaders[];
  close(): void;
}

interface WireAttribute {
  key: string;
  value: { stringValue?: string; intValue?: string };
}
type WireSpan = Omit<ReceivedSpan, 'service' | 'attributes'> & { attributes: WireAttribute[] };
interface Wire {
  resourceSpans: { resource: { attributes: WireAttribute[] }; scopeSpans: { spans: WireSpan[] }[] }[];
}

/**
 * An OpenTelemetry collector that keeps what it receives, OTLP over HTTP.
 *
 * @param answer default: 200
 */
export async function startCollector(
  answer: (response: ServerResponse) => void = (response) => void response.end('{}'),
): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (request.method !== 'POST' || request.url !== '/v1/traces') return void response.writeHead(404).end();
    bodies.push(body);
    headers.push(request.headers);
    spans.push(...(JSON.parse(body) as Wire).resourceSpans.flatMap(spansOf));
    answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    headers,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function spansOf({ resource, scopeSpans }: Wire['resourceSpans'][number]): ReceivedSpan[] {
  const service = textsOf(resource.attributes)['service.name'] ?? '';
  return scopeSpans.flatMap(({ spans }) =>
    spans.map(({ attributes, ...span }) => ({ ...span, service, attributes: textsOf(attributes) })),
  );
}

function textsOf(attributes: readonly WireAttribute[]): Record<string, string> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? '']),
  );
}
