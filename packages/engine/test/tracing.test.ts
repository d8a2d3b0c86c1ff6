// Spans on their way to a collector that answers, refuses, hangs or is not there.
import { randomBytes } from 'node:crypto';
import { freePort, verifies } from '@bailiff/core/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { newRequestId } from '#src/calls/request-id.ts';
import { type Collector, startCollector } from '#src/testing-traces.ts';
import { exportSpans, type SpanExporter } from '#src/tracing/export-spans.ts';
import { continueTrace, inSpan, type Tracer, traceRequest } from '#src/tracing/spans.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

let warned: object[] = [];
beforeEach(() => {
  warned = [];
});

async function collector(answer?: Parameters<typeof startCollector>[0]): Promise<Collector> {
  const made = await startCollector(answer);
  cleanUps.push(() => made.close());
  return made;
}

const LONG_MS = 600_000;

function exporterTo(
  endpoint: string,
  share = 1,
  headers: Record<string, string> = {},
  limits: { sendWithinMs?: number; closeWithinMs?: number } = {
    sendWithinMs: LONG_MS,
    closeWithinMs: LONG_MS,
  },
): SpanExporter {
  const lines = warned;
  const log = { warn: (fields: object) => void lines.push(fields) };
  const to = { url: `${endpoint}/v1/traces`, headers, share };
  return exportSpans(to, { service: 'bailiff-test', log, ...limits });
}

const ended = { name: 'POST bans.add', attributes: { 'http.response.status_code': 201 }, failed: false };

async function oneRequest(tracer: Tracer, requestId = newRequestId(), traceparent: string | null = null) {
  const trace = traceRequest(tracer, requestId, () => traceparent);
  await trace.run(() => inSpan({ name: 'submit' }, async () => {}));
  trace.end(ended);
  return requestId.slice('req_'.length);
}

test('two processes that know the id of a request add to one trace, whose id it is', async () => {
  verifies('ops.traces');
  const { endpoint, spans } = await collector();
  const [web, bot] = [exporterTo(endpoint), exporterTo(endpoint, 1, { authorization: 'Bearer x y' })];
  const requestId = newRequestId();
  const traceId = await oneRequest(web, requestId);
  const failing = continueTrace(bot, requestId, { name: 'perform bans.add', kind: 'consumer' }, () =>
    inSpan({ name: 'PUT /guilds/{id}/bans/{id}', kind: 'client' }, async () => {
      throw new Error('Discord is away.');
    }),
  );
  await expect(failing).rejects.toThrow('Discord is away.');
  await web.close();
  await bot.close();

  expect(spans.map((span) => span.traceId)).toEqual(Array(4).fill(traceId));
  const byName = (name: string) => spans.find((span) => span.name === name);
  const first = byName('POST bans.add');
  expect(first).toMatchObject({ kind: 2, attributes: { 'http.response.status_code': '201' } });
  expect(first?.status).toEqual({});
  expect(first).not.toHaveProperty('parentSpanId');
  expect(byName('submit')?.parentSpanId).toBe(first?.spanId);
  expect(byName('perform bans.add')).toMatchObject({
    parentSpanId: first?.spanId,
    kind: 5,
    status: { code: 2 },
  });
  const discord = byName('PUT /guilds/{id}/bans/{id}');
  expect(discord).toMatchObject({
    parentSpanId: byName('perform bans.add')?.spanId,
    kind: 3,
    status: { code: 2 },
  });
  for (const { startTimeUnixNano, endTimeUnixNano } of spans) {
    expect(Math.abs(Number(BigInt(startTimeUnixNano) / 1_000_000n) - Date.now())).toBeLessThan(90_000);
    expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
  }
});

test('work that ends in a result which counts as a failure is a failed span, and other work is not', async () => {
  verifies('ops.traces');
  const { endpoint, spans } = await collector();
  const exporter = exporterTo(endpoint);
  const requestId = newRequestId();
  for (const state of ['unknown', 'done']) {
    const named = { name: state, failed: (result: unknown) => result === 'unknown' };
    expect(await continueTrace(exporter, requestId, named, async () => state)).toBe(state);
  }
  await exporter.close();
  expect(spans.map(({ name, status }) => [name, status])).toEqual([
    ['unknown', { code: 2 }],
    ['done', {}],
  ]);
});

