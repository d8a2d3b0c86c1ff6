import type { Ban, Mute, Severity, Strike } from '@bailiff/core';
import type { z } from 'zod';
import type { Transaction } from './transaction.ts';

export type CaseKind = 'strike' | 'ban' | 'mute' | 'warning';

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
  /** Not ended and not expired, by the database's clock. */
  active: boolean;
}

/** Columns of a {@link CaseRow}, for a SELECT or RETURNING. */
export const CASE_COLUMNS =
  '*, ended_at IS NULL AND (expires_at IS NULL OR expires_at > clock_timestamp()) AS active';

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

/** Ends every case of this kind that a user has in force: a ban or mute lifted, or replaced by the next. */
export async function endCasesOf(
  tx: Transaction,
  ended: { guildId: string; kind: CaseKind; userId: string; endedBy: string; endReason: string | null },
): Promise<CaseRow[]> {
  const { rows } = await tx.query<CaseRow>(
    `UPDATE cases SET ended_at = clock_timestamp(), ended_by = $4, end_reason = $5
     WHERE guild_id = $1 AND kind = $2 AND user_id = $3 AND ended_at IS NULL
     RETURNING ${CASE_COLUMNS}`,
    [ended.guildId, ended.kind, ended.userId, ended.endedBy, ended.endReason],
  );
  return rows.sort((a, b) => b.case_number - a.case_number);
}

/** Ends one case; null when there is no such case in force. */
export async function endCase(
  tx: Transaction,
  ended: { guildId: string; kind: CaseKind; id: string; endedBy: string; endReason: string | null },
): Promise<CaseRow | null> {
  const { rows } = await tx.query<CaseRow>({
    name: 'end_case',
    text: `UPDATE cases SET ended_at = clock_timestamp(), ended_by = $3, end_reason = $4
           WHERE guild_id = $1 AND id = $2 AND kind = $5 AND ended_at IS NULL RETURNING ${CASE_COLUMNS}`,
    values: [ended.guildId, ended.id, ended.endedBy, ended.endReason, ended.kind],
  });
  return rows[0] ?? null;
}

function sanctionWire(row: CaseRow) {
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

export function banWire(row: CaseRow): z.output<typeof Ban> {
  return sanctionWire(row);
}

export function muteWire(row: CaseRow): z.output<typeof Mute> {
  return { ...sanctionWire(row), duration_minutes: row.duration_minutes ?? 0 };
}

export function strikeWire(row: CaseRow): z.output<typeof Strike> {
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

/** The row of a statement that always returns one. */
export function only<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (row === undefined) throw new Error('The database returned no row where one was certain');
  return row;
}
