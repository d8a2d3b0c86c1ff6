import { RESTJSONErrorCodes as Code, InteractionResponseType as Reply } from 'discord-api-types/v10';
import { findAnswer, INTERACTION_TYPES, record, TOKEN_LIFE_MS } from '#src/actions/interactions.ts';
import {
  announceMessage,
  applyContent,
  editMessage,
  type MessageContent,
  makeMessage,
  removeMessages,
} from '#src/actions/messages.ts';
import { invalidForm, refusal } from '#src/errors.ts';
import { isObject, type JsonObject } from '#src/fields.ts';
import type { Channel, Interaction, Message } from '#src/model.ts';
import { userPayload } from '#src/payloads.ts';
import { wireTime } from '#src/snowflake.ts';
import type { World } from '#src/world.ts';
import { refuseBadComponents, requireText } from './component-rules.ts';
import { MESSAGE_FLAGS, readMessage, refuseEmptyContent } from './message-body.ts';
import { type Call, fieldsOf, route } from './route.ts';

/** Answers whose message Discord returns. It returns none for the others, such as a deferred answer. */
const TELLS_MESSAGE: ReadonlySet<number> = new Set([Reply.ChannelMessageWithSource, Reply.UpdateMessage]);

const LONGEST_CHOICE = 100;

const MESSAGE_TYPES = { command: 20, user_menu: 23, message_menu: 23 } as const;

/** The channel of the interaction. Throws if it has been deleted since then. */
function channelOf(world: World, interaction: Interaction): Channel {
  const channel = world.findChannel(interaction.channelId);
  if (!channel) throw refusal(Code.UnknownChannel);
  return channel;
}

function isEphemeral(message: Message): boolean {
  return (message.flags & MESSAGE_FLAGS.ephemeral) !== 0;
}

/** Makes an answer and shows it in the channel or, if it is ephemeral, only to the acting person. */
function answer(
  world: World,
  interaction: Interaction,
  content: MessageContent,
  isFollowup: boolean,
): Message {
  const channel = channelOf(world, interaction);
  const isCommand = interaction.kind in MESSAGE_TYPES;
  const type = isCommand ? MESSAGE_TYPES[interaction.kind as keyof typeof MESSAGE_TYPES] : 0;
  const source = isFollowup ? interaction.originalId : interaction.sourceMessageId;
  const metadata = {
    id: interaction.id,
    type: isCommand ? 2 : interaction.kind === 'modal' ? 5 : 3,
    user: userPayload(world.user(interaction.userId)),
    authorizing_integration_owners: { 0: interaction.guildId ?? '0' },
    ...(isFollowup && source !== null ? { original_response_message_id: source } : {}),
    ...(isCommand ? {} : { interacted_message_id: interaction.sourceMessageId ?? interaction.id }),
    ...(interaction.kind === 'modal' ? { triggering_interaction_metadata: trigger(world, interaction) } : {}),
  };
  const message = makeMessage(
    world,
    channel,
    { author: world.bot, type: isFollowup ? 0 : type, interaction: { metadata } },
    content,
  );
  if (isEphemeral(message)) {
    world.ephemeral.set(message.id, message);
    return message;
  }
  channel.messages.set(message.id, message);
  announceMessage(world, channel, 'MESSAGE_CREATE', message);
  return message;
}

/** The interaction that opened the modal, as far as the sandbox knows: the same person in the same channel. */
function trigger(world: World, interaction: Interaction): JsonObject {
  return {
    id: interaction.id,
    type: 2,
    user: userPayload(world.user(interaction.userId)),
    authorizing_integration_owners: { 0: interaction.guildId ?? '0' },
  };
}

function change(world: World, interaction: Interaction, message: Message, content: MessageContent): Message {
  // An edit cannot make an answer ephemeral or public, and ends "is thinking…".
  const flags = (message.flags & MESSAGE_FLAGS.ephemeral) | ((content.flags ?? 0) & ~MESSAGE_FLAGS.ephemeral);
  const channel = channelOf(world, interaction);
  if (!world.ephemeral.has(message.id)) {
    editMessage(world, channel, world.bot, message, { ...content, flags });
    return message;
  }
  applyContent(world, channel, world.bot, message, { ...content, flags });
  message.edited_timestamp = wireTime();
  return message;
}

function remove(world: World, message: Message): void {
  if (world.ephemeral.delete(message.id)) {
    world.changed();
    return;
  }
  const channel = world.findChannel(message.channel_id);
  if (channel) removeMessages(world, channel, [message.id], false);
}

