import { fillTemplate, isCommandAllowed, showUnseen } from '@bailiff/core';
import { forbidden, notFound } from '@bailiff/engine/calls/action-errors';
import type { Action, ActionError } from '@bailiff/engine/calls/actions';
import type { Outcome } from '@bailiff/engine/calls/settle';
import type { Performer } from '@bailiff/engine/worker/perform-action';
import { CaseKind, Game, GamePlatform, type RowOf, sql } from '@bailiff/prisma';
import { recordConnection } from '#src/rcon/game-server.ts';
import type { PerformerDeps } from './deps.ts';
import { failedRun, SERVER_WITH_POLICY, sendToServer, unknownRun } from './rcon.ts';

/** How much of a server's answer is kept: enough to see whether it knew the player. */
const KEPT_CHARACTERS = 300;

/**
 * Carries a sanction to a game server. The server's owner wrote the command, and the case has the reason and the length:
 * the record of the action names them and contains none, so a forged one could send nothing else.
 */
export function sanctionInGame(deps: PerformerDeps): Performer<'servers.sanction'> {
  return {
    perform: async (action, signal) => {
      const { server_id: serverId, does } = action.input;
      const found = await readFound(deps, action);
      if (found === null) return { state: 'failed', error: notFound('server', serverId) };
      const template = { kick: found.kick_template, ban: found.ban_template, unban: found.unban_template }[
        does
      ];
      const command = commandFor(found, action, template);
      if (typeof command !== 'string') return { state: 'failed', error: command };
      try {
        const { output } = await sendToServer(deps, found, command, action, signal);
        return {
          state: 'done',
          write: async (tx) => {
            await recordConnection(tx, found, null);
            const said = [...showUnseen(output.replace(/\s+/g, ' ').trim())]
              .slice(0, KEPT_CHARACTERS)
              .join('');
            const lasts = does === 'ban' && found.minutes !== null && !template.includes('{minutes}');
            return {
              sanctioned: { server_id: serverId, in_game_id: found.in_game_id ?? '', does, said, lasts },
            };
          },
        } satisfies Outcome;
      } catch (error) {
        return failedRun(action, found, error);
      }
    },
    verify: async (action) => unknownRun(action),
  };
}

const FOUND = {
  ...SERVER_WITH_POLICY,
  game: sql.oneOf({ Game }),
  kick_template: sql.text,
  ban_template: sql.text,
  unban_template: sql.text,
  platform: sql.oneOf({ GamePlatform }).orNull,
  in_game_id: sql.text.orNull,
  kind: sql.oneOf({ CaseKind }).orNull,
  reason: sql.text.orNull,
  /** What is left of it, in whole minutes. Null if it does not end by itself. */
  minutes: sql.int.orNull,
  in_force: sql.bool.orNull,
  is_enforced: sql.bool.orNull,
  banned_otherwise: sql.bool,
  is_recent: sql.bool.orNull,
  sent_before: sql.bool,
};

const find = sql.statement({
  parameters: [sql.text, sql.text, sql.text, sql.text, sql.int, sql.text, sql.text],
  columns: FOUND,
  text: `SELECT ${Object.keys(SERVER_WITH_POLICY)
    .map((column) => `s.${column}`)
    .join(', ')}, s.game, s.kick_template, s.ban_template, s.unban_template, i.platform, i.in_game_id,
      c.kind, c.reason, CASE WHEN c.expires_at IS NOT NULL THEN
        greatest(1, ceil(extract(epoch FROM c.expires_at - clock_timestamp()) / 60))::int END AS minutes,
      case_is_in_force(c.ended_at, c.expires_at) AS in_force, case_is_enforced(c.id, c.import_id) AS is_enforced,
      EXISTS (SELECT FROM cases b WHERE b.guild_id = $2 AND b.user_id = $3 AND b.kind = 'ban'
        AND case_is_in_force(b.ended_at, b.expires_at) AND case_is_enforced(b.id, b.import_id)) AS banned_otherwise,
      c.issued_at > clock_timestamp() - interval '1 hour' AS is_recent,
      EXISTS (SELECT FROM actions a WHERE a.guild_id = $2 AND a.target_id = $3 AND a.operation = 'servers.sanction'
        AND a.digest = $6 AND a.id <> $7 AND a.state IN ('running', 'done', 'unknown')) AS sent_before
    FROM game_servers s
    LEFT JOIN identities i ON i.guild_id = s.guild_id AND i.user_id = $3 AND i.id = $4
    LEFT JOIN cases c ON c.guild_id = s.guild_id AND c.user_id = $3 AND c.case_number = $5
    WHERE s.id = $1 AND s.guild_id = $2`,
});

type Found = RowOf<typeof FOUND>;

/** Everything that decides about it, as it is now. Null if the guild has no such server. */
function readFound({ db }: PerformerDeps, action: Action<'servers.sanction'>): Promise<Found | null> {
  const { server_id, user_id, identity_id, case_number } = action.input;
  const { guildId, digest, id } = action;
  return find.first(db.pool, [server_id, guildId, user_id, identity_id, case_number, digest, id]);
}

/** The command to send, or why there is none. */
function commandFor(
  found: Found,
  { input: { does, identity_id } }: Action<'servers.sanction'>,
  template: string,
): string | ActionError {
  if (found.platform === null || found.in_game_id === null) return notFound('identity', identity_id);
  if (!fits(found, does)) return forbidden('CASE_NOT_FITTING');
  if (found.sent_before) return forbidden('SENT_BEFORE');
  const filled = fillTemplate(found.game, does, template, {
    platform: found.platform,
    player: found.in_game_id,
    reason: found.reason ?? '',
    minutes: found.minutes,
  });
  if (!filled.ok) return forbidden('NO_GAME_COMMAND');
  const policy = { allow: found.allow_patterns, deny: found.deny_patterns };
  return isCommandAllowed(policy, filled.command) ? filled.command : forbidden('COMMAND_NOT_ALLOWED');
}

/**
 * Whether the case is a reason for it. The case was made through Discord's hierarchy, so nobody reaches somebody above
 * them this way. An imported one was not.
 */
function fits(found: Found, does: Action<'servers.sanction'>['input']['does']): boolean {
  switch (does) {
    case 'kick':
      return found.kind === 'kick' && found.is_recent === true;
    case 'ban':
      return found.kind === 'ban' && found.in_force === true && found.is_enforced === true;
    case 'unban':
      return found.kind === 'ban' && found.in_force === false && !found.banned_otherwise;
  }
}
