import { entryOf, type InputOf, SEVERITIES } from '@bailiff/core';
import {
  type APILabelComponent,
  type APIModalInteractionResponseCallbackData,
  type APITextInputComponent,
  ComponentType,
  type Message,
  type ModalSubmitInteraction,
  messageLink,
  TextInputStyle,
} from 'discord.js';
import { inUnits } from './fields.ts';
import { InputProblem, inputFrom } from './read-input.ts';
import { oneLine } from './text.ts';

/** Operations that a menu asks more about before they are done. */
export const FORM_OPERATIONS = ['strikes.add', 'mutes.add', 'bans.add'] as const;
export type FormOperation = (typeof FORM_OPERATIONS)[number];

const FORM_ID = /^form:(strikes\.add|mutes\.add|bans\.add):(\d{17,20})$/;

/** With a quotation behind it, the reason stays within what a case holds. */
const MOST_REASON = 512;
const MOST_REASON_BEFORE_EVIDENCE = 150;
const MOST_EVIDENCE = 350;
const MOST_QUOTED = 200;

const TITLES: Readonly<Record<FormOperation, string>> = {
  'strikes.add': 'Strike',
  'mutes.add': 'Mute',
  'bans.add': 'Ban',
};

/** The form that asks why, and what else the operation needs. `evidence` stands in a field of its own, to be corrected. */
export function formFor(
  operation: FormOperation,
  target: { id: string; username: string },
  evidence?: string,
): APIModalInteractionResponseCallbackData {
  const reason = textField('reason', 'Reason', {
    style: TextInputStyle.Paragraph,
    max_length: evidence === undefined ? MOST_REASON : MOST_REASON_BEFORE_EVIDENCE,
  });
  return {
    custom_id: `form:${operation}:${target.id}`,
    title: `${TITLES[operation]} ${target.username}`.slice(0, 45),
    components: [...fieldsBefore(operation), reason, ...(evidence === undefined ? [] : [quoted(evidence)])],
  };
}

function fieldsBefore(operation: FormOperation): APILabelComponent[] {
  if (operation === 'strikes.add') return [severityField()];
  const optional = operation === 'bans.add';
  const placeholder = optional ? '30m, 2d or 1w; empty for good' : '30m, 2d or 1w';
  return [textField('duration', 'For how long', { required: !optional, max_length: 40, placeholder })];
}

function severityField(): APILabelComponent {
  return {
    type: ComponentType.Label,
    label: 'Severity',
    component: {
      type: ComponentType.StringSelect,
      custom_id: 'severity',
      required: true,
      options: SEVERITIES.map((value, index) => ({ label: value, value, default: index === 0 })),
    },
  };
}

function quoted(evidence: string): APILabelComponent {
  return textField('evidence', 'Evidence, kept with the reason', {
    style: TextInputStyle.Paragraph,
    max_length: MOST_EVIDENCE,
    required: false,
    value: evidence,
  });
}

function textField(
  custom_id: string,
  label: string,
  more: Partial<APITextInputComponent> = {},
): APILabelComponent {
  return {
    type: ComponentType.Label,
    label,
    component: {
      type: ComponentType.TextInput,
      custom_id,
      style: TextInputStyle.Short,
      required: true,
      ...more,
    },
  };
}

/** A message as evidence: what it said, and where. The link leads nowhere once it is deleted; the words stay. */
export function evidenceOf(message: Message, guildId: string): string {
  const { content, attachments, channelId, id } = message;
  const words = oneLine(content, MOST_QUOTED);
  const said = words === '' ? '' : `“${words}”`;
  const files = attachments.size === 0 ? '' : `[${attachments.size} attached]`;
  return [said, files, messageLink(channelId, id, guildId)].filter(Boolean).join(' ');
}

/** What a form asks for; null of another form. */
export function operationOfForm({ customId }: ModalSubmitInteraction): FormOperation | null {
  return FORM_OPERATIONS.find((operation) => operation === FORM_ID.exec(customId)?.[1]) ?? null;
}

/** The operation's input as the form has it; throws an InputProblem. */
export function readForm<N extends FormOperation>(
  operation: N,
  { customId, fields }: ModalSubmitInteraction,
): InputOf<N> {
  const text = (name: string) =>
    fields.fields.has(name) ? fields.getTextInputValue(name).trim() || undefined : undefined;
  const evidence = text('evidence');
  const reason = text('reason');
  if (reason === undefined) throw new InputProblem('reason: is required');
  const typed = {
    user_id: FORM_ID.exec(customId)?.[2],
    reason: evidence === undefined ? reason : `${reason}: ${evidence}`,
    severity: fields.fields.has('severity') ? fields.getStringSelectValues('severity')[0] : undefined,
    duration_minutes: inUnits(text('duration') ?? null, 'duration', 60),
  };
  const known = Object.entries(typed).filter(([field]) => field in entryOf(operation).input.shape);
  return inputFrom(operation, Object.fromEntries(known), (field) => field.replace(/_minutes$/, ''));
}
