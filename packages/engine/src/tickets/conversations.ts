import { deflateSync, inflateSync } from 'node:zlib';
import { Snowflake } from '@bailiff/core';
import { type Queryable, sql } from '@bailiff/prisma';
import { z } from 'zod';
import { notFound } from '#src/calls/action-errors.ts';
import type { ActionError } from '#src/calls/actions.ts';
import { sessionRefusal } from '#src/calls/dashboard-call.ts';
import type { ConversationNotice } from '#src/database/waiters.ts';
import { type Asking, tellWaiting } from '#src/guilds/ask-member.ts';
import type { TranscriptMessage } from './ticket-list.ts';

/** How many messages of a channel are read at once: as many as Discord lists. */
export const MESSAGES_OF_PAGE = 100;
/** How long a reader waits for the bot, which waits for Discord. */
const ANSWER_MS = 4_000;
/** The text of a page, at the most. A page of long messages has fewer of them; the next one goes on there. */
const MOST_BYTES = 96 * 1024;
/** PostgreSQL takes less than 8,000 bytes in a notification; the key of the request and the rest need some. */
const PART_CHARACTERS = 7_400;

/** Messages of a ticket's channel, the oldest first. */
export interface ConversationPage {
  readonly messages: readonly TranscriptMessage[];
  readonly hasOlder: boolean;
}

/** What a reader gets of a ticket's channel. */
export type Conversation =
  | ConversationPage
  /** Discord does not show the channel to this reader. */
  | { readonly isHidden: true }
  /** Why the bot could not read it. */
  | { readonly error: ActionError };

const ask = sql.statement({
  parameters: [sql.text, sql.text, sql.text, sql.text.orNull, sql.text],
  columns: { is_asked: sql.bool },
  text: 'SELECT ask_conversation($1, $2, $3, $4, $5) AS is_asked',
});

interface Look {
  /** Who looks: {@link Session.proof}. */
  readonly proof: string;
  readonly guildId: string;
  readonly ticketId: string;
  /** The message before which the page ends; null for the newest page. */
  readonly before: string | null;
  readonly requestId: string;
}

/**
 * What stands in the channel of a ticket at this moment, read by the bot for the person of a session, if they may read
 * tickets and Discord shows them the channel. Null if the bot has not answered in time. Nothing of it is stored
 * (decisions: Tickets).
 *
 * @throws ApiError UNAUTHORIZED if the session has ended, UPSTREAM_UNAVAILABLE if it is not confirmed
 */
export async function readConversation({ db, waiters }: Asking, look: Look): Promise<Conversation | null> {
  const { proof, guildId, ticketId, before, requestId } = look;
  const key = `conversation:${requestId}`;
  const waiter = waiters.expect(key);
  try {
    const { is_asked } = await ask
      .only(db.pool, [proof, guildId, ticketId, before, key])
      .catch((error: unknown) => {
        throw sessionRefusal(error);
      });
    if (!is_asked) return { error: notFound('ticket', ticketId) };
    const deadline = performance.now() + ANSWER_MS;
    for (;;) {
      const told = conversationIn(waiter.all().filter((notice) => notice.kind === 'conversation'));
      const leftMs = deadline - performance.now();
      if (told !== null || leftMs <= 0) return told;
      await waiter.within(leftMs);
    }
  } finally {
    waiter.release();
  }
}

/** What the parts say together; null while some are missing. */
function conversationIn(parts: readonly ConversationNotice[]): Conversation | null {
  const [first] = parts;
  if (first === undefined || parts.length < first.of) return null;
  const text = parts.map(({ data }) => data).join('');
  return JSON.parse(inflateSync(Buffer.from(text, 'base64')).toString());
}

/** Tells the reader who waits what stands in the channel, in as many notifications as it takes. */
export async function tellConversation(
  db: Queryable,
  requestId: string,
  conversation: Conversation,
): Promise<void> {
  const text = deflateSync(JSON.stringify(conversation)).toString('base64');
  const of = Math.ceil(text.length / PART_CHARACTERS);
  for (let part = 0; part < of; part += 1) {
    const data = text.slice(part * PART_CHARACTERS, (part + 1) * PART_CHARACTERS);
    await tellWaiting(db, { kind: 'conversation', request_id: requestId, of, data });
  }
}

/** A reader of a channel, as the bot has just heard of Discord. */
export interface ChannelLook {
  readonly channelId: string;
  readonly userId: string;
  /** Whether Discord shows them what stands there. */
  readonly isShown: boolean;
}

const notifyOfLook = sql.command({
  parameters: [sql.text],
  text: "SELECT pg_notify('bailiff', $1)",
});

/** Tells every bot process that somebody looks at a channel: that which sees what is written there follows it. */
export async function tellOfLook(db: Queryable, { channelId, userId, isShown }: ChannelLook): Promise<void> {
  const look = { kind: 'looking', channel_id: channelId, user_id: userId, is_shown: isShown };
  await notifyOfLook.run(db, [JSON.stringify(look)]);
}

const Look = z.object({
  kind: z.literal('looking'),
  channel_id: Snowflake,
  user_id: Snowflake,
  is_shown: z.boolean(),
});

/** What {@link tellOfLook} has told; null for what only looks like it: the web process can send notifications too. */
export function lookIn(notice: unknown): ChannelLook | null {
  const look = Look.safeParse(notice);
  if (!look.success) return null;
  const { channel_id, user_id, is_shown } = look.data;
  return { channelId: channel_id, userId: user_id, isShown: is_shown };
}

/**
 * The page of these messages, as many of them as fit: the newest ones.
 *
 * @param listed as Discord lists them, the newest first
 */
export function conversationPage(listed: readonly TranscriptMessage[]): ConversationPage {
  let left = MOST_BYTES;
  const fitting = listed.findIndex((message, index) => {
    left -= Buffer.byteLength(JSON.stringify(message));
    return left < 0 && index > 0;
  });
  const shown = fitting === -1 ? listed : listed.slice(0, fitting);
  const hasOlder = shown.length < listed.length || listed.length === MESSAGES_OF_PAGE;
  return { messages: shown.toReversed(), hasOlder };
}
