import { type GuildView, memberNames } from '@bailiff/engine/guilds/guilds';
import { runtime } from './runtime.ts';

/** The names of the people on a page. */
export interface People {
  readonly guildId: string;
  /** The names by id, as far as they are known. */
  readonly names: Readonly<Record<string, string>>;
  /** Whether the reader may open their records. */
  readonly linked: boolean;
}

export async function peopleOf(guild: GuildView, ids: readonly (string | null)[]): Promise<People> {
  const known = ids.filter((id) => id !== null);
  return {
    guildId: guild.id,
    names: known.length === 0 ? {} : await memberNames(runtime().db, guild.id, known),
    linked: guild.capabilities.includes('members.read'),
  };
}
