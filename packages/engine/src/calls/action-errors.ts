import { type ForbiddenReason, NOT_FOUND_NOUNS, type NotFoundNoun } from '@bailiff/core';
import type { ActionError } from './actions.ts';

const REASONS: Readonly<Partial<Record<ForbiddenReason, string>>> = {
  TARGET_IS_OWNER: 'The guild owner cannot be the target.',
  TARGET_IS_BOT: 'The bot cannot be the target.',
  TARGET_IS_SELF: 'You cannot do this to yourself.',
  ROLE_HIERARCHY: "The target's highest role is not below yours and the bot's.",
  BOT_MISSING_PERMISSION: 'The bot lacks the Discord permission this needs; grant it to its role.',
  BOT_TIMED_OUT:
    'The bot itself is timed out in this guild, and can do nothing until its timeout ends. Take it off in Discord, then try again.',
  TARGET_IS_ADMIN:
    'Discord times out nobody with the permission Administrator. Take the role from them first.',
  TWO_FACTOR_REQUIRED:
    "This guild requires two-factor authentication of moderators. The owner of the bot's Discord application must switch it on for their account.",
  BAN_LIMIT:
    'Discord allows no more bans of people who are not members of this guild. Lift some, or ban them when they join.',
  ALREADY_BANNED: 'They are banned already, and a softban would end that. Lift the ban instead.',
  MUTED_LONGER:
    'They are muted for longer than this, so it would shorten that mute. Change the length of that mute instead, or lift it.',
  MESSAGE_CONTENT_REQUIRED:
    'Discord hides the text of messages from the bot, so it cannot look for a text. Leave it out, or ask the operator to switch on the Message Content Intent.',
  CHANNEL_KIND: 'A channel of this kind holds no messages. Choose one of its threads, or another channel.',
  CHANNEL_REQUIRED:
    "Discord needs this channel for the guild's Community. Choose another one for that first.",
  THREAD_LOCKED: 'This thread is archived or locked. Open it first.',
  HAS_ROLE: 'They have this role already, and not for a while. Nothing was changed.',
  ROLE_NOT_GIVEN: 'Nobody can give this role: it is @everyone, or Discord or a bot manages it.',
  ROLE_GIVES_POWER:
    'This role gives power over others, in Discord or in Bailiff. A token gives no such role, and a person gives only power that they have.',
  THREAD_OR_CATEGORY: 'This cannot be set for a channel of this kind. Name a channel in which people write.',
  LOCKED_BY_HAND:
    'Discord says already that @everyone cannot write here, and not by a lock of Bailiff. Nothing was changed.',
  SYSTEM_MESSAGE: 'This message is one that Discord wrote, which nobody can delete.',
  TEXT_BLOCKED: "Discord or the guild's AutoMod blocked the text. Change it and try again.",
  DISCORD_REFUSED:
    'Discord refused this, and would refuse it again. Ask the operator of the bot: the log says why.',
  COMMAND_NOT_ALLOWED: 'The command policy of this game server denies the command.',
  NO_GAME_COMMAND:
    'This game server has no such command for this player. The owner can change its commands; check who the player is.',
  CASE_NOT_FITTING:
    'The case is not one of this person that this is for: a ban in force, a ban that was lifted, or a kick of the last hour.',
  SENT_BEFORE:
    'This was sent to the game server for this case before, and it is not sent twice. Look at the server.',
  TICKET_LIMIT:
    'You have as many open tickets as one member may have. Write in one of them, or ask for one to be closed.',
  TICKET_COOLDOWN: 'You opened 5 tickets within ten minutes. Write in one of them, or wait a few minutes.',
  TICKET_PAUSE: 'You opened a ticket lately. Write in it, or wait as long as this guild asks you to.',
  TICKET_CATEGORY:
    'The ticket needs one of the categories of this guild, with an answer to each of its questions.',
  CHANNEL_LIMIT:
    'This guild has as many channels as Discord allows. Close a ticket or delete a channel first.',
  GUILD_TICKET_LIMIT: 'This guild has as many open tickets as it may have. Ask for some to be closed.',
  NOTE_LIMIT: 'There are as many notes on this person as are kept. Remove one that nobody needs.',
  TICKET_NOTE_LIMIT: 'There are as many notes on this ticket as are kept. Remove one that nobody needs.',
  IDENTITY_LIMIT: 'This person has as many identities in games as are kept. Remove one first.',
  GUILD_IDENTITY_LIMIT:
    'This guild has as many identities in games as are kept. Remove some that nobody needs first.',
  IDENTITY_TAKEN:
    'Somebody else has this identity already. Look for it among the identities, and remove it there first.',
  LINK_CODE:
    'No code like this can be confirmed now. It may be mistyped, used or older than 15 minutes: ask the member for a new one.',
  LINK_TRIES: 'You have typed 10 wrong codes within ten minutes. Wait a few minutes, then try again.',
  LINK_LIMIT: 'You have asked for 5 codes within an hour. Use the last one, or wait.',
  GUILD_LINK_LIMIT: 'The members of this guild have asked for too many codes today. Try again tomorrow.',
  APPEAL_DECIDED: 'This appeal no longer waits for a decision. Nothing was changed.',
  VOTES_NEEDED: 'Not enough moderators have voted for this decision yet.',
  REPORTS_OFF: 'This guild takes no reports. Its owner chooses a channel for them in the dashboard.',
  REPORT_REPEATED: 'You have reported this already, and that report is not closed yet.',
  REPORT_LIMIT: 'You have made 5 reports within an hour. Try again later.',
  REPORTED_OFTEN: 'There are many open reports about this person already.',
  GUILD_REPORT_LIMIT: 'This guild has as many open reports as it may have. Try again later.',
  REPORT_CLOSED: 'This report is closed.',
  CASE_CHANGE_LIMIT:
    'This case was changed as often as one can be: 50 times, or 25 times for an edit over a token.',
  CASE_FORGOTTEN: 'Who this case was about is forgotten, and nothing is written about them any more.',
  CASE_LINK_LIMIT: 'One of these cases is linked with 20 others, which is as many as it can be.',
  CASE_EVIDENCE_LIMIT: 'This case has 50 files and messages as evidence, which is as many as it can have.',
  GUILD_EVIDENCE_LIMIT:
    'This guild has no room left for this file: those of all its cases have 512 MB together. The oldest ones are deleted after a year.',
  CASE_LINK_SELF: 'These two numbers are of the same case.',
  END_IS_PAST: 'With this length it would be over already. Lift it instead.',
  NOT_DUE: 'The system has no reason for this, or none any more. Nothing was done.',
  ACTION_ENDED: 'This action has ended. Nothing was stopped.',
  NOT_STOPPABLE:
    'Only a mass action, a purge or the closing of a ticket can be stopped; everything else is a single step.',
  PREVIEW_LAPSED:
    'This preview was used already, or is older than an hour. Nothing was done; make a new one.',
  COUNT_DIFFERS:
    'The preview lists another number of people. Nothing was done; look at it again and repeat its number.',
  STILL_RUNNING: 'It is still going on. Wait until it has ended, or stop it first.',
  NOT_CLAIMER: 'Only who claimed the ticket, or the guild owner, can release it or hand it over.',
  TICKET_NOT_CLOSED: 'This ticket is open, so it need not be opened again.',
  REOPEN_TOO_LATE: 'The ticket was closed more than 14 days ago. Its opener can open a new one.',
  OPENER_LEFT: 'Who opened the ticket is not a member any more, so nobody would read it.',
  OPENER_TICKET_LIMIT:
    'Who opened the ticket has as many open ones as a member may have. Close one of them first.',
  NOT_ASSIGNABLE: 'This person may not work on tickets here. Their roles need the capability tickets.write.',
};

/** The caller cannot act on this target (decisions: Errors). */
export function forbidden(reason: ForbiddenReason): ActionError<'FORBIDDEN'> {
  return {
    code: 'FORBIDDEN',
    message: REASONS[reason] ?? 'You cannot act on this target.',
    details: { reason },
  };
}

/**
 * The target does not exist or belongs to another guild. Both give the same answer.
 *
 * @param id absent if a guild has at most one of them
 */
export function notFound(noun: NotFoundNoun, id?: string): ActionError<'NOT_FOUND'> {
  const named = id === undefined ? '' : ` ${id}`;
  return { code: 'NOT_FOUND', message: `This guild has no ${NOT_FOUND_NOUNS[noun]}${named}.` };
}
