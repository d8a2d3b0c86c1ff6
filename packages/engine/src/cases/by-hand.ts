import type { OperationName } from '@bailiff/core';
import { CaseKind, type Database, type Queryable, sql } from '@bailiff/prisma';
import { inTransaction, type Transaction } from '#src/database/transaction.ts';
import { CASE, CASE_COLUMNS, type CaseRow, endCasesOf, type NewCase, only, openCase } from './cases.ts';
import { replacedBy } from './sanctions.ts';

/** What people can do in Discord itself, as the operation of Bailiff that does the same. */
type ManualOperation = 'bans.add' | 'bans.lift' | 'mutes.add' | 'mutes.lift';

const MANUAL: Readonly<
  Record<ManualOperation, { readonly kind: keyof typeof ALIKE; readonly does: 'start' | 'end' }>
> = {
  'bans.add': { kind: 'ban', does: 'start' },
  'bans.lift': { kind: 'ban', does: 'end' },
  'mutes.add': { kind: 'mute', does: 'start' },
  'mutes.lift': { kind: 'mute', does: 'end' },
};

/** What else Bailiff does that looks like it at Discord, or changes it. */
const ALIKE = { ban: ['bans.change', 'bans.soft'], mute: ['mutes.change'] } as const satisfies Record<
  string,
  readonly OperationName[]
>;

/** An action that a person took in Discord itself, by hand or with another bot, from the guild's audit log there. */
export interface ManualAction {
  readonly guildId: string;
  /** Id of the entry in that audit log. Without one: the operation and the person, then anything, as in `a:1:…`. */
  readonly entryId: string;
  readonly operation: ManualOperation;
  readonly userId: string;
  /** Who did it. */
  readonly by: string;
  /** Nobody knows who did it, which may have been Bailiff itself. */
  readonly isAnonymous?: true;
  readonly reason: string | null;
  readonly at: Date;
  /** When the given timeout ends, or when the removed one would have ended. Null for a ban. */
  readonly until: Date | null;
}

/**
 * `contested`: an action of Bailiff on the same user is running, so the order is unknown until it is settled.
 * `unchanged`: it was already on record, or something later is.
 */
export type ManualActionOutcome = 'recorded' | 'unchanged' | 'contested';

const keepLogEntry = sql.command({
  parameters: [sql.text, sql.text],
  text: 'INSERT INTO discord_log_entries (guild_id, entry_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
});

/**
 * Records a manual action, once, however often it is reported: the case that it opens or ends, and its audit row
 * (decisions: By hand in Discord).
 *
 * @param foundBy named as issuer of a ban or timeout that was never on record and is lifted now
 * @param compare what the record says of it now that no action can change it any more; default: nothing
 */
export function recordManualAction(
  db: Database,
  manual: ManualAction,
  foundBy: string,
  compare?: (tx: Transaction) => Promise<ManualActionOutcome | 'news'>,
): Promise<ManualActionOutcome> {
  return inTransaction(db, async (tx) => {
    if (await isContested(tx, manual)) return 'contested';
    // Then it may be what Bailiff did. Whoever settles that looks at what stands.
    if (manual.isAnonymous === true && (await isOutcomeOpen(tx, manual))) return 'unchanged';
    const compared = (await compare?.(tx)) ?? 'news';
    if (compared !== 'news') return compared;
    if ((await keepLogEntry.run(tx, [manual.guildId, manual.entryId])) === 0) return 'unchanged';
    const { does } = MANUAL[manual.operation];
    const changed =
      (await nameAnonymous(tx, manual)) ??
      (does === 'start' ? await recordStart(tx, manual) : await recordEnd(tx, manual, foundBy));
    if (changed === null) return 'unchanged';
    await tx.prisma.discordLogEntry.updateMany({
      where: { guildId: manual.guildId, entryId: manual.entryId },
      data: { caseId: changed.id },
    });
    await auditManualAction(tx, manual, changed);
    return 'recorded';
  });
}

const actionUnderWay = sql.command({
  parameters: [sql.text, sql.text, sql.arrayOf(sql.text)],
  text: `SELECT FROM actions WHERE guild_id = $1 AND target_id = $2 AND operation = ANY ($3)
    AND (state = 'pending' AND claim_by > clock_timestamp()
      OR state = 'running' AND lease_expires_at > clock_timestamp()) LIMIT 1`,
});

async function isContested(tx: Transaction, { guildId, userId, operation }: ManualAction): Promise<boolean> {
  return (await actionUnderWay.run(tx, [guildId, userId, operationsLike(operation)])) === 1;
}

const actionWithoutOutcome = sql.command({
  parameters: [sql.text, sql.text, sql.arrayOf(sql.text)],
  text: `SELECT FROM actions WHERE guild_id = $1 AND target_id = $2 AND operation = ANY ($3) AND state = 'unknown'
    AND looked_at IS DISTINCT FROM 'infinity' LIMIT 1`,
});

