import {
  type Call,
  type ChatOperation,
  callOf,
  type InputOf,
  type OutputOf,
  type WriteOperation,
} from '@bailiff/core';
import { authorizePerson, caseIdOf } from '@bailiff/engine/calls/authorize';
import { isRead, readForPerson } from '@bailiff/engine/calls/read-call';
import { isStillRunning, performForPerson } from '@bailiff/engine/calls/write-call';
import type { ReportedMessage } from '@bailiff/engine/reports/reports';
import { inGamesOf } from '@bailiff/engine/servers/sanction-in-games';
import { type Locale, translator } from '@bailiff/messages';
import { type ButtonInteraction, MessageFlags, type ModalSubmitInteraction } from 'discord.js';
import { caseLink } from '#src/case-link.ts';
import {
  type Answerable,
  type Answered,
  type Answering,
  answer,
  fulfil,
  languageOf,
  openForm,
  takePress,
  type Where,
} from './answering.ts';
import { type Answer, type Reply, replyTo, type Spoken } from './answers.ts';
import { caseIn } from './case-in.ts';
import { marksIn } from './case-marks.ts';
import { closingQuestion, hasTexts } from './closing.ts';
import type { Confirmations } from './confirmations.ts';
import { acknowledge } from './deliver.ts';
import { confirmStrike, giveStrike, type StrikeAuthor, type StrikeQuestion } from './escalation.ts';
import { type Attached, withEvidence } from './evidence.ts';
import { gamesText } from './games.ts';
import { linkCodeFor, linkQuestion } from './linking.ts';
import { followToEnd, type Written } from './long-answers.ts';
import { type ManyOperation, manyReply, withPeople } from './many.ts';
import { membershipBeneath } from './membership.ts';
import { notesBeneath } from './notes.ts';
import { publicAnswer } from './public-answers.ts';
import { countPurge, type PurgeInput, questionOf } from './purge.ts';
import { replacementNotice } from './replacement-notice.ts';
import { formOfPress, operationOfPress, type ReportPress, readCloseForm, reportText } from './reports.ts';
import { undeliveredNotice } from './undelivered-notice.ts';

/** Longer than it usually takes to fetch the files of a message. */
const FETCH_FIRST_MS = 8_000;

/** A request in chat: its operation, its input, and the names of what it is about, by id. */
type Asked = Call<ChatOperation> & {
  readonly names?: ReadonlyMap<string, string>;
  /** What is kept with its case. */
  readonly evidence?: Attached | null;
  /** The id that its action has to have. Absent: any. */
  readonly actionId?: string | undefined;
  /** Whether it is carried to game servers too. */
  readonly inGames?: boolean;
  /** For a report: the message that it is about. */
  readonly reported?: ReportedMessage;
  /** For a member who links an identity: the code that they get. */
  readonly linkCode?: string | undefined;
};

/** What a write takes from a request besides its operation and input. */
type Besides = 'reported' | 'actionId' | 'linkCode';

/** The answer to a request: performs it, or asks for confirmation first. */
export async function perform(
  deps: Answering,
  interaction: Answerable,
  asked: Asked,
  requestId: string,
): Promise<Answer> {
  const { engine } = deps;
  const { names = [], evidence = null } = asked;
  const { guildId, user } = interaction;
  const locale = languageOf(interaction);
  if (asked.operation === 'messages.purge') return askPurge(deps, interaction, asked.input);
  if (asked.operation === 'identities.confirm') return linkQuestion(deps, interaction, asked.input);
  const linkCode = linkCodeFor(asked.operation);
  const spoken = {
    guildId,
    locale,
    names: { ...namesOf(interaction), ...Object.fromEntries(names) },
    linkCode,
  };
  if (isRead(asked)) {
    const reading = { guildId, userId: user.id, requestId };
    const body = await readForPerson(engine, { ...asked, ...reading });
    const marked = { ...spoken, marks: await marksIn(engine, guildId, body) };
    const told = withLink(deps, spoken, body, replyTo(asked.operation, asked.input, body, marked));
    if (asked.operation !== 'cases.list') return told;
    return {
      ...told,
      more: async () => {
        const beneath = [notesBeneath, membershipBeneath].map((of) =>
          of(engine, asked.input, locale, reading),
        );
        return (await Promise.all(beneath)).filter((part) => part !== null).join('\n');
      },
    };
  }
  if (asked.operation === 'tickets.close' && !(await hasTexts(deps.api))) {
    await authorizePerson(engine, { operation: 'tickets.close', guildId, userId: user.id });
    return closingQuestion(locale, deps.closings.ask(user.id, interaction.createdTimestamp, asked.input));
  }
  const told = (
    body: OutputOf<ChatOperation & WriteOperation>,
    stoppedBy: string | null = null,
    keeping: Promise<string | null> | null = null,
  ): Answer => ({
    ...withStop(
      withLink(deps, spoken, body, replyTo(asked.operation, asked.input, body, spoken)),
      locale,
      stoppedBy,
    ),
    toEverybody: () => publicAnswer(engine, guildId, asked),
    more: async () => {
      const notes = [
        replacementNotice(engine, body, locale),
        undeliveredNotice(engine, body, locale, deps.closing),
        keeping,
        asked.inGames === true ? alsoInGames(deps, spoken, asked.operation, body, user.id) : null,
      ];
      return (await Promise.all(notes)).filter((note) => note !== null).join('\n');
    },
  });
  if (asked.operation === 'strikes.add') {
    const strike = { input: asked.input, evidence, replyTo: told };
    return giveStrike(deps, strike, strikeAuthorOf(interaction, requestId));
  }
  // Files are fetched and kept before the case is opened: not for who may not open it.
  if (evidence !== null) {
    const { operation } = asked;
    await authorizePerson(engine, { operation, guildId, userId: user.id, caseId: caseIdOf(asked) });
  }
  // A ban may delete the message that it is about.
  const deletes = 'delete_message_seconds' in asked.input && (asked.input.delete_message_seconds ?? 0) > 0;
  const about = { guildId, requestId, locale, evidence, fetchFirstMs: deletes ? FETCH_FIRST_MS : 0 };
  const { opened, kept } = await withEvidence(deps, about, (actionId) =>
    write(deps, interaction, { ...asked, actionId, linkCode }, requestId),
  );
  const reply = told(opened.body, opened.stoppedBy, kept);
  return withPeople(engine, { guildId, locale }, opened.body, reply);
}

