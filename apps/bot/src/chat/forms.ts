import {
  chatEntryOf,
  entryOf,
  type FormField,
  type FormOperation,
  type InputOf,
  isFormOperation,
  isOperationName,
  SEVERITIES,
} from '@bailiff/core';
import { type Locale, type Translator, translator } from '@bailiff/messages';
import { lengthIn } from '@bailiff/messages/lengths';
import {
  type APILabelComponent,
  type APIModalInteractionResponseCallbackData,
  type APISelectMenuOption,
  type APITextInputComponent,
  ComponentType,
  type Message,
  type ModalSubmitInteraction,
  messageLink,
  TextInputStyle,
} from 'discord.js';
import { optionName } from './command-texts.ts';
import { inUnits } from './fields.ts';
import { inputFrom, type Units } from './read-input.ts';
import { oneLine } from './text.ts';

const FORM_ID = /^form:([a-z.]+):(\d{17,20})(?::([0-9a-f]{16}|\d{17,20}-\d{17,20}|rpt_[0-9a-f]{32}))?$/;

/** The reason fits into a case even with the quotation that is added to it. */
const MOST_REASON = 512;
const MOST_REASON_BEFORE_EVIDENCE = 150;
const MOST_EVIDENCE = 350;
const MOST_QUOTED = 200;
/** Discord's limit for the title of a form. */
const MOST_TITLE = 45;

/** How far back a ban may delete messages, as Discord's own dialog offers it. */
const DELETED_SECONDS = [3_600, 21_600, 43_200, 86_400, 259_200, 604_800];

/** The evidence in a message: its text, and by what key the message is known. */
interface FormEvidence {
  /** Null: it is kept as it is, and nobody can edit it. */
  readonly words: string | null;
  readonly key: string;
}

/**
 * The form that asks for the reason and whatever else the operation needs. `evidence` is in a field of its own, which
 * people can edit, and `games` asks whether to do it on game servers too.
 */
export function formFor(
  operation: FormOperation,
  target: { id: string; username: string },
  locale: Locale,
  more: { readonly evidence?: FormEvidence; readonly games?: APILabelComponent | null } = {},
): APIModalInteractionResponseCallbackData {
  const t = translator(locale, 'chat');
  const { evidence, games } = more;
  const { form = [] } = chatEntryOf(operation);
  const { shape } = entryOf(operation).input;
  const hasWords = evidence?.words != null;
  return {
    custom_id: ['form', operation, target.id, ...(evidence?.key === undefined ? [] : [evidence.key])].join(
      ':',
    ),
    title: oneLine(
      translator(locale, 'operations')(`${operation}.form`, { name: target.username }),
      MOST_TITLE,
    ),
    components: [
      ...form.map((field) => {
        const isRequired = !shape[field]?.safeParse(undefined).success;
        return CONTROLS[field as FormField].ask(t, isRequired, hasWords, locale);
      }),
      ...(evidence?.words == null ? [] : [quoted(t, evidence.words)]),
      ...(games == null ? [] : [games]),
    ],
  };
}

/** The field as filled in, by its name in the form. Undefined if it is empty. */
interface FilledIn {
  readonly text: (name: string) => string | undefined;
  readonly chosen: (name: string) => string | undefined;
}

/** The language of who filled it in, and what lengths without a unit mean. */
export interface Reading {
  readonly locale: Locale;
  readonly units: Units;
}

/** The form input of each field, and how to read it. The compiler checks that every field of an entry has one. */
const CONTROLS: {
  readonly [Field in FormField]: {
    ask(t: Translator<'chat'>, isRequired: boolean, withEvidence: boolean, locale: Locale): APILabelComponent;
    read(filledIn: FilledIn, named: string, reading: Reading): unknown;
  };
} = {
  severity: { ask: severityField, read: ({ chosen }) => chosen('severity') },
  duration_minutes: {
    ask: (t, isRequired) =>
      textField('duration', t('forms.duration'), {
        required: isRequired,
        max_length: 40,
        placeholder: t(isRequired ? 'forms.durationHint' : 'forms.durationOrPermanent'),
      }),
    read: ({ text }, named, reading) => inUnits(text('duration') ?? null, named, 60, reading),
  },
  delete_message_seconds: {
    ask: deletionField,
    read: ({ chosen }) => Number(chosen('delete_messages')) || undefined,
  },
  reason: {
    ask: (t, isRequired, withEvidence) =>
      textField('reason', t('forms.reason'), {
        style: TextInputStyle.Paragraph,
        max_length: withEvidence ? MOST_REASON_BEFORE_EVIDENCE : MOST_REASON,
        required: isRequired,
      }),
    read: ({ text }) => {
      const reason = text('reason');
      const evidence = text('evidence');
      return reason === undefined || evidence === undefined ? reason : `${reason}: ${evidence}`;
    },
  },
};