function respond(call: Call<'interaction_id' | 'interaction_token'>): unknown {
  const { world, params, body, files } = call;
  const interaction = world.interactions.get(params.interaction_id);
  if (!interaction || interaction.token !== params.interaction_token) throw refusal(Code.UnknownInteraction);
  if (interaction.state === 'expired' || Date.now() - interaction.createdAtMs > world.firstAnswerMs) {
    throw refusal(Code.UnknownInteraction);
  }
  if (interaction.state !== 'pending') throw refusal(Code.InteractionHasAlreadyBeenAcknowledged);

  const fields = fieldsOf(body);
  const type = fields.integer('type') ?? 0;
  const data = fields.object('data') ?? {};
  const message = apply(world, interaction, type, data, files);
  if (call.query.get('with_response') !== 'true') return undefined;
  return {
    interaction: {
      id: interaction.id,
      type: INTERACTION_TYPES[interaction.kind],
      channel_id: interaction.channelId,
      ...(interaction.guildId === null ? {} : { guild_id: interaction.guildId }),
      ...(message === null
        ? {}
        : {
            response_message_id: message.id,
            response_message_loading: (message.flags & MESSAGE_FLAGS.loading) !== 0,
            response_message_ephemeral: isEphemeral(message),
          }),
    },
    ...(message === null || !TELLS_MESSAGE.has(type) ? {} : { resource: { type, message } }),
  };
}

function apply(
  world: World,
  interaction: Interaction,
  type: number,
  data: JsonObject,
  files: Call['files'],
): Message | null {
  const channel = channelOf(world, interaction);
  const source = () => {
    const found = findAnswer(world, interaction, interaction.sourceMessageId ?? '');
    if (!found) throw invalidForm('type', 'BASE_TYPE_CHOICES', 'There is no message to update.');
    return found;
  };
  switch (type) {
    case Reply.ChannelMessageWithSource: {
      const content = readMessage(world, channel, data, files);
      refuseEmptyContent(content);
      const message = answer(world, interaction, content, false);
      interaction.originalId = message.id;
      interaction.state = 'answered';
      record(world, interaction, { kind: 'message', ephemeral: isEphemeral(message), message, data: null });
      return message;
    }
    case Reply.DeferredChannelMessageWithSource: {
      const ephemeral = (fieldsOf(data).integer('flags') ?? 0) & MESSAGE_FLAGS.ephemeral;
      const waiting = { content: '', flags: ephemeral | MESSAGE_FLAGS.loading };
      const message = answer(world, interaction, waiting, false);
      interaction.originalId = message.id;
      interaction.state = 'deferred';
      record(world, interaction, { kind: 'deferred', ephemeral: ephemeral !== 0, message, data: null });
      return message;
    }
    case Reply.DeferredMessageUpdate: {
      const message = source();
      interaction.originalId = message.id;
      interaction.state = 'deferred';
      record(world, interaction, {
        kind: 'deferred_update',
        ephemeral: isEphemeral(message),
        message,
        data: null,
      });
      return message;
    }
    case Reply.UpdateMessage: {
      const message = source();
      change(world, interaction, message, readMessage(world, channel, data, files, message));
      interaction.originalId = message.id;
      interaction.state = 'answered';
      record(world, interaction, { kind: 'update', ephemeral: isEphemeral(message), message, data: null });
      return message;
    }
    case Reply.ApplicationCommandAutocompleteResult:
    case Reply.Modal: {
      const wantsChoices = type === Reply.ApplicationCommandAutocompleteResult;
      if (
        wantsChoices !== (interaction.kind === 'autocomplete') ||
        (!wantsChoices && interaction.kind === 'modal')
      ) {
        throw invalidForm('type', 'BASE_TYPE_CHOICES', 'This interaction cannot be answered so.');
      }
      checkChoicesOrModal(wantsChoices, data);
      interaction.state = 'answered';
      record(world, interaction, {
        kind: wantsChoices ? 'autocomplete' : 'modal',
        ephemeral: true,
        message: null,
        data,
      });
      return null;
    }
    default:
      throw invalidForm('type', 'BASE_TYPE_CHOICES', 'Value must be one of {4, 5, 6, 7, 8, 9}.');
  }
}

