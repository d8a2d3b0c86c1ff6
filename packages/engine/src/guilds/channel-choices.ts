import { type DiscordPermission, permissionsLacking } from '@bailiff/core';
import type { Database } from '@bailiff/prisma';
import { listChannels } from './channels.ts';

/** What the bot needs where it posts. */
export const POSTING: readonly DiscordPermission[] = ['ViewChannel', 'SendMessages', 'EmbedLinks'];
const POSTING_KINDS: readonly string[] = ['text', 'announcement', 'voice', 'stage'];
const VOICE_KINDS: readonly string[] = ['voice', 'stage'];

/** A channel that messages can be posted in. */
export interface PostingChannel {
  readonly id: string;
  readonly name: string;
  /** The name of its category. */
  readonly category: string | null;
  /** What the bot lacks to post there. */
  readonly lacking: readonly DiscordPermission[];
}

/** The channels of a guild that messages can be posted in, in Discord's order, and how many more the bot cannot see. */
export async function postingChannels(
  db: Pick<Database, 'pool'>,
  guildId: string,
): Promise<{ channels: PostingChannel[]; hidden: number }> {
  const listed = await listChannels(db, guildId);
  const nameOf = new Map(listed.map(({ id, name }) => [id, name]));
  const posting = listed.filter(({ kind }) => POSTING_KINDS.includes(kind));
  const channels = posting.flatMap(({ id, kind, name, parentId, permissions }) => {
    if (name === null) return [];
    const needed: readonly DiscordPermission[] = VOICE_KINDS.includes(kind)
      ? [...POSTING, 'Connect']
      : POSTING;
    return [
      {
        id,
        name,
        category: (parentId === null ? null : nameOf.get(parentId)) ?? null,
        lacking: permissions === null ? [] : permissionsLacking(permissions, needed),
      },
    ];
  });
  return { channels, hidden: posting.length - channels.length };
}
