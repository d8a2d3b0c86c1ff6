import type { APIMessage } from 'discord.js';

/** A message in archives of purges and transcripts of tickets. */
export interface ArchivedMessage {
  id: string;
  author_id: string;
  author_name: string;
  author_is_bot: boolean;
  sent_at: string;
  text: string;
  attachments: string[];
  /** The message that it replies to. */
  reply_to: string | null;
}

export function archived(message: APIMessage): ArchivedMessage {
  return {
    id: message.id,
    author_id: message.author.id,
    author_name: message.author.username,
    author_is_bot: message.author.bot === true,
    sent_at: message.timestamp,
    text: storable(message.content),
    attachments: message.attachments.map(({ filename }) => storable(filename)),
    reply_to: message.message_reference?.message_id ?? null,
  };
}

/** PostgreSQL stores neither U+0000 nor half a character. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\ufffd');
}
