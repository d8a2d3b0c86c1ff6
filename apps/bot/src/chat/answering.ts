import type { EventName, InputOf, OperationName } from '@bailiff/core';
import { authorizePerson } from '@bailiff/engine/calls/authorize';
import { newRequestId } from '@bailiff/engine/calls/request-id';
import type { Engine } from '@bailiff/engine/engine';
import { inSpan, type Tracer, traceRequest } from '@bailiff/engine/tracing/spans';
import { DEFAULT_LOCALE, type Locale, localeOf, translator } from '@bailiff/messages';
import {
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  type Client,
  type Interaction,
  type MessageContextMenuCommandInteraction,
  MessageFlags,
  type ModalSubmitInteraction,
  type StringSelectMenuInteraction,
  type UserContextMenuCommandInteraction,
} from 'discord.js';
import type { DiscordApi } from '#src/discord-api.ts';
import type { Logger } from '#src/log.ts';
import type { Answer } from './answers.ts';
import type { Closing } from './closing.ts';
import type { Confirmations } from './confirmations.ts';
import { acknowledge, deliver, replaceLater } from './deliver.ts';
import type { StrikeDeps } from './escalation.ts';
import type { OpenEvidence } from './evidence.ts';
import { explain, isOutcomeUnknown } from './explain.ts';
import { fitting, LONGEST_ANSWER } from './fitting.ts';
import type { AskedLength } from './lengths.ts';
import type { PurgeInput } from './purge.ts';
import type { OpenReports } from './reports.ts';
import { beginning } from './text.ts';

/** What Discord accepts in one message. */
const MOST_CHARACTERS = 2_000;

export interface ChatDeps {
  readonly client: Client;
  readonly engine: Engine;
  /** Counts the messages that a purge would delete, and stores evidence. */
  readonly api: DiscordApi;
  readonly botUserId: string;
  /** Where Discord keeps attached files. */
  readonly fileOrigins: readonly string[];
  readonly log: Logger;
  /** Absent if no traces are made. */
  readonly tracer?: Tracer | undefined;
}

/** What is needed to make answers. */
export interface Answering extends Omit<ChatDeps, 'client'>, StrikeDeps {
  readonly purges: Confirmations<PurgeInput>;
  readonly closings: Confirmations<Closing>;
  readonly lengths: Confirmations<AskedLength>;
  readonly links: Confirmations<InputOf<'identities.confirm'>>;
  readonly evidence: OpenEvidence;
  readonly reports: OpenReports;
  /** Subjects of tickets whose category is asked for. */
  readonly subjects: Confirmations<string>;
}

export type Where = 'cached' | 'raw';
type Opener =
  | Menu
  | ButtonInteraction<Where>
  | ChatInputCommandInteraction<Where>
  | StringSelectMenuInteraction<Where>;
type Menu = UserContextMenuCommandInteraction<Where> | MessageContextMenuCommandInteraction<Where>;
type Form = Parameters<Menu['showModal']>[0];
export type Answerable = ChatInputCommandInteraction<Where> | ModalSubmitInteraction<Where> | Menu;
/** What is acknowledged first and answered when the work is done. */
export type Answered = Answerable | ButtonInteraction<Where> | StringSelectMenuInteraction<Where>;

/** The language of the acting person; if it is not supported, the guild's. */
export function languageOf({
  locale,
  guildLocale,
}: Pick<Interaction<Where>, 'locale' | 'guildLocale'>): Locale {
  return localeOf(locale) ?? localeOf(guildLocale) ?? DEFAULT_LOCALE;
}

/** Opens a form, unless the operation would be refused anyway, so that nobody writes a reason in vain. */
export async function openForm(
  deps: Answering,
  interaction: Opener,
  operation: OperationName,
  form: () => Form | Promise<Form>,
): Promise<void> {
  const { guildId, user } = interaction;
  const opened = await unlessRefused(deps, interaction, operation, async () => {
    await authorizePerson(deps.engine, { operation, guildId, userId: user.id });
    return form();
  });
  if (opened !== null) await interaction.showModal(opened);
}

/** What is needed before a person is asked for more. Null if it failed, which the person is told. */
export async function unlessRefused<Needed extends object>(
  { engine, log }: Answering,
  interaction: Opener,
  operation: OperationName,
  work: () => Promise<Needed>,
): Promise<Needed | null> {
  try {
    return await work();
  } catch (error) {
    const { guildId } = interaction;
    const refused = { guildId, requestId: newRequestId(), locale: languageOf(interaction), operation };
    const content = await explain(engine, error, refused, log);
    await interaction.reply({ content, flags: MessageFlags.Ephemeral });
    return null;
  }
}

