import { AuditOutcome, type Database, sql } from '@bailiff/prisma';
import { inTransaction, type Transaction } from '#src/database/transaction.ts';

/** Age of a secret at which its rotation is required (spec §3). */
const REQUIRED_AFTER_DAYS = 180;
/** Rows that one statement marks: few enough that calls do not wait long for one of them. */
const BATCH = 5_000;
/** Most attempts for an issuer who cannot be reached. The banner stays (spec §6). */
const MOST_ATTEMPTS = 3;

// The order makes the planner use the index. It expects a third of all rows and would read the whole table.
const requireRotationOfSome = sql.command({
  parameters: [sql.int, sql.bigint],
  text: `UPDATE tokens SET rotation_required_at = clock_timestamp(), rotation_notice_attempts = 0,
      rotation_noticed_at = NULL
    WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM tokens
      WHERE coalesce(rotated_at, created_at) <= now() - make_interval(days => $1)
        AND rotation_required_at IS NULL AND revoked_at IS NULL
      ORDER BY coalesce(rotated_at, created_at) LIMIT $2 FOR UPDATE SKIP LOCKED))`,
});

/**
 * Marks every token with a secret that is 180 days old, also tokens without expiry. The dashboard shows a banner from
 * then on (spec §3). Nothing else about them changes.
 *
 * @returns how many were marked
 */
export async function requireRotation(db: Database): Promise<{ required: number }> {
  let required = 0;
  for (;;) {
    const marked = await requireRotationOfSome.run(db.pool, [REQUIRED_AFTER_DAYS, BATCH]);
    required += marked;
    if (marked < BATCH) return { required };
  }
}

/** The recipient of a message: one for each issuer and guild, for any number of tokens. */
export interface NoticeTo {
  readonly guildId: string;
  readonly userId: string;
}

export interface Notice extends NoticeTo {
  readonly guildName: string;
  /** The guild's language: a locale of core's messages. */
  readonly language: string;
  readonly tokens: readonly { readonly id: string; readonly name: string }[];
}

// A message is due for a token that must be rotated, still works, and was not mentioned since.
const WAITING = `t.rotation_required_at IS NOT NULL AND t.rotation_noticed_at IS NULL AND t.revoked_at IS NULL
  AND (t.expires_at IS NULL OR t.expires_at > clock_timestamp())`;

const longestWaiting = sql.statement({
  parameters: [sql.bigint],
  columns: { guild_id: sql.text, issuer_id: sql.text },
  text: `SELECT t.guild_id, t.issuer_id FROM tokens t JOIN guilds g ON g.id = t.guild_id AND g.left_at IS NULL
    WHERE ${WAITING} GROUP BY t.guild_id, t.issuer_id ORDER BY min(t.rotation_required_at), t.guild_id LIMIT $1`,
});

/** The next recipients. Those who have waited longest come first. */
export async function waitingNotices(db: Database, most: number): Promise<NoticeTo[]> {
  const rows = await longestWaiting.all(db.pool, [most]);
  return rows.map((row) => ({ guildId: row.guild_id, userId: row.issuer_id }));
}

const claimNoticeOf = sql.statement({
  parameters: [sql.text, sql.text],
  columns: { id: sql.text, name: sql.text, guild_name: sql.text, language: sql.text },
  text: `UPDATE tokens t SET rotation_noticed_at = clock_timestamp(),
      rotation_notice_attempts = t.rotation_notice_attempts + 1
    FROM guilds g WHERE g.id = t.guild_id AND t.guild_id = $1 AND t.issuer_id = $2 AND ${WAITING}
    RETURNING t.id, t.name, g.name AS guild_name, g.language`,
});

/**
 * Claims the message for an issuer, so that nobody else sends it. If this process ends before it sends the message,
 * nobody sends it. Null if nothing is due any more.
 */
export function claimNotice(db: Database, to: NoticeTo): Promise<Notice | null> {
  return inTransaction(db, async (tx) => {
    const rows = await claimNoticeOf.all(tx, [to.guildId, to.userId]);
    const [first] = rows;
    if (first === undefined) return null;
    const { guild_name: guildName, language } = first;
    return { ...to, guildName, language, tokens: rows.map(({ id, name }) => ({ id, name })) };
  });
}

/** The result of a message that was not sent, or may not have been sent. */
export type NoticeFailure =
  /** The issuer does not accept messages from the bot. */
  | 'closed'
  /** It is unknown whether it arrived. */
  | 'unknown'
  /** It was not sent, and may succeed on another night. */
  | 'not_sent';

const auditReminder = sql.command({
  parameters: [sql.text, sql.text, sql.oneOf({ AuditOutcome }), sql.jsonb<object>()],
  text: `INSERT INTO audit (guild_id, actor_source, operation, target_type, target_id, outcome, details)
    VALUES ($1, 'system', 'tokens.remind', 'user', $2, $3, $4)`,
});

/**
 * Records in the audit log that a message was sent, or why it was not. A message that was not sent is tried again, at
 * most three times in all.
 */
export function settleNotice(db: Database, notice: Notice, failure: NoticeFailure | null): Promise<void> {
  return inTransaction(db, async (tx) => {
    if (failure === 'not_sent') await waitAgain(tx, notice);
    const outcome = failure === null ? 'performed' : failure === 'unknown' ? 'unknown' : 'failed';
    const details = {
      token_ids: notice.tokens.map(({ id }) => id),
      ...(failure === null ? {} : { reason: failure }),
    };
    await auditReminder.run(tx, [notice.guildId, notice.userId, outcome, details]);
  });
}

async function waitAgain(tx: Transaction, { tokens }: Notice): Promise<void> {
  await tx.prisma.token.updateMany({
    where: { id: { in: tokens.map(({ id }) => id) }, rotationNoticeAttempts: { lt: MOST_ATTEMPTS } },
    data: { rotationNoticedAt: null },
  });
}
