import {
  DISCORD_PERMISSIONS,
  type DiscordPermission,
  type ErrorCode,
  type ForbiddenReason,
  permissionTitle,
  type ServerProblem,
} from '@bailiff/core';
import { SERVER_PROBLEMS } from '@bailiff/core/server-problems';
import { byKey, type Translator } from './make.ts';

/** The content of an error envelope. */
export interface ToldError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: object | undefined;
}

const FORBIDDEN = {
  TARGET_IS_OWNER: 'targetIsOwner',
  TARGET_IS_BOT: 'targetIsBot',
  TARGET_IS_SELF: 'targetIsSelf',
  ROLE_HIERARCHY: 'roleHierarchy',
  BOT_MISSING_PERMISSION: 'botMissingPermission',
  BOT_TIMED_OUT: 'botTimedOut',
  TARGET_IS_ADMIN: 'targetIsAdmin',
  TWO_FACTOR_REQUIRED: 'twoFactorRequired',
  BAN_LIMIT: 'banLimit',
  ALREADY_BANNED: 'alreadyBanned',
  MUTED_LONGER: 'mutedLonger',
  MESSAGE_CONTENT_REQUIRED: 'messageContentRequired',
  CHANNEL_KIND: 'channelKind',
  CHANNEL_REQUIRED: 'channelRequired',
  THREAD_LOCKED: 'threadLocked',
  HAS_ROLE: 'hasRole',
  ROLE_NOT_GIVEN: 'roleNotGiven',
  ROLE_GIVES_POWER: 'roleGivesPower',
  THREAD_OR_CATEGORY: 'threadOrCategory',
  LOCKED_BY_HAND: 'lockedByHand',
  SYSTEM_MESSAGE: 'systemMessage',
  TEXT_BLOCKED: 'textBlocked',
  DISCORD_REFUSED: 'discordRefused',
  COMMAND_NOT_ALLOWED: 'commandNotAllowed',
  NO_GAME_COMMAND: 'noGameCommand',
  CASE_NOT_FITTING: 'caseNotFitting',
  SENT_BEFORE: 'sentBefore',
  NOT_CLAIMER: 'notClaimer',
  NOT_ASSIGNABLE: 'notAssignable',
  TICKET_NOT_CLOSED: 'ticketNotClosed',
  REOPEN_TOO_LATE: 'reopenTooLate',
  OPENER_LEFT: 'openerLeft',
  OPENER_TICKET_LIMIT: 'openerTicketLimit',
  OWNER_ONLY: 'ownerOnly',
  NOT_ISSUER: 'notIssuer',
  TICKET_LIMIT: 'ticketLimit',
  TICKET_COOLDOWN: 'ticketCooldown',
  TICKET_PAUSE: 'ticketPause',
  TICKET_CATEGORY: 'ticketCategory',
  GUILD_TICKET_LIMIT: 'guildTicketLimit',
  CHANNEL_LIMIT: 'channelLimit',
  NOTE_LIMIT: 'noteLimit',
  TICKET_NOTE_LIMIT: 'ticketNoteLimit',
  IDENTITY_LIMIT: 'identityLimit',
  GUILD_IDENTITY_LIMIT: 'guildIdentityLimit',
  IDENTITY_FORMAT: 'identityFormat',
  IDENTITY_TAKEN: 'identityTaken',
  LINK_CODE: 'linkCode',
  LINK_TRIES: 'linkTries',
  LINK_LIMIT: 'linkLimit',
  GUILD_LINK_LIMIT: 'guildLinkLimit',
  APPEAL_DECIDED: 'appealDecided',
  VOTES_NEEDED: 'votesNeeded',
  APPEAL_TOO_SOON: 'appealTooSoon',
  APPEAL_LIMIT: 'appealLimit',
  REPORTS_OFF: 'reportsOff',
  REPORT_REPEATED: 'reportRepeated',
  REPORT_LIMIT: 'reportLimit',
  REPORTED_OFTEN: 'reportedOften',
  GUILD_REPORT_LIMIT: 'guildReportLimit',
  REPORT_CLOSED: 'reportClosed',
  CASE_CHANGE_LIMIT: 'caseChangeLimit',
  CASE_FORGOTTEN: 'caseForgotten',
  CASE_LINK_LIMIT: 'caseLinkLimit',
  CASE_LINK_SELF: 'caseLinkSelf',
  CASE_EVIDENCE_LIMIT: 'caseEvidenceLimit',
  GUILD_EVIDENCE_LIMIT: 'guildEvidenceLimit',
  END_IS_PAST: 'endIsPast',
  PRESET_LIMIT: 'presetLimit',
  ESCALATION_CHANGED: 'escalationChanged',
  NOT_DUE: 'notDue',
  STOPPED: 'stopped',
  ACTION_ENDED: 'actionEnded',
  NOT_STOPPABLE: 'notStoppable',
  PREVIEW_LAPSED: 'previewLapsed',
  COUNT_DIFFERS: 'countDiffers',
  STILL_RUNNING: 'stillRunning',
} as const satisfies Partial<Record<ForbiddenReason, string>>;

