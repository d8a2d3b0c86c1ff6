import type { ForbiddenReason } from '@bailiff/core';
import { forbidden } from '@bailiff/engine/calls/action-errors';
import type { ActionError } from '@bailiff/engine/calls/actions';
import { RESTJSONErrorCodes as Code } from 'discord.js';
import type { DiscordFailure } from './discord-api.ts';

/**
 * What a refusal of Discord means: it passes by itself, what Bailiff sent was wrong, what it was about does not exist,
 * or somebody must change something first, for this reason.
 */
type Meaning = 'temporary' | 'ours' | 'absent' | ForbiddenReason;

/** The codes of Discord's table of errors that the routes in use can answer. */
const MEANINGS: Readonly<Partial<Record<Code, Meaning>>> = {
  [Code.UnknownApplication]: 'ours',
  [Code.UnknownChannel]: 'absent',
  // Also said of a guild with an outage. The gateway says whether the bot has left one.
  [Code.UnknownGuild]: 'temporary',
  [Code.UnknownMember]: 'absent',
  [Code.UnknownMessage]: 'absent',
  [Code.UnknownPermissionOverwrite]: 'absent',
  [Code.UnknownRole]: 'absent',
  [Code.UnknownUser]: 'absent',
  [Code.UnknownWebhook]: 'absent',
  [Code.UnknownBan]: 'absent',
  [Code.UnknownSKU]: 'ours',
  [Code.UnknownInteraction]: 'absent',
  [Code.UnknownApplicationCommand]: 'absent',
  [Code.UnknownEntitlement]: 'absent',
  [Code.BotsCannotUseThisEndpoint]: 'ours',
  [Code.ExplicitContentCannotBeSentToTheDesiredRecipient]: 'TEXT_BLOCKED',
  [Code.ActionCannotBePerformedDueToSlowmodeRateLimit]: 'temporary',
  [Code.ChannelWriteRateLimit]: 'temporary',
  [Code.ServerWriteRateLimit]: 'temporary',
  [Code.StageTopicServerNameServerDescriptionOrChannelNamesContainDisallowedWords]: 'TEXT_BLOCKED',
  [Code.MaximumNumberOfGuildChannelsReached]: 'CHANNEL_LIMIT',
  [Code.MaximumNumberOfNonGuildMemberBansHasBeenExceeded]: 'BAN_LIMIT',
  [Code.MaximumNumberOfBanFetchesHasBeenReached]: 'temporary',
  [Code.MaximumNumberOfEditsToMessagesOlderThanOneHourReached]: 'temporary',
  [Code.Unauthorized]: 'ours',
  [Code.CloudflareIsBlockingYourRequest]: 'temporary',
  [Code.VerifyYourAccount]: 'ours',
  [Code.OpeningDirectMessagesTooFast]: 'temporary',
  [Code.SendMessagesHasBeenTemporarilyDisabled]: 'temporary',
  [Code.RequestEntityTooLarge]: 'ours',
  [Code.FeatureTemporarilyDisabledServerSide]: 'temporary',
  [Code.UserBannedFromThisGuild]: 'DISCORD_REFUSED',
  [Code.InteractionHasAlreadyBeenAcknowledged]: 'ours',
  [Code.MissingAccess]: 'BOT_MISSING_PERMISSION',
  [Code.CannotEditMessageAuthoredByAnotherUser]: 'ours',
  [Code.CannotSendAnEmptyMessage]: 'ours',
  [Code.CannotSendMessagesToThisUser]: 'DISCORD_REFUSED',
  [Code.CannotSendMessagesToThisUserDueToHavingNoMutualGuilds]: 'DISCORD_REFUSED',
  [Code.CannotSendMessagesInNonTextChannel]: 'CHANNEL_KIND',
  [Code.ChannelVerificationLevelTooHighForYouToGainAccess]: 'DISCORD_REFUSED',
  [Code.MissingPermissions]: 'BOT_MISSING_PERMISSION',
  [Code.InvalidToken]: 'ours',
  [Code.ProvidedTooFewOrTooManyMessagesToDelete]: 'ours',
  [Code.CannotExecuteActionOnSystemMessage]: 'SYSTEM_MESSAGE',
  [Code.CannotExecuteActionOnThisChannelType]: 'CHANNEL_KIND',
  [Code.InvalidOAuth2AccessToken]: 'DISCORD_REFUSED',
  [Code.InvalidRecipients]: 'DISCORD_REFUSED',
  [Code.OneOfTheMessagesProvidedWasTooOldForBulkDelete]: 'DISCORD_REFUSED',
  [Code.InvalidFormBodyOrContentType]: 'ours',
  [Code.InvalidAPIVersion]: 'ours',
  [Code.FileUploadedExceedsMaximumSize]: 'ours',
  [Code.CannotDeleteChannelRequiredForCommunityGuilds]: 'CHANNEL_REQUIRED',
  [Code.InvalidActionOnArchivedThread]: 'THREAD_LOCKED',
  [Code.RequestBodyContainsInvalidJSON]: 'ours',
  [Code.InvalidWebhookToken]: 'absent',
  [Code.TwoFactorAuthenticationIsRequired]: 'TWO_FACTOR_REQUIRED',
  [Code.APIResourceOverloaded]: 'temporary',
  [Code.ThreadLocked]: 'THREAD_LOCKED',
  [Code.MessageWasBlockedByAutomaticModeration]: 'TEXT_BLOCKED',
  [Code.TitleWasBlockedByAutomaticModeration]: 'TEXT_BLOCKED',
  [Code.MessageBlockedByHarmfulLinksFilter]: 'TEXT_BLOCKED',
};

