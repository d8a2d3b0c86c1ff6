import { z } from 'zod';
import { CAPABILITIES } from '#src/capabilities.ts';
import { id, Snowflake } from '#src/ids.ts';

/** ISO 8601 UTC with milliseconds (decisions: Names). */
export const Timestamp = z.iso.datetime({ precision: 3 }).meta({ examples: ['2026-01-31T12:00:00.000Z'] });

/** A point in time in a request: ISO 8601 UTC, within the range that both Discord's ids and PostgreSQL can hold. */
export const Moment = z.iso
  .datetime({ error: 'must be a time in ISO 8601 UTC, such as 2026-01-31T12:00:00Z' })
  .max(30)
  .refine((value) => value >= '2015' && value < '2100', 'must be a time between 2015 and 2099')
  .meta({ examples: ['2026-01-31T12:00:00Z'] });

/** Text that people wrote, without NUL and lone surrogates, which PostgreSQL cannot store. */
export function text(maxCharacters: number) {
  return z
    .string()
    .min(1)
    .max(maxCharacters)
    .refine((value) => !value.includes('\u0000'), 'must not contain the character U+0000')
    .refine((value) => value.isWellFormed(), 'must not contain a lone surrogate');
}

export const Reason = text(512).describe("Why, as the case and Discord's audit log will show it");

/** A duration in whole minutes, up to a year. */
export const Minutes = z.int().min(1).max(525_600);

/** Input of a list: its own filters and the paging fields (decisions: Operations). */
export function pageInput<Filters extends z.ZodRawShape>(filters: Filters) {
  return z.strictObject({
    ...filters,
    limit: z.int().min(1).max(100).default(50).describe('How many items at most'),
    cursor: z.string().max(512).optional().describe('next_cursor of the page before'),
  });
}

/** The page envelope (spec §2). */
export function page<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item), next_cursor: z.string().nullable() });
}

/** The fields that bans and mutes share (decisions: Operations). */
const Sanction = z.object({
  case_number: z.int().min(1),
  user_id: Snowflake,
  reason: z.string().nullable(),
  permanent: z.boolean(),
  issued_by: Snowflake,
  issued_at: Timestamp,
  expires_at: Timestamp.nullable(),
  lifted_by: Snowflake.nullable(),
  lifted_at: Timestamp.nullable(),
  active: z.boolean(),
});

export const Ban = z.object({ id: id('ban'), ...Sanction.shape }).meta({ id: 'Ban' });
export const Mute = z
  .object({
    id: id('mute'),
    ...Sanction.shape,
    // Calls set at most a year; another bot may have muted for longer, or may not have kept for how long.
    duration_minutes: z
      .int()
      .min(0)
      .describe(
        'An imported mute can be longer than a year, and has 0 where its source did not say how long it is',
      ),
  })
  .meta({ id: 'Mute' });

