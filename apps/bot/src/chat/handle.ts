import { callOf, type FormOperation, type InputOf, isFormOperation, type MenuOperation } from '@bailiff/core';
import { authorizePerson } from '@bailiff/engine/calls/authorize';
import { translator } from '@bailiff/messages';
import {
  type AutocompleteInteraction,
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  type Interaction,
  type MessageContextMenuCommandInteraction,
  MessageFlags,
  type ModalSubmitInteraction,
  type StringSelectMenuInteraction,
  type UserContextMenuCommandInteraction,
} from 'discord.js';
import { wholeChosenMessage } from '#src/whole-message.ts';
import {
  type Answering,
  answer,
  type ChatDeps,
  languageOf,
  NotAnswered,
  openForm,
  type Where,
} from './answering.ts';
import { isAppealButton, isAppealForm, pressedAppeal, refusedAppeal } from './appeals.ts';
import { choseAssignee, pressedAssign, ticketOfAssignButton, ticketOfAssigneeMenu } from './assigning.ts';
import { pageOfButton } from './case-pages.ts';
import { searchOfButton } from './case-search.ts';
import { closeAnswerOf, pressedCloseAnswer } from './close-answers.ts';
import { closingOfButton } from './closing.ts';
import { commandContext } from './command-context.ts';
import { CHAT_COMMANDS, type ChatCommand } from './commands.ts';
import { Confirmations } from './confirmations.ts';
import { strikeOfButton } from './escalation.ts';
import { attachedTo, OpenEvidence } from './evidence.ts';
import { answerFeedback } from './feedback.ts';
import { evidenceKeyOf, evidenceOf, formFor, operationOfForm, readForm } from './forms.ts';
import { choseGames, gamesField, wantsGames } from './games.ts';
import { askingUnits, lengthOfButton, pressedLength } from './lengths.ts';
import { linkOfButton, pressedLink } from './linking.ts';
import { manyForm, manyOf, readManyForm } from './many.ts';
import { MESSAGE_MENUS, operationOf, USER_MENUS } from './menus.ts';
import {
  choseCategory,
  commandedTicket,
  pressedTicket,
  sentTicket,
  subjectOfMenu,
} from './opening-tickets.ts';
import {
  confirmClosing,
  confirmPurge,
  perform,
  performMany,
  pressedPage,
  pressedReport,
  pressedStrike,
  sentReport,
} from './perform.ts';
import { purgeFrom, purgeOfButton } from './purge.ts';
import { InputProblem, type Units } from './read-input.ts';
import { OpenReports, pressOnReport, readReportForm, requireReportable } from './reports.ts';
import { actionOfStopButton, pressedStop } from './stopping.ts';
import { suggest } from './suggest.ts';
import { isTicketButton, isTicketForm } from './tickets.ts';

/** Commands in chat, while the bot runs. */
export interface Chat {
  /** Takes no more commands. Resolves when the running ones are answered. */
  stop(): Promise<void>;
}

/**
 * Answers commands, menus, buttons and forms through the same engine as every other surface. Only their author sees the
 * answer.
 */
export function startChat({ client, ...deps }: ChatDeps): Chat {
  const closing = new AbortController();
  const answering: Answering = {
    ...deps,
    purges: new Confirmations(),
    closings: new Confirmations(),
    strikes: new Confirmations(),
    lengths: new Confirmations(),
    links: new Confirmations(),
    evidence: new OpenEvidence(),
    reports: new OpenReports(),
    subjects: new Confirmations(),
    closing: closing.signal,
  };
  const running = new Set<Promise<void>>();
  const onInteraction: Parameters<typeof client.on<'interactionCreate'>>[1] = (interaction) => {
    const done = (
      interaction.inGuild() ? respond(answering, interaction) : answerFeedback(answering, interaction)
    )
      .catch((error: unknown) => {
        const about = error instanceof NotAnswered ? error.about : { outcome: 'not performed' };
        const { id: interaction_id, guildId: guild_id, user } = interaction;
        const command = 'commandName' in interaction ? interaction.commandName : interaction.customId;
        const err = error instanceof NotAnswered ? error.cause : error;
        deps.log.error(
          { err, interaction_id, guild_id, user_id: user.id, command, ...about },
          'a command was not answered',
        );
      })
      .finally(() => running.delete(done));
    running.add(done);
  };
  client.on('interactionCreate', onInteraction);
  return {
    stop: async () => {
      client.off('interactionCreate', onInteraction);
      closing.abort();
      deps.engine.waiters.wakeAll();
      await Promise.all(running);
    },
  };
}

