import { entryOf, id, type OperationName, type PresetKind } from '@bailiff/core';
import { authorizePerson } from '@bailiff/engine/calls/authorize';
import { listPresets, type Preset } from '@bailiff/engine/cases/presets';
import type { Engine } from '@bailiff/engine/engine';
import { type Locale, translator } from '@bailiff/messages';
import { lengthIn } from '@bailiff/messages/lengths';
import type { ApplicationCommandOptionChoiceData } from 'discord.js';
import type { ChatField, Typed } from './fields.ts';
import { InputProblem } from './read-input.ts';
import { oneLine } from './text.ts';

/** The fields that a preset can fill in. */
const BROUGHT: readonly string[] = ['severity', 'duration_minutes'];
const PRESET_ID = id('preset');

function presetKindOf(operation: OperationName): PresetKind | undefined {
  return entryOf(operation).presets;
}

/**
 * The fields of an operation that accepts presets as its reason. The reason is suggested, and the fields that the
 * preset fills in may be left out.
 */
export function fieldsWithPresets(operation: OperationName, fields: readonly ChatField[]): ChatField[] {
  if (presetKindOf(operation) === undefined) return [...fields];
  return fields.map((each) => {
    if (each.option === null) return each;
    if (each.field === 'reason')
      return {
        ...each,
        option: { ...each.option, autocomplete: true } as typeof each.option,
        suggests: 'presets',
      };
    return BROUGHT.includes(each.field) ? { ...each, option: { ...each.option, required: false } } : each;
  });
}

interface Asking {
  readonly guildId: string;
  readonly locale: Locale;
}

/**
 * What was typed, completed with the fields of a picked preset. Typed fields win. A reason that was written stays
 * unchanged.
 *
 * @param isGiven whether a field was typed, even if the value means nothing, as `permanent` does
 * @throws InputProblem if the preset is gone, or if a needed field is neither typed nor in the preset
 */
export async function withPreset(
  engine: Engine,
  operation: OperationName,
  typed: Typed,
  isGiven: (field: string) => boolean,
  { guildId, locale }: Asking,
): Promise<Typed> {
  const kind = presetKindOf(operation);
  if (kind === undefined) return typed;
  const say = translator(locale, 'presets');
  const picked = PRESET_ID.safeParse(typed.reason).success
    ? (await listPresets(engine.db, guildId, kind)).find((preset) => preset.id === typed.reason)
    : null;
  if (picked === undefined) throw new InputProblem(say('gone'));
  const filled = picked === null ? typed : filledBy(picked, typed, isGiven);
  if (kind === 'strike' && filled.severity === undefined) throw new InputProblem(say('severityNeeded'));
  if (kind === 'mute' && filled.duration_minutes === undefined) throw new InputProblem(say('durationNeeded'));
  return filled;
}

function filledBy(
  { reason, severity, durationMinutes }: Preset,
  typed: Typed,
  isGiven: (field: string) => boolean,
): Typed {
  return {
    ...typed,
    reason,
    ...(isGiven('severity') ? {} : { severity: severity ?? undefined }),
    ...(isGiven('duration_minutes') ? {} : { duration_minutes: durationMinutes ?? undefined }),
  };
}

/** Discord's limit. */
const MOST_CHOICES = 25;
const MOST_LABEL = 100;

/**
 * Suggestions of presets that match what is being typed.
 *
 * @throws ApiError CAPABILITY_DENIED if the person may not give such reasons
 */
export async function presetChoices(
  engine: Engine,
  operation: OperationName,
  typed: string,
  { guildId, userId, locale }: Asking & { readonly userId: string },
): Promise<ApplicationCommandOptionChoiceData[]> {
  const kind = presetKindOf(operation);
  if (kind === undefined) return [];
  await authorizePerson(engine, { operation, guildId, userId });
  const sought = typed.trim().toLowerCase();
  const presets = await listPresets(engine.db, guildId, kind);
  return presets
    .filter(({ name, reason }) => `${name}\n${reason}`.toLowerCase().includes(sought))
    .slice(0, MOST_CHOICES)
    .map((preset) => ({ name: labelOf(preset, locale), value: preset.id }));
}

function labelOf({ kind, name, reason, severity, durationMinutes }: Preset, locale: Locale): string {
  const say = translator(locale, 'common');
  const brings =
    kind === 'strike'
      ? say(severity === 'major' ? 'severityMajor' : 'severityMinor')
      : durationMinutes === null
        ? say('permanent')
        : lengthIn(locale, durationMinutes * 60);
  return oneLine(`${name} · ${brings} · ${reason}`, MOST_LABEL);
}
