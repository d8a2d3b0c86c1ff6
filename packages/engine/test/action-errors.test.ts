import type { ForbiddenReason } from '@bailiff/core';
import { expect, test } from 'vitest';
import { forbidden, notFound } from '#src/calls/action-errors.ts';

/** For a reason that is only thrown with words of its own. */
const ANY = /^You cannot act on this target\.$/;

/** What the caller must learn of each: what is wrong, and what to do where something can be done. */
const LEARNED: Readonly<Record<ForbiddenReason, RegExp>> = {
  TARGET_IS_OWNER: /owner/,
  TARGET_IS_BOT: /The bot cannot/,
  TARGET_IS_SELF: /yourself/,
  ROLE_HIERARCHY: /highest role/,
  BOT_MISSING_PERMISSION: /grant it to its role/,
  TARGET_IS_ADMIN: /Take the role from them first/,
  BOT_TIMED_OUT: /is timed out.*Take it off/,
  TWO_FACTOR_REQUIRED: /two-factor authentication.*switch it on/,
  BAN_LIMIT: /no more bans.*Lift some/,
  ALREADY_BANNED: /banned already.*Lift the ban/,
  MUTED_LONGER: /muted for longer.*Change the length of that mute instead/,
  MESSAGE_CONTENT_REQUIRED: /Leave it out, or ask the operator/,
  CHANNEL_KIND: /holds no messages.*another channel/,
  CHANNEL_REQUIRED: /Community.*another one/,
  THREAD_LOCKED: /thread.*Open it first/,
  HAS_ROLE: /have this role already/,
  ROLE_NOT_GIVEN: /Nobody can give this role/,
  ROLE_GIVES_POWER: /power over others/,
  THREAD_OR_CATEGORY: /channel of this kind.*in which people write/,
  LOCKED_BY_HAND: /not by a lock of Bailiff/,
  SYSTEM_MESSAGE: /nobody can delete/,
  TEXT_BLOCKED: /blocked the text.*try again/,
  DISCORD_REFUSED: /Discord refused.*the log says why/,
  COMMAND_NOT_ALLOWED: /command policy/,
  NO_GAME_COMMAND: /no such command.*change its commands/,
  CASE_NOT_FITTING: /a kick of the last hour/,
  SENT_BEFORE: /not sent twice/,
  NOT_CLAIMER: /who claimed the ticket/,
  NOT_ASSIGNABLE: /need the capability tickets\.write/,
  TICKET_NOT_CLOSED: /is open/,
  REOPEN_TOO_LATE: /14 days.*a new one/,
  OPENER_LEFT: /not a member any more/,
  OPENER_TICKET_LIMIT: /Who opened the ticket.*Close one of them/,
  TICKET_LIMIT: /You have.*Write in one of them/,
  TICKET_COOLDOWN: /5 tickets within ten minutes/,
  TICKET_PAUSE: /lately.*wait as long as/,
  TICKET_CATEGORY: /one of the categories/,
  GUILD_TICKET_LIMIT: /many open tickets.*Ask for some/,
  CHANNEL_LIMIT: /many channels as Discord allows.*Close a ticket/,
  NOTE_LIMIT: /notes on this person.*Remove one/,
  TICKET_NOTE_LIMIT: /notes on this ticket.*Remove one/,
  IDENTITY_LIMIT: /This person has.*Remove one/,
  GUILD_IDENTITY_LIMIT: /This guild has.*Remove some/,
  IDENTITY_TAKEN: /Somebody else.*remove it there/,
  LINK_CODE: /ask the member for a new one/,
  LINK_TRIES: /10 wrong codes.*Wait/,
  LINK_LIMIT: /5 codes within an hour/,
  GUILD_LINK_LIMIT: /Try again tomorrow/,
  APPEAL_DECIDED: /no longer waits/,
  VOTES_NEEDED: /Not enough moderators/,
  REPORTS_OFF: /takes no reports.*in the dashboard/,
  REPORT_REPEATED: /reported this already/,
  REPORT_LIMIT: /5 reports within an hour/,
  REPORTED_OFTEN: /many open reports about this person/,
  GUILD_REPORT_LIMIT: /guild has as many open reports/,
  REPORT_CLOSED: /is closed/,
  CASE_CHANGE_LIMIT: /50 times/,
  CASE_FORGOTTEN: /is forgotten/,
  CASE_LINK_LIMIT: /linked with 20 others/,
  CASE_LINK_SELF: /the same case/,
  CASE_EVIDENCE_LIMIT: /50 files and messages/,
  GUILD_EVIDENCE_LIMIT: /512 MB together/,
  END_IS_PAST: /over already.*Lift it instead/,
  NOT_DUE: /no reason for this, or none any more/,
  ACTION_ENDED: /has ended/,
  NOT_STOPPABLE: /can be stopped/,
  PREVIEW_LAPSED: /older than an hour.*a new one/,
  COUNT_DIFFERS: /another number of people.*repeat its number/,
  STILL_RUNNING: /still going on.*stop it first/,
  OTHER_GUILD: ANY,
  OWNER_ONLY: ANY,
  SESSION_REQUIRED: ANY,
  FOREIGN_ORIGIN: ANY,
  GUILD_NOT_PAID: ANY,
  TOKEN_LIMIT: ANY,
  NOT_ISSUER: ANY,
  SERVER_LIMIT: ANY,
  PRESET_LIMIT: ANY,
  IDENTITY_FORMAT: ANY,
  APPEAL_TOO_SOON: ANY,
  APPEAL_LIMIT: ANY,
  ESCALATION_CHANGED: ANY,
  STOPPED: ANY,
};

const REASONS = Object.keys(LEARNED) as ForbiddenReason[];
const SPECIFIC = REASONS.filter((reason) => LEARNED[reason] !== ANY);

test.each(REASONS)('who is refused with %s learns why', (reason) => {
  const { code, message, details } = forbidden(reason);
  expect([code, details]).toEqual(['FORBIDDEN', { reason }]);
  expect(message).toMatch(LEARNED[reason]);
  expect(message).toMatch(/^[A-Z].*\.$/);
});

test('no two reasons read the same', () => {
  expect(new Set(SPECIFIC.map((reason) => forbidden(reason).message)).size).toBe(SPECIFIC.length);
});

test('what is missing is named by its noun and id', () => {
  expect(notFound('ban', '123')).toEqual({
    code: 'NOT_FOUND',
    message: 'This guild has no ban of user 123.',
  });
});