async function respond(deps: Answering, interaction: Interaction<Where>): Promise<void> {
  if (interaction.isAutocomplete()) {
    await suggest(deps.engine, interaction, commandOf(interaction), deps.log);
  } else if (interaction.isButton()) await pressed(deps, interaction);
  else if (interaction.isStringSelectMenu()) await selected(deps, interaction);
  else if (interaction.isModalSubmit()) await submitted(deps, interaction);
  else if (interaction.isUserContextMenuCommand()) await chosenOfUser(deps, interaction);
  else if (interaction.isMessageContextMenuCommand()) await chosenOfMessage(deps, interaction);
  else if (interaction.isChatInputCommand()) {
    const opensTicket = commandOf(interaction)?.operation === 'tickets.open';
    await (opensTicket ? commandedTicket : commanded)(deps, interaction);
  }
}

function commandOf({
  commandName,
  options,
}: Pick<ChatInputCommandInteraction<Where> | AutocompleteInteraction<Where>, 'commandName' | 'options'>):
  | ChatCommand
  | undefined {
  const words = [commandName, options.getSubcommand(false)].filter(Boolean).join(' ');
  return CHAT_COMMANDS.find((each) => each.words === words);
}

async function commanded(deps: Answering, interaction: ChatInputCommandInteraction<Where>): Promise<void> {
  const command = commandOf(interaction);
  if (command === undefined) return;
  const { operation } = command;
  const work = async (requestId: string, units: Units) => {
    const { guildId, channelId, options, user } = interaction;
    const names = new Map<string, string>();
    const locale = languageOf(interaction);
    const origin = { guildId, channelId, userId: user.id, locale, units };
    const context = commandContext(deps.engine, origin, names);
    const input = await command.readInput(options, context);
    const reading = { ...deps, db: deps.engine.db };
    const evidence = await attachedTo(reading, { options, guildId, userId: user.id, locale });
    if (operation === 'cases.attach' && evidence === null)
      throw new InputProblem(translator(locale, 'evidence')('nothing'));
    const inGames = wantsGames(options);
    return perform(deps, interaction, { ...callOf(operation, input), names, evidence, inGames }, requestId);
  };
  await answer(deps, interaction, operation, (requestId) =>
    askingUnits(deps, interaction, { operation, work, units: new Map() }, requestId),
  );
}

async function pressed(deps: Answering, interaction: ButtonInteraction<Where>): Promise<void> {
  const length = lengthOfButton(interaction.customId);
  const purge = purgeOfButton(interaction.customId);
  const strike = strikeOfButton(interaction.customId);
  const closing = closingOfButton(interaction.customId);
  const link = linkOfButton(interaction.customId);
  const stopped = actionOfStopButton(interaction.customId);
  const many = manyOf(interaction.customId);
  const report = pressOnReport(interaction);
  const assigned = ticketOfAssignButton(interaction);
  const closeAnswer = closeAnswerOf(interaction);
  const page =
    pageOfButton(interaction.customId) ?? searchOfButton(interaction.customId, interaction.guildId);
  if (length !== null) await pressedLength(deps, interaction, length);
  else if (purge !== null) await confirmPurge(deps, interaction, purge);
  else if (closing !== null) await confirmClosing(deps, interaction, closing);
  else if (strike !== null) await pressedStrike(deps, interaction, strike);
  else if (link !== null) await pressedLink(deps, interaction, link);
  else if (stopped !== null) await pressedStop(deps, interaction, stopped);
  else if (report !== null) await pressedReport(deps, interaction, report);
  else if (isAppealButton(interaction)) await pressedAppeal(deps, interaction);
  else if (many !== null)
    await openForm(deps, interaction, many.operation, () => manyForm(many, languageOf(interaction)));
  else if (page !== null) await pressedPage(deps, interaction, page);
  else if (assigned !== null) await pressedAssign(deps, interaction, assigned);
  else if (closeAnswer !== null) await pressedCloseAnswer(deps, interaction, closeAnswer);
  else if (isTicketButton(interaction)) await pressedTicket(deps, interaction);
}

async function selected(deps: Answering, interaction: StringSelectMenuInteraction<Where>): Promise<void> {
  const subjectId = subjectOfMenu(interaction);
  const assigned = ticketOfAssigneeMenu(interaction);
  if (subjectId !== null) await choseCategory(deps, interaction, subjectId);
  else if (assigned !== null) await choseAssignee(deps, interaction, assigned);
}

