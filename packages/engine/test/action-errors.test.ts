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
  ['APPEAL_DECIDED', 'This appeal no longer waits for a decision. Nothing was changed.'],
  ['VOTES_NEEDED', 'Not enough moderators have voted for this decision yet.'],
  ['NOTE_LIMIT', 'There are as many notes on this person as are kept. Remove one that nobody needs.'],
  ['TICKET_NOTE_LIMIT', 'There are as many notes on this ticket as are kept. Remove one that nobody needs.'],
  ['IDENTITY_LIMIT', 'This person has as many identities in games as are kept. Remove one first.'],
  [
    'GUILD_IDENTITY_LIMIT',
    'This guild has as many identities in games as are kept. Remove some that nobody needs first.',
  ],
  [
    'IDENTITY_TAKEN',
    'Somebody else has this identity already. Look for it among the identities, and remove it there first.',
  ],
  ['NOT_DUE', 'The system has no reason for this, or none any more. Nothing was done.'],
  ['NOT_CLAIMER', 'Only who claimed the ticket, or the guild owner, can release it or hand it over.'],
  [
    'TARGET_IS_ADMIN',
    'Discord times out nobody with the permission Administrator. Take the role from them first.',
  ],
  [
    'TWO_FACTOR_REQUIRED',
    "This guild requires two-factor authentication of moderators. The owner of the bot's Discord application must switch it on for their account.",
  ],
  [
    'BAN_LIMIT',
    'Discord allows no more bans of people who are not members of this guild. Lift some, or ban them when they join.',
  ],
  [
    'MESSAGE_CONTENT_REQUIRED',
    'Discord hides the text of messages from the bot, so it cannot look for a text. Leave it out, or ask the operator to switch on the Message Content Intent.',
  ],
  [
    'CHANNEL_KIND',
    'A channel of this kind holds no messages. Choose one of its threads, or another channel.',
  ],
  [
    'CHANNEL_REQUIRED',
    "Discord needs this channel for the guild's Community. Choose another one for that first.",
  ],
  ['THREAD_LOCKED', 'This thread is archived or locked. Open it first.'],
  ['SYSTEM_MESSAGE', 'This message is one that Discord wrote, which nobody can delete.'],
  ['TEXT_BLOCKED', "Discord or the guild's AutoMod blocked the text. Change it and try again."],
  [
    'DISCORD_REFUSED',
    'Discord refused this, and would refuse it again. Ask the operator of the bot: the log says why.',
  ],
  [
    'TICKET_LIMIT',
    'You have as many open tickets as one member may have. Write in one of them, or ask for one to be closed.',
  ],
  [
    'TICKET_COOLDOWN',
    'You opened 5 tickets within ten minutes. Write in one of them, or wait a few minutes.',
  ],
  [
    'CHANNEL_LIMIT',
    'This guild has as many channels as Discord allows. Close a ticket or delete a channel first.',
  ],
  ['GUILD_TICKET_LIMIT', 'This guild has as many open tickets as it may have. Ask for some to be closed.'],
  ['REPORT_CLOSED', 'This report is closed.'],
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
