import { ApiError, describeCall } from '@bailiff/core';
import { type Engine, performForPerson } from '@bailiff/engine';
import { type ChatInputCommandInteraction, type Client, MessageFlags } from 'discord.js';
import type { Logger } from '../log.ts';
import { newRequestId } from '../request-id.ts';
import { CHAT_COMMANDS, type ChatCommand, InputProblem } from './commands.ts';

/** Commands in chat, while the bot runs. */
export interface Chat {
  /** Takes no more commands; resolves when those under way are answered. */
  stop(): Promise<void>;
}

const LONGEST_ANSWER = 1_900;

/** Answers slash commands, each to its author alone, through the same engine as every other surface. */
export function startChat(client: Client, engine: Engine, log: Logger): Chat {
  const running = new Set<Promise<void>>();
  const onInteraction: Parameters<typeof client.on<'interactionCreate'>>[1] = (interaction) => {
    if (!interaction.isChatInputCommand() || interaction.guildId === null) return;
    const answering = answer(engine, interaction, interaction.guildId, log)
      .catch((error: unknown) =>
        log.error({ err: error, command: interaction.commandName }, 'command not answered'),
      )
      .finally(() => running.delete(answering));
    running.add(answering);
  };
  client.on('interactionCreate', onInteraction);
  return {
    stop: async () => {
      client.off('interactionCreate', onInteraction);
      await Promise.all(running);
    },
  };
}

async function answer(
  engine: Engine,
  interaction: ChatInputCommandInteraction,
  guildId: string,
  log: Logger,
): Promise<void> {
  const command = CHAT_COMMANDS.find(({ definition }) => definition.name === interaction.commandName);
  if (command === undefined) return;
  const requestId = newRequestId();
  // Discord waits three seconds for a first sign. Nothing is done for a command that could not be answered.
  await interaction.deferReply({ flags: MessageFlags.Ephemeral });
  const content = await perform(engine, command, interaction, guildId, requestId).catch((error: unknown) =>
    explain(engine, error, guildId, requestId, log),
  );
  await interaction.editReply({ content: content.slice(0, LONGEST_ANSWER), allowedMentions: { parse: [] } });
}

async function perform(
  engine: Engine,
  { operation, readInput }: ChatCommand,
  interaction: ChatInputCommandInteraction,
  guildId: string,
  requestId: string,
): Promise<string> {
  const input = readInput(interaction.options);
  const { body } = await performForPerson(engine, {
    operation,
    guildId,
    input,
    actor: { source: 'chat', userId: interaction.user.id },
    requestId,
    address: null,
  });
  const names = Object.fromEntries(
    interaction.options.data.flatMap(({ user }) => (user ? [[user.id, user.username] as const] : [])),
  );
  const sentence = describeCall(operation, guildId, input as never, {
    ...names,
    ...(interaction.guild === null ? {} : { [guildId]: interaction.guild.name }),
  });
  const caseNumber = caseNumberIn(body);
  return `Done. ${sentence}${caseNumber === null ? '' : ` (case #${caseNumber})`}`;
}

function caseNumberIn(body: object): number | null {
  for (const value of Object.values(body)) {
    if (typeof value === 'object' && value !== null && 'case_number' in value)
      return Number(value.case_number);
  }
  return null;
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
