import { verifies } from '@bailiff/core/testing';
import { startCollector } from '@bailiff/engine/testing-traces';
import { expect, test } from 'vitest';
import { callWithToken, startTestWeb } from './support.ts';

test('a request that is refused has not failed, and its span says why it was refused', async () => {
  verifies('ops.traces');
  const collector = await startCollector();
  const web = await startTestWeb({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
  const { status } = await callWithToken(web.runtime, 'svcpat_x', 'GET', '/me');
  await web.close();
  const span = collector.spans.find(({ attributes }) => attributes['bailiff.api'] === 'public api');
  collector.close();
  expect(status).toBe(401);
  expect(span?.attributes).toMatchObject({
    'http.response.status_code': '401',
    'error.type': 'UNAUTHORIZED',
  });
  expect(span?.status).toEqual({});
});
