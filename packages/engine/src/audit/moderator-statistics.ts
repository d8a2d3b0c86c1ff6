import { CASE_KIND_NAMES, type CaseKind, type InputOf, type OutputOf } from '@bailiff/core';
import { type RowOf, sql } from '@bailiff/prisma';
import type { Read } from '#src/calls/readers.ts';

type Statistics = OutputOf<'audit.moderators'>;
type Moderator = Statistics['data'][number];

/** The moderators of an answer. */
const MOST = 100;

/** What is counted of a person: cases of a kind, or something else. */
const COUNTED = { user_id: sql.text.orNull, what: sql.text, count: sql.int };

// Whose count a case belongs to is part of the index, so a period of a large guild is counted without its rows. Nobody
// knows who banned by hand where the case names the bot.
const OPENED = `SELECT
    CASE WHEN source = 'token' OR source = 'system' OR issued_by IN (SELECT bot_user_id FROM gateway_shards)
         THEN NULL ELSE issued_by END AS user_id,
    CASE WHEN source = 'token' THEN 'by_tokens'
         WHEN source = 'system' OR issued_by IN (SELECT bot_user_id FROM gateway_shards) THEN 'automatic'
         ELSE kind::text END AS what, sum(count)::int AS count
  FROM (SELECT issued_by, kind, source, count(*) FROM cases
        WHERE guild_id = $1 AND import_id IS NULL AND issued_at >= (SELECT since FROM period)
        GROUP BY issued_by, kind, source) AS opened
  GROUP BY 1, 2`;

// A ban or mute in the place of which a later one stands is not lifted. Where one step ends both, it counts once.
const LIFTED = `SELECT c.issued_by AS user_id, a.id IS NOT NULL AS is_appealed
  FROM cases c LEFT JOIN appeals a ON a.case_id = c.id AND a.state = 'accepted'
  WHERE c.guild_id = $1 AND c.import_id IS NULL AND c.issued_at >= (SELECT since FROM period)
    AND c.ended_at IS NOT NULL AND (c.expires_at IS NULL OR c.ended_at < c.expires_at)
    AND (c.source IS NULL OR c.source NOT IN ('token', 'system'))
    AND c.issued_by NOT IN (SELECT bot_user_id FROM gateway_shards)
    AND (c.kind NOT IN ('ban', 'mute') OR NOT EXISTS (
      SELECT FROM cases later WHERE later.guild_id = c.guild_id AND later.user_id = c.user_id AND later.kind = c.kind
        AND later.id > c.id AND later.issued_at <= c.ended_at
        AND (later.ended_at IS NULL OR later.ended_at >= c.ended_at)))`;

// A ticket that closes by itself is the work of who has claimed it.
const CLOSED = `SELECT CASE WHEN actor_source = 'system' THEN t.claimed_by ELSE actor_user_id END AS user_id,
    CASE operation WHEN 'tickets.close' THEN 'tickets' ELSE 'reports' END AS what, count(DISTINCT target_id)::int AS count
  FROM audit LEFT JOIN tickets t ON actor_source = 'system' AND t.id = target_id AND t.guild_id = $1
  WHERE audit.guild_id = $1 AND NOT is_read AND operation IN ('tickets.close', 'reports.close')
    AND at >= (SELECT since FROM period) AND outcome = 'performed' AND actor_source IN ('chat', 'dashboard', 'system')
  GROUP BY 1, 2`;

/** What each moderator of a guild did in the last days. Cases that an import brought are left out. */
export function readModerators(
  guildId: string,
  { days, user_id }: InputOf<'audit.moderators'>,
): Read<typeof COUNTED, Statistics> {
  return {
    parameters: [sql.text, sql.int, sql.text.orNull],
    columns: COUNTED,
    text: `WITH period AS MATERIALIZED (SELECT now() - make_interval(days => $2) AS since),
        lifted AS MATERIALIZED (${LIFTED}),
        counted AS (
          ${OPENED}
          UNION ALL SELECT user_id, 'lifted', count(*)::int FROM lifted GROUP BY user_id
          UNION ALL SELECT user_id, 'appealed', count(*)::int FROM lifted WHERE is_appealed GROUP BY user_id
          UNION ALL ${CLOSED})
      SELECT true AS found, user_id, what, count FROM counted
      WHERE (user_id IS NOT NULL OR what IN ('by_tokens', 'automatic'))
        AND ($3::text IS NULL OR user_id IS NULL OR user_id = $3)`,
    values: [guildId, days, user_id ?? null],
    mayBeEmpty: true,
    isQuick: false,
    answer: (rows) => statisticsOf(days, rows),
  };
}

function statisticsOf(days: number, rows: readonly RowOf<typeof COUNTED>[]): Statistics {
  const people = new Map<string, Moderator>();
  const apart = { by_tokens: 0, automatic: 0 };
  for (const { user_id, what, count } of rows) {
    if (what === 'by_tokens' || what === 'automatic') apart[what] += count;
    if (user_id === null) continue;
    const person = people.get(user_id) ?? nothingOf(user_id);
    people.set(user_id, person);
    if (isKind(what)) person.cases[what] += count;
    else if (what === 'lifted' || what === 'appealed' || what === 'reports' || what === 'tickets')
      person[what] += count;
  }
  const ranked = [...people.values()].toSorted(
    (a, b) => workOf(b) - workOf(a) || (BigInt(a.user_id) < BigInt(b.user_id) ? -1 : 1),
  );
  return { days, data: ranked.slice(0, MOST), more: Math.max(0, ranked.length - MOST), ...apart };
}

function nothingOf(userId: string): Moderator {
  const cases = { strike: 0, ban: 0, mute: 0, warning: 0, kick: 0, softban: 0 };
  return { user_id: userId, cases, lifted: 0, appealed: 0, reports: 0, tickets: 0 };
}

function isKind(what: string): what is CaseKind {
  return CASE_KIND_NAMES.some((kind) => kind === what);
}

/** How many cases a moderator opened, of all kinds. */
export function casesOf({ cases }: Pick<Moderator, 'cases'>): number {
  return Object.values(cases).reduce((sum, count) => sum + count, 0);
}

function workOf(moderator: Moderator): number {
  return casesOf(moderator) + moderator.reports + moderator.tickets;
}
