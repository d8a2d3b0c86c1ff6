import { ApiError, type OperationName } from '@bailiff/core';
import {
  authorizePerson,
  type Engine,
  isRead,
  type PersonRead,
  performForPerson,
  readForPerson,
} from '@bailiff/engine';
import {
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  type Client,
  DiscordAPIError,
  type Interaction,
  type MessageContextMenuCommandInteraction,
  MessageFlags,
  type ModalSubmitInteraction,
  RESTJSONErrorCodes,
  type UserContextMenuCommandInteraction,
} from 'discord.js';
import type { DiscordApi } from '../discord-api.ts';
import type { Logger } from '../log.ts';
import { newRequestId } from '../request-id.ts';
import { LONGEST_ANSWER, type Reply, tellDone, tellRead } from './answers.ts';
import { CHAT_COMMANDS } from './commands.ts';
import { Confirmations } from './confirmations.ts';
import { evidenceOf, formFor, operationOfForm, readForm } from './forms.ts';
import { MESSAGE_MENUS, operationOf, USER_MENUS } from './menus.ts';
import { placeOf } from './place.ts';
import { countPurge, type PurgeInput, purgeFrom, purgeOfButton, questionOf } from './purge.ts';
import { InputProblem } from './read-input.ts';
import { suggest } from './suggest.ts';
import { isTicketButton, isTicketForm, readTicketForm, TICKET_FORM } from './tickets.ts';

/** Commands in chat, while the bot runs. */
export interface Chat {
  /** Takes no more commands; resolves when those under way are answered. */
  stop(): Promise<void>;
}

interface ChatDeps {
  readonly client: Client;
  readonly engine: Engine;
  /** Counts what a purge would delete. */
  readonly api: DiscordApi;
  readonly log: Logger;
}

interface Answering extends Omit<ChatDeps, 'client'> {
  readonly purges: Confirmations<PurgeInput>;
}

type Where = 'cached' | 'raw';
type Menu = UserContextMenuCommandInteraction<Where> | MessageContextMenuCommandInteraction<Where>;
type Answerable = ChatInputCommandInteraction<Where> | ModalSubmitInteraction<Where> | Menu;

/** What was asked for in chat, the input it comes with, and the names of what it is about, by id. */
interface Asked {
  readonly operation: OperationName;
  readonly input: object;
  readonly names?: ReadonlyMap<string, string>;
}

/** Answers commands, menus, buttons and forms, each to its author alone, through the same engine as every other surface. */
export function startChat({ client, ...deps }: ChatDeps): Chat {
  const answering: Answering = { ...deps, purges: new Confirmations() };
  const running = new Set<Promise<void>>();
  const onInteraction: Parameters<typeof client.on<'interactionCreate'>>[1] = (interaction) => {
    if (!interaction.inGuild()) return;
    const done = respond(answering, interaction)
      .catch((error: unknown) =>
        deps.log.error({ err: error, interaction_id: interaction.id }, 'interaction not answered'),
      )
      .finally(() => running.delete(done));
    running.add(done);
  };
  client.on('interactionCreate', onInteraction);
  return {
    stop: async () => {
      client.off('interactionCreate', onInteraction);
      await Promise.all(running);
    },
  };
}

async function respond(deps: Answering, interaction: Interaction<Where>): Promise<void> {
  if (interaction.isAutocomplete()) await suggest(deps.engine, interaction, deps.log);
  else if (interaction.isButton()) await pressed(deps, interaction);
  else if (interaction.isModalSubmit()) await submitted(deps, interaction);
  else if (interaction.isUserContextMenuCommand()) await chosenOfUser(deps, interaction);
  else if (interaction.isMessageContextMenuCommand()) await chosenOfMessage(deps, interaction);
  else if (interaction.isChatInputCommand()) await commanded(deps, interaction);
}

async function commanded(deps: Answering, interaction: ChatInputCommandInteraction<Where>): Promise<void> {
  const words = [interaction.commandName, interaction.options.getSubcommand(false)].filter(Boolean).join(' ');
  const command = CHAT_COMMANDS.find((each) => each.words === words);
  if (command === undefined) return;
  await answer(deps, interaction, async (requestId) => {
    const { guildId, channelId, options, user } = interaction;
    const names = new Map<string, string>();
    const place = placeOf(deps.engine, { guildId, channelId, userId: user.id, requestId }, names);
    const input = await command.readInput(options, place);
    return perform(deps, interaction, { operation: command.operation, input, names }, requestId);
  });
}

