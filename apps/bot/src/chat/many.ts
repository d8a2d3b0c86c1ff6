import { type Call, entryOf, type OperationName, type OutputOf } from '@bailiff/core';
import { authorizePerson } from '@bailiff/engine/calls/authorize';
import { everybodyListed, type ListedPerson, recentMasses } from '@bailiff/engine/cases/people-lists';
import type { Engine } from '@bailiff/engine/engine';
import { commandWords, type Locale, sayError, translator } from '@bailiff/messages';
import {
  type APIModalInteractionResponseCallbackData,
  type ApplicationCommandOptionChoiceData,
  ButtonStyle,
  ComponentType,
  type ModalSubmitInteraction,
} from 'discord.js';
import type { z } from 'zod';
import type { Reply } from './answers.ts';
import { askCount, askField, type Reading, readFields } from './forms.ts';
import { InputProblem, inputFrom } from './read-input.ts';
import { oneLine } from './text.ts';

export type ManyOperation = 'bans.many' | 'mutes.many';
type Undo = 'bans.undo' | 'mutes.undo';

/** How a mass action or its undoing ended, in numbers. */
export function manyEnded(
  locale: Locale,
  { done, failed, unknown, not_tried }: OutputOf<'bans.many'>['many'],
): string {
  return translator(locale, 'many')('ended', { done, failed, unknown, left: not_tried });
}

/** The answer to a mass action, with the command that undoes it. */
export function manyReply(
  locale: Locale,
  operation: ManyOperation,
  { many }: OutputOf<ManyOperation>,
): Reply {
  const t = translator(locale, 'chat');
  const command = commandWords(locale, UNDO[operation]).name;
  return { content: `${manyEnded(locale, many)} ${t('many.undo', { command })}` };
}

const UNDO = { 'bans.many': 'bans.undo', 'mutes.many': 'mutes.undo' } as const;
const MANY = { 'bans.preview': 'bans.many', 'mutes.preview': 'mutes.many' } as const;
const LABELS = { 'bans.many': 'ban', 'mutes.many': 'mute' } as const;

/** The id of a button, and of its form: what it does, the preview, and how many people it is about. */
const ID = /^many:(bans\.many|mutes\.many):(act_[0-9a-f]{32}):(\d{1,4})$/;

interface Asked {
  readonly operation: ManyOperation;
  readonly previewId: string;
  readonly count: number;
}

/** What a button or a form of a preview is for. Null for another one. */
export function manyOf(customId: string): Asked | null {
  const [, operation, previewId, count] = ID.exec(customId) ?? [];
  if (previewId === undefined) return null;
  return {
    operation: operation === 'bans.many' ? 'bans.many' : 'mutes.many',
    previewId,
    count: Number(count),
  };
}

/** What a preview found, and the button that leads to its form. */
export function previewReply(
  locale: Locale,
  operation: keyof typeof MANY,
  { preview: { id, count, spared } }: OutputOf<'bans.preview'>,
): Reply {
  const t = translator(locale, 'chat');
  const words = translator(locale, 'many');
  const list = spared.map((each) => `${words(`why.${each.why}`)} (${each.count})`).join(', ');
  const lines = [
    translator(locale, 'operations')(`${operation}.done`, { count }),
    ...(spared.length === 0 ? [] : [t('many.spared', { list })]),
    ...(count + spared.length === 0 ? [] : [t('many.file')]),
    ...(count === 0 ? [] : [t('many.ask')]),
  ];
  const many = MANY[operation];
  const button = {
    type: ComponentType.Button,
    style: ButtonStyle.Danger,
    label: words(LABELS[many], { count }),
    custom_id: `many:${many}:${id}:${count}`,
  } as const;
  const rows = [{ type: ComponentType.ActionRow, components: [button] }] as const;
  return { content: lines.join(' '), components: count === 0 ? [] : [...rows] };
}

/** The fields of the form, beside the number. */
const FIELDS = {
  'bans.many': ['duration_minutes', 'reason', 'delete_message_seconds'],
  'mutes.many': ['duration_minutes', 'reason'],
} as const;

