import { ApiError, type DetailsOf, type ErrorCode } from '#src/errors.ts';
import { EXAMPLE_IDS, exampleId } from '#src/operations/example-values.ts';

/** An error as a caller gets it, with the words of the place that throws it. */
function example<C extends ErrorCode>(code: C, message: string, details?: DetailsOf<C>): ApiError<C> {
  return new ApiError(code, message, details === undefined ? {} : { details });
}

/** An error of a request that cannot be read, with its status. */
function unreadable(status: number, path: string, message: string): ApiError {
  return new ApiError('VALIDATION_FAILED', message, { status, details: { issues: [{ path, message }] } });
}

const FORBIDDEN = [
  example('FORBIDDEN', "You are not above this member's highest role, so you cannot act on them.", {
    reason: 'ROLE_HIERARCHY',
  }),
  example(
    'CAPABILITY_DENIED',
    'This token may not do this: it needs the capability bans.write, which the guild owner grants in the dashboard.',
    { missing: ['bans.write'] },
  ),
  example(
    'TOKEN_IP_NOT_ALLOWED',
    'The token "nightly job" is not allowed from 203.0.113.7. Its owner can add this address.',
  ),
  example('CORS_DENIED', 'Browsers cannot call this API. Call it from a server.'),
] as const;

const WRONG_FIELDS = unreadable(422, 'user_id', 'must be a Discord id: a string of 17 to 20 digits');

/** The errors that calls can be answered with, by the name of the answer among the document's components. */
export const REFUSALS = {
  BadRequest: [
    unreadable(400, 'limit', 'must be at most 100'),
    unreadable(400, '', 'This is not a request this server takes.'),
  ],
  Unauthorized: [
    example('UNAUTHORIZED', 'Send a token of this service as "Authorization: Bearer svcpat_…".', {
      reason: 'TOKEN_INVALID',
    }),
    example('TOKEN_EXPIRED', 'This token has expired. The guild owner can renew it.'),
    example('TOKEN_REVOKED', 'This token was revoked. Ask the guild owner for a new one.'),
  ],
  Forbidden: FORBIDDEN,
  ForbiddenOrUnapproved: [
    ...FORBIDDEN,
    example(
      'RE_AUTH_REQUIRED',
      'This call needs the approval of the guild owner. Show them details.reauth_url, then send it again.',
      {
        reauth_url: `https://bailiff.example/guilds/${EXAMPLE_IDS.guild}/approvals?token=${exampleId('token')}&approval=${exampleId('approval')}`,
        approval_state: 'pending',
        approval_id: exampleId('approval'),
      },
    ),
  ],
  NotFound: [example('NOT_FOUND', `This guild has no ban of user ${EXAMPLE_IDS.user}.`)],
  TimedOut: [unreadable(408, '', 'The request did not arrive in time.')],
  AlreadyClaimed: [example('ALREADY_CLAIMED', 'Someone else has claimed this ticket.')],
  TooLarge: [unreadable(413, '', 'The body is larger than 64 KiB.')],
  Invalid: [WRONG_FIELDS],
  InvalidOrUnconfirmed: [
    WRONG_FIELDS,
    example(
      'INVALID_CONFIRMATION',
      `_confirmation must be "UNBAN USER ${EXAMPLE_IDS.user} IN GUILD ${EXAMPLE_IDS.guild}" for this call.`,
      {
        expected_format: 'UNBAN USER {userId} IN GUILD {guildId}',
        expected_concrete: `UNBAN USER ${EXAMPLE_IDS.user} IN GUILD ${EXAMPLE_IDS.guild}`,
      },
    ),
  ],
  RateLimited: [
    example('RATE_LIMITED', "This token's budget of destructive_write calls is used up. Try again in 60 s.", {
      scope: 'token',
      tier: 'destructive_write',
      retry_after_seconds: 60,
    }),
    example('RATE_LIMITED', 'Too many requests from your address. Try again in 212 s.', {
      scope: 'ip',
      retry_after_seconds: 212,
    }),
    example('RATE_LIMITED', 'The first call with this Idempotency-Key is still running.', {
      scope: 'idempotency_key',
      retry_after_seconds: 1,
    }),
  ],
  HeadersTooLarge: [unreadable(431, '', 'The headers are larger than 16 KiB.')],
  InternalError: [
    example('INTERNAL_ERROR', 'Something went wrong on our side. Quote request_id when you report it.'),
  ],
  UpstreamFailed: [
    new ApiError('UPSTREAM_UNAVAILABLE', 'Discord did not answer. Whether this happened is not known yet.', {
      details: { upstream: 'discord', outcome: 'unknown', action_id: exampleId('action') },
    }),
  ],
  Unavailable: [
    example(
      'UPSTREAM_UNAVAILABLE',
      'The bot is away, or busy with other calls of this server. Nothing was done, and nothing will be; try again.',
      { upstream: 'bot', outcome: 'not_performed', retry_after_seconds: 5 },
    ),
  ],
} as const satisfies Record<string, readonly [ApiError, ...ApiError[]]>;

export type RefusalName = keyof typeof REFUSALS;