/** An answer that Discord did not take: whose, and whether what they asked for was done. */
export class NotAnswered extends Error {
  readonly about: {
    readonly operation: OperationName | EventName;
    readonly request_id: string;
    readonly outcome: Outcome;
  };

  constructor(about: NotAnswered['about'], cause: unknown) {
    super(`Discord did not take the answer to ${about.operation}, which was ${about.outcome}.`, { cause });
    this.about = about;
  }
}

type Outcome = 'answered with a result' | 'not performed' | 'perhaps performed';

/** Answers with the result of `work`, or with the reason for its failure. */
export async function answer(
  deps: Answering,
  interaction: Answerable,
  operation: OperationName,
  work: (requestId: string) => Promise<Answer>,
): Promise<void> {
  // Discord waits three seconds for the first response. A command that cannot be answered is not performed.
  await acknowledge(interaction, () => interaction.deferReply({ flags: MessageFlags.Ephemeral }));
  await fulfil(deps, interaction, operation, work);
}

/** The same for an interaction that is already acknowledged. */
export async function fulfil(
  { engine, log, tracer, closing }: Answering,
  interaction: Answered,
  operation: OperationName,
  work: (requestId: string) => Promise<Answer>,
): Promise<void> {
  const requestId = newRequestId();
  const trace = traceRequest(tracer, requestId);
  let outcome = 'answered with a result' as Outcome;
  const working = trace.run(() => work(requestId));
  const { more, toEverybody, ...reply } = await working.catch(async (error: unknown): Promise<Answer> => {
    outcome = isOutcomeUnknown(error) ? 'perhaps performed' : 'not performed';
    const number = interaction.isChatInputCommand() ? interaction.options.getInteger('number') : null;
    const refused = {
      guildId: interaction.guildId,
      requestId,
      locale: languageOf(interaction),
      operation,
      number,
    };
    return { content: await explain(engine, error, refused, log) };
  });
  // Begun before the answer is sent: it tells game servers of a sanction, also if Discord does not take the answer.
  const adding = more?.().catch((err: unknown) => {
    log.error({ err, request_id: requestId }, 'what an answer adds is not known');
    return null;
  });
  const content = reply.content == null ? null : beginning(reply.content, LONGEST_ANSWER);
  const message = { components: [], ...reply, content };
  const ended = (failed: boolean) => {
    const attributes = { 'bailiff.operation': operation, 'bailiff.request_id': requestId };
    trace.end({ name: `chat ${operation}`, attributes, failed });
  };
  const delivering = trace.run(() =>
    inSpan({ name: 'answer in chat' }, () => deliver(interaction, message, closing)),
  );
  await delivering.catch(async (cause: unknown) => {
    ended(true);
    await adding;
    throw new NotAnswered({ operation, request_id: requestId, outcome }, cause);
  });
  ended(outcome === 'perhaps performed');
  // Sent once: it is known to be done, and a second message would read as if it were done twice.
  await tellEverybody(interaction, toEverybody).catch((err: unknown) =>
    log.warn({ err, request_id: requestId }, 'the channel was not told what a command did'),
  );
  const line = await adding;
  if (!line) return;
  const whole = `${content}\n${line}`;
  if (whole.length <= MOST_CHARACTERS) await deliver(interaction, { ...message, content: whole }, closing);
  else {
    await interaction.followUp({
      content: fitting(translator(languageOf(interaction), 'chat'), line.split('\n'), []),
      flags: MessageFlags.Ephemeral,
    });
  }
}

async function tellEverybody(
  interaction: Answered,
  text: (() => Promise<string | null>) | undefined,
): Promise<void> {
  const content = await text?.();
  if (content) await interaction.followUp({ content });
}

/**
 * The question of a button, once its press is acknowledged. Null if the press does not count, which the person is told.
 */
export async function takePress<Asked>(
  interaction: ButtonInteraction<Where>,
  questions: Confirmations<Asked>,
  id: string,
  lapsed: string,
): Promise<Asked | null> {
  const asked = questions.press(id, interaction.user.id, interaction.createdTimestamp);
  if (asked === null) await interaction.update({ content: lapsed, components: [] });
  else {
    await acknowledge(interaction, () => interaction.deferUpdate());
    // Only here: what works more than once may have been used again since, and shows an answer of its own.
    replaceLater(interaction, interaction.message.content);
    // Who sees the question because its answer was lost may press again, and then reads this there.
    replaceLater(interaction, lapsed);
  }
  return asked;
}
