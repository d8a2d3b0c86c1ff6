import { ticketSettings } from '@bailiff/engine/tickets/ticket-settings';
import { TICKET, TICKET_COLUMNS, type TicketRow } from '@bailiff/engine/tickets/tickets';
import { type Locale, translator } from '@bailiff/messages';
import { sql } from '@bailiff/prisma';
import {
  type APIMessage,
  type APITextChannel,
  ButtonStyle,
  RESTJSONErrorCodes as Code,
  ComponentType,
  Routes,
} from 'discord.js';
import { sayBlocked, unlessBlocked } from '#src/blocked-text.ts';
import { beginning, escapedLine, escapedName, withoutMaskedLinks } from '#src/chat/text.ts';
import { DiscordFailure } from '#src/discord-api.ts';
import { depsIn, type PerformerDeps } from './deps.ts';
import { guildLocale } from './guild-locale.ts';
import { hasButton } from './ticket-panel.ts';
import { channelName } from './tickets.ts';

/** The longest subject in a post, with the characters that escape it. */
const LONGEST_SUBJECT = 1_000;
/** How many of the oldest messages are looked through for those of the bot. */
const FIRST = 100;

/** What the custom id of the button that hands a ticket over begins with. The id of the ticket follows. */
export const ASSIGN_TICKET_BUTTON = 'ticket:assign:';

const ticketInChannel = sql.statement({
  parameters: [sql.text],
  columns: { ...TICKET, guild_id: sql.text, channel_id: sql.text.neverNull },
  text: `SELECT ${TICKET_COLUMNS}, guild_id FROM tickets
    WHERE id = $1 AND status <> 'closed' AND channel_id IS NOT NULL`,
});

/**
 * Names a ticket's channel by its number, and posts who opened it, why, and what they answered. What is there already
 * is not posted again.
 */
export async function welcomeTicket(
  deps: PerformerDeps,
  ticketId: string,
  signal: AbortSignal,
): Promise<void> {
  const { db, botUserId, dashboardUrl } = deps;
  const ticket = await ticketInChannel.first(db.pool, [ticketId]);
  if (ticket === null) return;
  const { api } = depsIn(deps, ticket.guild_id);
  const route = Routes.channelMessages(ticket.channel_id);
  try {
    const [channel, first, locale, roleIds] = await Promise.all([
      api.get<APITextChannel>(Routes.channel(ticket.channel_id), { signal }),
      api.get<APIMessage[]>(route, { signal, query: { after: '0', limit: String(FIRST) } }),
      guildLocale(deps, ticket.guild_id),
      rolesToMention(deps, ticket),
    ]);
    const name = channelName(ticket.number);
    if (channel.name !== name)
      await api.send('PATCH', Routes.channel(channel.id), { signal, body: { name } });
    const posted = first.filter(({ author }) => author.id === botUserId);
    const url = `${dashboardUrl}/guilds/${ticket.guild_id}/tickets/${ticket.number}`;
    const blocked = sayBlocked(locale, url);
    const post = (bodyOf: (isBlocked: boolean) => object) =>
      unlessBlocked((isBlocked) => api.send('POST', route, { signal, body: bodyOf(isBlocked) }));
    if (!posted.some((message) => hasButton(message, `${ASSIGN_TICKET_BUTTON}${ticketId}`)))
      await post((isBlocked) =>
        welcome(ticket, roleIds, locale, isBlocked ? blocked : escapedLine(ticket.subject, LONGEST_SUBJECT)),
      );
    // Others of the bot's messages may stand there: who got the ticket, answers to commands.
    const given = posted.filter(({ content }) =>
      ticket.answers.some(({ question }) => content.startsWith(headingOf(question))),
    );
    for (const answer of ticket.answers.slice(given.length))
      await post((isBlocked) => answered(isBlocked ? { ...answer, answer: blocked } : answer));
  } catch (error) {
    if (error instanceof DiscordFailure && error.code === Code.UnknownChannel) return;
    throw error;
  }
}

const ticketRoles = sql.statement({
  parameters: [sql.text, sql.arrayOf(sql.text)],
  columns: { role_id: sql.text },
  text: `SELECT role_id FROM role_grants WHERE guild_id = $1 AND role_id = ANY ($2) AND role_id <> guild_id
      AND capabilities && ARRAY['tickets.read', 'tickets.write'] ORDER BY role_id`,
});

/** The roles of the ticket's category that may read tickets: the others do not see the channel. */
async function rolesToMention(
  { db }: PerformerDeps,
  { guild_id: guildId, category }: TicketRow & { guild_id: string },
): Promise<string[]> {
  const { categories } = await ticketSettings(db.pool, guildId);
  const wanted = categories.find(({ name }) => name === category)?.role_ids ?? [];
  return (await ticketRoles.all(db.pool, [guildId, wanted])).map(({ role_id }) => role_id);
}

function welcome(
  { id, number, category, reopened_by: reopener, opened_by: opener }: TicketRow,
  roleIds: readonly string[],
  locale: Locale,
  subject: string,
): object {
  const t = translator(locale, 'notices');
  const assignButton = {
    type: ComponentType.Button,
    style: ButtonStyle.Secondary,
    label: t('tickets.assignButton'),
    custom_id: `${ASSIGN_TICKET_BUTTON}${id}`,
  };
  return {
    content: [
      t('tickets.welcome', { number: String(number), who: `<@${opener}>` }),
      `> ${subject}`,
      ...(category === null ? [] : [t('tickets.category', { category: escapedName(category) })]),
      ...(roleIds.length === 0 ? [] : [roleIds.map((id) => `<@&${id}>`).join(' ')]),
      ...(reopener === null ? [] : [t('tickets.reopened', { who: `<@${reopener}>` })]),
      t('tickets.hint'),
    ].join('\n'),
    allowed_mentions: { users: [opener], roles: roleIds },
    components: [{ type: ComponentType.ActionRow, components: [assignButton] }],
  };
}

function answered({ question, answer }: TicketRow['answers'][number]): object {
  const lines = withoutMaskedLinks(answer)
    .split('\n')
    .map((line) => `> ${line}`);
  return {
    content: beginning([headingOf(question), ...lines].join('\n'), 2_000),
  };
}

function headingOf(question: string): string {
  return `**${withoutMaskedLinks(question)}**`;
}
