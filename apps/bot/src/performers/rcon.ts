import { type InputOf, isCommandAllowed } from '@bailiff/core';
import {
  type Action,
  type ActionError,
  forbidden,
  notFound,
  type Outcome,
  only,
  type Performer,
} from '@bailiff/engine';
import { AddressRefused, resolveHost } from '../rcon/address.ts';
import { openPassword } from '../rcon/secrets.ts';
import { RconFailure, type RconReply, runCommand } from '../rcon/session.ts';
import type { PerformerDeps } from './deps.ts';

interface GameServer {
  id: string;
  host: string;
  port: number;
  password_sealed: Buffer;
  allow_patterns: string[];
  deny_patterns: string[];
}

/** Of an action's time, kept for the settling. */
const RESERVE_MS = 1_000;

/** Runs a command on a game server. There is no way to look later whether it ran, so what is unknown stays so. */
export function runRcon(deps: PerformerDeps): Performer {
  return {
    perform: async (action, signal) => {
      const { serverId, command } = action.input as InputOf<'servers.rcon'>;
      const server = await findServer(deps, action.guildId, serverId);
      if (server === null) return { state: 'failed', error: notFound('game server', serverId) };
      if (!isCommandAllowed({ allow: server.allow_patterns, deny: server.deny_patterns }, command)) {
        return { state: 'failed', error: forbidden('COMMAND_NOT_ALLOWED') };
      }
      const inTime = AbortSignal.any([
        signal,
        AbortSignal.timeout(Math.max(0, action.remainingMs - RESERVE_MS)),
      ]);
      const startedAt = performance.now();
      try {
        const address = await resolveHost(server.host, deps.rconAllowedNetworks, inTime);
        const password = openPassword(deps.secretsKey, server.id, server.password_sealed);
        const reply = await runCommand({ address, port: server.port, password }, command, inTime);
        return done(server.id, reply, Math.round(performance.now() - startedAt));
      } catch (error) {
        return failed(deps, action, server.id, error);
      }
    },
    verify: async (action) => unknownRun(action),
  };
}

async function findServer(
  { db }: PerformerDeps,
  guildId: string,
  serverId: string,
): Promise<GameServer | null> {
  const { rows } = await db.pool.query<GameServer>(
    `SELECT id, host, port, password_sealed, allow_patterns, deny_patterns FROM game_servers
     WHERE id = $1 AND guild_id = $2`,
    [serverId, guildId],
  );
  return rows[0] ?? null;
}

const SEEN = 'UPDATE game_servers SET checked_at = clock_timestamp(), reachable = $2 WHERE id = $1';

function done(serverId: string, reply: RconReply, durationMs: number): Outcome {
  return {
    state: 'done',
    write: async (tx) => {
      await tx.query(SEEN, [serverId, true]);
      const { rows } = await tx.query<{ id: string }>("SELECT new_id('run') AS id");
      const { output, truncated } = reply;
      return { run: { id: only(rows).id, server_id: serverId, output, truncated, duration_ms: durationMs } };
    },
  };
}

function failed(deps: PerformerDeps, action: Action, serverId: string, error: unknown): Outcome {
  if (error instanceof RconFailure) {
    if (error.wasSent) return unknownRun(action);
    return {
      state: 'failed',
      error: serverFailed(`${error.message} Nothing was run.`),
      write: async (tx) => {
        await tx.query(SEEN, [serverId, false]);
      },
    };
  }
  if (error instanceof AddressRefused) return { state: 'failed', error: serverFailed(error.message) };
  // What is left is a password that does not open: SECRETS_KEY is another one than when it was entered.
  deps.log.error(
    { err: error, action_id: action.id, server_id: serverId },
    'RCON password could not be opened',
  );
  return {
    state: 'failed',
    error: serverFailed('The password of this game server must be entered again in the dashboard.'),
  };
}

function serverFailed(message: string): ActionError {
  return {
    code: 'UPSTREAM_UNAVAILABLE',
    status: 502,
    message,
    details: { upstream: 'game_server', outcome: 'not_performed' },
  };
}

function unknownRun(action: Action): Outcome {
  return {
    state: 'unknown',
    error: {
      code: 'UPSTREAM_UNAVAILABLE',
      status: 502,
      message:
        'The command was sent, but the game server gave no whole answer: it may have run. It is not sent again.',
      details: { upstream: 'game_server', outcome: 'unknown', action_id: action.id },
    },
  };
}
