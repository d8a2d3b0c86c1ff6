import { setImmediate } from 'node:timers/promises';
import { verifies } from '@bailiff/core/testing';
import { createWaiters } from '@bailiff/engine/database/waiters';
import { expect, it } from 'vitest';
import { DecisionWaits } from '#src/public-api/decision-waits.ts';
import { preferredDecisionSeconds, preferredWaitMs } from '#src/public-api/prefer.ts';

const NEVER = new AbortController().signal;

/** Waits of which one of a token and two in all are admitted. What is decided is the length of `decided`. */
function setUp() {
  const waiters = createWaiters();
  const waits = new DecisionWaits(waiters, { ofToken: 1, inAll: 2 });
  const decided: string[] = [];
  const wait = (tokenId: string, signal = NEVER) =>
    waits.until(
      { tokenId, seconds: 60, signals: [signal, NEVER] },
      async () => decided.length,
      (count) => count === 0,
    );
  return { waiters, decided, wait };
}

it('a decision ends the waits of its token only, and what is over a bound is not begun', async () => {
  verifies('approval.wait.bounded');
  const { waiters, decided, wait } = setUp();
  const first = wait('tok_1');
  expect(await wait('tok_1')).toBeNull();
  let isSecondOver = false;
  const second = wait('tok_2').finally(() => {
    isSecondOver = true;
  });
  expect(await wait('tok_3')).toBeNull();

  decided.push('something');
  waiters.notify({ kind: 'consent', request_id: 'tok_1' });
  expect(await first).toBe(1);
  expect(isSecondOver).toBe(false);
  expect(await wait('tok_1')).toBe(1); // there is room again
  waiters.wakeAll();
  expect(await second).toBe(1);
});

it('a wait ends with its client, and a failed look frees its place', async () => {
  verifies('approval.wait.released');
  const { wait } = setUp();
  const client = new AbortController();
  const waiting = wait('tok_1', client.signal);
  await setImmediate(); // it has looked, and waits
  client.abort();
  expect(await waiting).toBe(0);
  expect(await wait('tok_1', client.signal)).toBe(0); // it had left before
  const waits = new DecisionWaits(createWaiters(), { ofToken: 1, inAll: 1 });
  for (const reason of ['first', 'second']) {
    const failing = waits.until(
      { tokenId: 'tok_1', seconds: 60, signals: [] },
      () => Promise.reject(new Error(reason)),
      () => true,
    );
    await expect(failing).rejects.toThrow(reason);
  }
});

it.each([
  ['wait=30', 30],
  ['respond-async, Wait = "30"; x=y', 30],
  ['wait=1, wait=30', 1],
  ['wait=60', 60],
  ['foo="a, wait=5, b", wait=7', 7],
  ['wait=0', undefined],
  ['wait=61', undefined],
  ['wait=1.5', undefined],
  ['wait=-1', undefined],
  ['wait', undefined],
  ['wait=x, wait=30', undefined],
  ['waiting=30', undefined],
  ['', undefined],
  [null, undefined],
])('%j waits %j seconds for a decision', (prefer, seconds) => {
  verifies('approval.wait');
  expect(preferredDecisionSeconds(prefer)).toBe(seconds);
});

it.each([
  ['wait=3', 3_000],
  ['wait=0', 0],
  ['wait=9000', 8_000],
  ['respond-async', undefined],
])('%j waits %j milliseconds for a long action', (prefer, ms) => {
  expect(preferredWaitMs(prefer)).toBe(ms);
});