function checkChoicesOrModal(wantsChoices: boolean, data: JsonObject): void {
  const fields = fieldsOf(data);
  if (wantsChoices) {
    const choices = fields.objects('choices') ?? [];
    if (choices.length > 25) {
      throw invalidForm('data.choices', 'BASE_TYPE_BAD_LENGTH', 'Must be 25 or fewer in length.');
    }
    choices.forEach(refuseBadChoice);
    return;
  }
  fields.requiredString('custom_id', { min: 1, max: 100 });
  fields.requiredString('title', { min: 1, max: 45 });
  const components = fields.values.components;
  if (
    !Array.isArray(components) ||
    components.length < 1 ||
    components.length > 5 ||
    !components.every(isObject)
  ) {
    throw invalidForm('data.components', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 5 in length.');
  }
  requireText('data.title', fields.values.title);
  refuseBadComponents(components);
}

function refuseBadChoice({ name, value }: JsonObject, index: number): void {
  for (const [field, text] of Object.entries({ name, value })) {
    if (typeof text === 'number') continue;
    requireText(`data.choices.${index}.${field}`, text);
    if (String(text).length > LONGEST_CHOICE) {
      const message = `Must be between 1 and ${LONGEST_CHOICE} in length.`;
      throw invalidForm(`data.choices.${index}.${field}`, 'BASE_TYPE_BAD_LENGTH', message);
    }
  }
}

type Webhook = Call<'webhook_id' | 'webhook_token'>;

/** The interaction of a webhook path. Throws 10015 for another application and 50027 if its token has expired. */
function ofWebhook({ world, params }: Webhook): Interaction {
  if (params.webhook_id !== world.applicationId) throw refusal(Code.UnknownWebhook);
  const interaction = [...world.interactions.values()].find((each) => each.token === params.webhook_token);
  if (!interaction) throw refusal(Code.InvalidWebhookToken);
  if (Date.now() - interaction.createdAtMs > TOKEN_LIFE_MS) throw refusal(Code.InvalidWebhookToken);
  if (interaction.state === 'pending' || interaction.state === 'expired') throw refusal(Code.UnknownWebhook);
  return interaction;
}

function answerOf(call: Webhook, messageId: string | null): { interaction: Interaction; message: Message } {
  const interaction = ofWebhook(call);
  const message = findAnswer(call.world, interaction, messageId ?? interaction.originalId ?? '');
  if (!message) throw refusal(Code.UnknownMessage);
  return { interaction, message };
}

function editAnswer(call: Webhook, messageId: string | null): Message {
  const { interaction, message } = answerOf(call, messageId);
  const content = readMessage(call.world, channelOf(call.world, interaction), call.body, call.files, message);
  change(call.world, interaction, message, content);
  if (message.id === interaction.originalId) interaction.state = 'answered';
  record(call.world, interaction, { kind: 'edit', ephemeral: isEphemeral(message), message, data: null });
  return message;
}

function deleteAnswer(call: Webhook, messageId: string | null): void {
  const { interaction, message } = answerOf(call, messageId);
  remove(call.world, message);
  if (message.id === interaction.originalId) interaction.state = 'answered';
  record(call.world, interaction, { kind: 'delete', ephemeral: isEphemeral(message), message, data: null });
}

function followUp(call: Webhook): Message {
  const { world } = call;
  const interaction = ofWebhook(call);
  const content = readMessage(world, channelOf(world, interaction), call.body, call.files);
  refuseEmptyContent(content);
  const original = findAnswer(world, interaction, interaction.originalId ?? '');
  // The first follow-up to a deferred answer replaces "is thinking…".
  const message =
    original && (original.flags & MESSAGE_FLAGS.loading) !== 0
      ? change(world, interaction, original, content)
      : answer(world, interaction, content, true);
  interaction.state = 'answered';
  record(world, interaction, { kind: 'followup', ephemeral: isEphemeral(message), message, data: null });
  return message;
}

const WEBHOOK = '/webhooks/{webhook_id}/{webhook_token}' as const;
const open = { auth: 'none' } as const;

export const interactionRoutes = [
  route('POST', '/interactions/{interaction_id}/{interaction_token}/callback', respond, open),
  route('POST', WEBHOOK, followUp, open),
  route('GET', `${WEBHOOK}/messages/@original`, (call) => answerOf(call, null).message, open),
  route('PATCH', `${WEBHOOK}/messages/@original`, (call) => editAnswer(call, null), open),
  route('DELETE', `${WEBHOOK}/messages/@original`, (call) => deleteAnswer(call, null), open),
  route(
    'GET',
    `${WEBHOOK}/messages/{message_id}`,
    (call) => answerOf(call, call.params.message_id).message,
    open,
  ),
  route(
    'PATCH',
    `${WEBHOOK}/messages/{message_id}`,
    (call) => editAnswer(call, call.params.message_id),
    open,
  ),
  route(
    'DELETE',
    `${WEBHOOK}/messages/{message_id}`,
    (call) => deleteAnswer(call, call.params.message_id),
    open,
  ),
];