async function pressed(deps: Answering, interaction: ButtonInteraction<Where>): Promise<void> {
  const purge = purgeOfButton(interaction.customId);
  if (purge !== null) await confirmPurge(deps, interaction, purge);
  else if (isTicketButton(interaction)) await interaction.showModal(TICKET_FORM);
}

async function submitted(deps: Answering, interaction: ModalSubmitInteraction<Where>): Promise<void> {
  const operation = isTicketForm(interaction) ? 'tickets.open' : operationOfForm(interaction);
  if (operation === null) return;
  await answer(deps, interaction, async (requestId) => {
    const input =
      operation === 'tickets.open' ? readTicketForm(interaction) : readForm(operation, interaction);
    const names = 'user_id' in input ? new Map([[String(input.user_id), `<@${input.user_id}>`]]) : new Map();
    return perform(deps, interaction, { operation, input, names }, requestId);
  });
}

async function chosenOfUser(
  deps: Answering,
  interaction: UserContextMenuCommandInteraction<Where>,
): Promise<void> {
  const operation = operationOf(USER_MENUS, interaction.commandName);
  const { targetUser } = interaction;
  if (operation === 'cases.list') {
    const input = { user_id: targetUser.id };
    await answer(deps, interaction, (requestId) =>
      perform(deps, interaction, { operation, input }, requestId),
    );
  } else if (operation !== undefined) {
    await openForm(deps, interaction, operation, () => formFor(operation, targetUser));
  }
}

async function chosenOfMessage(
  deps: Answering,
  interaction: MessageContextMenuCommandInteraction<Where>,
): Promise<void> {
  const operation = operationOf(MESSAGE_MENUS, interaction.commandName);
  const { targetMessage: message } = interaction;
  if (operation === 'messages.purge') {
    const input = purgeFrom({ id: message.id, channelId: interaction.channelId });
    await answer(deps, interaction, (requestId) =>
      perform(deps, interaction, { operation, input }, requestId),
    );
  } else if (operation !== undefined) {
    const evidence = evidenceOf(message, interaction.guildId);
    await openForm(deps, interaction, operation, () => formFor(operation, message.author, evidence));
  }
}

/** Opens a form, unless what it leads to would be refused anyway: nobody should write a reason for nothing. */
async function openForm(
  { engine, log }: Answering,
  interaction: Menu,
  operation: OperationName,
  form: () => Parameters<Menu['showModal']>[0],
): Promise<void> {
  const { guildId, user } = interaction;
  try {
    await authorizePerson(engine, { operation, guildId, userId: user.id });
  } catch (error) {
    const content = await explain(engine, error, guildId, newRequestId(), log);
    await interaction.reply({ content, flags: MessageFlags.Ephemeral, allowedMentions: { parse: [] } });
    return;
  }
  await interaction.showModal(form());
}

/** Answers by what `work` says was done, or by why it was not. */
async function answer(
  deps: Answering,
  interaction: Answerable,
  work: (requestId: string) => Promise<Reply>,
): Promise<void> {
  // Discord waits three seconds for a first sign. Nothing is done for a command that could not be answered.
  await interaction.deferReply({ flags: MessageFlags.Ephemeral });
  await fulfil(deps, interaction, work);
}

async function fulfil(
  { engine, log }: Answering,
  interaction: Answerable | ButtonInteraction<Where>,
  work: (requestId: string) => Promise<Reply>,
): Promise<void> {
  const requestId = newRequestId();
  const reply = await work(requestId).catch(async (error: unknown) => ({
    content: await explain(engine, error, interaction.guildId, requestId, log),
  }));
  const content = reply.content?.slice(0, LONGEST_ANSWER) ?? null;
  await interaction
    .editReply({ components: [], ...reply, content, allowedMentions: { parse: [] } })
    .catch((error: unknown) => {
      // Whoever closed a ticket saw its channel go, and with it the place of the answer.
      const isGone = error instanceof DiscordAPIError && error.code === RESTJSONErrorCodes.UnknownChannel;
      if (!isGone) throw error;
    });
}

