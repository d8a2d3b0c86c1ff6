import {
  type Ban,
  CASE_KIND_NAMES,
  type Capability,
  caseKind,
  type Mute,
  type OutputOf,
  type Severity,
  type Strike,
} from '@bailiff/core';
import { ActorSource, CaseKind, type Database, type RowOf, StrikeSeverity, sql } from '@bailiff/prisma';
import type { z } from 'zod';
import type { Transaction } from '#src/database/transaction.ts';

export type { CaseKind } from '@bailiff/prisma';

/** The kinds of case that holders of these capabilities may read. */
export function readableKinds(capabilities: readonly Capability[]): CaseKind[] {
  return CASE_KIND_NAMES.filter((kind) => capabilities.includes(caseKind(kind).reader));
}

/** Columns of the table of cases, in a SELECT or RETURNING of {@link CASE_COLUMNS}. */
export const CASE = {
  id: sql.text,
  guild_id: sql.text,
  case_number: sql.int,
  kind: sql.oneOf({ CaseKind }),
  user_id: sql.text,
  reason: sql.text.orNull,
  issued_by: sql.text,
  issued_at: sql.timestamptz,
  duration_minutes: sql.int.orNull,
  expires_at: sql.timestamptz.orNull,
  ended_by: sql.text.orNull,
  ended_at: sql.timestamptz.orNull,
  end_reason: sql.text.orNull,
  severity: sql.oneOf({ StrikeSeverity }).orNull,
  category: sql.text.orNull,
  player_name: sql.text.orNull,
  in_game_id: sql.text.orNull,
  action_id: sql.text.orNull,
  /** The action that ended it, if one did. */
  end_action_id: sql.text.orNull,
  end_failed_at: sql.timestamptz.orNull,
  timeout_until: sql.timestamptz.orNull,
  renewing_until: sql.timestamptz.orNull,
  /** The import that brought it as a record. */
  import_id: sql.text.orNull,
  /** Where the call came from that opened it; null if there was none. */
  source: sql.oneOf({ ActorSource }).orNull,
  /** Whether it is neither ended nor expired, by the database's clock. */
  active: sql.bool,
};

/** A numbered case: a strike, ban, mute or warning. */
export type CaseRow = RowOf<typeof CASE>;

/** SQL of {@link CaseRow.active}. */
export const IN_FORCE = 'case_is_in_force(ended_at, expires_at)';

export const CASE_COLUMNS = `*, ${IN_FORCE} AS active`;

/**
 * SQL of whether the case `later` replaced the case `earlier`: by the action that opened it, or in Discord itself,
 * where one ended at the moment at which the other began. Of an imported record that says nothing: some have only a day.
 */
export const replaces = (later: string, earlier: string): string =>
  `${later}.guild_id = ${earlier}.guild_id AND ${later}.user_id = ${earlier}.user_id AND ${later}.kind = ${earlier}.kind
    AND ${later}.id <> ${earlier}.id AND (${later}.action_id = ${earlier}.end_action_id
      OR ${later}.action_id IS NULL AND ${earlier}.end_action_id IS NULL AND ${earlier}.import_id IS NULL
        AND ${later}.issued_at = ${earlier}.ended_at)`;

/** SQL of whether another case replaced this one. */
export const isReplaced = (shown: string): string =>
  `${shown}.ended_at IS NOT NULL AND EXISTS (SELECT FROM cases later WHERE ${replaces('later', shown)})`;

const { id, case_number, user_id, reason, issued_by, issued_at, ended_by, ended_at, active } = CASE;
const OF_ALL = { id, case_number, user_id, reason, issued_by, issued_at, ended_by, ended_at };

const { severity, category, player_name, in_game_id } = CASE;
const OF_STRIKE = { ...OF_ALL, severity, category, player_name, in_game_id };

/** Columns that show a strike. Long lists read no more than these. */
export const STRIKE = { ...OF_STRIKE, active };
export const STRIKE_COLUMNS = `${sql.names(OF_STRIKE)}, ${IN_FORCE} AS active`;
export type StrikeRow = RowOf<typeof STRIKE>;

const { expires_at, duration_minutes } = CASE;
const OF_SANCTION = { ...OF_ALL, expires_at, duration_minutes };

