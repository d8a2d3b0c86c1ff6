import type { APIMessage } from 'discord.js';

/** A message as archives of purges and transcripts of tickets keep it. */
export interface ArchivedMessage {
  id: string;
  author_id: string;
  author_name: string;
  sent_at: string;
  text: string;
  attachments: string[];
}

export function archived(message: APIMessage): ArchivedMessage {
  return {
    id: message.id,
    author_id: message.author.id,
    author_name: message.author.username,
    sent_at: message.timestamp,
    text: storable(message.content),
    attachments: message.attachments.map(({ filename }) => storable(filename)),
  };
}

/** PostgreSQL holds neither U+0000 nor half a character. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\ufffd');
}
