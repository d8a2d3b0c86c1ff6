import { TIERS } from '#src/budgets.ts';
import { CAPABILITIES } from '#src/capabilities.ts';
import { ERRORS } from '#src/errors.ts';
import { GAME_PLATFORMS } from '#src/game-identities.ts';
import { SERVER_PROBLEMS } from '#src/server-problems.ts';

/** Schemas of the fields of `error.details`, for all codes of `ErrorDetails` together. */
const DETAILS = {
  reason: {
    type: 'string',
    description:
      'UNAUTHORIZED: TOKEN_INVALID. FORBIDDEN: why this cannot be done; the guide to this API says what each value means.',
  },
  permissions: {
    type: 'array',
    items: { type: 'string' },
    description:
      'FORBIDDEN, BOT_MISSING_PERMISSION: the Discord permissions to grant to the bot, where they are known.',
  },
  channel_id: {
    type: 'string',
    description:
      'FORBIDDEN, BOT_MISSING_PERMISSION: where to grant them, if the bot lacks them in one channel.',
  },
  channel_name: {
    type: 'string',
    description: 'FORBIDDEN, BOT_MISSING_PERMISSION: the name of that channel.',
  },
  platform: {
    type: 'string',
    enum: GAME_PLATFORMS,
    description: 'FORBIDDEN, IDENTITY_FORMAT: the kind of identity.',
  },
  permanent: {
    const: true,
    description: 'UPSTREAM_UNAVAILABLE: Discord would refuse the same call again.',
  },
  missing: {
    type: 'array',
    items: { type: 'string', enum: CAPABILITIES },
    description: 'CAPABILITY_DENIED: what the token lacks.',
  },
  expected_format: { type: 'string', description: 'INVALID_CONFIRMATION: the template.' },
  expected_concrete: { type: 'string', description: 'INVALID_CONFIRMATION: the sentinel of this very call.' },
  reauth_url: { type: 'string', format: 'uri', description: 'RE_AUTH_REQUIRED: where the owner approves.' },
  approval_id: {
    type: 'string',
    description: 'RE_AUTH_REQUIRED: the approval request of the call; absent while the token is muted.',
  },
  approval_state: {
    type: 'string',
    enum: ['pending', 'refused', 'muted'],
    description:
      'RE_AUTH_REQUIRED: the owner is asked, refused this call within the last hour, or lets this token ask for nothing.',
  },
  issues: {
    type: 'array',
    items: {
      type: 'object',
      required: ['path', 'message'],
      properties: {
        path: { type: 'string', description: 'The field, dotted; empty for the request as a whole.' },
        message: { type: 'string' },
      },
    },
    description: 'VALIDATION_FAILED: what is wrong, one entry per field.',
  },
  scope: {
    type: 'string',
    enum: ['ip', 'token', 'user', 'idempotency_key'],
    description: 'RATE_LIMITED: whose limit it is.',
  },
  tier: {
    type: 'string',
    enum: Object.keys(TIERS),
    description: "RATE_LIMITED: which of the token's or user's budgets is used up.",
  },
  retry_after_seconds: {
    type: 'integer',
    minimum: 1,
    description: 'RATE_LIMITED, and UPSTREAM_UNAVAILABLE where it is known: what Retry-After says.',
  },
  upstream: {
    type: 'string',
    enum: ['bot', 'discord', 'game_server', 'database'],
    description: 'UPSTREAM_UNAVAILABLE: who did not do their part.',
  },
  outcome: {
    type: 'string',
    enum: ['not_performed', 'unknown'],
    description: 'UPSTREAM_UNAVAILABLE: whether the call can have had an effect.',
  },
  guild_state: {
    type: 'string',
    enum: ['disconnected', 'comparing', 'waiting', 'refused', 'left'],
    description:
      'UPSTREAM_UNAVAILABLE of the bot: it is not connected, is comparing the guild with Discord, waits for Discord, ' +
      'Discord does not show it the guild, or it left the guild.',
  },
  server_problem: {
    type: 'string',
    enum: SERVER_PROBLEMS,
    description: 'UPSTREAM_UNAVAILABLE of a game server, not_performed: why nothing was sent to it.',
  },
  action_id: { type: 'string', description: 'UPSTREAM_UNAVAILABLE, unknown: ask GET /actions/{actionId}.' },
};

/** The envelope of every error. */
export const ERROR_SCHEMA = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'retryable', 'request_id', 'details'],
      properties: {
        code: { type: 'string', enum: Object.keys(ERRORS) },
        message: { type: 'string', description: 'For operators, not for end users' },
        retryable: { type: 'boolean', description: 'Whether the same call may succeed later' },
        request_id: { type: 'string', description: 'Quote it when you report a fault' },
        details: {
          type: 'object',
          properties: DETAILS,
          description: 'What the code adds: some of these fields, or none',
        },
      },
    },
  },
};
