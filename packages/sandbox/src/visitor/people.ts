import { type Exchange, send } from './http.ts';

/** What scripts and tests look at in `GET /sandbox/state`. */
export interface SampleState {
  guilds: SampleGuild[];
}

export interface SampleGuild {
  id: string;
  members: { user_id: string; bot: boolean; roles: string[] }[];
  roles: { id: string; name: string }[];
  bans: { user_id: string; reason: string | null }[];
  audit_log: { action: string; target_id: string; reason: string | null }[];
}

/** @throws Error when the sandbox does not answer with its state */
export async function readSandbox(
  sandbox: string,
  guildId: string,
): Promise<{ exchange: Exchange; guild: SampleGuild }> {
  const exchange = await send(`${sandbox}/sandbox/state`);
  const guild = (exchange.body as SampleState | undefined)?.guilds?.find(({ id }) => id === guildId);
  if (guild === undefined)
    throw new Error(`GET ${exchange.url} answered ${exchange.status} and knows no guild ${guildId}.`);
  return { exchange, guild };
}

/** Ids of members who can be banned: they have no role and no part in the sample guild's story. */
export function spareMembers(guild: SampleGuild, people: Record<string, string>): string[] {
  const named = new Set(Object.values(people));
  return guild.members
    .filter(({ user_id, bot, roles }) => !bot && roles.length === 0 && !named.has(user_id))
    .map(({ user_id }) => user_id);
}