/** Whether it is still being found out how an action of Bailiff ended that does something like it to the same person. */
export async function isOutcomeOpen(
  db: Queryable,
  { guildId, userId, operation }: Pick<ManualAction, 'guildId' | 'userId' | 'operation'>,
): Promise<boolean> {
  return (await actionWithoutOutcome.run(db, [guildId, userId, operationsLike(operation)])) === 1;
}

/** The operations that start, change or end what this one does. */
function operationsLike(operation: ManualOperation): string[] {
  const { kind } = MANUAL[operation];
  const others = Object.entries(MANUAL).flatMap(([name, each]) => (each.kind === kind ? name : []));
  return [...others, ...ALIKE[kind]];
}

const anonymousCase = (who: string, why: string, when: string) =>
  sql.statement({
    parameters: [sql.text, sql.text, sql.text, sql.text, sql.text.orNull, sql.timestamptz],
    columns: CASE,
    text: `UPDATE cases SET ${who} = $4, ${why} = $5
      WHERE guild_id = $1 AND user_id = $2 AND ${when} BETWEEN $6::timestamptz - interval '1 minute'
        AND $6::timestamptz + interval '1 minute'
        AND id IN (SELECT case_id FROM discord_log_entries
          WHERE guild_id = $1 AND starts_with(entry_id, $3 || ':' || $2 || ':'))
      RETURNING ${CASE_COLUMNS}`,
  });

const ANONYMOUS = {
  start: anonymousCase('issued_by', 'reason', 'issued_at'),
  end: anonymousCase('ended_by', 'end_reason', 'ended_at'),
} as const;

/** Says who did it in the case of what was seen before anybody could know. Null if there is none. */
function nameAnonymous(tx: Transaction, manual: ManualAction): Promise<CaseRow | null> {
  const { guildId, userId, operation, by, reason, at } = manual;
  if (manual.isAnonymous === true) return Promise.resolve(null);
  return ANONYMOUS[MANUAL[operation].does].first(tx, [guildId, userId, operation, by, reason, at]);
}

/** Minutes between two times, at least one, because no sanction has zero minutes. */
function minutesBetween(from: Date, to: Date): number {
  return Math.max(1, Math.ceil((to.getTime() - from.getTime()) / 60_000));
}

/** A softban is a ban until the bot lifts it. */
const OF_KIND = `(kind = $3 OR $3 = 'ban' AND kind = 'softban')`;

/** The times of an imported case are its file's, whose clock may be hours ahead, but for an end that was made here. */
const ENDED_LATER = `(c.ended_at > $4 AND (c.import_id IS NULL OR c.end_action_id IS NOT NULL
      OR EXISTS (SELECT FROM discord_log_entries WHERE case_id = c.id)))`;

const laterCase = sql.command({
  parameters: [sql.text, sql.text, sql.oneOf({ CaseKind }), sql.timestamptz],
  text: `SELECT FROM cases c WHERE guild_id = $1 AND user_id = $2 AND ${OF_KIND}
    AND (${ENDED_LATER} OR import_id IS NULL AND issued_at > $4
      OR kind = 'ban' AND case_is_in_force(ended_at, expires_at, $4) AND case_is_enforced(id, import_id)) LIMIT 1`,
});

const softbanToLift = sql.command({
  parameters: [sql.text, sql.text],
  text: `SELECT FROM cases WHERE guild_id = $1 AND user_id = $2 AND kind = 'softban' AND ended_at IS NULL LIMIT 1`,
});

/** Whether the bot is about to lift a softban, whose ban nobody can tell from another. */
async function isSoftbanned(tx: Transaction, { guildId, userId }: ManualAction): Promise<boolean> {
  return (await softbanToLift.run(tx, [guildId, userId])) === 1;
}

/**
 * Opens the case of a ban or timeout. Null if the record has something later, or a ban that is still in force. A ban
 * that is only an imported record is none: whether it stood at Discord, the file does not know.
 */
async function recordStart(tx: Transaction, manual: ManualAction): Promise<CaseRow | null> {
  const { guildId, userId, by, reason, at, until } = manual;
  const { kind } = MANUAL[manual.operation];
  if ((await laterCase.run(tx, [guildId, userId, kind, at])) === 1) return null;
  if (manual.isAnonymous === true && kind === 'ban' && (await isSoftbanned(tx, manual))) return null;
  // The latest decision counts, wherever it was made.
  const endReason = replacedBy(kind);
  await endCasesOf(tx, { guildId, kind, userId, endedBy: by, endReason, endedAt: at });
  const durationMinutes = until === null ? undefined : minutesBetween(at, until);
  const sanction = { guildId, kind, userId, reason, issuedBy: by, durationMinutes };
  return openCaseAt(tx, sanction, { issuedAt: at, expiresAt: until });
}

const dateCase = sql.statement({
  parameters: [sql.text, sql.timestamptz, sql.timestamptz.orNull],
  columns: CASE,
  text: `UPDATE cases SET issued_at = $2, expires_at = $3 WHERE id = $1 RETURNING ${CASE_COLUMNS}`,
});