export const SEVERITIES = ['minor', 'major'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Spec §2 and decisions: Operations. */
export const Strike = z
  .object({
    id: id('strike'),
    case_number: z.int().min(1),
    user_id: Snowflake,
    player_name: z.string().nullable(),
    in_game_id: z.string().nullable(),
    severity: z.enum(SEVERITIES),
    category: z.string().nullable(),
    reason: z.string(),
    issued_by: Snowflake,
    issued_at: Timestamp,
    removed_by: Snowflake.nullable(),
    removed_at: Timestamp.nullable(),
    active: z.boolean(),
  })
  .meta({ id: 'Strike' });

export const TICKET_STATUSES = ['open', 'claimed', 'closed'] as const;
export type TicketStatus = (typeof TICKET_STATUSES)[number];

export const Ticket = z
  .object({
    id: id('ticket'),
    number: z.int().min(1),
    subject: z.string(),
    status: z.enum(TICKET_STATUSES),
    opened_by: Snowflake,
    channel_id: Snowflake.nullable(),
    opened_at: Timestamp,
    claimed_by: Snowflake.nullable(),
    claimed_at: Timestamp.nullable(),
    assigned_by: Snowflake.nullable().describe(
      'Who gave it to its claimer; null if they claimed it themselves',
    ),
    closed_by: Snowflake.nullable(),
    closed_at: Timestamp.nullable(),
    close_reason: z.string().nullable(),
    reopened_at: Timestamp.nullable().describe(
      'When it was opened again after a closing; null if it never was',
    ),
    reopened_by: Snowflake.nullable(),
    close_asked_by: Snowflake.nullable().describe(
      'Who asked its opener whether it is solved; null if nobody asks',
    ),
    closes_at: Timestamp.nullable().describe('When it closes by itself, unless its opener keeps it open'),
    category: z.string().nullable().describe('What its opener chose; null where the guild has no categories'),
    answers: z.array(z.object({ question: z.string(), answer: z.string() })).describe('To its questions'),
  })
  .meta({ id: 'Ticket' });

/** What can become of the direct message to the person whom an action concerns. */
const NOTICE_STATES = ['sending', 'told', 'closed', 'absent', 'not_sent', 'unknown', 'withdrawn'] as const;

/** What has become of it so far. */
export const Notice = z
  .enum(NOTICE_STATES)
  .nullable()
  .describe(
    'What became of the direct message to the person concerned: told; closed (they take none), absent (not a member), not_sent or unknown; withdrawn after a refusal. null if there is none',
  );

/** What happened to the messages that a purge selected; `archive_id` is null when none was deleted. */
export const Purge = z
  .object({
    requested: z.int().min(0),
    deleted: z.int().min(0),
    skipped_pinned: z.int().min(0),
    skipped_too_old: z.int().min(0),
    archive_id: id('archive').nullable(),
  })
  .meta({ id: 'Purge' });

/** A game server as tokens see it, without its password. */
export const Server = z
  .object({
    id: id('server'),
    name: z.string(),
    host: z.string(),
    port: z.int().min(1).max(65_535),
    reachable: z.boolean().nullable().describe('Whether the last check reached it; null before the first'),
    checked_at: Timestamp.nullable(),
  })
  .meta({ id: 'Server' });

export const RconRun = z
  .object({
    id: id('run'),
    server_id: id('server'),
    output: z.string().describe('The first 64 KiB'),
    truncated: z.boolean().describe('Whether there was more'),
    output_bytes: z.int().min(0).describe('How long it was; at most 1 MiB is read'),
    duration_ms: z.int().min(0),
  })
  .meta({ id: 'RconRun' });

/** A message that a purge deleted. Its text is empty if Discord hid it from the bot. */
export const PurgedMessage = z
  .object({
    id: Snowflake,
    author_id: Snowflake,
    author_name: z.string(),
    author_is_bot: z.boolean(),
    sent_at: Timestamp,
    text: z.string(),
    attachments: z.array(z.string()).describe('Names of the attached files, which are not kept'),
    reply_to: Snowflake.nullable(),
  })
  .meta({ id: 'PurgedMessage' });

/** A person's record. Someone who is not in the guild has no roles and no `joined_at`. */
export const Member = z
  .object({
    user_id: Snowflake,
    username: z.string().nullable(),
    display_name: z.string().nullable(),
    in_guild: z.boolean().nullable().describe('What Discord says; null if nobody could say in time'),
    role_ids: z.array(Snowflake),
    joined_at: Timestamp.nullable().describe(
      'What Discord says; null if nobody could say, or of who is not in the guild',
    ),
    counts: z.object({
      strikes: z.int().min(0),
      bans: z.int().min(0),
      mutes: z.int().min(0),
      tickets: z.int().min(0),
    }),
  })
  .meta({ id: 'Member' });

/** Where an action or audit row came from (decisions: Audit). */
export const ACTOR_SOURCES = ['token', 'chat', 'dashboard', 'system', 'operator'] as const;
export type ActorSource = (typeof ACTOR_SOURCES)[number];

export const AUDIT_OUTCOMES = [
  'requested',
  'performed',
  'failed',
  'unknown',
  'cancelled',
  'refused',
] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

export const AuditRow = z
  .object({
    id: id('audit'),
    at: Timestamp,
    actor_source: z.enum(ACTOR_SOURCES),
    actor_user_id: Snowflake.nullable().describe('User who acted; of a token, its issuer'),
    token_id: id('token').nullable(),
    token_name: z.string().nullable(),
    action: z.string().describe('Operation, such as bans.add, or what happened to a token'),
    target_type: z.string().nullable(),
    target_id: z.string().nullable(),
    outcome: z.enum(AUDIT_OUTCOMES),
    code: z.string().nullable().describe('Error code of a call that was refused or failed'),
    request_id: z.string().nullable(),
    address: z.string().nullable().describe("Only for a token of the guild's owner"),
    digest: z.string().nullable().describe('SHA-256 of the call in hexadecimal'),
    action_id: id('action').nullable(),
    count: z.int().describe('How often the refused call was made within an hour; of other rows 1'),
    last_at: Timestamp.describe('When it was made last; of other rows the same as at'),
  })
  .meta({ id: 'AuditRow' });

export const ACTION_STATES = ['pending', 'running', 'done', 'failed', 'unknown', 'cancelled'] as const;
export type ActionState = (typeof ACTION_STATES)[number];

export const ACTION_OUTCOMES = ['performed', 'not_performed', 'unknown'] as const;
export type ActionOutcome = (typeof ACTION_OUTCOMES)[number];

export const Action = z
  .object({
    id: id('action'),
    operation: z.string(),
    state: z.enum(ACTION_STATES),
    outcome: z.enum(ACTION_OUTCOMES).nullable().describe('null until the action has ended'),
    progress: z
      .object({
        done: z.int().min(0),
        of: z.int().min(0).nullable().describe('null where nobody knows how much there is to do'),
      })
      .nullable()
      .describe('How far a long action has got, while it runs'),
    stopped_by: Snowflake.nullable().describe('Who asked a long action to stop; null if nobody did'),
    notice: Notice,
    result: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe(
        "The body of the operation's answer, or { error } where the action failed; null until it has ended, and after 90 days",
      ),
  })
  .meta({ id: 'Action' });

/** State of a token's re-auth window (spec §2). */
export const Window = z
  .discriminatedUnion('open', [
    z.object({ open: z.literal(false) }),
    z.object({
      open: z.literal(true),
      window: z.object({ window_id: id('window'), expires_at: Timestamp }),
    }),
  ])
  .meta({ id: 'Window' });

const TierBudget = z
  .object({ capacity: z.int(), remaining: z.int().min(0), refill_per_minute: z.int() })
  .meta({ id: 'TierBudget' });
const Budget = z
  .object({ read: TierBudget, reversible_write: TierBudget, destructive_write: TierBudget })
  .meta({ id: 'Budget' });

export const TOKEN_KINDS = ['mcp', 'rest'] as const;
export const GUILD_TIERS = ['free', 'pro', 'operator'] as const;

/** What the bot knows about a guild: everything; or why not (decisions: Comparing a guild). */
export const GUILD_STATES = ['trusted', 'comparing', 'waiting', 'refused', 'disconnected'] as const;
export type GuildState = (typeof GUILD_STATES)[number];
export const GUILD_PROBLEMS = ['outage', 'no_answer', 'rate_limited', 'no_access'] as const;

/**
 * A token and what it may do now. `effective_capabilities` is the part of its snapshot that the issuer also holds; none
 * while the guild is not trusted.
 */
export const Me = z
  .object({
    token: z.object({
      id: id('token'),
      name: z.string(),
      kind: z.enum(TOKEN_KINDS),
      created_at: Timestamp,
      rotated_at: Timestamp.nullable(),
      expires_at: Timestamp.nullable(),
    }),
    issuer: z.object({ user_id: Snowflake, username: z.string().nullable() }),
    guild: z.object({
      id: Snowflake,
      name: z.string(),
      tier: z.enum(GUILD_TIERS),
      state: z
        .enum(GUILD_STATES)
        .describe(
          'trusted: calls are answered. Otherwise they get 503: the bot compares the guild with Discord, waits for ' +
            'Discord, is refused by it, or is not connected',
        ),
      problem: z.enum(GUILD_PROBLEMS).nullable().describe('What the bot waits for, or why it is refused'),
    }),
    snapshot: z.array(z.enum(CAPABILITIES)),
    effective_capabilities: z.array(z.enum(CAPABILITIES)),
    window: Window,
    budgets: z.object({ token: Budget, user: Budget }),
  })
  .meta({ id: 'Me' });
