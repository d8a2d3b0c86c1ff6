import { expect, test } from 'vitest';
import { guildForEachTest } from './each-test.ts';
import { refusalOf, type Stage } from './harness.ts';

let stage: Stage;
guildForEachTest((next) => {
  stage = next;
});

/** An id that nothing has, and one that nothing can have: Discord calls a request with it malformed. */
const FREE = '899999999999999999';
const TOO_LARGE = '11111111111111111111';

test.each([
  ['bans.add', { user_id: FREE, reason: 'Spam' }],
  ['bans.lift', { userId: FREE }],
  ['bans.soft', { user_id: FREE, reason: 'Spam', delete_message_seconds: 3600 }],
  ['members.kick', { user_id: FREE, reason: 'Spam' }],
  ['mutes.add', { user_id: FREE, reason: 'Spam', duration_minutes: 5 }],
  ['channels.lock', { channel_id: FREE }],
  ['channels.slowmode', { channel_id: FREE, slowmode_seconds: 5 }],
  ['messages.purge', { channel_id: FREE, count: 5, include_pinned: false }],
] as const)(
  '%s of an id that has too many bits says what it says of one that nothing has',
  async (name, input) => {
    const ofFree = await refusalOf(stage.act(name, 'owner', input));
    expect(ofFree).toMatchObject({ code: 'NOT_FOUND', status: 404 });
    const tooLarge = JSON.parse(JSON.stringify(input).replace(FREE, TOO_LARGE));
    const ofTooLarge = await refusalOf(stage.act(name, 'owner', tooLarge));
    expect(ofTooLarge).toMatchObject({ code: 'NOT_FOUND', status: 404 });
    expect(String(ofTooLarge).replaceAll(TOO_LARGE, FREE)).toBe(String(ofFree));
  },
);
