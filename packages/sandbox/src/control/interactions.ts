import {
  ApplicationCommandType,
  InteractionContextType,
  Locale,
  PermissionFlagsBits as Permission,
} from 'discord-api-types/v10';
import { type NewInteraction, startInteraction } from '#src/actions/interactions.ts';
import { ControlError } from '#src/errors.ts';
import type { Fields, JsonObject } from '#src/fields.ts';
import type { Channel, Command, Guild, Interaction, Message, User } from '#src/model.ts';
import { channelPermissions } from '#src/permissions.ts';
import type { World } from '#src/world.ts';
import { commandData, findCommand, resolveUsers } from './command-data.ts';
import { fillModal, usable } from './components.ts';
import type { FileRequest } from './files.ts';
import { channelOf, controlFields, guildOf, memberOf, userOf } from './resolve.ts';

const LOCALES = Object.values(Locale);
const DEFAULT_WAIT_MS = 10_000;
const LONGEST_WAIT_MS = 60_000;

/**
 * The body of `POST /sandbox/interactions`: what a person does in their client. `command` may carry subcommands
 * (`strike add`); `options` are by name, users as ids or names of `people`, files with their content.
 */
export interface InteractionRequest {
  type: 'command' | 'user_menu' | 'message_menu' | 'button' | 'select' | 'modal' | 'autocomplete';
  user: string;
  guild_id?: string;
  /** Default `general`; `dm` for the person's direct messages with the bot. */
  channel?: string;
  command?: string;
  options?: Record<string, string | number | boolean | FileRequest>;
  /** Autocomplete: the option being typed in. */
  focused?: string;
  /** Context menus: the user (id or name of `people`) or the message's id. */
  target?: string;
  /** Buttons and selects: the message they are on. */
  message_id?: string;
  /** Modals: what a changed client sends in the place of the modal's own; Discord does not compare them. */
  custom_id?: string;
  /** Selects: the values chosen. */
  values?: string[];
  /** Modals: the interaction that was answered with the modal. */
  interaction_id?: string;
  /** Modals: what was typed, by custom id. */
  fields?: Record<string, string | string[]>;
  /** The language of the person's client, of Discord's locales; default `en-US`. */
  locale?: string;
  /** How long to wait for the bot's answer; default 10,000, or as long as the bot may take for its first sign. */
  wait_ms?: number;
}

const KINDS = [
  'command',
  'user_menu',
  'message_menu',
  'button',
  'select',
  'modal',
  'autocomplete',
] as const satisfies readonly InteractionRequest['type'][];

/** An interaction in the answers of control endpoints: its state, and every response of the bot. */
export function interactionPayload(world: World, interaction: Interaction) {
  const original = interaction.responses.findLast(
    (response) => response.message?.id === interaction.originalId && response.kind !== 'deferred_update',
  );
  const last = interaction.responses.at(-1);
  return {
    id: interaction.id,
    kind: interaction.kind,
    name: interaction.name,
    user_id: interaction.userId,
    guild_id: interaction.guildId,
    channel_id: interaction.channelId,
    created_at: new Date(interaction.createdAtMs).toISOString(),
    /** `pending`: no answer yet; `deferred`: acknowledged; `answered`; `expired`: none within three seconds. */
    state: interaction.state,
    message: original?.message ?? last?.message ?? null,
    modal: last?.kind === 'modal' ? last.data : null,
    choices: last?.kind === 'autocomplete' ? (last.data?.choices ?? []) : null,
    responses: interaction.responses,
    user_name: world.users.get(interaction.userId)?.username ?? null,
  };
}

