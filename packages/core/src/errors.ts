/**
 * The error codes of the public surfaces, locked at v1 (spec §7, §9). Statuses, envelopes and documents come from this
 * table.
 */
export const ERRORS = {
  UNAUTHORIZED: { status: 401, retryable: false, meaning: 'The token is missing, malformed or unknown.' },
  FORBIDDEN: {
    status: 403,
    retryable: false,
    meaning: 'The token is valid, but its issuer or the bot cannot act on this target.',
  },
  CAPABILITY_DENIED: {
    status: 403,
    retryable: false,
    meaning: "The token's snapshot, narrowed by what its issuer may do now, lacks the capability.",
  },
  INVALID_CONFIRMATION: {
    status: 422,
    retryable: false,
    meaning: 'The _confirmation sentinel is missing or does not match this call.',
  },
  RE_AUTH_REQUIRED: {
    status: 403,
    retryable: false,
    meaning: 'No window is open for this token: show details.reauth_url to the guild owner and wait.',
  },
  NOT_FOUND: { status: 404, retryable: false, meaning: 'The target is absent or not visible to the token.' },
  VALIDATION_FAILED: {
    status: 422,
    retryable: false,
    meaning: 'The request cannot be read (400), is too large (413) or has wrong fields (422).',
  },
  RATE_LIMITED: {
    status: 429,
    retryable: true,
    meaning: 'A limit of the address, the token or the user is used up: wait Retry-After seconds.',
  },
  UPSTREAM_UNAVAILABLE: {
    status: 503,
    retryable: true,
    meaning: 'The bot (503), Discord or the game server (502) did not do its part.',
  },
  TOKEN_EXPIRED: {
    status: 401,
    retryable: false,
    meaning: 'The token is past its expiry: renew or rotate it.',
  },
  TOKEN_REVOKED: { status: 401, retryable: false, meaning: 'The token is permanently revoked.' },
  TOKEN_IP_NOT_ALLOWED: {
    status: 403,
    retryable: false,
    meaning: "The caller's address is outside the token's allowlist.",
  },
  CORS_DENIED: {
    status: 403,
    retryable: false,
    meaning: 'A browser called directly; tokens are for servers.',
  },
  ALREADY_CLAIMED: {
    status: 409,
    retryable: false,
    meaning: 'Someone else has claimed the ticket or report.',
  },
  INTERNAL_ERROR: {
    status: 500,
    retryable: true,
    meaning: 'An error of ours; it was logged under the request id.',
  },
} as const satisfies Record<string, { status: number; retryable: boolean; meaning: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** Why a caller cannot act on a target, in the order in which the reasons are checked (decisions: Errors). */
export type ForbiddenReason =
  | 'TARGET_IS_OWNER'
  | 'TARGET_IS_BOT'
  | 'TARGET_IS_SELF'
  | 'ROLE_HIERARCHY'
  | 'BOT_MISSING_PERMISSION'
  | 'BOT_TIMED_OUT'
  | 'TARGET_IS_ADMIN'
  | 'TWO_FACTOR_REQUIRED'
  | 'BAN_LIMIT'
  | 'ALREADY_BANNED'
  | 'MUTED_LONGER'
  | 'MESSAGE_CONTENT_REQUIRED'
  | 'CHANNEL_KIND'
  | 'CHANNEL_REQUIRED'
  | 'THREAD_LOCKED'
  | 'HAS_ROLE'
  | 'ROLE_NOT_GIVEN'
  | 'ROLE_GIVES_POWER'
  | 'THREAD_OR_CATEGORY'
  | 'LOCKED_BY_HAND'
  | 'SYSTEM_MESSAGE'
  | 'TEXT_BLOCKED'
  | 'DISCORD_REFUSED'
  | 'COMMAND_NOT_ALLOWED'
  | 'NO_GAME_COMMAND'
  | 'CASE_NOT_FITTING'
  | 'SENT_BEFORE'
  | 'NOT_CLAIMER'
  | 'NOT_ASSIGNABLE'
  | 'TICKET_NOT_CLOSED'
  | 'REOPEN_TOO_LATE'
  | 'OPENER_LEFT'
  | 'OPENER_TICKET_LIMIT'
  | 'OTHER_GUILD'
  | 'OWNER_ONLY'
  | 'SESSION_REQUIRED'
  | 'FOREIGN_ORIGIN'
  | 'GUILD_NOT_PAID'
  | 'TOKEN_LIMIT'
  | 'NOT_ISSUER'
  | 'SERVER_LIMIT'
  | 'TICKET_LIMIT'
  | 'TICKET_COOLDOWN'
  | 'TICKET_PAUSE'
  | 'TICKET_CATEGORY'
  | 'GUILD_TICKET_LIMIT'
  | 'CHANNEL_LIMIT'
  | 'PRESET_LIMIT'
  | 'NOTE_LIMIT'
  | 'TICKET_NOTE_LIMIT'
  | 'IDENTITY_LIMIT'
  | 'GUILD_IDENTITY_LIMIT'
  | 'IDENTITY_TAKEN'
  | 'IDENTITY_FORMAT'
  | 'LINK_CODE'
  | 'LINK_TRIES'
  | 'LINK_LIMIT'
  | 'GUILD_LINK_LIMIT'
  | 'APPEAL_DECIDED'
  | 'VOTES_NEEDED'
  | 'APPEAL_TOO_SOON'
  | 'APPEAL_LIMIT'
  | 'REPORTS_OFF'
  | 'REPORT_REPEATED'
  | 'REPORT_LIMIT'
  | 'REPORTED_OFTEN'
  | 'GUILD_REPORT_LIMIT'
  | 'REPORT_CLOSED'
  | 'CASE_CHANGE_LIMIT'
  | 'CASE_FORGOTTEN'
  | 'CASE_LINK_LIMIT'
  | 'CASE_LINK_SELF'
  | 'CASE_EVIDENCE_LIMIT'
  | 'GUILD_EVIDENCE_LIMIT'
  | 'END_IS_PAST'
  | 'ESCALATION_CHANGED'
  | 'NOT_DUE'
  | 'STOPPED'
  | 'ACTION_ENDED'
  | 'NOT_STOPPABLE'
  | 'PREVIEW_LAPSED'
  | 'COUNT_DIFFERS'
  | 'STILL_RUNNING';

/** Why a game server could not be used. */
export type ServerProblem =
  | 'login_refused'
  | 'login_lost'
  | 'unreachable'
  | 'connection_refused'
  | 'connection_failed'
  | 'connection_closed'
  | 'no_answer'
  | 'no_login_answer'
  | 'no_rcon'
  | 'endless'
  | 'name_unknown'
  | 'name_slow'
  | 'address_private';

export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** The type of `error.details`, by code. Those of a code that is not listed are empty. */
export interface ErrorDetails {
  UNAUTHORIZED: { reason: 'TOKEN_INVALID' | 'SESSION_REQUIRED' | 'SIGN_IN_AGAIN' };
  /**
   * With `BOT_MISSING_PERMISSION`: the Discord permissions to grant, if they are known, and the channel where the bot
   * lacks them, if it is not the whole guild.
   */
  FORBIDDEN: {
    reason: ForbiddenReason;
    permissions?: readonly string[];
    channel_id?: string;
    channel_name?: string;
    /** With `TICKET_LIMIT` and `GUILD_TICKET_LIMIT`: how many may be open. With `TICKET_PAUSE`: minutes. */
    limit?: number;
    /** With `IDENTITY_FORMAT`: the kind of identity. */
    platform?: string;
  };
  CAPABILITY_DENIED: { missing: readonly string[] };
  INVALID_CONFIRMATION: { expected_format: string; expected_concrete: string };
  /**
   * `pending`: the owner is asked. `refused`: they refused this call within the last hour. `muted`: they let this token
   * ask for nothing, so there is no request.
   */
  RE_AUTH_REQUIRED:
    | { reauth_url: string; approval_state: 'pending' | 'refused'; approval_id: string }
    | { reauth_url: string; approval_state: 'muted'; approval_id?: undefined };
  VALIDATION_FAILED: { issues: readonly Issue[] };
  RATE_LIMITED:
    | { scope: 'token' | 'user'; tier: string; retry_after_seconds: number }
    | { scope: 'ip' | 'session' | 'idempotency_key'; retry_after_seconds: number };
  UPSTREAM_UNAVAILABLE: {
    upstream: 'bot' | 'discord' | 'game_server' | 'database';
    outcome: 'not_performed' | 'unknown';
    action_id?: string;
    retry_after_seconds?: number;
    /** Why the bot cannot say what may be done in the guild, or do it. */
    guild_state?: 'disconnected' | 'comparing' | 'waiting' | 'refused' | 'left';
    /** Why a command was not sent to the game server. */
    server_problem?: ServerProblem;
    /** The same call would be refused again. */
    permanent?: true;
  };
}

export type DetailsOf<C extends ErrorCode> = C extends keyof ErrorDetails
  ? ErrorDetails[C]
  : Readonly<Record<string, never>>;

/** The envelope of every error on every surface (spec §7). */
export interface ErrorEnvelope {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly retryable: boolean;
    readonly request_id: string;
    /** Empty where there is nothing to add, so that callers can read a field of it without asking first. */
    readonly details: object;
  };
}

