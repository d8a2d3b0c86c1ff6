import {
  type Ban,
  CASE_READERS,
  type Capability,
  type Mute,
  type OutputOf,
  type Severity,
  type Strike,
} from '@bailiff/core';
import type { Database } from '@bailiff/prisma';
import type { z } from 'zod';
import type { Transaction } from '#src/database/transaction.ts';

export const CASE_KINDS = ['strike', 'ban', 'mute', 'warning'] as const;
export type CaseKind = (typeof CASE_KINDS)[number];

/** The kinds of case that holders of these capabilities may read. */
export function readableKinds(capabilities: readonly Capability[]): CaseKind[] {
  return CASE_KINDS.filter((kind) => capabilities.includes(CASE_READERS[kind]));
}

/** A numbered case: a strike, ban, mute or warning. */
export interface CaseRow {
  id: string;
  guild_id: string;
  case_number: number;
  kind: CaseKind;
  user_id: string;
  reason: string | null;
  issued_by: string;
  issued_at: Date;
  duration_minutes: number | null;
  expires_at: Date | null;
  ended_by: string | null;
  ended_at: Date | null;
  end_reason: string | null;
  severity: Severity | null;
  category: string | null;
  player_name: string | null;
  in_game_id: string | null;
  action_id: string | null;
  /** The action that ended it, where one did. */
  end_action_id: string | null;
  /** Not ended and not expired, by the database's clock. */
  active: boolean;
}

/** SQL of {@link CaseRow.active}. */
export const IN_FORCE = 'case_is_in_force(ended_at, expires_at)';

/** Columns of a {@link CaseRow}, for a SELECT or RETURNING. */
export const CASE_COLUMNS = `*, ${IN_FORCE} AS active`;

const COLUMNS_OF_ALL = 'id, case_number, user_id, reason, issued_by, issued_at, ended_by, ended_at';

/** Columns of which a strike is shown: of long lists, no more are read. */
export type StrikeRow = Pick<
  CaseRow,
  | 'id'
  | 'case_number'
  | 'user_id'
  | 'reason'
  | 'issued_by'
  | 'issued_at'
  | 'ended_by'
  | 'ended_at'
  | 'severity'
  | 'category'
  | 'player_name'
  | 'in_game_id'
  | 'active'
>;
export const STRIKE_COLUMNS = `${COLUMNS_OF_ALL}, severity, category, player_name, in_game_id, ${IN_FORCE} AS active`;

/** Columns of which a ban or mute is shown. */
export type SanctionRow = Pick<
  CaseRow,
  | 'id'
  | 'case_number'
  | 'user_id'
  | 'reason'
  | 'issued_by'
  | 'issued_at'
  | 'ended_by'
  | 'ended_at'
  | 'expires_at'
  | 'duration_minutes'
  | 'active'
>;
export const SANCTION_COLUMNS = `${COLUMNS_OF_ALL}, expires_at, duration_minutes, ${IN_FORCE} AS active`;

export interface NewCase {
  readonly guildId: string;
  readonly kind: CaseKind;
  readonly userId: string;
  readonly reason: string | null;
  readonly issuedBy: string;
  readonly actionId: string | null;
  /** Absent for good. */
  readonly durationMinutes?: number | undefined;
  readonly severity?: Severity | undefined;
  readonly category?: string | undefined;
  readonly playerName?: string | undefined;
  readonly inGameId?: string | undefined;
}

/** Opens a case under the guild's next number, in the caller's transaction (decisions: Operations). */
export async function openCase(tx: Transaction, opened: NewCase): Promise<CaseRow> {
  const { rows } = await tx.query<CaseRow>({
    name: 'open_case',
    text: `SELECT ${CASE_COLUMNS} FROM open_case($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    values: [
      opened.guildId,
      opened.kind,
      opened.userId,
      opened.reason,
      opened.issuedBy,
      opened.durationMinutes ?? null,
      opened.actionId,
      opened.severity ?? null,
      opened.category ?? null,
      opened.playerName ?? null,
      opened.inGameId ?? null,
    ],
  });
  return only(rows);
}

export interface EndedCases {
  readonly guildId: string;
  readonly kind: CaseKind;
  readonly userId: string;
  readonly endedBy: string;
  readonly endReason: string | null;
  /** Absent now. */
  readonly endedAt?: Date;
  /** Absent where no action of ours ends it. */
  readonly actionId?: string;
}

/**
 * Ends every case of this kind that a user has in force: a ban or mute lifted, or replaced by the next. A mute ends by
 * itself; a ban whose time is over is in force until it was lifted.
 */
export async function endCasesOf(tx: Transaction, ended: EndedCases): Promise<CaseRow[]> {
  const { rows } = await tx.query<CaseRow>(
    `UPDATE cases SET ended_at = coalesce($6, clock_timestamp()), ended_by = $4, end_reason = $5, end_action_id = $7
     WHERE guild_id = $1 AND kind = $2 AND user_id = $3 AND ended_at IS NULL
       AND (kind = 'ban' OR case_is_in_force(ended_at, expires_at, coalesce($6, clock_timestamp())))
     RETURNING ${CASE_COLUMNS}`,
    [
      ended.guildId,
      ended.kind,
      ended.userId,
      ended.endedBy,
      ended.endReason,
      ended.endedAt ?? null,
      ended.actionId ?? null,
    ],
  );
  return rows.sort((a, b) => b.case_number - a.case_number);
}

/** Until when the members of a guild are muted who are, by user id. */
export async function mutedMembers(db: Database, guildId: string): Promise<Map<string, Date>> {
  const { rows } = await db.pool.query<{ user_id: string; expires_at: Date }>(
    `SELECT user_id, expires_at FROM cases
     WHERE guild_id = $1 AND kind = 'mute' AND ${IN_FORCE} AND expires_at IS NOT NULL`,
    [guildId],
  );
  return new Map(rows.map(({ user_id, expires_at }) => [user_id, expires_at]));
}

/** A case in force, locked until the transaction ends; null when there is none. */
export async function lockCase(
  tx: Transaction,
  guildId: string,
  kind: CaseKind,
  id: string,
): Promise<CaseRow | null> {
  const { rows } = await tx.query<CaseRow>({
    name: 'lock_case',
    text: `SELECT ${CASE_COLUMNS} FROM cases WHERE guild_id = $1 AND id = $2 AND kind = $3 AND ended_at IS NULL FOR UPDATE`,
    values: [guildId, id, kind],
  });
  return rows[0] ?? null;
}

/** Ends one case, which the caller has locked. */
export async function endCase(
  tx: Transaction,
  id: string,
  ended: { endedBy: string; endReason: string | null; actionId: string },
): Promise<CaseRow> {
  const { rows } = await tx.query<CaseRow>({
    name: 'end_case',
    text: `UPDATE cases SET ended_at = clock_timestamp(), ended_by = $2, end_reason = $3, end_action_id = $4
           WHERE id = $1
           RETURNING ${CASE_COLUMNS}`,
    values: [id, ended.endedBy, ended.endReason, ended.actionId],
  });
  return only(rows);
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

/** A case of any kind, as chat shows it. */
export function caseWire(row: CaseRow): OutputOf<'cases.get'> {
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

/** The row of a statement that always returns one. */
export function only<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (row === undefined) throw new Error('The database returned no row where one was certain');
  return row;
}
