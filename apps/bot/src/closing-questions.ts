import { ApiError } from '@bailiff/core';
import { newRequestId } from '@bailiff/engine/calls/request-id';
import { performWrite } from '@bailiff/engine/calls/write-call';
import type { Engine } from '@bailiff/engine/engine';
import { answerCloseQuestion, askedToClose, putOffClosing } from '@bailiff/engine/tickets/close-questions';
import { translator } from '@bailiff/messages';
import { type APIMessage, ButtonStyle, ComponentType, Routes } from 'discord.js';
import { moment } from './chat/text.ts';
import { sentOnce } from './direct-message.ts';
import { depsIn, type PerformerDeps } from './performers/deps.ts';
import { guildLocale } from './performers/guild-locale.ts';
import { momentOf, postInTicket } from './ticket-announcements.ts';

/** What the custom ids of the buttons of the question begin with. The id of the ticket follows. */
export const CLOSE_BUTTONS = { solved: 'ticket:solved:', unsolved: 'ticket:unsolved:' } as const;

/** How many of the latest messages are looked through for one of the opener, or for the question. */
const LATEST = 100;

type AskedTicket = NonNullable<Awaited<ReturnType<typeof askedToClose>>>;

/**
 * Asks a ticket's opener in its channel whether it is solved. Nobody else is mentioned. It looks first whether an earlier
 * try has posted the question. If that is late, they have all their time to answer from then on.
 */
export async function askOpener(deps: PerformerDeps, ticketId: string, signal: AbortSignal): Promise<void> {
  const ticket = await askedToClose(deps.db, ticketId);
  if (ticket === null) return;
  const question = (await findQuestion(deps, ticket, signal)) ?? (await postQuestion(deps, ticket, signal));
  if (ticket.is_late && question !== null) {
    await putOffClosing(deps.db, ticket, new Date(question.timestamp));
  }
}

async function postQuestion(
  deps: PerformerDeps,
  ticket: AskedTicket,
  signal: AbortSignal,
): Promise<APIMessage | null> {
  const { id: ticketId, opened_by: opener, close_asked_by: by, answered_by: at } = ticket;
  const t = translator(await guildLocale(deps, ticket.guild_id), 'notices');
  const button = (kind: keyof typeof CLOSE_BUTTONS) => ({
    type: ComponentType.Button,
    style: kind === 'solved' ? ButtonStyle.Success : ButtonStyle.Secondary,
    label: t(kind === 'solved' ? 'tickets.solvedButton' : 'tickets.unsolvedButton'),
    custom_id: `${CLOSE_BUTTONS[kind]}${ticketId}`,
  });
  return postInTicket(deps, ticket, signal, {
    content: t('tickets.solvedQuestion', {
      who: `<@${opener}>`,
      by: `<@${by}>`,
      date: moment(at.toISOString(), 'R'),
    }),
    allowed_mentions: { users: [opener] },
    components: [{ type: ComponentType.ActionRow, components: [button('solved'), button('unsolved')] }],
    ...sentOnce(momentOf(ticketId, ticket.close_asked_at), ticket.channel_id),
  });
}

/**
 * Closes a ticket whose opener agreed, or did not answer in time, as an action of the system. If they have written since
 * they were asked, it stays open: that is an answer too.
 */
export async function closeDueTicket(
  { engine, deps }: { readonly engine: Engine; readonly deps: PerformerDeps },
  ticketId: string,
  signal: AbortSignal,
): Promise<void> {
  const ticket = await askedToClose(deps.db, ticketId);
  if (ticket === null || !ticket.is_due) return;
  const { guild_id: guildId, opened_by: userId, is_agreed: isAgreed } = ticket;
  if (!isAgreed && (await hasWritten(deps, ticket, signal))) {
    await answerCloseQuestion(deps.db, { ticketId, guildId, userId }, false);
    return;
  }
  const t = translator(await guildLocale(deps, guildId), 'notices');
  try {
    await performWrite(engine, {
      operation: 'tickets.close',
      input: { ticket_id: ticketId, reason: t(isAgreed ? 'tickets.solved' : 'tickets.lapsed') },
      guildId,
      actor: { source: 'system', userId: deps.botUserId },
      requestId: newRequestId(),
      address: null,
    });
  } catch (error) {
    // Closed meanwhile; or the guild must do something first, and the hourly job tries again. While nobody knows how an
    // earlier closing ended, this job tries again.
    if (!(error instanceof ApiError) || !['NOT_FOUND', 'FORBIDDEN'].includes(error.code)) throw error;
    const { details } = error;
    if (details !== undefined && 'reason' in details && details.reason === 'STILL_RUNNING') throw error;
    deps.log.warn({ err: error, guild_id: guildId, ticket_id: ticketId }, 'a ticket was not closed');
  }
}

async function hasWritten(deps: PerformerDeps, ticket: AskedTicket, signal: AbortSignal): Promise<boolean> {
  const written = await writtenSinceAsked(deps, ticket, signal);
  return written.some(({ author }) => author.id === ticket.opened_by);
}

async function findQuestion(
  deps: PerformerDeps,
  ticket: AskedTicket,
  signal: AbortSignal,
): Promise<APIMessage | undefined> {
  const button = JSON.stringify(`${CLOSE_BUTTONS.solved}${ticket.id}`);
  const written = await writtenSinceAsked(deps, ticket, signal);
  return written.find(
    ({ author, components }) => author.id === deps.botUserId && JSON.stringify(components).includes(button),
  );
}

/** What the latest messages have of those that were written since the opener was asked, the question too. */
async function writtenSinceAsked(
  deps: PerformerDeps,
  ticket: AskedTicket,
  signal: AbortSignal,
): Promise<APIMessage[]> {
  const { api } = depsIn(deps, ticket.guild_id);
  const route = Routes.channelMessages(ticket.channel_id);
  const latest = await api.get<APIMessage[]>(route, { signal, query: { limit: String(LATEST) } });
  return latest.filter(({ timestamp }) => Date.parse(timestamp) >= ticket.close_asked_at.getTime());
}
