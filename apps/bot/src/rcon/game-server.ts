import type { ServerProblem } from '@bailiff/core';
import { tell } from '@bailiff/engine/calls/dashboard-call';
import { openPassword } from '@bailiff/engine/servers/sealing';
import { type Queryable, type RowOf, sql } from '@bailiff/prisma';
import type { PerformerDeps } from '#src/performers/deps.ts';
import { resolveHost } from './address.ts';
import { ServerUnusable } from './server-unusable.ts';
import { type RconTarget, tryLogin } from './session.ts';

/** The columns that a connection to a game server needs. */
export const GAME_SERVER = {
  id: sql.text,
  guild_id: sql.text,
  host: sql.text,
  port: sql.int,
  password_sealed: sql.bytea,
};

export type GameServer = RowOf<typeof GAME_SERVER>;

/** A server with a password that none of the bot's keys opens. The message is for its owner. */
export class PasswordLost extends ServerUnusable {
  constructor() {
    super('login_lost', 'The password of this game server must be entered again in the dashboard.');
  }
}

/**
 * The server's present address, and its password.
 *
 * @throws AddressRefused, PasswordLost
 */
export async function targetOf(
  { keyring, rconAllowedNetworks, log }: PerformerDeps,
  server: GameServer,
  signal: AbortSignal,
): Promise<RconTarget> {
  const { id, host, port } = server;
  const address = await resolveHost(host, rconAllowedNetworks, signal);
  try {
    const password = openPassword(keyring.all, { serverId: id, host, port }, server.password_sealed);
    return { address, port, password };
  } catch (error) {
    log.error({ err: error, server_id: id }, 'RCON password could not be opened');
    throw new PasswordLost();
  }
}

/** The error as why the server cannot be used. Any other error is thrown again. */
export function unusable(error: unknown): ServerUnusable {
  if (error instanceof ServerUnusable) return error;
  throw error;
}

// Each password that is entered is sealed anew, also for a new address.
const setConnection = sql.command({
  parameters: [sql.text, sql.text.orNull, sql.bytea],
  text: `UPDATE game_servers SET checked_at = clock_timestamp(), reachable = $2::text IS NULL, problem = $2
    WHERE id = $1 AND password_sealed = $3`,
});

/**
 * Records the result of the last connection. `problem` is null if it succeeded. Says nothing of a server that has got
 * another address or password since.
 */
export async function recordConnection(
  db: Queryable,
  { id, password_sealed }: Pick<GameServer, 'id' | 'password_sealed'>,
  problem: ServerProblem | null,
): Promise<void> {
  await setConnection.run(db, [id, problem, password_sealed]);
}

const serverById = sql.statement({
  parameters: [sql.text],
  columns: GAME_SERVER,
  text: `SELECT ${sql.names(GAME_SERVER)} FROM game_servers WHERE id = $1`,
});

/** Commands wait for this check, and are cancelled after three seconds. */
const CHECK_TIMEOUT_MS = 2_000;

/** Logs in to a game server, to show its owner whether host, port and password are right. */
export async function checkServer(deps: PerformerDeps, serverId: string): Promise<void> {
  const { pool } = deps.db;
  const server = await serverById.first(pool, [serverId]);
  if (server === null) return;
  const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
  const problem = await targetOf(deps, server, signal)
    .then((target) => tryLogin(target, signal))
    .then(
      () => null,
      (error) => unusable(error).problem,
    );
  await recordConnection(pool, server, problem);
  await tell(pool, 'server', server.guild_id);
}
