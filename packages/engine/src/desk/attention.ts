import { type Database, LogChannelProblem, type RowOf, sql } from '@bailiff/prisma';
import { pageInTurn } from '#src/database/in-turn.ts';
import { mayReceive, type Subscriber } from './changes.ts';
import { FIRST_STEPS_DONE, type FirstStep } from './first-steps.ts';

/** Counts of what needs attention in a guild. A count is null if the viewer may not see it. */
export interface Attention {
  /** When the counting began, by the clock of the database, as ISO 8601. What was committed before is counted. */
  readonly countedAt: string;
  /** Only the owner can do anything until they confirm the roles' grants. */
  readonly grantsUnconfirmed: boolean | null;
  /** The first steps that are done. Null also if the owner has put them away. */
  readonly firstStepsDone: readonly FirstStep[] | null;
  /** Why cases cannot be posted in the log channel. */
  readonly logChannelProblem: string | null;
  /** Topics of the log channel in whose own channel nothing can be posted. */
  readonly logTopicsBroken: number | null;
  readonly pendingApprovals: number | null;
  readonly openWindows: number | null;
  readonly tokensToRotate: number | null;
  /** Within a week. */
  readonly tokensExpiring: number | null;
  readonly serversDown: number | null;
  readonly servers: number | null;
  readonly openTickets: number | null;
  readonly claimedTickets: number | null;
  /** Appeals without a decision. */
  readonly openAppeals: number | null;
  /** Those of them that nobody has looked at. */
  readonly newAppeals: number | null;
  readonly openReports: number | null;
  /** Bans that have run out and that the bot could not lift. */
  readonly bansNotLifted: number | null;
  /** Actions of the last day with an unknown outcome. */
  readonly unknownActions: number | null;
}

const COUNTED = {
  counted_at: sql.timestamptz,
  grants_unconfirmed: sql.bool,
  first_steps_done: sql.arrayOf(sql.text.as<FirstStep>()).orNull,
  log_channel_problem: sql.oneOf({ LogChannelProblem }).orNull,
  log_topics_broken: sql.int,
  pending_approvals: sql.int,
  open_windows: sql.int,
  tokens_to_rotate: sql.int,
  tokens_expiring: sql.int,
  servers_down: sql.int,
  servers: sql.int,
  open_tickets: sql.int,
  claimed_tickets: sql.int,
  open_appeals: sql.int,
  new_appeals: sql.int,
  open_reports: sql.int,
  bans_not_lifted: sql.int,
  unknown_actions: sql.int,
};
type Counted = RowOf<typeof COUNTED>;

const attentionOfGuild = sql.statement({
  parameters: [sql.text],
  columns: COUNTED,
  text: `SELECT now() AS counted_at, g.grants_confirmed_at IS NULL AS grants_unconfirmed,
      ${FIRST_STEPS_DONE} AS first_steps_done, g.log_channel_problem,
      -- Without a log channel nothing is posted, and the settings do not show the topics.
      (SELECT count(problem)::int FROM log_topics WHERE guild_id = $1 AND g.log_channel_id IS NOT NULL)
        AS log_topics_broken,
      (SELECT count(*)::int FROM approval_requests a JOIN tokens t ON t.id = a.token_id
       WHERE a.guild_id = $1 AND a.state = 'pending' AND a.expires_at > clock_timestamp()
         AND t.revoked_at IS NULL AND NOT has_open_window(t.id)) AS pending_approvals,
      (SELECT count(*)::int FROM windows
       WHERE guild_id = $1 AND window_is_open(opened_at, expires_at, closed_at) AND digest IS NULL)
        AS open_windows,
      live.to_rotate AS tokens_to_rotate, live.expiring AS tokens_expiring,
      known.down AS servers_down, known.servers,
      (SELECT count(*)::int FROM tickets WHERE guild_id = $1 AND status = 'open') AS open_tickets,
      (SELECT count(*)::int FROM tickets WHERE guild_id = $1 AND status = 'claimed') AS claimed_tickets,
      (SELECT count(*)::int FROM appeals WHERE guild_id = $1 AND state IN ('sent', 'in_review')) AS open_appeals,
      (SELECT count(*)::int FROM appeals WHERE guild_id = $1 AND state = 'sent') AS new_appeals,
      (SELECT count(*)::int FROM reports WHERE guild_id = $1 AND status = 'open') AS open_reports,
      (SELECT count(*)::int FROM cases
       WHERE guild_id = $1 AND end_failed_at IS NOT NULL AND ended_at IS NULL AND kind <> 'mute') AS bans_not_lifted,
      (SELECT count(*)::int FROM actions
       WHERE guild_id = $1 AND state = 'unknown' AND created_at > now() - interval '1 day') AS unknown_actions
    FROM guilds g
    CROSS JOIN LATERAL (
      -- Those of a former owner can be neither rotated nor renewed.
      SELECT count(*) FILTER (WHERE rotation_required_at IS NOT NULL)::int AS to_rotate,
        count(*) FILTER (WHERE expires_at < clock_timestamp() + interval '7 days')::int AS expiring
      FROM tokens WHERE guild_id = $1 AND issuer_id = g.owner_id AND revoked_at IS NULL
        AND (expires_at IS NULL OR expires_at > clock_timestamp())) AS live
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE reachable = false)::int AS down, count(*)::int AS servers
      FROM game_servers WHERE guild_id = $1) AS known
    WHERE g.id = $1`,
});

/** The counts of a guild, read once for any number of viewers. {@link attentionFor} gives each viewer their part. */
export function countAttention(db: Database, guildId: string): Promise<Counted | null> {
  return attentionOfGuild.first(db.pool, [guildId]);
}

/** The same for a page, of which people can open any number. Open pages share those that they are told of. */
export function attentionOnPage(db: Database, guildId: string): Promise<Counted | null> {
  return pageInTurn(db, guildId, () => countAttention(db, guildId));
}

export function attentionFor(counted: Counted, viewer: Subscriber): Attention {
  const owned = <Value>(value: Value) => (viewer.isOwner ? value : null);
  const heard = (kind: 'appeal' | 'audit' | 'report' | 'server' | 'ticket', value: number) =>
    mayReceive(kind, viewer) ? value : null;
  return {
    countedAt: counted.counted_at.toISOString(),
    grantsUnconfirmed: owned(counted.grants_unconfirmed),
    firstStepsDone: owned(counted.first_steps_done),
    logChannelProblem: owned(counted.log_channel_problem),
    logTopicsBroken: owned(counted.log_topics_broken),
    pendingApprovals: owned(counted.pending_approvals),
    openWindows: owned(counted.open_windows),
    tokensToRotate: owned(counted.tokens_to_rotate),
    tokensExpiring: owned(counted.tokens_expiring),
    serversDown: heard('server', counted.servers_down),
    servers: heard('server', counted.servers),
    openTickets: heard('ticket', counted.open_tickets),
    claimedTickets: heard('ticket', counted.claimed_tickets),
    openAppeals: heard('appeal', counted.open_appeals),
    newAppeals: heard('appeal', counted.new_appeals),
    openReports: heard('report', counted.open_reports),
    bansNotLifted:
      viewer.isOwner || viewer.capabilities.includes('bans.read') ? counted.bans_not_lifted : null,
    unknownActions: heard('audit', counted.unknown_actions),
  };
}
