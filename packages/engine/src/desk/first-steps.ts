/** What the owner of a new guild does first, in that order. */
export type FirstStep = 'roles' | 'logChannel' | 'reasons' | 'escalation' | 'moderator' | 'tickets' | 'token';

/** How each step shows in the data of the guild `g`, with the guild's id as $1. Nobody marks a step as done. */
const DONE: Readonly<Record<FirstStep, string>> = {
  roles: `g.grants_confirmed_at IS NOT NULL AND EXISTS (SELECT FROM role_grants WHERE guild_id = $1)`,
  logChannel: `g.log_channel_id IS NOT NULL AND g.log_channel_posted_at IS NOT NULL AND g.log_channel_problem IS NULL`,
  reasons: `EXISTS (SELECT FROM reason_presets WHERE guild_id = $1)`,
  escalation: `EXISTS (SELECT FROM escalation_steps WHERE guild_id = $1)`,
  moderator: `g.grants_confirmed_at IS NOT NULL AND EXISTS (
    SELECT FROM members m JOIN role_grants r ON r.guild_id = m.guild_id AND grant_reaches(r, m.role_ids)
    WHERE m.guild_id = $1 AND m.user_id <> g.owner_id AND NOT m.bot)`,
  tickets: `EXISTS (SELECT FROM tickets WHERE guild_id = $1) OR EXISTS (SELECT FROM audit_writes
    WHERE guild_id = $1 AND operation = 'tickets.panel' AND outcome = 'performed')`,
  token: `EXISTS (SELECT FROM tokens WHERE guild_id = $1 AND revoked_at IS NULL)`,
};

/** SQL for the steps that are done in the guild `g`; null if its owner has put them away. */
export const FIRST_STEPS_DONE = `CASE WHEN NOT g.hides_first_steps THEN array_remove(ARRAY[${Object.entries(
  DONE,
)
  .map(([step, condition]) => `CASE WHEN ${condition} THEN '${step}' END`)
  .join(', ')}], NULL) END`;