const GUILD_STATES = {
  disconnected: 'disconnected',
  comparing: 'comparing',
  waiting: 'waiting',
  refused: 'refused',
  left: 'left',
} as const;

const UPSTREAMS = {
  bot: 'bot',
  discord: 'discord',
  game_server: 'gameServer',
  database: 'database',
} as const;

/**
 * The error message in the language of `t`, the translator of `errors`. If the language has no message for the code and
 * reason, it is the error's English message.
 */
export function sayError(t: Translator<'errors'>, { code, message, details = {} }: ToldError): string {
  const given = details as Readonly<Record<string, unknown>>;
  switch (code) {
    case 'CAPABILITY_DENIED':
      return t('capabilityDenied', { missing: [given.missing].flat().join(', ') });
    case 'ALREADY_CLAIMED':
      return t('alreadyClaimed');
    case 'RATE_LIMITED':
      return t('rateLimited', { seconds: Number(given.retry_after_seconds ?? 1) });
    case 'FORBIDDEN': {
      const key = lookUp(FORBIDDEN, given.reason);
      if (key === undefined) return message;
      const permissions = [given.permissions ?? []].flat().map((title) => sayPermission(t, String(title)));
      const channel = typeof given.channel_name === 'string' ? given.channel_name : '';
      return t(`forbidden.${key}`, {
        count: permissions.length,
        permissions: permissions.join(', '),
        where: channel !== '' ? 'channel' : given.channel_id === undefined ? 'guild' : 'there',
        channel,
        limit: Number(given.limit ?? 0),
        platform: String(given.platform),
      });
    }
    case 'UPSTREAM_UNAVAILABLE': {
      const state = lookUp(GUILD_STATES, given.guild_state);
      if (state !== undefined) return t(`guildState.${state}`);
      const upstream = lookUp(UPSTREAMS, given.upstream);
      if (upstream === undefined) return message;
      if (isServerProblem(given.server_problem)) {
        return t('unavailable.server', { problem: t(`gameServer.${given.server_problem}`) });
      }
      // The library's types do not understand a message that is only a choice.
      return byKey(t)(`unavailable.${upstream}`, {
        outcome: given.permanent === true ? 'permanent' : String(given.outcome),
      });
    }
    default:
      return message;
  }
}

/**
 * Why a game server could not be used, in the language of `t`. What an earlier release noted is a sentence already, and
 * stays as it is until the bot tries the server again.
 */
export function sayServerProblem(t: Translator<'errors'>, problem: string | null): string | null {
  return isServerProblem(problem) ? t(`gameServer.${problem}`) : problem;
}

function isServerProblem(problem: unknown): problem is ServerProblem {
  return (SERVER_PROBLEMS as readonly unknown[]).includes(problem);
}

/** A permission as Discord's client calls it in this language. */
function sayPermission(t: Translator<'errors'>, title: string): string {
  const names = Object.keys(DISCORD_PERMISSIONS) as DiscordPermission[];
  const name = names.find((each) => permissionTitle(each) === title);
  return name === undefined ? title : t(`permissions.${name}`);
}

function lookUp<Table extends object>(table: Table, key: unknown): Table[keyof Table] | undefined {
  return typeof key === 'string' && Object.hasOwn(table, key) ? table[key as keyof Table] : undefined;
}