test('a caller’s own trace is linked, and decides nothing', async () => {
  verifies('ops.traces');
  const { endpoint, spans } = await collector();
  const exporter = exporterTo(endpoint);
  const [theirs, span] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  const linked = await oneRequest(exporter, newRequestId(), `00-${theirs}-${span}-00`);
  for (const wrong of [
    '',
    'x',
    `00-${'0'.repeat(32)}-${span}-01`,
    `00-${theirs}-${'0'.repeat(16)}-01`,
    `ff-${theirs}`,
  ])
    await oneRequest(exporter, newRequestId(), wrong);
  await exporter.close();
  const firsts = spans.filter(({ name }) => name === ended.name);
  expect(firsts.find(({ traceId }) => traceId === linked)?.links).toEqual([
    { traceId: theirs, spanId: span },
  ]);
  expect(firsts.filter(({ links }) => links !== undefined)).toHaveLength(1);
  expect(spans.map(({ traceId }) => traceId)).not.toContain(theirs);
});

test('only the wanted share of requests is traced, the same in each process', async () => {
  verifies('ops.traces');
  const { endpoint, spans } = await collector();
  const [web, bot, none] = [exporterTo(endpoint, 0.25), exporterTo(endpoint, 0.25), exporterTo(endpoint, 0)];
  const ids = Array.from({ length: 400 }, () => randomBytes(16).toString('hex'));
  expect(ids.map((id) => web.wants(id))).toEqual(ids.map((id) => bot.wants(id)));
  const wanted = ids.filter((id) => web.wants(id)).length;
  expect(wanted).toBeGreaterThan(40);
  expect(wanted).toBeLessThan(160);
  await oneRequest(none);
  await none.close();
  expect(spans).toEqual([]);
  await web.close();
  await bot.close();
});

test('work outside a trace, or for a request with another kind of id, is done without one', async () => {
  verifies('ops.traces');
  const taken: unknown[] = [];
  const tracer: Tracer = { wants: () => true, take: (span) => void taken.push(span) };
  expect(await inSpan({ name: 'alone' }, async () => 1)).toBe(1);
  expect(await continueTrace(tracer, 'by hand', { name: 'alone' }, async () => 2)).toBe(2);
  expect(await continueTrace(tracer, null, { name: 'alone' }, async () => 3)).toBe(3);
  expect(await continueTrace(undefined, newRequestId(), { name: 'alone' }, async () => 4)).toBe(4);
  traceRequest(undefined, newRequestId()).end(ended);
  expect(taken).toEqual([]);
});

test('more spans than go into one request are sent one request after the other, and none is lost', async () => {
  verifies('ops.traces');
  const { endpoint, spans, bodies } = await collector();
  const exporter = exporterTo(endpoint);
  for (let n = 0; n < 600; n += 1) await oneRequest(exporter);
  await vi.waitFor(() => expect(spans).toHaveLength(1_200), 120_000);
  expect(bodies.length).toBeGreaterThan(1);
  await exporter.close();
  expect(warned).toEqual([]);
});

test('a collector that hangs holds nobody up: few spans wait, one request is under way, and ending takes a second', async () => {
  verifies('ops.traces.harmless');
  const { endpoint, bodies } = await collector(() => {});
  // As if it might answer in ten minutes: what is under way keeps nobody who ends.
  const patient = exporterTo(endpoint, 1, {}, { sendWithinMs: LONG_MS });
  for (let n = 0; n < 300; n += 1) await oneRequest(patient);
  await patient.close();
  expect(warned).toEqual([]);
  const exporter = exporterTo(endpoint, 1, {}, {});
  for (let n = 0; n < 5_000; n += 1) await oneRequest(exporter);
  await vi.waitFor(() => expect(bodies).toHaveLength(2), 120_000);
  await exporter.close();
  // One batch is under way, and 2,048 spans wait: the rest of the 10,000 was dropped at once.
  expect(bodies).toHaveLength(2);
  await vi.waitFor(() => expect(warned).toMatchObject([{ dropped: expect.any(Number) }]), 120_000);
  expect(warned.map((fields) => Reflect.get(fields, 'dropped') > 5_000)).toEqual([true]);
});

test('a collector that is away or refuses is complained of once, with how much was lost and without its key', async () => {
  verifies('ops.traces.harmless');
  const away = exporterTo(`http://127.0.0.1:${await freePort()}`, 1, { 'x-key': 'secret-key' });
  for (let n = 0; n < 600; n += 1) await oneRequest(away);
  await away.close();
  expect(warned.map((fields) => Reflect.get(fields, 'dropped') > 0)).toEqual([true]);
  const refusing = await collector((response) => void response.writeHead(401).end('no'));
  const refused = exporterTo(refusing.endpoint, 1, { 'x-key': 'secret-key' });
  await oneRequest(refused);
  await refused.close();
  expect(refusing.headers[0]?.['x-key']).toBe('secret-key');
  expect(warned.slice(1)).toMatchObject([{ dropped: 2 }]);
  expect(JSON.stringify(warned)).not.toContain('secret-key');
});
