import { encodeCursor, type InputOf, type OutputOf } from '@bailiff/core';
import { sql } from '@bailiff/prisma';
import { absent } from './absent.ts';
import { startOfPage } from './paging.ts';
import type { Read } from './readers.ts';

type Message = OutputOf<'messages.archive'>['data'][number];

const PAGE_OF_ARCHIVE = { messages: sql.jsonb<Message[]>() };

/** More than a purge deletes. A cursor made by hand can hold any number. */
const MOST_PLACES = 1_000_000;

/** A page of the messages that a purge deleted. Its cursor holds the number of messages before it, written as an id. */
export function readArchive(
  guildId: string,
  input: InputOf<'messages.archive'>,
): Read<typeof PAGE_OF_ARCHIVE, OutputOf<'messages.archive'>> {
  const list = 'messages.archive';
  const { archiveId, limit } = input;
  const start = startOfPage({ name: list }, guildId, input);
  const before =
    start === null ? 0 : Math.min(Number.parseInt(start.id.slice('arc_'.length), 16), MOST_PLACES);
  return {
    parameters: [sql.text, sql.text, sql.bigint, sql.bigint],
    columns: PAGE_OF_ARCHIVE,
    text: `SELECT true AS found, (
        SELECT coalesce(jsonb_agg(message ORDER BY place), '[]')
        FROM jsonb_array_elements(messages) WITH ORDINALITY AS kept (message, place)
        WHERE place > $3 AND place <= $3 + $4) AS messages
      FROM message_archives WHERE guild_id = $1 AND id = $2 AND expires_at > clock_timestamp()`,
    values: [guildId, archiveId, before, limit + 1],
    mayBeEmpty: false,
    isQuick: false,
    answer: ([row]) => {
      const { messages } = row ?? absent('archive', archiveId);
      const after = `arc_${(before + limit).toString(16).padStart(32, '0')}`;
      return {
        data: messages.slice(0, limit).map((message) => ({
          ...message,
          sent_at: new Date(message.sent_at).toISOString(),
        })),
        next_cursor:
          messages.length > limit ? encodeCursor({ list, guildId, filters: { archiveId }, after }) : null,
      };
    },
  };
}
