import { expect, test } from 'vitest';
import { createWaiters, type Waiter } from '#src/database/waiters.ts';

/** Longer than a test may take: a caller that is not woken fails it. */
const LONG_MS = 600_000;

/** Whether a wait has ended by the next turn of the event loop. */
function hasEnded(wait: Promise<void>): Promise<boolean> {
  const turn = new Promise<boolean>((resolve) => setImmediate(resolve, false));
  return Promise.race([wait.then(() => true), turn]);
}

const ended = (kind: 'action' | 'case', request_id: string) => ({ kind, request_id });

test('a caller is woken by the end of its own action, and by no other', async () => {
  const waiters = createWaiters();
  const [own, other] = [waiters.expect('req_1'), waiters.expect('req_2')];
  const [ownWait, otherWait] = [own.within(LONG_MS), other.within(LONG_MS)];
  waiters.notify(ended('action', 'req_1'));
  await ownWait;
  expect(await hasEnded(otherWait)).toBe(false);
  waiters.notify(ended('action', 'req_2'));
  await otherWait;
});

test('an end that was announced before the caller waits is not missed, and counts once', async () => {
  const waiters = createWaiters();
  const waiter = waiters.expect('req_1');
  waiters.notify(ended('action', 'req_1'));
  await waiter.within(LONG_MS);
  const again = waiter.within(LONG_MS);
  expect(await hasEnded(again)).toBe(false);
  waiters.notify(ended('case', 'req_1'));
  await again;
});

test('who waits for nothing, or for a moment, goes on without an announcement', async () => {
  const waiter = createWaiters().expect('req_1');
  expect(await hasEnded(waiter.within(0))).toBe(true);
  expect(await hasEnded(waiter.within(-1))).toBe(true);
  await waiter.within(1);
});

test('after a lost connection everybody looks for themselves', async () => {
  const waiters = createWaiters();
  const waits = ['req_1', 'req_1', 'req_2'].map((id) => waiters.expect(id).within(LONG_MS));
  waiters.wakeAll();
  await Promise.all(waits);
});

test('one of two callers with one request stops waiting, and the other is still woken', async () => {
  const waiters = createWaiters();
  const [gone, staying]: [Waiter, Waiter] = [waiters.expect('req_1'), waiters.expect('req_1')];
  gone.release();
  const wait = staying.within(LONG_MS);
  waiters.notify(ended('action', 'req_1'));
  await wait;
  expect(await hasEnded(gone.within(LONG_MS))).toBe(false);
  staying.release();
  for (const nobody of ['req_1', 'req_2']) waiters.notify(ended('action', nobody));
  expect(await hasEnded(staying.within(LONG_MS))).toBe(false);
});
