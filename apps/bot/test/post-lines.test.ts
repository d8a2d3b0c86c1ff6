import { expect, onTestFinished, test, vi } from 'vitest';
import { PostLines } from '#src/post-lines.ts';

const CHANNEL = '/channels/1/messages';
const job = (id: number) => ({ key: `post ${id}`, id: BigInt(id) });

test('where nothing is kept back, nothing waits', () => {
  const lines = new PostLines();
  expect(lines.waitMs(CHANNEL, job(1))).toBe(0);
  expect(lines.waitMs(CHANNEL, job(2))).toBe(0);
});

test('behind a post that a limit keeps back, the others of its channel wait in the order of their jobs', () => {
  const lines = new PostLines();
  expect(lines.standIn(CHANNEL, job(2), 60_000)).toBe(60_000);
  // Discord may have refused the first of two at once after the second.
  expect(lines.standIn(CHANNEL, job(1), 60_000)).toBe(60_000);
  const third = lines.waitMs(CHANNEL, job(3));
  const fourth = lines.waitMs(CHANNEL, job(4));
  expect(fourth).toBeGreaterThan(third);
  expect(third).toBeGreaterThan(lines.waitMs(CHANNEL, job(2)));
  expect(lines.waitMs(CHANNEL, job(1))).toBe(0);
  expect(lines.waitMs('/channels/2/messages', job(5))).toBe(0);
});

test('each keeps its place when its job is put off again, and goes when those before it are through', () => {
  const lines = new PostLines();
  for (const id of [1, 2, 3]) lines.standIn(CHANNEL, job(id), 0);
  const again = { key: 'post 1', id: 9n };
  expect(lines.waitMs(CHANNEL, again)).toBe(0);
  expect(lines.standIn(CHANNEL, again, 5_000)).toBe(5_000);
  expect(lines.waitMs(CHANNEL, job(2))).toBeGreaterThan(0);
  lines.leave('post 1');
  expect(lines.waitMs(CHANNEL, job(2))).toBe(0);
  expect(lines.waitMs(CHANNEL, job(3))).toBeGreaterThan(0);
  lines.leave('post 2');
  lines.leave('post 3');
  expect(lines.waitMs(CHANNEL, job(4))).toBe(0);
});

test('whoever comes later waits only for what is left of the limit', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const lines = new PostLines();
  lines.standIn(CHANNEL, job(1), 60_000);
  vi.advanceTimersByTime(40_000);
  const left = lines.standIn(CHANNEL, job(2), 0);
  expect(left).toBeGreaterThan(20_000);
  expect(left).toBeLessThan(60_000);
});

test('those beside a post are overdue once their time has come, and in no other line', () => {
  const lines = new PostLines();
  lines.standIn(CHANNEL, job(1), 60_000);
  lines.standIn(CHANNEL, job(2), 60_000);
  lines.standIn(CHANNEL, job(3), 60_000);
  expect(lines.overdueBeside('post 3')).toEqual([]);
  lines.standIn(CHANNEL, job(1), 0);
  expect(lines.overdueBeside('post 2')).toEqual(['post 1']);
  expect(lines.overdueBeside('post 3')).toEqual(['post 1']);
  expect(lines.overdueBeside('post 1')).toEqual([]);
  lines.standIn('/channels/2/messages', job(4), 60_000);
  expect(lines.overdueBeside('post 4')).toEqual([]);
});