/** An error for the caller of a public surface. Each surface catches it in one place. */
export class ApiError<C extends ErrorCode = ErrorCode> extends Error {
  readonly code: C;
  /** HTTP status: the one in the table, or a more specific one that the decision names (400, 413, 502). */
  readonly status: number;
  readonly details: DetailsOf<C> | undefined;

  /** @param options.cause what went wrong on our side. It is logged, and not told. */
  constructor(
    code: C,
    message: string,
    options: { details?: DetailsOf<C>; status?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'ApiError';
    this.code = code;
    this.details = options.details;
    // 503 is for what certainly did not happen (decisions: Errors).
    this.status = this.#isUnknown ? 502 : (options.status ?? ERRORS[code].status);
  }

  /** Whether it is not known if the call happened. */
  get #isUnknown(): boolean {
    const details: object | undefined = this.details;
    return details !== undefined && 'outcome' in details && details.outcome === 'unknown';
  }

  /** Whole seconds for `Retry-After`, at least 1; only with 429 and 503 (decisions: Request pipeline). */
  get retryAfterSeconds(): number | undefined {
    if (this.status !== 429 && this.status !== 503) return undefined;
    const details: object | undefined = this.details;
    const given = details && 'retry_after_seconds' in details ? Number(details.retry_after_seconds) : 1;
    return Math.max(1, Math.ceil(given));
  }

  /**
   * The body of the answer.
   *
   * @param hasKey whether the request had an Idempotency-Key; without one, a call whose outcome is unknown must not be
   * sent again
   */
  envelope(requestId: string, { hasKey = false }: { readonly hasKey?: boolean } = {}): ErrorEnvelope {
    const details: object | undefined = this.details;
    const isPermanent = details !== undefined && 'permanent' in details;
    return {
      error: {
        code: this.code,
        message: this.message,
        retryable: ERRORS[this.code].retryable && !isPermanent && (hasKey || !this.#isUnknown),
        request_id: requestId,
        details: details ?? {},
      },
    };
  }
}
