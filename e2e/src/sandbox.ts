import { type Exchange, send } from './client.ts';

/** What scripts and tests look at in `GET /sandbox/state`. */
export interface SandboxState {
  guilds: SandboxGuild[];
}

export interface SandboxGuild {
  id: string;
  members: { user_id: string; bot: boolean; roles: string[] }[];
  bans: { user_id: string; reason: string | null }[];
  audit_log: { action: string; target_id: string; reason: string | null }[];
}

/** @throws Error when the sandbox does not answer with its state */
export async function readSandbox(
  sandbox: string,
  guildId: string,
): Promise<{ exchange: Exchange; guild: SandboxGuild }> {
  const exchange = await send(`${sandbox}/sandbox/state`);
  const guild = (exchange.body as SandboxState | undefined)?.guilds?.find(({ id }) => id === guildId);
  if (guild === undefined)
    throw new Error(`GET ${exchange.url} answered ${exchange.status} and knows no guild ${guildId}.`);
  return { exchange, guild };
}

/** Those who can be banned: members without a role, who have no part in the sample guild's story. */
export function spareMembers(guild: SandboxGuild, people: Record<string, string>): string[] {
  const named = new Set(Object.values(people));
  return guild.members
    .filter(({ user_id, bot, roles }) => !bot && roles.length === 0 && !named.has(user_id))
    .map(({ user_id }) => user_id);
}
