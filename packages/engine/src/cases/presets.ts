import { ApiError, type Issue, PRESET_KINDS, type PresetFields, type PresetKind } from '@bailiff/core';
import type { WordedIssue } from '@bailiff/core/issue-words';
import { CaseKind, type Database, type ReasonPreset, StrikeSeverity, sql } from '@bailiff/prisma';
import { notFound } from '#src/calls/action-errors.ts';
import { type DashboardCall, recordChange } from '#src/calls/dashboard-call.ts';
import { databaseErrorCode } from '#src/database/database-errors.ts';
import type { Transaction } from '#src/database/transaction.ts';
import { changeAsOwner } from '#src/guilds/guilds.ts';

/** Most preset reasons of a guild (decisions: Preset reasons). */
export const MOST_PRESETS_PER_GUILD = 50;

/** A reason that moderators pick instead of writing it. */
export interface Preset extends PresetFields {
  readonly id: string;
}

const PRESET = {
  id: true,
  kind: true,
  name: true,
  reason: true,
  severity: true,
  durationMinutes: true,
} as const;

/** The column's type includes every kind of case; presets exist for some. */
function presetOf({ kind: kept, ...row }: Pick<ReasonPreset, keyof typeof PRESET>): Preset {
  const kind = PRESET_KINDS.find((each) => each === kept);
  if (kind === undefined) throw new Error(`The preset ${row.id} is of a kind that has none.`);
  return { kind, ...row };
}

/** A preset in the format of the dashboard's API. */
export function presetWire({ durationMinutes, ...preset }: Preset) {
  return { ...preset, duration_minutes: durationMinutes };
}

export type PresetWire = ReturnType<typeof presetWire>;

const presetsOfGuild = sql.statement({
  parameters: [sql.text, sql.text.orNull],
  columns: {
    id: sql.text,
    kind: sql.oneOf({ CaseKind }).as<PresetKind>(),
    name: sql.text,
    reason: sql.text,
    severity: sql.oneOf({ StrikeSeverity }).orNull,
    duration_minutes: sql.int.orNull,
  },
  // Sorted by name as people sort.
  text: `SELECT id, kind, name, reason, severity, duration_minutes FROM reason_presets
    WHERE guild_id = $1 AND ($2::text IS NULL OR kind::text = $2) ORDER BY kind, lower(name), id
    LIMIT ${MOST_PRESETS_PER_GUILD}`,
});

/** The presets of a guild, or those of one kind, by name. Only for people who may give such reasons. */
export async function listPresets(
  { pool }: Pick<Database, 'pool'>,
  guildId: string,
  kind?: PresetKind,
): Promise<Preset[]> {
  const rows = await presetsOfGuild.all(pool, [guildId, kind ?? null]);
  return rows.map(({ duration_minutes: durationMinutes, ...row }) => ({ ...row, durationMinutes }));
}

/**
 * Adds a preset to a guild that the user owns.
 *
 * @throws ApiError as `ownedGuild`; FORBIDDEN PRESET_LIMIT; VALIDATION_FAILED if its kind already has this name.
 */
export async function addPreset(
  db: Database,
  call: DashboardCall,
  guildId: string,
  wanted: PresetFields,
): Promise<Preset> {
  return change(db, call, guildId, 'presets.create', async (tx) => {
    await refuseOneTooMany(tx, guildId);
    return presetOf(
      await tx.prisma.reasonPreset.create({ data: { guildId, ...fieldsOf(wanted) }, select: PRESET }),
    );
  });
}

/**
 * Replaces a preset.
 *
 * @throws ApiError as {@link addPreset}; NOT_FOUND if the preset is not this guild's.
 */
export async function updatePreset(
  db: Database,
  call: DashboardCall,
  guildId: string,
  presetId: string,
  wanted: PresetFields,
): Promise<Preset> {
  return change(db, call, guildId, 'presets.update', async (tx) => {
    await requirePreset(tx, guildId, presetId);
    return presetOf(
      await tx.prisma.reasonPreset.update({
        where: { id: presetId },
        data: fieldsOf(wanted),
        select: PRESET,
      }),
    );
  });
}

/**
 * Deletes a preset. Cases given with it stay unchanged.
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
    await requirePreset(tx, guildId, presetId);
    return presetOf(await tx.prisma.reasonPreset.delete({ where: { id: presetId }, select: PRESET }));
  });
}

/** Makes one change by the owner, with its audit row. */
async function change(
  db: Database,
  call: DashboardCall,
  guildId: string,
  operation: `presets.${'create' | 'update' | 'delete'}`,
  write: (tx: Transaction) => Promise<Preset>,
): Promise<Preset> {
  return changeAsOwner(db, call, guildId, async (tx) => {
    const preset = await write(tx).catch((error: unknown) => {
      throw isNameTaken(error) ? nameTaken() : error;
    });
    await recordChange(tx, call, {
      guildId,
      operation,
      details: presetWire(preset),
    });
    return preset;
  });
}

function fieldsOf({ kind, name, reason, severity, durationMinutes }: PresetFields): PresetFields {
  return { kind, name, reason, severity, durationMinutes };
}

/** The caller holds the guild's lock, so the preset does not change meanwhile. */
async function requirePreset(tx: Transaction, guildId: string, presetId: string): Promise<void> {
  if ((await tx.prisma.reasonPreset.count({ where: { id: presetId, guildId } })) === 1) return;
  throw new ApiError('NOT_FOUND', notFound('preset', presetId).message);
}

async function refuseOneTooMany(tx: Transaction, guildId: string): Promise<void> {
  if ((await tx.prisma.reasonPreset.count({ where: { guildId } })) < MOST_PRESETS_PER_GUILD) return;
  const message = `A guild has at most ${MOST_PRESETS_PER_GUILD} preset reasons. Remove one that nobody needs.`;
  throw new ApiError('FORBIDDEN', message, { details: { reason: 'PRESET_LIMIT' } });
}

const UNIQUE_VIOLATION = '23505';

function isNameTaken(error: unknown): boolean {
  return error instanceof Error && databaseErrorCode(error) === UNIQUE_VIOLATION;
}

function nameTaken(): ApiError {
  const message = 'another preset of this kind has this name';
  const issue = { path: 'name', message, say: { key: 'presetName' } } satisfies WordedIssue & Issue;
  return new ApiError('VALIDATION_FAILED', `name: ${message}.`, { details: { issues: [issue] } });
}
