import { verifies } from '@bailiff/core/testing';
import { translator } from '@bailiff/messages/dashboard';
import { expect, test } from 'vitest';
import { standingLock, standingSlowmode } from '#src/in-force.ts';

const t = translator('en', 'inForce');
const CHANNEL = '834989431927603200';

const lock = (channel_id: string | null, secondsLeft: number | null) =>
  standingLock(
    t,
    { [CHANNEL]: '#general' },
    {
      channel_id,
      locked_by: '1',
      locked_at: '2026-11-01T00:00:00.000Z',
      expires_at: secondsLeft === null ? null : new Date(Date.now() + secondsLeft * 1_000).toISOString(),
      reason: null,
    },
  );

test.each([
  [null, false],
  [60, false],
  [-30, false],
  [-90, true],
])('a lock with %s seconds left is said to be overdue: %s', (secondsLeft, isOverdue) => {
  verifies('in-force.page');
  expect(lock(CHANNEL, secondsLeft).isOverdue).toBe(isOverdue);
});

test('the lock of a channel is ended there, and that of the whole server everywhere', () => {
  verifies('in-force.page');
  expect(lock(CHANNEL, null).end).toEqual({
    call: { operation: 'channels.unlock', input: { channelId: CHANNEL } },
    title: 'Unlock #general',
    done: '#general is unlocked.',
  });
  expect(lock(null, null).end.call).toEqual({ operation: 'channels.reopen', input: {} });
});

test('a channel gets back the slowmode that it had before', () => {
  verifies('in-force.page');
  const slowmode = { channel_id: CHANNEL, seconds: 60, seconds_before: 5, set_by: '1', reason: null };
  const set_at = '2026-11-01T00:00:00.000Z';
  expect(
    standingSlowmode(t, { [CHANNEL]: '#general' }, { ...slowmode, set_at, expires_at: null }).end.call,
  ).toEqual({
    operation: 'channels.slowmode',
    input: { channel_id: CHANNEL, slowmode_seconds: 5 },
  });
});