/** Acts as the person and waits until the bot's final answer, or until its three seconds are over. */
export async function controlInteractions(world: World, body: unknown) {
  const fields = controlFields(body, [
    'type',
    'user',
    'guild_id',
    'channel',
    'command',
    'options',
    'focused',
    'target',
    'message_id',
    'custom_id',
    'values',
    'interaction_id',
    'fields',
    'locale',
    'wait_ms',
  ]);
  const waitMs =
    fields.integer('wait_ms', { min: 0, max: LONGEST_WAIT_MS }) ??
    Math.max(DEFAULT_WAIT_MS, world.firstAnswerMs);
  const locale = fields.choice('locale', LOCALES);
  const interaction = startInteraction(world, {
    ...read(world, fields),
    ...(locale === undefined || locale === null ? {} : { locale }),
  });
  const isSettled = () => interaction.state === 'answered' || interaction.state === 'expired';
  await world.until(isSettled, waitMs).catch(() => undefined);
  return interactionPayload(world, interaction);
}

function read(world: World, fields: Fields): NewInteraction {
  const kind = fields.requiredChoice('type', KINDS);
  const user = userOf(world, fields, 'user');
  const opened = kind === 'modal' ? openedModal(world, fields, user) : null;
  const shown = kind === 'button' || kind === 'select' ? shownMessage(world, fields, user) : null;
  const channel = opened?.channel ?? shown?.channel ?? placeOf(world, fields, user);
  const guild = world.guildOfChannel(channel);
  if (guild) requireSees(guild, channel, user);

  if (opened) {
    const values = fields.object('fields') ?? {};
    const customId = fields.string('custom_id') ?? String(opened.modal.custom_id);
    const data = { custom_id: customId, components: fillModal(opened.modal.components, values) };
    return { kind, name: customId, userId: user.id, channel, data, source: opened.source };
  }
  if (shown) return readComponent(world, fields, kind === 'select', user, shown);
  return readCommand(world, fields, kind, user, channel);
}