async function submitted(deps: Answering, interaction: ModalSubmitInteraction<Where>): Promise<void> {
  const report = pressOnReport(interaction);
  if (report !== null) return sentReport(deps, interaction, report);
  if (isAppealForm(interaction)) return refusedAppeal(deps, interaction);
  const many = manyOf(interaction.customId);
  if (many !== null) {
    const reading = { locale: languageOf(interaction) };
    const work = async (requestId: string, units: Units) =>
      performMany(deps, interaction, readManyForm(many, interaction, { ...reading, units }), requestId);
    await answer(deps, interaction, many.operation, (requestId) =>
      askingUnits(deps, interaction, { operation: many.operation, work, units: new Map() }, requestId),
    );
    return;
  }
  if (isTicketForm(interaction)) return sentTicket(deps, interaction);
  const operation = operationOfForm(interaction);
  if (operation === null) return;
  const work = async (requestId: string, units: Units) => {
    const locale = languageOf(interaction);
    if (operation === 'reports.add') {
      return perform(deps, interaction, readReportForm(deps.reports, interaction, locale), requestId);
    }
    const input = readForm(operation, interaction, { locale, units });
    const names = 'user_id' in input ? new Map([[String(input.user_id), `<@${input.user_id}>`]]) : new Map();
    const key = evidenceKeyOf(interaction);
    const who = { guildId: interaction.guildId, userId: interaction.user.id };
    // Nothing is read for who may not do it.
    if (key !== null) await authorizePerson(deps.engine, { operation, ...who });
    const evidence =
      key === null || !('user_id' in input)
        ? null
        : await deps.evidence.of(deps, { ...who, key, authorId: input.user_id });
    const inGames = choseGames(interaction);
    return perform(deps, interaction, { ...callOf(operation, input), names, evidence, inGames }, requestId);
  };
  await answer(deps, interaction, operation, (requestId) =>
    askingUnits(deps, interaction, { operation, work, units: new Map() }, requestId),
  );
}

/** The input of a menu entry without a form, from the user or message it was chosen for. */
const AT_ONCE_TO_USER: {
  readonly [N in Exclude<MenuOperation<'user'>, FormOperation>]: (userId: string) => InputOf<N>;
} = { 'cases.list': (user_id) => ({ user_id }) };

const AT_ONCE_TO_MESSAGE: {
  readonly [N in Exclude<MenuOperation<'message'>, FormOperation>]: (
    message: Parameters<typeof purgeFrom>[0],
  ) => InputOf<N>;
} = { 'messages.purge': purgeFrom };

async function chosenOfUser(
  deps: Answering,
  interaction: UserContextMenuCommandInteraction<Where>,
): Promise<void> {
  const operation = operationOf(USER_MENUS, 'user', interaction.commandName);
  if (operation === undefined) return;
  const { targetUser } = interaction;
  if (isFormOperation(operation)) {
    const locale = languageOf(interaction);
    const { guildId } = interaction;
    await openForm(deps, interaction, operation, async () => {
      if (operation === 'reports.add') {
        const { user } = interaction;
        const wanted = { guildId, reportedBy: user.id, userId: targetUser.id, messageId: undefined };
        await requireReportable(deps.engine, wanted);
      }
      return formFor(operation, targetUser, locale, {
        games: await gamesField(deps.engine, operation, { guildId, userId: targetUser.id, locale }),
      });
    });
    return;
  }
  const input = AT_ONCE_TO_USER[operation](targetUser.id);
  await answer(deps, interaction, operation, (requestId) =>
    perform(deps, interaction, { operation, input }, requestId),
  );
}

async function chosenOfMessage(
  deps: Answering,
  interaction: MessageContextMenuCommandInteraction<Where>,
): Promise<void> {
  const operation = operationOf(MESSAGE_MENUS, 'message', interaction.commandName);
  if (operation === undefined) return;
  const { targetMessage: message, channelId } = interaction;
  if (isFormOperation(operation)) {
    const locale = languageOf(interaction);
    // A webhook writes as a user with its own id, who does not exist. What a bot answers to commands names its application
    // as the webhook, which has the id of the bot.
    const { webhookId, applicationId, author } = message;
    if (webhookId === author.id && webhookId !== applicationId) {
      const content = translator(locale, 'chat')('forms.byWebhook');
      await interaction.reply({ content, flags: MessageFlags.Ephemeral });
      return;
    }
    await openForm(deps, interaction, operation, async () => {
      if (operation === 'reports.add') {
        const { guildId, user } = interaction;
        const wanted = { guildId, reportedBy: user.id, userId: message.author.id, messageId: message.id };
        await requireReportable(deps.engine, wanted);
        const key = deps.reports.keep(message, wholeChosenMessage(message), user.id);
        return formFor(operation, message.author, locale, { evidence: { words: null, key } });
      }
      const { guildId } = interaction;
      const whole = wholeChosenMessage(message);
      const words = evidenceOf({ id: message.id, channelId, ...whole }, guildId, locale);
      return formFor(operation, message.author, locale, {
        evidence: { words, key: deps.evidence.keep(message, whole, interaction.user.id) },
        games: await gamesField(deps.engine, operation, { guildId, userId: message.author.id, locale }),
      });
    });
    return;
  }
  const input = AT_ONCE_TO_MESSAGE[operation]({ id: message.id, channelId });
  await answer(deps, interaction, operation, (requestId) =>
    perform(deps, interaction, { operation, input }, requestId),
  );
}
