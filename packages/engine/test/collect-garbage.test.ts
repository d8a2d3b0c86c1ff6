import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { collectGarbage } from '#src/collect-garbage.ts';

test('what nobody holds any more is given back', async () => {
  const held = new WeakRef(Array.from({ length: 1_000 }, (_, n) => ({ n })));
  await delay(0); // what was just made is kept until the next turn
  collectGarbage();
  expect(held.deref()).toBeUndefined();
});