/** Opens a case for a sanction that began in the past. */
async function openCaseAt(
  tx: Transaction,
  opened: Omit<NewCase, 'actionId'>,
  { issuedAt, expiresAt }: { issuedAt: Date; expiresAt: Date | null },
): Promise<CaseRow> {
  const { id } = await openCase(tx, { ...opened, actionId: null });
  return dateCase.only(tx, [id, issuedAt, expiresAt]);
}

// An action takes effect between its creation and its settlement. A lifting after its creation is a lifting of its
// sanction.
const laterCaseOrAction = sql.command({
  parameters: [sql.text, sql.text, sql.oneOf({ CaseKind }), sql.timestamptz],
  text: `SELECT FROM cases c WHERE guild_id = $1 AND user_id = $2 AND ${OF_KIND}
    AND (${ENDED_LATER} OR import_id IS NULL
      AND coalesce((SELECT created_at FROM actions a WHERE a.id = c.action_id), issued_at) > $4) LIMIT 1`,
});

const caseJustEnded = sql.command({
  parameters: [sql.text, sql.text, sql.oneOf({ CaseKind }), sql.timestamptz],
  text: `SELECT FROM cases WHERE guild_id = $1 AND user_id = $2 AND ${OF_KIND}
    AND ended_at BETWEEN $4::timestamptz - interval '1 minute' AND $4 LIMIT 1`,
});

/** Ends the case of a lifted ban or timeout. Null if the record has it already, or something later. */
async function recordEnd(tx: Transaction, manual: ManualAction, foundBy: string): Promise<CaseRow | null> {
  const { guildId, userId, by, reason, at, until } = manual;
  const { kind } = MANUAL[manual.operation];
  const isLater = (await laterCaseOrAction.run(tx, [guildId, userId, kind, at])) === 1;
  if (isLater || (until !== null && until <= at)) return null;
  const lift = { guildId, kind, userId, endedBy: by, endReason: reason, endedAt: at };
  const [lifted] = await endCasesOf(tx, lift);
  if (lifted !== undefined) return lifted;
  // What Bailiff lifts is seen too, and may be seen after it is on record.
  if (manual.isAnonymous === true && (await caseJustEnded.run(tx, [guildId, userId, kind, at])) === 1)
    return null;
  // It is older than Bailiff in this guild. It becomes a case now, so that its lifting is on record.
  const durationMinutes = until === null ? undefined : minutesBetween(at, until);
  const sanction = { guildId, kind, userId, reason: null, issuedBy: foundBy, durationMinutes };
  await openCaseAt(tx, sanction, { issuedAt: at, expiresAt: until });
  return only(await endCasesOf(tx, lift));
}

const auditByHand = sql.command({
  parameters: [sql.text, sql.text, sql.text, sql.text, sql.jsonb<object>()],
  text: `INSERT INTO audit (guild_id, actor_source, actor_user_id, operation, target_type, target_id, outcome, details)
    VALUES ($1, 'chat', $2, $3, 'user', $4, 'performed', $5)`,
});

async function auditManualAction(
  tx: Transaction,
  manual: ManualAction,
  { id, case_number }: CaseRow,
): Promise<void> {
  const details = { by_hand: true, entry_id: manual.entryId, case_id: id, case_number };
  await auditByHand.run(tx, [manual.guildId, manual.by, manual.operation, manual.userId, details]);
}

const startLogPosition = sql.command({
  parameters: [sql.text],
  text: `INSERT INTO discord_log_positions (guild_id, read_from)
    SELECT id, ((extract(epoch FROM clock_timestamp()) * 1000)::bigint - 1420070400000) << 22 FROM guilds WHERE id = $1
    ON CONFLICT DO NOTHING`,
});

/**
 * The snowflake from which to read a guild's audit log at Discord (for a new guild, the present time), and whether the
 * bot could read it the last time. Null if the guild is not in the mirror.
 */
export async function discordLogPosition(
  db: Database,
  guildId: string,
): Promise<{ readonly readFrom: string; readonly isReadable: boolean } | null> {
  await startLogPosition.run(db.pool, [guildId]);
  return db.prisma.discordLogPosition.findUnique({ where: { guildId } });
}

const moveLogPosition = sql.command({
  parameters: [sql.text, sql.text],
  text: `UPDATE discord_log_positions SET read_from = $2
    WHERE guild_id = $1 AND read_from::bigint < $2::text::bigint`,
});

/** Records that everything up to a snowflake was read. The position never goes back. */
export async function discordLogReadTo(db: Database, guildId: string, readFrom: string): Promise<void> {
  await moveLogPosition.run(db.pool, [guildId, readFrom]);
}

/** Records whether the bot may read a guild's audit log at Discord. True if that changed. */
export async function discordLogReadable(
  { prisma }: Pick<Transaction, 'prisma'>,
  guildId: string,
  isReadable: boolean,
): Promise<boolean> {
  const { count } = await prisma.discordLogPosition.updateMany({
    where: { guildId, isReadable: !isReadable },
    data: { isReadable },
  });
  return count === 1;
}