/** Carries what was done to the game servers. Null for an operation that has nothing to do with them. */
async function alsoInGames(
  { engine, closing }: Answering,
  { guildId, locale }: Spoken,
  operation: WriteOperation,
  body: object,
  actorId: string,
): Promise<string | null> {
  const does = inGamesOf(operation);
  const about = caseIn(body);
  if (does === null || about === null) return null;
  const { caseNumber, userId } = about;
  const actor = { source: 'chat', userId: actorId } as const;
  return gamesText(engine, locale, { guildId, userId, caseNumber, does, actor, address: null }, closing);
}

/** The answer to the form of a preview: acts on its people, and says in a file what became of each. */
export async function performMany(
  deps: Answering,
  interaction: ModalSubmitInteraction<Where>,
  call: Call<ManyOperation>,
  requestId: string,
): Promise<Answer> {
  const locale = languageOf(interaction);
  const { body, stoppedBy } = await write(deps, interaction, call, requestId);
  const reply = withStop(manyReply(locale, call.operation, body), locale, stoppedBy);
  return withPeople(deps.engine, { guildId: interaction.guildId, locale }, body, reply);
}

/** The answer about a case, with a button that opens it in the dashboard. */
function withLink({ engine }: Answering, { guildId, locale }: Spoken, body: object, reply: Reply): Reply {
  const about = caseIn(body);
  if (about === null) return reply;
  const link = caseLink(engine.dashboardUrl, locale, { guildId, number: about.caseNumber });
  return { ...reply, components: [...(reply.components ?? []), ...link] };
}

/** The answer to a write that somebody stopped before its end says who. */
function withStop(reply: Reply, locale: Locale, stoppedBy: string | null): Reply {
  if (stoppedBy === null) return reply;
  const by = translator(locale, 'chat')('long.stoppedBy', { by: `<@${stoppedBy}>` });
  return { ...reply, content: `${reply.content} ${by}` };
}

function strikeAuthorOf(interaction: Answerable | ButtonInteraction<Where>, requestId: string): StrikeAuthor {
  return {
    guildId: interaction.guildId,
    userId: interaction.user.id,
    locale: languageOf(interaction),
    requestId,
    askedAtMs: interaction.createdTimestamp,
  };
}

/** Does what somebody asked for in chat, and follows it to its end. */
export async function write<N extends WriteOperation>(
  deps: Answering,
  interaction: Answered,
  { operation, input, reported, actionId, linkCode }: Call<N> & Pick<Asked, Besides>,
  requestId: string,
): Promise<Written<N>> {
  const { guildId, user } = interaction;
  const actor = { source: 'chat', userId: user.id } as const;
  const besides = { reported, actionId, linkCode };
  const call = { ...callOf(operation, input), guildId, actor, requestId, address: null, ...besides };
  const answered = await performForPerson(deps.engine, call);
  return isStillRunning(answered)
    ? followToEnd(deps, interaction, answered, requestId)
    : { body: answered.body, stoppedBy: null };
}

