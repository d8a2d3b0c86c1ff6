import { DatabaseTooSlow } from '@bailiff/engine/database/database-errors';
import { noteEffect } from '@bailiff/engine/database/effects';
import { expect, test } from 'vitest';
import { createApi } from '#src/http/kernel.ts';

test.each([
  ['GET', 503, 'not_performed'],
  ['POST', 502, 'unknown'],
])('a %s whose COMMIT got no answer is answered with %i: %s', async (method, status, outcome) => {
  const api = createApi({
    name: 'an api',
    log: { info: () => {}, error: () => {} },
    begin: (exchange) => exchange,
    serve: async () => {
      noteEffect();
      throw new DatabaseTooSlow();
    },
  });
  const answer = await api(new Request('http://api.test/', { method }), { address: '192.0.2.1' });
  expect([answer.status, (await answer.json()).error.details]).toEqual([
    status,
    expect.objectContaining({ upstream: 'database', outcome }),
  ]);
});