/**
 * What a refusal means. A code that is not in the table, or none, goes by its HTTP status: what Discord refuses with a
 * 4xx, it refuses again. But a 404 that does not name what is missing comes from an incident: nothing is gone by that.
 * Nor is anything forbidden by a 403 without a code: it comes from Discord's edge, which knows nothing of permissions.
 */
export function meaningOf({ kind, code, status }: Pick<DiscordFailure, 'kind' | 'code' | 'status'>): Meaning {
  if (kind !== 'refused' || status === undefined || status === 429 || status >= 500) return 'temporary';
  const known = MEANINGS[code as Code];
  if (known !== undefined) return known;
  if (status === 401 || status === 405) return 'ours';
  const isUnnamed = status === 404 || (status === 403 && !code);
  return isUnnamed ? 'temporary' : 'DISCORD_REFUSED';
}

/** The error if Discord failed for now and nothing happened. */
export function discordFailed(message: string): ActionError<'UPSTREAM_UNAVAILABLE'> {
  return {
    code: 'UPSTREAM_UNAVAILABLE',
    status: 502,
    message,
    details: { upstream: 'discord', outcome: 'not_performed' },
  };
}

/** The usual meaning of a failed request: certainly nothing was done. */
export function usualRefusal(failure: DiscordFailure): ActionError {
  const meaning = meaningOf(failure);
  switch (meaning) {
    case 'temporary':
      return failure.retryAfterMs === undefined
        ? discordFailed(`${failure.message}. Nothing was done.`)
        : limitedByDiscord(failure.message, failure.retryAfterMs);
    case 'ours': {
      return {
        ...discordFailed(`${failure.message}. Nothing was done; tell the operator.`),
        details: { upstream: 'discord', outcome: 'not_performed', permanent: true },
      };
    }
    case 'absent':
      return { code: 'NOT_FOUND', message: absence(failure) };
    default:
      return forbidden(meaning);
  }
}

function limitedByDiscord(message: string, retryAfterMs: number): ActionError {
  return {
    code: 'UPSTREAM_UNAVAILABLE',
    status: 503,
    message: `${message}. Nothing was done.`,
    details: {
      upstream: 'discord',
      outcome: 'not_performed',
      retry_after_seconds: Math.max(1, Math.ceil(retryAfterMs / 1000)),
    },
  };
}

function absence({ code, message }: DiscordFailure): string {
  if (code === Code.UnknownUser) return 'Discord knows no user with this id.';
  if (code === Code.UnknownMember) return 'This user is not a member of the guild.';
  return `${message}.`;
}
