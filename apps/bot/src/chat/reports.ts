import { randomBytes } from 'node:crypto';
import {
  ApiError,
  callOf,
  type FormOperation,
  type InputOf,
  MOST_REPORT_ANSWER_CHARACTERS,
  type OutputOf,
} from '@bailiff/core';
import { forbidden } from '@bailiff/engine/calls/action-errors';
import { readForPerson } from '@bailiff/engine/calls/read-call';
import { newRequestId } from '@bailiff/engine/calls/request-id';
import type { Engine } from '@bailiff/engine/engine';
import { memberNames } from '@bailiff/engine/guilds/guilds';
import { type ReportedMessage, reportRefusal } from '@bailiff/engine/reports/reports';
import { type Locale, translator } from '@bailiff/messages';
import {
  type APIModalInteractionResponseCallbackData,
  type ButtonInteraction,
  ComponentType,
  type Message,
  type ModalSubmitInteraction,
  TextInputStyle,
} from 'discord.js';
import { ACTS_ON_REPORTS, REPORT_BUTTON } from '#src/report-posts.ts';
import type { WholeMessage } from '#src/whole-message.ts';
import type { Where } from './answering.ts';
import { evidenceKeyOf, evidenceOf, formFor, readForm } from './forms.ts';
import { gamesField } from './games.ts';
import { KeptForPeople } from './kept-for-people.ts';
import { InputProblem } from './read-input.ts';

/** Most open forms about messages. */
const MOST_OPEN = 500;

/**
 * The messages that people are about to report, as Discord showed them, by a key that the form carries. So nobody can
 * report what was never written. Only this process stores them.
 */
export class OpenReports {
  readonly #open = new KeptForPeople<
    ReportedMessage & { readonly authorId: string; readonly userId: string }
  >(MOST_OPEN);

  /** @returns the key */
  keep(
    message: Pick<Message, 'id' | 'channelId' | 'createdAt'> & { author: { id: string } },
    { text, files }: WholeMessage,
    userId: string,
  ): string {
    const key = randomBytes(8).toString('hex');
    const { id, channelId, createdAt, author } = message;
    const sentAt = createdAt.toISOString();
    this.#open.keep(key, { id, channelId, sentAt, text, files, authorId: author.id, userId });
    return key;
  }

  /**
   * The message, once, for whom it was kept and as written by its author. Throws an InputProblem if it is not known any
   * more, or if the form names another author, which a changed client can send.
   */
  take(key: string, { by, authorId }: { by: string; authorId: string }, locale: Locale): ReportedMessage {
    const kept = this.#open.get(key);
    if (kept?.userId !== by || kept.authorId !== authorId)
      throw new InputProblem(translator(locale, 'reports')('forgotten'));
    this.#open.forget(key);
    const { userId: _, authorId: __, ...message } = kept;
    return message;
  }
}

/** Throws the error with which a report would be refused, so that nobody writes one in vain. */
export async function requireReportable(
  { db }: Pick<Engine, 'db'>,
  wanted: Parameters<typeof reportRefusal>[1],
): Promise<void> {
  const reason = await reportRefusal(db.pool, wanted);
  if (reason === null) return;
  const { code, message } = forbidden(reason);
  throw new ApiError(code, message, { details: { reason } });
}

/** The report from its form, with the message if it is about one. Throws an InputProblem. */
export function readReportForm(open: OpenReports, form: ModalSubmitInteraction, locale: Locale) {
  const input = readForm('reports.add', form, { locale, units: new Map() });
  const key = evidenceKeyOf(form);
  if (key === null) return callOf('reports.add', input);
  const reported = open.take(key, { by: form.user.id, authorId: input.user_id }, locale);
  return { ...callOf('reports.add', { ...input, message_id: reported.id }), reported };
}

type ActOnReport = (typeof ACTS_ON_REPORTS)[number];

/** What a button of a report's post, or the form that it opens, is for. */
export interface ReportPress {
  readonly reportId: string;
  readonly purpose: 'claim' | 'close' | ActOnReport;
}

const REPORT_PRESS = /^report:([a-z.]+):(rpt_[0-9a-f]{32})$/;

/** The purpose of a button or form of a report. Null for another one. */
export function pressOnReport({
  customId,
}: Pick<ButtonInteraction | ModalSubmitInteraction, 'customId'>): ReportPress | null {
  const [, named, reportId] = REPORT_PRESS.exec(customId) ?? [];
  const purpose = (['claim', 'close', ...ACTS_ON_REPORTS] as const).find((each) => each === named);
  return purpose === undefined || reportId === undefined ? null : { purpose, reportId };
}

/** The operation for which the person who presses needs a capability. */
export function operationOfPress({
  purpose,
}: ReportPress): FormOperation | 'reports.claim' | 'reports.close' {
  return purpose === 'claim' || purpose === 'close' ? `reports.${purpose}` : purpose;
}

const ANSWER = 'answer';

/** The form of a button that closes a report, or that does something about who is reported. */
export async function formOfPress(
  engine: Engine,
  { guildId, user }: ButtonInteraction<Where>,
  { purpose, reportId }: ReportPress,
  locale: Locale,
): Promise<APIModalInteractionResponseCallbackData> {
  const asking = { guildId, userId: user.id, requestId: newRequestId() };
  const report = await readForPerson(engine, { operation: 'reports.get', input: { reportId }, ...asking });
  if (purpose === 'claim' || purpose === 'close') return closeForm(report, locale);
  const { user_id: id, message } = report;
  const target = { id, username: (await memberNames(engine.db, guildId, [id]))[id] ?? id };
  return formFor(purpose, target, locale, {
    ...(message === null ? {} : { evidence: { words: wordsOf(message, guildId, locale), key: reportId } }),
    games: await gamesField(engine, purpose, { guildId, userId: id, locale }),
  });
}

function wordsOf(
  { id, channel_id: channelId, text, attachments: files }: NonNullable<OutputOf<'reports.get'>['message']>,
  guildId: string,
  locale: Locale,
) {
  return evidenceOf({ id, channelId, text, files }, guildId, locale);
}

function closeForm(
  { id, number }: OutputOf<'reports.get'>,
  locale: Locale,
): APIModalInteractionResponseCallbackData {
  const t = translator(locale, 'reports');
  return {
    custom_id: `${REPORT_BUTTON}close:${id}`,
    title: t('closeTitle', { number: String(number) }),
    components: [
      {
        type: ComponentType.Label,
        label: t('answerField'),
        component: {
          type: ComponentType.TextInput,
          custom_id: ANSWER,
          style: TextInputStyle.Paragraph,
          required: false,
          max_length: MOST_REPORT_ANSWER_CHARACTERS,
          placeholder: t('answerHint'),
        },
      },
    ],
  };
}

/** The input of `reports.close` from its form. */
export function readCloseForm(
  { fields }: ModalSubmitInteraction,
  reportId: string,
): InputOf<'reports.close'> {
  const answer = fields.getTextInputValue(ANSWER).trim();
  return { reportId, ...(answer === '' ? {} : { answer }) };
}

/** The text that says what was done with a report. */
export function reportText(
  locale: Locale,
  operation: 'reports.claim' | 'reports.close',
  { report }: OutputOf<typeof operation>,
): string {
  const t = translator(locale, 'reports');
  return t(operation === 'reports.claim' ? 'claimed' : 'closed', { number: String(report.number) });
}
