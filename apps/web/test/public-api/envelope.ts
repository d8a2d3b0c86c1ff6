import { ERRORS } from '@bailiff/core';
import { expect } from 'vitest';

/** Fails the test unless an answer has what every answer below `/api/public/v1` must have (hazards G16). */
export function expectEnvelope(
  { status, headers, body }: { status: number; headers: Headers; body: { error?: Record<string, unknown> } },
  what: string,
): void {
  expect(status, what).toBeLessThan(500);
  expect(headers.get('Content-Type'), what).toMatch(/^application\/json/);
  expect(headers.get('X-RateLimit-Limit'), what).toBe('600');
  expect(headers.get('X-RateLimit-Remaining'), what).toMatch(/^\d+$/);
  expect(headers.get('X-Request-Id'), what).toMatch(/^req_/);
  expect(headers.has('Retry-After'), what).toBe(status === 429);
  expect(
    [...headers.keys()].filter((name) => name.startsWith('access-control-')),
    what,
  ).toEqual([]);
  if (status === 405)
    expect(headers.get('Allow'), what).toMatch(/^(GET|POST|PATCH|DELETE)(, (GET|POST|PATCH|DELETE))*$/);
  if (status < 400) return;
  const { code, message, retryable, request_id: requestId } = body.error ?? {};
  expect(Object.keys(ERRORS), what).toContain(code);
  expect(retryable, what).toBe(ERRORS[code as keyof typeof ERRORS].retryable);
  expect(message, what).toEqual(expect.stringMatching(/./));
  expect(requestId, what).toBe(headers.get('X-Request-Id'));
}
