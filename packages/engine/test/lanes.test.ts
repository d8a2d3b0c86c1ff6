import { expect, test } from 'vitest';
import { MOST_OF_GUILD, PLACE_OPERATIONS, SLOW_OPERATIONS } from '#src/worker/lanes.ts';

test('purges, closings of tickets and commands on game servers have a lane of their own, two of a guild at once', () => {
  expect(SLOW_OPERATIONS.toSorted()).toEqual([
    ...[
      'bans.many',
      'bans.preview',
      'bans.undo',
      'messages.purge',
      'mutes.many',
      'mutes.preview',
      'mutes.undo',
    ],
    ...['servers.rcon', 'servers.sanction', 'tickets.close'],
  ]);
  expect(MOST_OF_GUILD).toBe(2);
});

test('what changes channels comes one after the other, and what only lists their locks does not wait', () => {
  expect(PLACE_OPERATIONS.toSorted()).toEqual([
    'channels.lock',
    'channels.lockdown',
    'channels.reopen',
    'channels.slowmode',
    'channels.unlock',
  ]);
});
