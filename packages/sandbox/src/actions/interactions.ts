import { InteractionType } from 'discord-api-types/v10';
import type { JsonObject } from '#src/fields.ts';
import type { Channel, Interaction, InteractionKind, InteractionResponse, Message } from '#src/model.ts';
import { dmChannelPayload, guildChannelPayload, memberPayload, userPayload } from '#src/payloads.ts';
import { channelPermissions } from '#src/permissions.ts';
import type { World } from '#src/world.ts';

/** Discord gives a bot fifteen minutes for the answers after its first one. */
export const TOKEN_LIFE_MS = 15 * 60_000;

export const INTERACTION_TYPES: Readonly<Record<InteractionKind, InteractionType>> = {
  command: InteractionType.ApplicationCommand,
  user_menu: InteractionType.ApplicationCommand,
  message_menu: InteractionType.ApplicationCommand,
  button: InteractionType.MessageComponent,
  select: InteractionType.MessageComponent,
  modal: InteractionType.ModalSubmit,
  autocomplete: InteractionType.ApplicationCommandAutocomplete,
};

export interface NewInteraction {
  readonly kind: InteractionKind;
  /** The name of the command or component, for readers of the log. */
  readonly name: string;
  readonly userId: string;
  readonly channel: Channel;
  readonly data: JsonObject;
  readonly source: Message | null;
  /** The language of the person's client; default `en-US`. */
  readonly locale?: string;
}

/** Makes the interaction and sends it to the bot. */
export function startInteraction(world: World, given: NewInteraction): Interaction {
  const { channel } = given;
  const id = world.ids.next();
  const interaction: Interaction = {
    id,
    token: `sandbox-interaction-${id}`,
    kind: given.kind,
    name: given.name,
    userId: given.userId,
    guildId: channel.guildId,
    channelId: channel.id,
    createdAtMs: Date.now(),
    sourceMessageId: given.source?.id ?? null,
    state: 'pending',
    originalId: null,
    responses: [],
  };
  world.interactions.set(id, interaction);
  const timer = setTimeout(() => {
    if (interaction.state !== 'pending') return;
    interaction.state = 'expired';
    world.changed();
  }, world.firstAnswerMs);
  timer.unref();
  world.dispatch(
    'INTERACTION_CREATE',
    {
      id,
      application_id: world.applicationId,
      type: INTERACTION_TYPES[given.kind],
      token: interaction.token,
      version: 1,
      data: given.data,
      channel_id: channel.id,
      ...whereAndWho(world, given),
      ...(given.source === null ? {} : { message: given.source }),
      locale: given.locale ?? 'en-US',
      entitlements: [...world.entitlements.values()].filter(
        (one) => !one.deleted && (one.guild_id === channel.guildId || one.user_id === given.userId),
      ),
      attachment_size_limit: 10_485_760,
    },
    channel.guildId,
  );
  return interaction;
}

function whereAndWho(world: World, { channel, userId }: NewInteraction): JsonObject {
  const user = world.user(userId);
  const guild = world.guildOfChannel(channel);
  const member = guild?.members.get(userId);
  if (!guild || !member) {
    return {
      context: 1,
      user: userPayload(user),
      channel: dmChannelPayload(channel, user),
      app_permissions: '0',
      authorizing_integration_owners: { 0: '0' },
    };
  }
  // Where only its commands were added, the bot is no member.
  const bot = guild.members.get(world.bot.id);
  const permissions = channelPermissions(guild, channel, member).toString();
  return {
    context: 0,
    guild_id: guild.id,
    guild: { id: guild.id, locale: guild.preferredLocale, features: [] },
    guild_locale: guild.preferredLocale,
    channel: { ...guildChannelPayload(channel), permissions },
    member: { ...memberPayload(member), permissions },
    app_permissions: (bot === undefined ? 0n : channelPermissions(guild, channel, bot)).toString(),
    authorizing_integration_owners: { 0: guild.id },
  };
}

export function record(
  world: World,
  interaction: Interaction,
  response: Omit<InteractionResponse, 'at'>,
): void {
  // A copy of the message at this time, because later edits are separate responses.
  const message = structuredClone(response.message);
  interaction.responses.push({ ...response, message, at: new Date().toISOString() });
  world.changed();
}

/** A message that answered the interaction: in its channel, or ephemeral. */
export function findAnswer(world: World, interaction: Interaction, id: string): Message | undefined {
  const message = world.ephemeral.get(id) ?? world.findChannel(interaction.channelId)?.messages.get(id);
  return message?.webhook_id === world.applicationId || message?.author.id === world.bot.id
    ? message
    : undefined;
}
