import { actionIdInReason } from '@bailiff/core';
import { forbidden } from '@bailiff/engine/calls/action-errors';
import type { ActionError, ActionRecord } from '@bailiff/engine/calls/actions';
import { askedTicket, ticketSettings } from '@bailiff/engine/tickets/ticket-settings';
import { openTicket, ticketWire } from '@bailiff/engine/tickets/tickets';
import type { Performer } from '@bailiff/engine/worker/perform-action';
import {
  type APIGuildChannel,
  type APIOverwrite,
  type APITextChannel,
  ChannelType,
  RESTJSONErrorCodes as Code,
  OverwriteType,
  PermissionFlagsBits as Permission,
  Routes,
} from 'discord.js';
import { guildRefusal } from '#src/channel-access.ts';
import type { DiscordFailure } from '#src/discord-api.ts';
import { welcomeSoon } from '#src/jobs.ts';
import { reasonOf } from './audit-log.ts';
import { performerOf, Refusal } from './carry-out.ts';
import type { PerformerDeps } from './deps.ts';
import { actorName, missingPermissions, permissionsOf, readBotHierarchy } from './members.ts';
import { tooManyTickets } from './ticket-limits.ts';

/** The permissions that the bot needs to make a ticket's channel. */
export const FOR_CHANNELS = ['ManageChannels', 'ViewChannel', 'SendMessages', 'ReadMessageHistory'] as const;

/** The permissions that the bot has itself, because Discord does not let it grant others. */
const READ = Permission.ViewChannel | Permission.ReadMessageHistory;
const TALK = READ | Permission.SendMessages;
/** What is written in a thread is deleted with the channel, and no transcript has it. */
const IN_THREADS =
  Permission.CreatePublicThreads | Permission.CreatePrivateThreads | Permission.SendMessagesInThreads;

const NOTHING_ASKED = { category: null, answers: [] };

/** Creates a channel for a ticket: for its opener, people who may read tickets, and the bot. */
export function openTicketChannel(deps: PerformerDeps): Performer<'tickets.open'> {
  return performerOf(deps, (action) => {
    const { guildId, actor } = action;
    const { subject } = action.input;
    const { pool } = deps.db;
    return {
      check: async (signal) => {
        const opener = { guildId, userId: actor.userId, actionId: action.id };
        const refusal =
          (await guildRefusal(deps, guildId, signal, ...FOR_CHANNELS)) ??
          (await tooManyTickets(pool, opener));
        if (refusal !== null) return new Refusal(refusal);
        const asked = askedTicket(await ticketSettings(pool, guildId), action.input);
        return asked === null ? new Refusal(forbidden('TICKET_CATEGORY')) : null;
      },
      send: async (_seen, signal) => {
        const name = await nextChannelName(deps, guildId);
        return makeChannel(deps, action, { name, openedBy: actor.userId, subject }, signal);
      },
      look: (_seen, signal) => findChannel(deps, action, signal),
      refusal: channelRefusal,
      record: async ({ channelId }, tx) => {
        // The channel exists. If the questions changed while it was made, the ticket has none.
        const asked = askedTicket(await ticketSettings(tx, guildId), action.input) ?? NOTHING_ASKED;
        const row = await openTicket(tx, { guildId, subject, openedBy: actor.userId, channelId, ...asked });
        await welcomeSoon(tx, row.id);
        return { ticket: ticketWire(row) };
      },
    };
  });
}

/** Creates the channel of a ticket. Its topic holds the action's id, by which it is found if the answer was lost. */
export async function makeChannel(
  deps: PerformerDeps,
  action: ActionRecord,
  { name, openedBy, subject }: { readonly name: string; readonly openedBy: string; readonly subject: string },
  signal: AbortSignal,
): Promise<{ channelId: string }> {
  const [overwrites, actingName] = await Promise.all([
    overwritesOf(deps, action.guildId, openedBy, signal),
    actorName(deps, action),
  ]);
  const reason = reasonOf(action, actingName, subject);
  const body = { name, type: ChannelType.GuildText, topic: reason, permission_overwrites: overwrites };
  const made = await deps.api.send('POST', Routes.guildChannels(action.guildId), { signal, reason, body });
  return { channelId: (made as APIGuildChannel).id };
}

/** The channel that an action created. Null if there is none. */
export async function findChannel(
  { api }: PerformerDeps,
  { id, guildId }: ActionRecord,
  signal: AbortSignal,
): Promise<{ channelId: string } | null> {
  const channels = await api.get<APITextChannel[]>(Routes.guildChannels(guildId), { signal });
  const made = channels.find(({ topic }) => actionIdInReason(topic ?? '') === id);
  return made === undefined ? null : { channelId: made.id };
}

/**
 * The most likely name of the next ticket's channel. The number is assigned when the ticket is settled. If another
 * ticket came first, the job that welcomes it renames the channel.
 */
async function nextChannelName({ db }: PerformerDeps, guildId: string): Promise<string> {
  const counters = await db.prisma.guildCounter.findUnique({ where: { guildId } });
  return channelName(counters?.nextTicketNumber ?? 1);
}

/** What a ticket's channel is called. */
export function channelName(number: number): string {
  return `ticket-${String(number).padStart(4, '0')}`;
}

async function overwritesOf(
  deps: PerformerDeps,
  guildId: string,
  openedBy: string,
  signal: AbortSignal,
): Promise<APIOverwrite[]> {
  const [grants, hierarchy] = await Promise.all([
    deps.db.prisma.roleGrant.findMany({
      where: { guildId, capabilities: { hasSome: ['tickets.read', 'tickets.write'] } },
      select: { roleId: true, capabilities: true },
    }),
    readBotHierarchy(deps, guildId, signal),
  ]);
  // Discord does not let the bot deny what it may not do itself either.
  const noThreads = IN_THREADS & permissionsOf(hierarchy, hierarchy.botRoleIds);
  const overwrite = (type: OverwriteType, id: string, allow: bigint, deny = 0n) =>
    ({ id, type, allow: String(allow), deny: String(deny) }) satisfies APIOverwrite;
  const roles = grants.map(({ roleId, capabilities }) => {
    const denied = roleId === guildId ? noThreads : 0n;
    return capabilities.includes('tickets.write')
      ? overwrite(OverwriteType.Role, roleId, TALK, denied)
      : overwrite(OverwriteType.Role, roleId, READ, denied | Permission.SendMessages);
  });
  // The role @everyone has the guild's id. If it was granted tickets, they are for everyone.
  const isForEveryone = grants.some(({ roleId }) => roleId === guildId);
  return [
    ...(isForEveryone
      ? []
      : [overwrite(OverwriteType.Role, guildId, 0n, Permission.ViewChannel | noThreads)]),
    ...roles,
    overwrite(OverwriteType.Member, openedBy, TALK),
    overwrite(OverwriteType.Member, deps.botUserId, TALK),
  ];
}

export function channelRefusal({ code }: DiscordFailure): ActionError | null {
  const isForbidden = code === Code.MissingPermissions || code === Code.MissingAccess;
  return isForbidden ? missingPermissions(FOR_CHANNELS) : null;
}