function readCommand(
  world: World,
  fields: Fields,
  kind: NewInteraction['kind'],
  user: User,
  channel: Channel,
): NewInteraction {
  const guild = world.guildOfChannel(channel);
  const words = fields.requiredString('command', { min: 1 });
  const base = { kind, name: words, userId: user.id, channel, source: null };
  if (kind === 'user_menu' || kind === 'message_menu') {
    const isUser = kind === 'user_menu';
    const type = isUser ? ApplicationCommandType.User : ApplicationCommandType.Message;
    const command = findCommand(world, guild, type, words);
    requireMayUse(guild, channel, user, command);
    return {
      ...base,
      data: isUser ? userMenu(world, fields, command, channel) : messageMenu(fields, command, channel),
    };
  }
  const [name = '', ...path] = words.replace(/^\//, '').split(/\s+/);
  const command = findCommand(world, guild, ApplicationCommandType.ChatInput, name);
  requireMayUse(guild, channel, user, command);
  const focused = kind === 'autocomplete' ? fields.requiredString('focused') : null;
  const typed = { path, values: fields.object('options') ?? {}, focused };
  return { ...base, data: commandData({ world, guild, channel }, command, typed) };
}

function userMenu(world: World, fields: Fields, command: Command, channel: Channel): JsonObject {
  const target = userOf(world, fields, 'target');
  const resolved = resolveUsers(world, world.guildOfChannel(channel), channel, [target.id]);
  return { id: command.id, name: command.name, type: command.type, target_id: target.id, resolved };
}

function messageMenu(fields: Fields, command: Command, channel: Channel): JsonObject {
  const target = channel.messages.get(fields.requiredString('target'));
  if (!target) throw new ControlError(404, `target: there is no such message in #${channel.name}.`);
  return {
    id: command.id,
    name: command.name,
    type: command.type,
    target_id: target.id,
    resolved: { messages: { [target.id]: target } },
  };
}

interface Shown {
  readonly message: Message;
  readonly channel: Channel;
}

function readComponent(
  world: World,
  fields: Fields,
  isSelect: boolean,
  user: User,
  shown: Shown,
): NewInteraction {
  const customId = fields.requiredString('custom_id');
  const component = usable(shown.message.components, customId);
  const type = Number(component.type);
  if (isSelect === (type === 2)) {
    throw new ControlError(400, `custom_id: ${customId} is a ${type === 2 ? 'button' : 'select menu'}.`);
  }
  const values = fields.strings('values') ?? [];
  const data: JsonObject = { custom_id: customId, component_type: type, id: component.id };
  if (isSelect) {
    const picksUsers = type === 5;
    const chosen = picksUsers ? values.map((value) => world.people[value] ?? value) : values;
    data.values = chosen;
    if (picksUsers) {
      data.resolved = resolveUsers(world, world.guildOfChannel(shown.channel), shown.channel, chosen);
    }
  }
  return {
    kind: isSelect ? 'select' : 'button',
    name: customId,
    userId: user.id,
    channel: shown.channel,
    data,
    source: shown.message,
  };
}

/** The message a component is on. An ephemeral one exists only for the person it was shown to. */
function shownMessage(world: World, fields: Fields, user: User): Shown {
  const id = fields.requiredString('message_id');
  const hidden = world.ephemeral.get(id);
  if (hidden) {
    const seenBy = [...world.interactions.values()].some(
      (each) => each.userId === user.id && each.responses.some((response) => response.message?.id === id),
    );
    const channel = world.findChannel(hidden.channel_id);
    if (seenBy && channel) return { message: hidden, channel };
    throw new ControlError(404, `message_id: ${user.username} does not see message ${id}.`);
  }
  for (const channel of [
    ...[...world.guilds.values()].flatMap((guild) => [...guild.channels.values()]),
    ...world.dms.values(),
  ]) {
    const message = channel.messages.get(id);
    if (message && (channel.recipientId === null || channel.recipientId === user.id))
      return { message, channel };
  }
  throw new ControlError(404, `message_id: there is no message ${id}.`);
}

function openedModal(world: World, fields: Fields, user: User) {
  const id = fields.requiredString('interaction_id');
  const interaction = world.interactions.get(id);
  const answer = interaction?.responses.findLast((response) => response.kind === 'modal');
  const channel = world.findChannel(interaction?.channelId ?? '');
  if (!interaction || !answer?.data || !channel || interaction.userId !== user.id) {
    throw new ControlError(
      404,
      `interaction_id: the bot opened no modal for ${user.username} in answer to ${id}.`,
    );
  }
  const sourceId = interaction.sourceMessageId ?? '';
  const source = world.ephemeral.get(sourceId) ?? channel.messages.get(sourceId) ?? null;
  return { modal: answer.data, channel, source };
}

function placeOf(world: World, fields: Fields, user: User): Channel {
  const name = fields.string('channel');
  if (name === 'dm') {
    const dm = world.dms.get(user.id);
    if (!dm) throw new ControlError(404, `channel: ${user.username} has no direct messages with the bot.`);
    return dm;
  }
  return channelOf(world, guildOf(world, fields), fields, 'channel', 'general');
}

function requireSees(guild: Guild, channel: Channel, user: User): void {
  const permissions = channelPermissions(guild, channel, memberOf(guild, user));
  if ((permissions & Permission.ViewChannel) === 0n) {
    throw new ControlError(403, `${user.username} does not see #${channel.name}.`);
  }
}

/** Whether Discord shows the command: only to members with its default permissions, and only where it belongs. */
export function mayUse(guild: Guild | undefined, channel: Channel, user: User, command: Command): boolean {
  if (!guild) return command.contexts === null || command.contexts.includes(InteractionContextType.BotDM);
  if (command.default_member_permissions === null) return true;
  const needed = BigInt(command.default_member_permissions);
  const held = channelPermissions(guild, channel, memberOf(guild, user));
  return needed === 0n ? (held & Permission.Administrator) !== 0n : (held & needed) === needed;
}

function requireMayUse(guild: Guild | undefined, channel: Channel, user: User, command: Command): void {
  if (guild === undefined || mayUse(guild, channel, user, command)) return;
  const name = user.globalName ?? user.username;
  throw new ControlError(403, `${name} cannot see /${command.name} (missing permission).`);
}
