import type { ForbiddenReason } from '@bailiff/core';
import { expect, test } from 'vitest';
import { forbidden, notFound } from '#src/calls/action-errors.ts';

test.each<[ForbiddenReason, string]>([
  ['TARGET_IS_OWNER', 'The guild owner cannot be the target.'],
  ['TARGET_IS_BOT', 'The bot cannot be the target.'],
  ['TARGET_IS_SELF', 'You cannot do this to yourself.'],
  ['ROLE_HIERARCHY', "The target's highest role is not below yours and the bot's."],
  ['BOT_MISSING_PERMISSION', 'The bot lacks the Discord permission this needs; grant it to its role.'],
  ['COMMAND_NOT_ALLOWED', 'The command policy of this game server denies the command.'],
  ['NOTE_LIMIT', 'There are as many notes on this person as are kept. Remove one that nobody needs.'],
  ['NOT_DUE', 'The system has no reason for this, or none any more. Nothing was done.'],
  ['NOT_CLAIMER', 'Only who claimed the ticket, or the guild owner, can release it.'],
  ['OTHER_GUILD', 'You cannot act on this target.'],
])('who is refused with %s reads: %s', (reason, message) => {
  expect(forbidden(reason)).toEqual({ code: 'FORBIDDEN', message, details: { reason } });
});

test('what is missing is named by its noun and id', () => {
  expect(notFound('ban', '123')).toEqual({
    code: 'NOT_FOUND',
    message: 'This guild has no ban of user 123.',
  });
});
