import { ApiError } from '@bailiff/core';
import { expect, test } from 'vitest';
import { absent } from '#src/calls/absent.ts';

test('what is absent is not found, by its noun and id', () => {
  const id = '100000000000000001';
  const looking = () => absent('strike', id);
  expect(looking).toThrow(ApiError);
  expect(looking).toThrow(
    expect.objectContaining({ code: 'NOT_FOUND', message: expect.stringContaining(id) }),
  );
});
