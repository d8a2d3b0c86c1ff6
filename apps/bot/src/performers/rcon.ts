import { isCommandAllowed, type OutputOf } from '@bailiff/core';
import { forbidden, notFound } from '@bailiff/engine/calls/action-errors';
import type { ActionError, ActionRecord } from '@bailiff/engine/calls/actions';
import type { Outcome } from '@bailiff/engine/calls/settle';
import { only } from '@bailiff/engine/cases/cases';
import type { Performer } from '@bailiff/engine/worker/perform-action';
import { RconFailure } from '#src/rcon/frames.ts';
import { type GameServer, problemOf, SEEN, targetOf } from '#src/rcon/game-server.ts';
import { type RconReply, runCommand } from '#src/rcon/session.ts';
import type { PerformerDeps } from './deps.ts';

interface ServerRow extends GameServer {
  allow_patterns: string[];
  deny_patterns: string[];
}

type NotDone = Exclude<Outcome, { state: 'done' }>;

/** How much of an action's time is kept for the settling. */
const RESERVE_MS = 1_000;

/** Runs a command on a game server. There is no way to look later whether it ran, so what is unknown stays so. */
export function runRcon(deps: PerformerDeps): Performer<'servers.rcon'> {
  return {
    perform: async (action, signal) => {
      const { serverId, command } = action.input;
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
        const reply = await runCommand(await targetOf(deps, server, inTime), command, inTime);
        return done(server.id, reply, Math.round(performance.now() - startedAt));
      } catch (error) {
        return failed(action, server.id, error);
      }
    },
    verify: async (action) => unknownRun(action),
  };
}

async function findServer(
  { db }: PerformerDeps,
  guildId: string,
  serverId: string,
): Promise<ServerRow | null> {
  const { rows } = await db.pool.query<ServerRow>(
    `SELECT id, guild_id, host, port, password_sealed, allow_patterns, deny_patterns FROM game_servers
     WHERE id = $1 AND guild_id = $2`,
    [serverId, guildId],
  );
  return rows[0] ?? null;
}

function done(serverId: string, reply: RconReply, durationMs: number): Outcome<OutputOf<'servers.rcon'>> {
  return {
    state: 'done',
    write: async (tx) => {
      await tx.query(SEEN, [serverId, null]);
      const { rows } = await tx.query<{ id: string }>("SELECT new_id('run') AS id");
      const { output, truncated } = reply;
      return { run: { id: only(rows).id, server_id: serverId, output, truncated, duration_ms: durationMs } };
    },
  };
}

function failed(action: ActionRecord, serverId: string, error: unknown): NotDone {
  if (error instanceof RconFailure && error.wasSent) return unknownRun(action);
  const problem = problemOf(error);
  return {
    state: 'failed',
    error: serverFailed(`${problem} Nothing was run.`),
    write: async (tx) => {
      await tx.query(SEEN, [serverId, problem]);
    },
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

function unknownRun(action: ActionRecord): NotDone {
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