/** Columns that show a ban or mute. */
export const SANCTION = { ...OF_SANCTION, active };
export const SANCTION_COLUMNS = `${sql.names(OF_SANCTION)}, ${IN_FORCE} AS active`;
export type SanctionRow = RowOf<typeof SANCTION>;

export interface NewCase {
  readonly guildId: string;
  readonly kind: CaseKind;
  readonly userId: string;
  readonly reason: string | null;
  readonly issuedBy: string;
  readonly actionId: string | null;
  /** Absent: permanent. */
  readonly durationMinutes?: number | undefined;
  readonly severity?: Severity | undefined;
  readonly category?: string | undefined;
  readonly playerName?: string | undefined;
  readonly inGameId?: string | undefined;
}

const openCaseOf = sql.statement({
  parameters: [
    sql.text,
    sql.oneOf({ CaseKind }),
    sql.text,
    sql.text,
    sql.text.orNull,
    sql.text,
    sql.int.orNull,
    sql.text.orNull,
    sql.oneOf({ StrikeSeverity }).orNull,
    sql.text.orNull,
    sql.text.orNull,
    sql.text.orNull,
  ],
  columns: CASE,
  text: `SELECT ${CASE_COLUMNS} FROM open_case($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
});

/** Opens a case under the guild's next number, in the caller's transaction (decisions: Operations). */
export function openCase(tx: Transaction, opened: NewCase): Promise<CaseRow> {
  return openCaseOf.only(tx, [
    opened.guildId,
    opened.kind,
    caseKind(opened.kind).idPrefix,
    opened.userId,
    opened.reason,
    opened.issuedBy,
    opened.durationMinutes ?? null,
    opened.actionId,
    opened.severity ?? null,
    opened.category ?? null,
    opened.playerName ?? null,
    opened.inGameId ?? null,
  ]);
}

export interface EndedCases {
  readonly guildId: string;
  readonly kind: CaseKind;
  readonly userId: string;
  readonly endedBy: string;
  readonly endReason: string | null;
  /** Default: now. */
  readonly endedAt?: Date;
  /** Absent if no action of Bailiff ends it. */
  readonly actionId?: string;
}

const endCasesOfUser = sql.statement({
  parameters: [
    sql.text,
    sql.oneOf({ CaseKind }),
    sql.text,
    sql.text,
    sql.text.orNull,
    sql.timestamptz.orNull,
    sql.text.orNull,
    sql.bool,
  ],
  columns: CASE,
  text: `SELECT ${CASE_COLUMNS}
    FROM end_cases_of($1, $2, $3, $4, $5, $7, coalesce($6, clock_timestamp()), $8)`,
});

/**
 * Ends every case of this kind that a user has in force, because a ban or mute is lifted or replaced. What Discord ends
 * is over with its time. What the bot ends, such as a ban, stays in force until it is lifted.
 */
export async function endCasesOf(tx: Transaction, ended: EndedCases): Promise<CaseRow[]> {
  const rows = await endCasesOfUser.all(tx, [
    ended.guildId,
    ended.kind,
    ended.userId,
    ended.endedBy,
    ended.endReason,
    ended.endedAt ?? null,
    ended.actionId ?? null,
    caseKind(ended.kind).endedInTimeBy === 'bot',
  ]);
  return rows.sort((a, b) => b.case_number - a.case_number);
}

const standingMutes = sql.statement({
  parameters: [sql.text],
  columns: {
    user_id: sql.text,
    ends_at: sql.timestamptz.orNull,
    timeout_ends: sql.arrayOf(sql.timestamptz),
  },
  text: `SELECT user_id, CASE WHEN ${IN_FORCE} THEN expires_at END AS ends_at,
      array_remove(ARRAY[coalesce(timeout_until, expires_at), renewing_until], NULL) AS timeout_ends FROM cases
    WHERE guild_id = $1 AND kind = 'mute' AND greatest(timeout_until, renewing_until, expires_at) > clock_timestamp()
      AND case_is_enforced(id, import_id)
    ORDER BY issued_at`,
});

/** A mute whose timeout may stand at Discord. */
export interface StandingMute {
  /** Null: it is over. */
  readonly endsAt: Date | null;
  /** The end of the timeout that was set for it, and that of a renewal whose answer did not come. */
  readonly timeoutEnds: readonly Date[];
}

/** The latest mute of each member whom Bailiff keeps muted in a guild, or whose timeout may stand longer, by user id. */
export async function mutedMembers(db: Database, guildId: string): Promise<Map<string, StandingMute>> {
  const rows = await standingMutes.all(db.pool, [guildId]);
  return new Map(
    rows.map(({ user_id, ends_at, timeout_ends }) => [
      user_id,
      { endsAt: ends_at, timeoutEnds: timeout_ends },
    ]),
  );
}

const lockCaseInForce = sql.statement({
  parameters: [sql.text, sql.text, sql.oneOf({ CaseKind })],
  columns: CASE,
  text: `SELECT ${CASE_COLUMNS} FROM cases WHERE guild_id = $1 AND id = $2 AND kind = $3 AND ended_at IS NULL FOR UPDATE`,
});

/** A case in force, locked until the transaction ends. Null if there is none. */
export function lockCase(
  tx: Transaction,
  guildId: string,
  kind: CaseKind,
  id: string,
): Promise<CaseRow | null> {
  return lockCaseInForce.first(tx, [guildId, id, kind]);
}

const endOneCase = sql.statement({
  parameters: [sql.text, sql.text, sql.text.orNull, sql.text],
  columns: CASE,
  text: `UPDATE cases SET ended_at = clock_timestamp(), ended_by = $2, end_reason = $3, end_action_id = $4
    WHERE id = $1
    RETURNING ${CASE_COLUMNS}`,
});

/** Ends one case, which the caller has locked or opened. */
export function endCase(
  tx: Transaction,
  id: string,
  ended: { endedBy: string; endReason: string | null; actionId: string },
): Promise<CaseRow> {
  return endOneCase.only(tx, [id, ended.endedBy, ended.endReason, ended.actionId]);
}

function sanctionWire(row: SanctionRow) {
  return {
    id: row.id,
    case_number: row.case_number,
    user_id: row.user_id,
    reason: row.reason,
    permanent: row.expires_at === null,
    issued_by: row.issued_by,
    issued_at: row.issued_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    lifted_by: row.ended_by,
    lifted_at: row.ended_at?.toISOString() ?? null,
    active: row.active,
  };
}

export function banWire(row: SanctionRow): z.output<typeof Ban> {
  return sanctionWire(row);
}

export function muteWire(row: SanctionRow): z.output<typeof Mute> {
  return { ...sanctionWire(row), duration_minutes: row.duration_minutes ?? 0 };
}

export function strikeWire(row: StrikeRow): z.output<typeof Strike> {
  return {
    id: row.id,
    case_number: row.case_number,
    user_id: row.user_id,
    player_name: row.player_name,
    in_game_id: row.in_game_id,
    severity: row.severity ?? 'minor',
    category: row.category,
    reason: row.reason ?? '',
    issued_by: row.issued_by,
    issued_at: row.issued_at.toISOString(),
    removed_by: row.ended_by,
    removed_at: row.ended_at?.toISOString() ?? null,
    active: row.active,
  };
}

/** A warning as the API shows it: a strike without severity and player. */
export function warningWire(row: StrikeRow): OutputOf<'warnings.add'>['warning'] {
  const { player_name, in_game_id, severity, ...warning } = strikeWire(row);
  return warning;
}

/** A case of any kind, as the API shows it. */
export function caseWire(row: CaseRow): OutputOf<'cases.edit'>['case'] {
  return {
    id: row.id,
    case_number: row.case_number,
    kind: row.kind,
    user_id: row.user_id,
    reason: row.reason,
    severity: row.severity,
    issued_by: row.issued_by,
    issued_at: row.issued_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    ended_by: row.ended_by,
    ended_at: row.ended_at?.toISOString() ?? null,
    end_reason: row.end_reason,
    active: row.active,
  };
}

/** The only row of a statement that always returns one. */
export function only<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (row === undefined) throw new Error('The database returned no row where one was certain');
  return row;
}

const caseOfNumber = sql.statement({
  parameters: [sql.text, sql.int],
  columns: { id: sql.text, kind: sql.oneOf({ CaseKind }), severity: sql.oneOf({ StrikeSeverity }).orNull },
  text: 'SELECT id, kind, severity FROM cases WHERE guild_id = $1 AND case_number = $2',
});

/** The case of a guild with this number; null if there is none. The caller decides who may know of it. */
export function findCase({ pool }: Pick<Database, 'pool'>, guildId: string, number: number) {
  return caseOfNumber.first(pool, [guildId, number]);
}
