import { entryOf, type InputOf, SEVERITIES } from '@bailiff/core';
import { type Locale, type Translator, translator } from '@bailiff/messages';
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
import { optionName } from './command-texts.ts';
import { inUnits } from './fields.ts';
import { inputFrom } from './read-input.ts';
import { oneLine } from './text.ts';

/** Operations that a menu asks more about before they are done. */
export const FORM_OPERATIONS = ['strikes.add', 'mutes.add', 'bans.add'] as const;
export type FormOperation = (typeof FORM_OPERATIONS)[number];

const FORM_ID = /^form:(strikes\.add|mutes\.add|bans\.add):(\d{17,20})(?::([0-9a-f]{16}))?$/;

/** With a quotation behind it, the reason stays within what a case holds. */
const MOST_REASON = 512;
const MOST_REASON_BEFORE_EVIDENCE = 150;
const MOST_EVIDENCE = 350;
const MOST_QUOTED = 200;

/** What a message is evidence of: its words, and what leads to its files, where it has some. */
interface FormEvidence {
  readonly words: string;
  readonly key: string | undefined;
}

/** The form that asks why, and what else the operation needs. `evidence` stands in a field of its own, to be corrected. */
export function formFor(
  operation: FormOperation,
  target: { id: string; username: string },
  locale: Locale,
  evidence?: FormEvidence,
): APIModalInteractionResponseCallbackData {
  const t = translator(locale, 'chat');
  const reason = textField('reason', t('forms.reason'), {
    style: TextInputStyle.Paragraph,
    max_length: evidence === undefined ? MOST_REASON : MOST_REASON_BEFORE_EVIDENCE,
  });
  return {
    custom_id: ['form', operation, target.id, ...(evidence?.key === undefined ? [] : [evidence.key])].join(
      ':',
    ),
    title: translator(locale, 'operations')(`${operation}.form`, { name: target.username }).slice(0, 45),
    components: [
      ...fieldsBefore(t, operation),
      reason,
      ...(evidence === undefined ? [] : [quoted(t, evidence.words)]),
    ],
  };
}

function fieldsBefore(t: Translator<'chat'>, operation: FormOperation): APILabelComponent[] {
  if (operation === 'strikes.add') return [severityField(t)];
  const optional = operation === 'bans.add';
  const placeholder = t(optional ? 'forms.durationOrGood' : 'forms.durationHint');
  const bounds = { required: !optional, max_length: 40, placeholder };
  return [textField('duration', t('forms.duration'), bounds)];
}

function severityField(t: Translator<'chat'>): APILabelComponent {
  return {
    type: ComponentType.Label,
    label: t('forms.severity'),
    component: {
      type: ComponentType.StringSelect,
      custom_id: 'severity',
      required: true,
      options: SEVERITIES.map((value, index) => ({
        label: t(`forms.${value}`),
        value,
        default: index === 0,
      })),
    },
  };
}

function quoted(t: Translator<'chat'>, evidence: string): APILabelComponent {
  return textField('evidence', t('forms.evidence'), {
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
export function evidenceOf(message: Message, guildId: string, locale: Locale): string {
  const { content, attachments, channelId, id } = message;
  const words = oneLine(content, MOST_QUOTED);
  const said = words === '' ? '' : `“${words}”`;
  const count = String(attachments.size);
  const files = attachments.size === 0 ? '' : `[${translator(locale, 'chat')('forms.attached', { count })}]`;
  return [said, files, messageLink(channelId, id, guildId)].filter(Boolean).join(' ');
}

/** What a form asks for; null of another form. */
export function operationOfForm({ customId }: ModalSubmitInteraction): FormOperation | null {
  return FORM_OPERATIONS.find((operation) => operation === FORM_ID.exec(customId)?.[1]) ?? null;
}

/** What leads to the files of the message that a form is about; null where it is about none. */
export function evidenceKeyOf({ customId }: ModalSubmitInteraction): string | null {
  return FORM_ID.exec(customId)?.[3] ?? null;
}

/** The operation's input as the form has it; throws an InputProblem. */
export function readForm<N extends FormOperation>(
  operation: N,
  { customId, fields }: ModalSubmitInteraction,
  locale: Locale,
): InputOf<N> {
  const text = (name: string) =>
    fields.fields.has(name) ? fields.getTextInputValue(name).trim() || undefined : undefined;
  const named = (field: string) => optionName(locale, operation, field);
  const evidence = text('evidence');
  const reason = text('reason');
  const typed = {
    user_id: FORM_ID.exec(customId)?.[2],
    reason: reason === undefined || evidence === undefined ? reason : `${reason}: ${evidence}`,
    severity: fields.fields.has('severity') ? fields.getStringSelectValues('severity')[0] : undefined,
    duration_minutes: inUnits(text('duration') ?? null, named('duration_minutes'), 60, locale),
  };
  const known = Object.entries(typed).filter(([field]) => field in entryOf(operation).input.shape);
  return inputFrom(operation, Object.fromEntries(known), locale, named);
}
