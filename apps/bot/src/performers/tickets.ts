import { actionIdInReason } from '@bailiff/core';
import type { ActionError, ActionRecord } from '@bailiff/engine/calls/actions';
import {
  openTicket,
  TICKET,
  TICKET_COLUMNS,
  type TicketRow,
  ticketWire,
} from '@bailiff/engine/tickets/tickets';
import type { Performer } from '@bailiff/engine/worker/perform-action';
import { type Locale, translator } from '@bailiff/messages';
import { sql } from '@bailiff/prisma';
import {
  type APIGuildChannel,
  type APIMessage,
  type APIOverwrite,
  type APITextChannel,
  ChannelType,
  RESTJSONErrorCodes as Code,
  OverwriteType,
  PermissionFlagsBits as Permission,
  Routes,
} from 'discord.js';
import { guildRefusal } from '#src/channel-access.ts';
import { DiscordFailure } from '#src/discord-api.ts';
import { welcomeSoon } from '#src/jobs.ts';
import { reasonOf } from './audit-log.ts';
import { performerOf, Refusal } from './carry-out.ts';
import { depsIn, type PerformerDeps } from './deps.ts';
import { guildLocale } from './guild-locale.ts';
import { actorName, missingPermissions } from './members.ts';
import { tooManyTickets } from './ticket-limits.ts';

/** The permissions that the bot needs to make a ticket's channel. */
const FOR_CHANNELS = ['ManageChannels', 'ViewChannel', 'SendMessages', 'ReadMessageHistory'] as const;

/** The permissions that the bot has itself, because Discord does not let it grant others. */
const READ = Permission.ViewChannel | Permission.ReadMessageHistory;
const TALK = READ | Permission.SendMessages;

/** Creates a channel for a ticket: for its opener, people who may read tickets, and the bot. */
export function openTicketChannel(deps: PerformerDeps): Performer<'tickets.open'> {
  return performerOf(deps, (action) => {
    const { guildId, actor } = action;
    const { subject } = action.input;
    return {
      check: async (signal) => {
        const refusal = await guildRefusal(deps, guildId, signal, ...FOR_CHANNELS);
        const obstacle = refusal ?? (await tooManyTickets(deps, action));
        return obstacle === null ? null : new Refusal(obstacle);
      },
      send: async (_seen, signal) => {
        const [name, overwrites, actingName] = await Promise.all([
          nextChannelName(deps, guildId),
          overwritesOf(deps, action),
          actorName(deps, action),
        ]);
        const reason = reasonOf(action, actingName, subject);
        // The channel is found by the action's id in its topic if the answer was lost.
        const body = {
          name,
          type: ChannelType.GuildText,
          topic: reason,
          permission_overwrites: overwrites,
        };
        const made = await deps.api.send('POST', Routes.guildChannels(guildId), { signal, reason, body });
        return { channelId: (made as APIGuildChannel).id };
      },
      look: async (_seen, signal) => {
        const channels = await deps.api.get<APITextChannel[]>(Routes.guildChannels(guildId), { signal });
        const made = channels.find(({ topic }) => actionIdInReason(topic ?? '') === action.id);
        return made === undefined ? null : { channelId: made.id };
      },
      refusal: channelRefusal,
      record: async ({ channelId }, tx) => {
        const row = await openTicket(tx, { guildId, subject, openedBy: actor.userId, channelId });
        await welcomeSoon(tx, row.id);
        return { ticket: ticketWire(row) };
      },
    };
  });
}

/**
 * The most likely name of the next ticket's channel. The number is assigned when the ticket is settled. If another
 * ticket came first, `welcomeTicket` renames the channel.
 */
async function nextChannelName({ db }: PerformerDeps, guildId: string): Promise<string> {
  const counters = await db.prisma.guildCounter.findUnique({ where: { guildId } });
  return channelName(counters?.nextTicketNumber ?? 1);
}

function channelName(number: number): string {
  return `ticket-${String(number).padStart(4, '0')}`;
}

async function overwritesOf({ db, botUserId }: PerformerDeps, action: ActionRecord): Promise<APIOverwrite[]> {
  const grants = await db.prisma.roleGrant.findMany({
    where: { guildId: action.guildId, capabilities: { hasSome: ['tickets.read', 'tickets.write'] } },
    select: { roleId: true, capabilities: true },
  });
  const overwrite = (type: OverwriteType, id: string, allow: bigint, deny = 0n) =>
    ({ id, type, allow: String(allow), deny: String(deny) }) satisfies APIOverwrite;
  const roles = grants.map(({ roleId, capabilities }) =>
    capabilities.includes('tickets.write')
      ? overwrite(OverwriteType.Role, roleId, TALK)
      : overwrite(OverwriteType.Role, roleId, READ, Permission.SendMessages),
  );
  // The role @everyone has the guild's id. If it was granted tickets, they are for everyone.
  const isForEveryone = grants.some(({ roleId }) => roleId === action.guildId);
  return [
    ...(isForEveryone ? [] : [overwrite(OverwriteType.Role, action.guildId, 0n, Permission.ViewChannel)]),
    ...roles,
    overwrite(OverwriteType.Member, action.actor.userId, TALK),
    overwrite(OverwriteType.Member, botUserId, TALK),
  ];
}

export function channelRefusal({ code }: DiscordFailure): ActionError | null {
  const isForbidden = code === Code.MissingPermissions || code === Code.MissingAccess;
  return isForbidden ? missingPermissions(FOR_CHANNELS) : null;
}

const ticketInChannel = sql.statement({
  parameters: [sql.text],
  columns: { ...TICKET, guild_id: sql.text, channel_id: sql.text.neverNull },
  text: `SELECT ${TICKET_COLUMNS}, guild_id FROM tickets
    WHERE id = $1 AND status <> 'closed' AND channel_id IS NOT NULL`,
});

/** Names a ticket's channel by its number and posts who opened it and why. Does nothing twice. */
export async function welcomeTicket(
  deps: PerformerDeps,
  ticketId: string,
  signal: AbortSignal,
): Promise<void> {
  const { db, botUserId } = deps;
  const ticket = await ticketInChannel.first(db.pool, [ticketId]);
  if (ticket === null) return;
  const { api } = depsIn(deps, ticket.guild_id);
  const route = Routes.channelMessages(ticket.channel_id);
  try {
    const [channel, first] = await Promise.all([
      api.get<APITextChannel>(Routes.channel(ticket.channel_id), { signal }),
      api.get<APIMessage[]>(route, { signal, query: { after: '0', limit: '10' } }),
    ]);
    const name = channelName(ticket.number);
    if (channel.name !== name)
      await api.send('PATCH', Routes.channel(channel.id), { signal, body: { name } });
    if (first.some(({ author }) => author.id === botUserId)) return;
    await api.send('POST', route, {
      signal,
      body: welcome(ticket, await guildLocale(deps, ticket.guild_id)),
    });
  } catch (error) {
    if (error instanceof DiscordFailure && error.code === Code.UnknownChannel) return;
    throw error;
  }
}

function welcome({ number, subject, opened_by: opener }: TicketRow, locale: Locale): object {
  const t = translator(locale, 'notices');
  return {
    content: [
      t('tickets.welcome', { number: String(number), who: `<@${opener}>` }),
      `> ${subject.replace(/\s+/g, ' ')}`,
      t('tickets.hint'),
    ].join('\n'),
    allowed_mentions: { users: [opener] },
  };
}