async function perform(
  deps: Answering,
  interaction: Answerable,
  asked: Asked,
  requestId: string,
): Promise<Reply> {
  const { operation, input, names = [] } = asked;
  const { guildId, user } = interaction;
  if (operation === 'messages.purge') return askPurge(deps, interaction, input as PurgeInput);
  if (isRead(operation)) {
    const read = { operation: operation as PersonRead, guildId, input: input as never };
    return tellRead(
      read.operation,
      await readForPerson(deps.engine, { ...read, userId: user.id, requestId }),
      read.input,
    );
  }
  const body = await write(deps, interaction, operation, input, requestId);
  const spoken = { ...namesOf(interaction), ...Object.fromEntries(names) };
  return tellDone(operation, input, body, { guildId, names: spoken });
}

async function write(
  { engine }: Answering,
  { guildId, user }: Pick<Answerable | ButtonInteraction<Where>, 'guildId' | 'user'>,
  operation: OperationName,
  input: object,
  requestId: string,
): Promise<object> {
  const actor = { source: 'chat', userId: user.id } as const;
  const { body } = await performForPerson(engine, {
    operation,
    guildId,
    input,
    actor,
    requestId,
    address: null,
  });
  return body;
}

/** Says what a purge would delete, and has it wait for its button. */
async function askPurge(
  { engine, api, purges }: Answering,
  { guildId, user, createdTimestamp }: Answerable,
  input: PurgeInput,
): Promise<Reply> {
  await authorizePerson(engine, { operation: 'messages.purge', guildId, userId: user.id });
  const { selection, counted } = await countPurge(api, input);
  const buttonId = counted === null ? null : purges.ask(user.id, createdTimestamp, counted);
  return questionOf(input.channel_id, selection, buttonId);
}

const REFUSED_PRESSES = {
  not_yours: 'This button is for the moderator who asked. Nothing was deleted.',
  lapsed: 'This button has lapsed: it works once, and for 2 minutes. Give the command again.',
} as const;

async function confirmPurge(
  deps: Answering,
  interaction: ButtonInteraction<Where>,
  id: string,
): Promise<void> {
  const press = deps.purges.press(id, interaction.user.id, interaction.createdTimestamp);
  if ('refused' in press) {
    const content = REFUSED_PRESSES[press.refused];
    if (press.refused === 'lapsed') await interaction.update({ content, components: [] });
    else await interaction.reply({ content, flags: MessageFlags.Ephemeral });
    return;
  }
  await interaction.deferUpdate();
  await fulfil(deps, interaction, async (requestId) => {
    const body = await write(deps, interaction, 'messages.purge', press.asked, requestId);
    const names = { guildId: interaction.guildId, names: {} };
    return tellDone('messages.purge', press.asked, body, names);
  });
}

/** Names of the guild and of the users that a command names, by id. */
function namesOf(interaction: Answerable): Record<string, string> {
  const users = interaction.isChatInputCommand()
    ? [...(interaction.options.resolved?.users?.values() ?? [])].map(
        ({ id, username }) => [id, username] as const,
      )
    : [];
  const guild = interaction.guild === null ? [] : [[interaction.guildId, interaction.guild.name] as const];
  return Object.fromEntries([...users, ...guild]);
}

async function explain(
  engine: Engine,
  error: unknown,
  guildId: string,
  requestId: string,
  log: Logger,
): Promise<string> {
  if (error instanceof InputProblem) return `Not done. ${error.message}`;
  const trace = `\nRequest \`${requestId}\``;
  if (!(error instanceof ApiError)) {
    log.error({ err: error, request_id: requestId, guild_id: guildId }, 'command failed');
    return `Something went wrong on our side. Tell the operator of the bot.${trace}`;
  }
  const isUnknown =
    error.details !== undefined && 'outcome' in error.details && error.details.outcome === 'unknown';
  const lead = isUnknown ? 'Not certain.' : 'Not done.';
  const whom = error.code === 'CAPABILITY_DENIED' ? await ownerHint(engine, guildId) : '';
  return `${lead} ${error.message}${whom}${trace}`;
}

/** Who can grant what is missing. */
async function ownerHint({ db }: Engine, guildId: string): Promise<string> {
  const { rows } = await db.pool.query<{ owner_id: string }>('SELECT owner_id FROM guilds WHERE id = $1', [
    guildId,
  ]);
  const ownerId = rows[0]?.owner_id;
  return ownerId === undefined ? '' : ` The owner is <@${ownerId}>.`;
}
