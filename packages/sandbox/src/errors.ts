import { RESTJSONErrorCodes as Code } from 'discord-api-types/v10';

/** An error answer of Discord's, with its status and JSON error code. */
export class DiscordError extends Error {
  readonly status: number;
  readonly code: number;
  readonly errors: Record<string, unknown> | undefined;

  constructor(status: number, code: number, message: string, errors?: Record<string, unknown>) {
    super(message);
    this.name = 'DiscordError';
    this.status = status;
    this.code = code;
    this.errors = errors;
  }

  toBody(): Record<string, unknown> {
    return {
      message: this.message,
      code: this.code,
      ...(this.errors === undefined ? {} : { errors: this.errors }),
    };
  }
}

/** Discord's documentation and its description lack this code. */
export const QUARANTINED = 20026;

const REFUSALS = {
  [Code.GeneralError]: [404, '404: Not Found'],
  [Code.UnknownChannel]: [404, 'Unknown Channel'],
  [Code.UnknownGuild]: [404, 'Unknown Guild'],
  [Code.UnknownMember]: [404, 'Unknown Member'],
  [Code.UnknownMessage]: [404, 'Unknown Message'],
  [Code.UnknownPermissionOverwrite]: [404, 'Unknown Overwrite'],
  [Code.UnknownRole]: [404, 'Unknown Role'],
  [Code.UnknownUser]: [404, 'Unknown User'],
  [Code.UnknownWebhook]: [404, 'Unknown Webhook'],
  [Code.UnknownBan]: [404, 'Unknown Ban'],
  [Code.UnknownInteraction]: [404, 'Unknown interaction'],
  [Code.UnknownApplicationCommand]: [404, 'Unknown application command'],
  [Code.UnknownEntitlement]: [404, 'Unknown entitlement'],
  [Code.UnknownApplication]: [404, 'Unknown Application'],
  [Code.InteractionHasAlreadyBeenAcknowledged]: [400, 'Interaction has already been acknowledged.'],
  [QUARANTINED]: [403, 'Your bot has been flagged by our anti-spam system for abusive behavior.'],
  [Code.OpeningDirectMessagesTooFast]: [403, 'You are opening direct messages too fast.'],
  [Code.MissingAccess]: [403, 'Missing Access'],
  [Code.CannotEditMessageAuthoredByAnotherUser]: [403, 'Cannot edit a message authored by another user'],
  [Code.CannotSendAnEmptyMessage]: [400, 'Cannot send an empty message'],
  [Code.CannotSendMessagesToThisUser]: [403, 'Cannot send messages to this user'],
  [Code.CannotSendMessagesToThisUserDueToHavingNoMutualGuilds]: [
    403,
    'Cannot send messages to this user due to having no mutual guilds',
  ],
  [Code.CannotSendMessagesInNonTextChannel]: [400, 'Cannot send messages in a non-text channel'],
  [Code.MissingPermissions]: [403, 'Missing Permissions'],
  [Code.InvalidRecipients]: [400, 'Invalid Recipient(s)'],
  [Code.OneOfTheMessagesProvidedWasTooOldForBulkDelete]: [
    400,
    'You can only bulk delete messages that are under 14 days old.',
  ],
  [Code.MaximumNumberOfApplicationCommandsReached]: [400, 'Maximum number of application commands reached'],
  [Code.InvalidAPIVersion]: [400, 'Invalid API version specified'],
  [Code.RequestBodyContainsInvalidJSON]: [400, 'The request body contains invalid JSON.'],
  [Code.InvalidWebhookToken]: [401, 'Invalid Webhook Token'],
  [Code.CannotExecuteActionOnThisChannelType]: [400, 'Cannot execute action on this channel type'],
  [Code.TwoFactorAuthenticationIsRequired]: [403, 'Two factor is required for this operation'],
  [Code.CannotExecuteActionOnSystemMessage]: [403, 'Cannot execute action on a system message'],
  [Code.CannotDeleteChannelRequiredForCommunityGuilds]: [
    400,
    'Cannot delete a channel required for Community guilds',
  ],
  [Code.InvalidActionOnArchivedThread]: [400, 'Thread is archived'],
  [Code.ThreadLocked]: [400, 'The thread is locked'],
  [Code.RequestEntityTooLarge]: [413, 'Request entity too large'],
} as const satisfies Partial<Record<Code | typeof QUARANTINED, readonly [number, string]>>;

/** Discord's error for a JSON error code, with Discord's status and message. */
export function refusal(code: keyof typeof REFUSALS): DiscordError {
  const [status, message] = REFUSALS[code];
  return new DiscordError(status, code, message);
}

/** A 400 with code 50035 that names the wrong field, nested as Discord does (`a.b` → `{ a: { b: … } }`). */
export function invalidForm(field: string, code: string, message: string): DiscordError {
  const leaf: Record<string, unknown> = { _errors: [{ code, message }] };
  const errors = field
    .split('.')
    .reverse()
    .reduce<Record<string, unknown>>((inner, name) => ({ [name]: inner }), leaf);
  return new DiscordError(400, Code.InvalidFormBodyOrContentType, 'Invalid Form Body', errors);
}

export function unauthorized(): DiscordError {
  return new DiscordError(401, 0, '401: Unauthorized');
}

export function methodNotAllowed(): DiscordError {
  return new DiscordError(405, 0, '405: Method Not Allowed');
}

/** The error of a control request that cannot be carried out. The message is for the person who sent it. */
export class ControlError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'ControlError';
    this.status = status;
  }
}
