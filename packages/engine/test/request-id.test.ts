import { expect, test } from 'vitest';
import { newRequestId } from '#src/calls/request-id.ts';

test('a request id is req_ and 32 hexadecimal digits, another one for each call', () => {
  const ids = Array.from({ length: 100 }, newRequestId);
  for (const id of ids) expect(id).toMatch(/^req_[0-9a-f]{32}$/);
  expect(new Set(ids).size).toBe(100);
});
