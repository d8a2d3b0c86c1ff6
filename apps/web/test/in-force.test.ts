import { verifies } from '@bailiff/core/testing';
import { translator } from '@bailiff/messages/dashboard';
import { expect, test } from 'vitest';
import { standingLock, standingRole, standingSlowmode } from '#src/in-force.ts';

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

const [MEMBER, ROLE] = ['834989431927603201', '834989431927603202'];
const SET = { since: '2026-11-01T00:00:00.000Z', until: '2126-11-02T00:00:00.000Z' };

test('a channel gets back the slowmode that it had before', () => {
  verifies('in-force.page');
  const slowmode = { channel_id: CHANNEL, seconds: 60, seconds_before: 5, set_by: '1', reason: 'Raid' };
  const times = { set_at: SET.since, expires_at: SET.until };
  expect(standingSlowmode(t, { [CHANNEL]: '#general' }, { ...slowmode, ...times })).toEqual({
    ...{ key: CHANNEL, ...SET, isOverdue: false, by: '1', reason: 'Raid' },
    end: {
      call: { operation: 'channels.slowmode', input: { channel_id: CHANNEL, slowmode_seconds: 5 } },
      title: 'End the slowmode in #general',
      done: 'The slowmode in #general is as before.',
    },
  });
});

test('each lock says who set it, since when and why', () => {
  verifies('in-force.page');
  const locked = { locked_by: '1', locked_at: SET.since, expires_at: SET.until, reason: 'Raid' };
  const said = { ...SET, isOverdue: false, by: '1', reason: 'Raid' };
  expect(standingLock(t, {}, { channel_id: CHANNEL, ...locked })).toMatchObject({ key: CHANNEL, ...said });
  expect(standingLock(t, {}, { channel_id: null, ...locked })).toMatchObject({ key: 'guild', ...said });
});

test('a role for a while is taken back from its member', () => {
  verifies('in-force.page');
  const given = { user_id: MEMBER, role_id: ROLE, given_by: '1', reason: 'Event' };
  const times = { given_at: SET.since, expires_at: SET.until };
  expect(standingRole(t, { [MEMBER]: 'Ada', [ROLE]: '@Artist' }, { ...given, ...times })).toEqual({
    ...{ key: `${MEMBER}:${ROLE}`, ...SET, isOverdue: false, by: '1', reason: 'Event' },
    end: {
      call: { operation: 'roles.end', input: { user_id: MEMBER, role_id: ROLE } },
      title: 'Take @Artist back from Ada',
      done: 'Ada no longer has @Artist.',
      left: 'Ada keeps @Artist, because somebody else has given it to them since.',
    },
  });
});
