import type { ApprovalState, OutputOf } from '@bailiff/core';
import { sql } from '@bailiff/prisma';
import { absent } from './absent.ts';
import type { Read } from './readers.ts';

const APPROVAL = {
  id: sql.text,
  operation: sql.text,
  state: sql.text.as<ApprovalState>(),
  scope: sql.text.as<'call' | 'window'>().orNull,
  approved_until: sql.timestamptz.orNull,
  asked_at: sql.timestamptz,
  lapses_at: sql.timestamptz,
  decided_at: sql.timestamptz.orNull,
  action_id: sql.text.orNull,
};

/**
 * What became of an approval request, for the token that made it. Whether the call is admitted now is decided as for the
 * call itself (SQL `window_admits`), so a request that nobody decided is approved while a window of its token is open.
 */
export function readApproval(
  guildId: string,
  tokenId: string,
  approvalId: string,
): Read<typeof APPROVAL, OutputOf<'approvals.get'>> {
  return {
    parameters: [sql.text, sql.text, sql.text],
    columns: APPROVAL,
    text: `SELECT true AS found, a.id, a.operation,
        CASE WHEN a.action_id IS NOT NULL THEN 'used'
             WHEN admitting.id IS NOT NULL THEN 'approved'
             WHEN a.state = 'pending' AND a.expires_at > clock_timestamp() THEN 'pending'
             WHEN a.state IN ('refused', 'withdrawn') THEN a.state::text
             WHEN granted.closed_at < granted.expires_at THEN 'withdrawn'
             ELSE 'lapsed' END AS state,
        CASE WHEN a.action_id IS NULL AND admitting.id IS NOT NULL
             THEN CASE WHEN admitting.digest IS NULL THEN 'window' ELSE 'call' END
             WHEN a.state IN ('approved_call', 'withdrawn') THEN 'call'
             WHEN a.state = 'approved_window' THEN 'window' END AS scope,
        admitting.expires_at AS approved_until, a.created_at AS asked_at, a.expires_at AS lapses_at, a.decided_at,
        a.action_id
      FROM approval_requests a
      LEFT JOIN windows granted ON granted.id = a.window_id
      LEFT JOIN LATERAL (SELECT w.id, w.digest, w.expires_at FROM windows w
        WHERE w.token_id = a.token_id AND w.guild_id = a.guild_id AND window_admits(w, a.digest)
        ORDER BY w.digest NULLS LAST, w.id DESC LIMIT 1) AS admitting ON true
      WHERE a.guild_id = $1 AND a.token_id = $2 AND a.id = $3`,
    values: [guildId, tokenId, approvalId],
    mayBeEmpty: false,
    isQuick: true,
    answer: ([row]) => {
      const { approved_until, asked_at, lapses_at, decided_at, ...rest } =
        row ?? absent('approval', approvalId);
      return {
        ...rest,
        approved_until: approved_until?.toISOString() ?? null,
        asked_at: asked_at.toISOString(),
        lapses_at: lapses_at.toISOString(),
        decided_at: decided_at?.toISOString() ?? null,
      };
    },
  };
}
