import { isCommandAllowed } from '@bailiff/core';
import { type OnlinePlayers, PLAYER_COMMANDS, readOnlinePlayers } from '@bailiff/core/online-players';
import { tellPlayers } from '@bailiff/engine/servers/online-players';
import { Game, PlayersState, type RowOf, sql } from '@bailiff/prisma';
import type { PerformerDeps } from '#src/performers/deps.ts';
import { RconFailure } from './frames.ts';
import { GAME_SERVER, recordConnection, targetOf, unusable } from './game-server.ts';
import { runCommand } from './session.ts';

/** Commands wait for this, and are cancelled after three seconds. */
const LIST_TIMEOUT_MS = 2_000;

const ASKED = {
  ...GAME_SERVER,
  game: sql.oneOf({ Game }),
  allow_patterns: sql.arrayOf(sql.text).neverNull,
  deny_patterns: sql.arrayOf(sql.text).neverNull,
};

// Nobody waits any longer for a question that waited behind slow commands.
const askedServer = sql.statement({
  parameters: [sql.text],
  columns: ASKED,
  text: `SELECT ${Object.keys(ASKED)
    .map((column) => `s.${column}`)
    .join(', ')} FROM game_servers s JOIN server_players p ON p.server_id = s.id
    WHERE s.id = $1 AND p.state = 'asked' AND p.asked_at > clock_timestamp() - interval '5 seconds'`,
});

// As `recordConnection`: an answer from a former address says nothing of who is online at the present one.
const keep = sql.command({
  parameters: [
    sql.text,
    sql.oneOf({ PlayersState }),
    sql.jsonb<OnlinePlayers['players']>(),
    sql.int,
    sql.int,
    sql.bytea,
  ],
  text: `UPDATE server_players SET state = $2, read_at = clock_timestamp(), players = $3, more = $4, unread = $5
    WHERE server_id = $1 AND EXISTS (SELECT FROM game_servers WHERE id = $1 AND password_sealed = $6)`,
});

const NOBODY: OnlinePlayers = { players: [], more: 0, unread: 0 };

/** Asks a game server who is online, with the command of its game if its policy allows that, and keeps the answer. */
export async function listPlayers(deps: PerformerDeps, serverId: string): Promise<void> {
  const { pool } = deps.db;
  const server = await askedServer.first(pool, [serverId]);
  if (server === null) return;
  const { state, online } = await askServer(deps, server);
  const { players, more, unread } = online;
  const kept = await keep.run(pool, [serverId, state, players, more, unread, server.password_sealed]);
  if (kept === 1) await tellPlayers(pool, serverId);
}

async function askServer(
  deps: PerformerDeps,
  server: RowOf<typeof ASKED>,
): Promise<{ state: PlayersState; online: OnlinePlayers }> {
  const command = PLAYER_COMMANDS[server.game];
  if (command === null) return { state: PlayersState.no_command, online: NOBODY };
  const policy = { allow: server.allow_patterns, deny: server.deny_patterns };
  if (!isCommandAllowed(policy, command)) return { state: PlayersState.not_allowed, online: NOBODY };
  const signal = AbortSignal.timeout(LIST_TIMEOUT_MS);
  try {
    const { output } = await runCommand(await targetOf(deps, server, signal), command, signal);
    await recordConnection(deps.db.pool, server, null);
    const online = readOnlinePlayers(server.game, output);
    return online === null
      ? { state: PlayersState.unreadable, online: NOBODY }
      : { state: PlayersState.listed, online };
  } catch (error) {
    const { problem } = unusable(error);
    // A server that was logged in to can be reached, whatever it answers.
    const wasReached = error instanceof RconFailure && error.wasSent;
    if (!wasReached) await recordConnection(deps.db.pool, server, problem);
    return { state: PlayersState.unreachable, online: NOBODY };
  }
}
