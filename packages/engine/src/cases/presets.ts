import { ApiError, type PresetFields, type PresetKind } from '@bailiff/core';
import type { Database } from '@bailiff/prisma';
import { type DashboardCall, recordChange } from '#src/calls/dashboard-call.ts';
import { inTransaction, type Transaction } from '#src/database/transaction.ts';
import { lockOwnedGuild, ownedGuild } from '#src/guilds/guilds.ts';
import { only } from './cases.ts';

/** Reasons that are kept for a guild (decisions: Preset reasons). */
export const MOST_PRESETS_PER_GUILD = 50;

/** A reason that moderators pick instead of writing it. */
export interface Preset extends PresetFields {
  readonly id: string;
}

interface PresetRow {
  id: string;
  kind: PresetKind;
  name: string;
  reason: string;
  severity: PresetFields['severity'];
  duration_minutes: number | null;
}

const PRESET_COLUMNS = 'id, kind, name, reason, severity, duration_minutes';

function presetOf({ duration_minutes: durationMinutes, ...row }: PresetRow): Preset {
  return { ...row, durationMinutes };
}

/** A preset as the dashboard's wire has it. */
export function presetWire({ durationMinutes, ...preset }: Preset) {
  return { ...preset, duration_minutes: durationMinutes };
}

export type PresetWire = ReturnType<typeof presetWire>;

/** The presets of a guild, or those of one kind, by name: for whoever may give such reasons. */
export async function listPresets(
  { pool }: Pick<Database, 'pool'>,
  guildId: string,
  kind?: PresetKind,
): Promise<Preset[]> {
  const { rows } = await pool.query<PresetRow>({
    name: 'list_presets',
    text: `SELECT ${PRESET_COLUMNS} FROM reason_presets
           WHERE guild_id = $1 AND ($2::text IS NULL OR kind::text = $2) ORDER BY kind, lower(name), id LIMIT $3`,
    values: [guildId, kind ?? null, MOST_PRESETS_PER_GUILD],
  });
  return rows.map(presetOf);
}

/**
 * Keeps another reason for a guild the user owns.
 *
 * @throws ApiError as `ownedGuild`; FORBIDDEN PRESET_LIMIT; VALIDATION_FAILED for a name its kind has already.
 */
export async function addPreset(
  db: Database,
  call: DashboardCall,
  guildId: string,
  wanted: PresetFields,
): Promise<Preset> {
  return change(db, call, guildId, 'presets.create', async (tx) => {
    await refuseOneTooMany(tx, guildId);
    const { rows } = await tx.query<PresetRow>(
      `INSERT INTO reason_presets (guild_id, kind, name, reason, severity, duration_minutes)
       VALUES ($1, $2, $3, $4, $5, $6) RETURNING ${PRESET_COLUMNS}`,
      [guildId, ...columnsOf(wanted)],
    );
    return presetOf(only(rows));
  });
}

/**
 * Writes a preset anew.
 *
 * @throws ApiError as {@link addPreset}; NOT_FOUND for one that is not this guild's.
 */
export async function updatePreset(
  db: Database,
  call: DashboardCall,
  guildId: string,
  presetId: string,
  wanted: PresetFields,
): Promise<Preset> {
  return change(db, call, guildId, 'presets.update', async (tx) => {
    const { rows } = await tx.query<PresetRow>(
      `UPDATE reason_presets SET kind = $3, name = $4, reason = $5, severity = $6, duration_minutes = $7
       WHERE guild_id = $1 AND id = $2 RETURNING ${PRESET_COLUMNS}`,
      [guildId, presetId, ...columnsOf(wanted)],
    );
    return found(rows, presetId);
  });
}

/**
 * Forgets a preset; what was given with it stays as it is.
 *
 * @throws ApiError as `ownedGuild`; NOT_FOUND
 */
export async function removePreset(
  db: Database,
  call: DashboardCall,
  guildId: string,
  presetId: string,
): Promise<void> {
  await change(db, call, guildId, 'presets.delete', async (tx) => {
    const { rows } = await tx.query<PresetRow>(
      `DELETE FROM reason_presets WHERE guild_id = $1 AND id = $2 RETURNING ${PRESET_COLUMNS}`,
      [guildId, presetId],
    );
    return found(rows, presetId);
  });
}

/** One change by the owner, with its audit row. */
async function change(
  db: Database,
  call: DashboardCall,
  guildId: string,
  operation: `presets.${'create' | 'update' | 'delete'}`,
  write: (tx: Transaction) => Promise<Preset>,
): Promise<Preset> {
  await ownedGuild(db, guildId, call.userId, { fresh: true });
  return inTransaction(db, async (tx) => {
    await lockOwnedGuild(tx, guildId, call.userId);
    const preset = await write(tx).catch((error: unknown) => {
      throw isNameTaken(error) ? nameTaken() : error;
    });
    await recordChange(tx, call, {
      guildId,
      operation,
      target: { type: 'guild', id: guildId },
      details: presetWire(preset),
    });
    return preset;
  });
}

function columnsOf({ kind, name, reason, severity, durationMinutes }: PresetFields): unknown[] {
  return [kind, name, reason, severity, durationMinutes];
}

function found(rows: readonly PresetRow[], presetId: string): Preset {
  const [row] = rows;
  if (row === undefined) throw new ApiError('NOT_FOUND', `This guild has no preset ${presetId}.`);
  return presetOf(row);
}

async function refuseOneTooMany(tx: Transaction, guildId: string): Promise<void> {
  const { rows } = await tx.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM reason_presets WHERE guild_id = $1',
    [guildId],
  );
  if (only(rows).count < MOST_PRESETS_PER_GUILD) return;
  const message = `A guild has at most ${MOST_PRESETS_PER_GUILD} preset reasons. Remove one that nobody needs.`;
  throw new ApiError('FORBIDDEN', message, { details: { reason: 'PRESET_LIMIT' } });
}

const UNIQUE_VIOLATION = '23505';

function isNameTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION;
}

function nameTaken(): ApiError {
  const message = 'another preset of this kind has this name';
  return new ApiError('VALIDATION_FAILED', `name: ${message}.`, {
    details: { issues: [{ path: 'name', message }] },
  });
}
