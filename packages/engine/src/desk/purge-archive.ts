import { ActorSource, type Database, sql } from '@bailiff/prisma';
import { capabilityDenied } from '#src/calls/authorize.ts';
import type { Viewer } from '#src/guilds/guilds.ts';
import type { TranscriptMessage } from '#src/tickets/ticket-list.ts';

/** The messages that a purge deleted, and the purge. */
export interface PurgeArchive {
  readonly channelId: string;
  /** Null if the name is not known. */
  readonly channelName: string | null;
  readonly purgedAt: Date;
  readonly expiresAt: Date;
  readonly actorSource: ActorSource;
  readonly actorUserId: string;
  readonly tokenName: string | null;
  readonly reason: string | null;
  /** Oldest first. */
  readonly messages: readonly TranscriptMessage[];
}

const archiveById = sql.statement({
  parameters: [sql.text, sql.text],
  columns: {
    channel_id: sql.text,
    channel_name: sql.text.orNull,
    created_at: sql.timestamptz,
    expires_at: sql.timestamptz,
    actor_source: sql.oneOf({ ActorSource }),
    actor_user_id: sql.text,
    token_name: sql.text.orNull,
    reason: sql.text.orNull,
    messages: sql.jsonb<TranscriptMessage[]>(),
  },
  text: `SELECT a.channel_id, k.name AS channel_name, a.created_at, a.expires_at, x.actor_source, x.actor_user_id,
      x.token_name, x.input->>'reason' AS reason, a.messages
    FROM message_archives a JOIN actions x ON x.id = a.action_id
    LEFT JOIN known_channels k ON k.channel_id = a.channel_id AND k.guild_id = a.guild_id
    WHERE a.guild_id = $1 AND a.id = $2 AND a.expires_at > clock_timestamp()`,
});

/**
 * An archive of a guild; null if there is none with this id, or it is no longer kept.
 *
 * @throws ApiError CAPABILITY_DENIED
 */
export async function purgeArchive(
  db: Database,
  { id: guildId, capabilities }: Viewer,
  archiveId: string,
): Promise<PurgeArchive | null> {
  if (!capabilities.includes('messages.purge')) {
    throw capabilityDenied('messages.purge', 'You may not read purged messages');
  }
  const row = await archiveById.first(db.pool, [guildId, archiveId]);
  if (row === null) return null;
  return {
    channelId: row.channel_id,
    channelName: row.channel_name,
    purgedAt: row.created_at,
    expiresAt: row.expires_at,
    actorSource: row.actor_source,
    actorUserId: row.actor_user_id,
    tokenName: row.token_name,
    reason: row.reason,
    messages: row.messages.toReversed(),
  };
}