/** The form that asks for the number of people again, and for what else the action needs. */
export function manyForm(
  { operation, previewId, count }: Asked,
  locale: Locale,
): APIModalInteractionResponseCallbackData {
  const { shape } = entryOf(operation).input;
  const fields: readonly (typeof FIELDS)['bans.many'][number][] = FIELDS[operation];
  return {
    custom_id: `many:${operation}:${previewId}:${count}`,
    title: translator(locale, 'operations')(`${operation}.name`).slice(0, 45),
    components: [
      askCount(translator(locale, 'many')('repeat', { count: String(count) })),
      ...fields.map((field) => askField(field, locale, !isOptional(shape, field))),
    ],
  };
}

function isOptional(shape: Readonly<Record<string, z.ZodType>>, field: string): boolean {
  return shape[field]?.safeParse(undefined).success === true;
}

/** The call that a form asks for. Throws an InputProblem, also if the number is another one. */
export function readManyForm(
  { operation, previewId, count }: Asked,
  form: ModalSubmitInteraction,
  reading: Reading,
): Call<ManyOperation> {
  const { locale } = reading;
  const t = translator(locale, 'chat');
  const named = (field: string) => (field === 'duration_minutes' ? t('forms.duration') : t('forms.reason'));
  const { typed, count: repeated } = readFields(FIELDS[operation], form, reading, named);
  if (repeated !== String(count)) throw new InputProblem(t('many.differs', { count: String(count) }));
  const whole = { ...typed, preview_id: previewId, count };
  return operation === 'bans.many'
    ? { operation, input: inputFrom(operation, whole, locale, named) }
    : { operation, input: inputFrom(operation, whole, locale, named) };
}

/** An answer with a file that says of each line of its list what became of it. */
export async function withPeople<Told extends Reply>(
  { db }: Pick<Engine, 'db'>,
  { guildId, locale }: { readonly guildId: string; readonly locale: Locale },
  body: object,
  reply: Told,
): Promise<Told> {
  const id = idOfList(body);
  const people = id === null ? [] : await everybodyListed(db, guildId, id);
  if (people.length === 0) return reply;
  const attachment = Buffer.from(people.map((person) => lineOf(locale, person)).join('\n'), 'utf8');
  return { ...reply, files: [{ attachment, name: 'people.txt' }] };
}

function idOfList(body: object): string | null {
  const [about] = [
    'preview' in body ? body.preview : undefined,
    'many' in body ? body.many : undefined,
  ].filter((each) => typeof each === 'object' && each !== null);
  return typeof about === 'object' && about !== null && 'id' in about ? String(about.id) : null;
}

function lineOf(locale: Locale, { line, user_id, spared, state, error, case_number }: ListedPerson): string {
  const what =
    spared === null
      ? translator(locale, 'chat')(`many.state.${state ?? 'waiting'}`)
      : translator(locale, 'many')(`why.${spared}`);
  const about = [
    ...(case_number === null ? [] : [`#${case_number}`]),
    ...(error === null ? [] : [sayError(translator(locale, 'errors'), error)]),
  ];
  return [line, user_id ?? '?', what, ...about].join('\t');
}

/** Discord's limit. */
const MOST_LABEL = 100;

/** Suggestions of mass actions that this command can undo, and that match what is being typed. */
export async function massChoices(
  engine: Engine,
  operation: OperationName,
  typed: string,
  { guildId, userId, locale }: { readonly guildId: string; readonly userId: string; readonly locale: Locale },
): Promise<ApplicationCommandOptionChoiceData[]> {
  await authorizePerson(engine, { operation, guildId, userId });
  const kind = operation === 'bans.undo' ? 'ban' : 'mute';
  const masses = await recentMasses(engine.db, guildId, kind);
  const sought = typed.trim().toLowerCase();
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
  return masses
    .map(({ id, people, created_at, reason }) => {
      const name = `${people} · ${date.format(created_at)} UTC · ${reason ?? ''}`;
      return { name: oneLine(name, MOST_LABEL), value: id };
    })
    .filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(sought));
}

/** The answer of an undoing. */
export function undoReply(locale: Locale, { many }: OutputOf<Undo>): Reply {
  return { content: manyEnded(locale, many) };
}
