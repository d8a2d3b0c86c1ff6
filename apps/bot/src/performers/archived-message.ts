import { type APIMessage, MessageReferenceType } from 'discord.js';
import { wholeMessage } from '#src/whole-message.ts';

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
  const { text, files } = wholeMessage(message);
  const { message_reference: reference } = message;
  const isForward = reference?.type === MessageReferenceType.Forward;
  return {
    id: message.id,
    author_id: message.author.id,
    author_name: message.author.username,
    author_is_bot: message.author.bot === true,
    sent_at: message.timestamp,
    text,
    attachments: files.map(({ name }) => name),
    reply_to: isForward ? null : (reference?.message_id ?? null),
  };
}
