import type { ActionRecord } from '@bailiff/engine/calls/actions';
import type { Transaction } from '@bailiff/engine/database/transaction';
import { sql } from '@bailiff/prisma';
import type { ArchivedMessage } from './archived-message.ts';
import type { PerformerDeps } from './deps.ts';

const insertArchive = sql.statement({
  parameters: [sql.text, sql.text, sql.text, sql.jsonb<readonly ArchivedMessage[]>()],
  columns: { id: sql.text },
  text: `WITH earlier AS (DELETE FROM message_archives WHERE action_id = $2)
    INSERT INTO message_archives (guild_id, action_id, channel_id, messages, expires_at)
    VALUES ($1, $2, $3, $4, clock_timestamp() + interval '30 days') RETURNING id`,
});

/** Writes the archive of an action, again if need be. Returns its id. */
export async function writeArchive(
  tx: Transaction,
  action: ActionRecord,
  channelId: string,
  messages: readonly ArchivedMessage[],
): Promise<string> {
  const values = [action.guildId, action.id, channelId, messages] as const;
  const { id } = await insertArchive.only(tx, values);
  return id;
}

const archivedIds = sql.statement({
  parameters: [sql.text],
  columns: { ids: sql.arrayOf(sql.text) },
  text: `SELECT array(SELECT message->>'id' FROM jsonb_array_elements(messages) WITH ORDINALITY AS each(message, place)
    ORDER BY place) AS ids FROM message_archives WHERE id = $1`,
});

/** The ids of archived messages, newest first. */
export async function idsInArchive({ db }: PerformerDeps, archiveId: string): Promise<readonly string[]> {
  const { ids } = await archivedIds.only(db.pool, [archiveId]);
  return ids;
}

/** Removes from an archive what is not among these ids. */
export const keepInArchive = sql.command({
  parameters: [sql.text, sql.arrayOf(sql.text)],
  text: `UPDATE message_archives SET messages = (
      SELECT coalesce(jsonb_agg(message), '[]') FROM jsonb_array_elements(messages) AS message
      WHERE message->>'id' = ANY ($2))
    WHERE id = $1`,
});

/** The archive of an action, and where the action was when it last saved that. */
export const archiveOfAction = sql.statement({
  parameters: [sql.text],
  columns: { id: sql.text, messages: sql.jsonb<ArchivedMessage[]>(), work: sql.jsonb().orNull },
  text: `SELECT m.id, m.messages, a.work FROM message_archives m JOIN actions a ON a.id = m.action_id
    WHERE m.action_id = $1`,
});

/** Removes the archive of an action that deleted nothing. */
export const dropArchive = sql.command({
  parameters: [sql.text],
  text: 'DELETE FROM message_archives WHERE action_id = $1',
});