function severityField(t: Translator<'chat'>): APILabelComponent {
  const options = SEVERITIES.map((value, index) => ({
    label: t(`forms.${value}`),
    value,
    default: index === 0,
  }));
  return selectField('severity', t('forms.severity'), options);
}

function deletionField(t: Translator<'chat'>, _isRequired: boolean, _evidence: boolean, locale: Locale) {
  return selectField('delete_messages', t('forms.deleteMessages'), [
    { label: t('forms.deleteNone'), value: '0', default: true },
    ...DELETED_SECONDS.map((seconds) => ({
      label: t('forms.deleteLast', { length: lengthIn(locale, seconds) }),
      value: String(seconds),
    })),
  ]);
}

function selectField(custom_id: string, label: string, options: APISelectMenuOption[]): APILabelComponent {
  return {
    type: ComponentType.Label,
    label,
    component: { type: ComponentType.StringSelect, custom_id, required: true, options },
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

/** A field for text, with its name. */
export function textField(
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

/**
 * The quotation of a message as evidence: its text and link. The link breaks once the message is deleted; the text
 * stays.
 */
export function evidenceOf(
  {
    id,
    channelId,
    text,
    files,
  }: Pick<Message, 'id' | 'channelId'> & {
    readonly text: string;
    readonly files: readonly unknown[];
  },
  guildId: string,
  locale: Locale,
): string {
  const words = oneLine(text, MOST_QUOTED);
  const said = words === '' ? '' : `“${words}”`;
  const count = String(files.length);
  const attached = files.length === 0 ? '' : `[${translator(locale, 'chat')('forms.attached', { count })}]`;
  return [said, attached, messageLink(channelId, id, guildId)].filter(Boolean).join(' ');
}

/** The purpose of a form. Null for another form. */
export function operationOfForm({ customId }: ModalSubmitInteraction): FormOperation | null {
  const name = FORM_ID.exec(customId)?.[1];
  return name !== undefined && isOperationName(name) && isFormOperation(name) ? name : null;
}

/** The key of the message that a form is about. Null if there is no message. */
export function evidenceKeyOf({ customId }: ModalSubmitInteraction): string | null {
  return FORM_ID.exec(customId)?.[3] ?? null;
}

/** The form input of a field. */
export function askField(field: FormField, locale: Locale, isRequired: boolean): APILabelComponent {
  return CONTROLS[field].ask(translator(locale, 'chat'), isRequired, false, locale);
}

/** The input for a number that is to be repeated. */
export function askCount(label: string): APILabelComponent {
  return textField('count', label, { max_length: 10 });
}

/** Some fields as filled in, and the number. Throws an InputProblem. */
export function readFields(
  fields: readonly FormField[],
  form: ModalSubmitInteraction,
  reading: Reading,
  named: (field: string) => string,
) {
  const filledIn = filledInOf(form);
  const given = fields.map((field) => [field, CONTROLS[field].read(filledIn, named(field), reading)]);
  return { count: filledIn.text('count'), typed: Object.fromEntries(given) };
}

function filledInOf({ fields }: ModalSubmitInteraction): FilledIn {
  return {
    text: (name) =>
      fields.fields.has(name) ? fields.getTextInputValue(name).trim() || undefined : undefined,
    chosen: (name) => (fields.fields.has(name) ? fields.getStringSelectValues(name)[0] : undefined),
  };
}

/** The operation's input from the form. Throws an InputProblem. */
export function readForm<N extends FormOperation>(
  operation: N,
  form: ModalSubmitInteraction,
  reading: Reading,
): InputOf<N> {
  const { locale } = reading;
  const named = (field: string) => optionName(locale, operation, field);
  const asked = (chatEntryOf(operation).form ?? []).map((field) => field as FormField);
  const { typed } = readFields(asked, form, reading, named);
  return inputFrom(operation, { user_id: FORM_ID.exec(form.customId)?.[2], ...typed }, locale, named);
}