/** The question that says what a purge would delete, with a button. */
async function askPurge(
  { engine, api, botUserId, purges }: Answering,
  interaction: Answerable,
  input: PurgeInput,
): Promise<Reply> {
  const { guildId, user, createdTimestamp } = interaction;
  const startedAt = performance.now();
  const locale = languageOf(interaction);
  await authorizePerson(engine, { operation: 'messages.purge', guildId, userId: user.id });
  const { selection, counted } = await countPurge(
    { db: engine.db, api, botUserId },
    { guildId, input, locale },
  );
  // Counting may take a large part of the time for which the button is said to work.
  const askedAtMs = createdTimestamp + (performance.now() - startedAt);
  const buttonId = counted === null ? null : purges.ask(user.id, askedAtMs, counted);
  return questionOf(locale, input.channel_id, selection, buttonId);
}

export function confirmPurge(
  deps: Answering,
  interaction: ButtonInteraction<Where>,
  id: string,
): Promise<void> {
  return confirm(deps, interaction, { operation: 'messages.purge', questions: deps.purges, id });
}

export function confirmClosing(
  deps: Answering,
  interaction: ButtonInteraction<Where>,
  id: string,
): Promise<void> {
  return confirm(deps, interaction, { operation: 'tickets.close', questions: deps.closings, id });
}

/** Does what a button was pressed for. */
async function confirm<N extends 'messages.purge' | 'tickets.close'>(
  deps: Answering,
  interaction: ButtonInteraction<Where>,
  pressed: { operation: N; questions: Confirmations<InputOf<N>>; id: string },
): Promise<void> {
  const { operation, questions, id } = pressed;
  const locale = languageOf(interaction);
  const t = translator(locale, 'chat');
  const input = await takePress(interaction, questions, id, t('purge.lapsed'));
  if (input === null) return;
  await fulfil(deps, interaction, operation, async (requestId) => {
    const { body, stoppedBy } = await write(deps, interaction, callOf(operation, input), requestId);
    const reply = replyTo(operation, input, body, { guildId: interaction.guildId, locale, names: {} });
    return withStop(reply, locale, stoppedBy);
  });
}

export async function pressedStrike(
  deps: Answering,
  interaction: ButtonInteraction<Where>,
  id: string,
): Promise<void> {
  const t = translator(languageOf(interaction), 'escalation');
  const question = await takePress<StrikeQuestion>(interaction, deps.strikes, id, t('lapsed'));
  if (question === null) return;
  await fulfil(deps, interaction, 'strikes.add', (requestId) =>
    confirmStrike(deps, question, strikeAuthorOf(interaction, requestId)),
  );
}

/** Shows another page of cases in the same answer. */
export async function pressedPage(
  deps: Answering,
  interaction: ButtonInteraction<Where>,
  page: Call<'cases.list' | 'cases.own' | 'cases.search'>,
): Promise<void> {
  await acknowledge(interaction, () => interaction.deferUpdate());
  const { guildId, user } = interaction;
  await fulfil(deps, interaction, page.operation, async (requestId) => {
    const reading = { guildId, userId: user.id, requestId };
    const body = await readForPerson(deps.engine, { ...page, ...reading });
    return replyTo(page.operation, page.input, body, {
      guildId,
      locale: languageOf(interaction),
      names: {},
      marks: await marksIn(deps.engine, guildId, body),
    });
  });
}

/** Claims a report, or opens the form of the button that was pressed. */
export async function pressedReport(
  deps: Answering,
  interaction: ButtonInteraction<Where>,
  press: ReportPress,
): Promise<void> {
  const locale = languageOf(interaction);
  if (press.purpose !== 'claim') {
    const form = () => formOfPress(deps.engine, interaction, press, locale);
    return openForm(deps, interaction, operationOfPress(press), form);
  }
  await acknowledge(interaction, () => interaction.deferReply({ flags: MessageFlags.Ephemeral }));
  await fulfil(deps, interaction, 'reports.claim', async (requestId) => {
    const call = callOf('reports.claim', { reportId: press.reportId });
    const { body } = await write(deps, interaction, call, requestId);
    return { content: reportText(locale, 'reports.claim', body) };
  });
}

/** Closes a report with the answer from its form. */
export async function sentReport(
  deps: Answering,
  interaction: ModalSubmitInteraction<Where>,
  { reportId }: ReportPress,
): Promise<void> {
  await answer(deps, interaction, 'reports.close', async (requestId) => {
    const call = callOf('reports.close', readCloseForm(interaction, reportId));
    const { body } = await write(deps, interaction, call, requestId);
    return { content: reportText(languageOf(interaction), 'reports.close', body) };
  });
}

/** Names of the guild and of the users in a command, by id. */
function namesOf(interaction: Answerable): Record<string, string> {
  const users = interaction.isChatInputCommand()
    ? [...(interaction.options.resolved?.users?.values() ?? [])].map(
        ({ id, username }) => [id, username] as const,
      )
    : [];
  const guild = interaction.guild === null ? [] : [[interaction.guildId, interaction.guild.name] as const];
  return Object.fromEntries([...users, ...guild]);
}
