import { StringDecoder } from 'node:string_decoder';
import { isCommandAllowed, type OutputOf } from '@bailiff/core';
import { forbidden, notFound } from '@bailiff/engine/calls/action-errors';
import type { ActionError, ActionRecord } from '@bailiff/engine/calls/actions';
import type { Outcome } from '@bailiff/engine/calls/settle';
import type { ClaimedAction, Performer } from '@bailiff/engine/worker/perform-action';
import { type RowOf, sql } from '@bailiff/prisma';
import { RconFailure } from '#src/rcon/frames.ts';
import { GAME_SERVER, type GameServer, recordConnection, targetOf, unusable } from '#src/rcon/game-server.ts';
import type { ServerUnusable } from '#src/rcon/server-unusable.ts';
import { type RconReply, runCommand } from '#src/rcon/session.ts';
import type { PerformerDeps } from './deps.ts';

/** How much of an output is kept and answered: a game server may send a mebibyte for each command. */
export const KEPT_OUTPUT_BYTES = 64 * 1024;

type NotDone = Exclude<Outcome, { state: 'done' }>;

/** Time of an action that is reserved for the settlement. */
const RESERVE_MS = 1_000;

/**
 * Runs a command on a game server. Nothing shows later whether it ran, so an unknown outcome stays unknown.
 */
export function runRcon(deps: PerformerDeps): Performer<'servers.rcon'> {
  return {
    perform: async (action, signal) => {
      const { serverId, command } = action.input;
      const server = await findServer(deps, action.guildId, serverId);
      if (server === null) return { state: 'failed', error: notFound('server', serverId) };
      if (!isCommandAllowed({ allow: server.allow_patterns, deny: server.deny_patterns }, command)) {
        return { state: 'failed', error: forbidden('COMMAND_NOT_ALLOWED') };
      }
      const startedAt = performance.now();
      try {
        const reply = await sendToServer(deps, server, command, action, signal);
        return done(server, reply, Math.round(performance.now() - startedAt));
      } catch (error) {
        return failedRun(action, server, error);
      }
    },
    verify: async (action) => unknownRun(action),
  };
}

/** What a game server answers to a command that its policy allows. Sent once, within the time of the action. */
export async function sendToServer(
  deps: PerformerDeps,
  server: RowOf<typeof GAME_SERVER>,
  command: string,
  { remainingMs }: Pick<ClaimedAction, 'remainingMs'>,
  signal: AbortSignal,
): Promise<RconReply> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(Math.max(0, remainingMs - RESERVE_MS))]);
  return runCommand(await targetOf(deps, server, inTime), command, inTime);
}

/** The columns that a command for a game server needs. */
export const SERVER_WITH_POLICY = {
  ...GAME_SERVER,
  allow_patterns: sql.arrayOf(sql.text).neverNull,
  deny_patterns: sql.arrayOf(sql.text).neverNull,
};

const serverOfGuild = sql.statement({
  parameters: [sql.text, sql.text],
  columns: SERVER_WITH_POLICY,
  text: `SELECT ${sql.names(SERVER_WITH_POLICY)} FROM game_servers WHERE id = $1 AND guild_id = $2`,
});

function findServer(
  { db }: PerformerDeps,
  guildId: string,
  serverId: string,
): Promise<RowOf<typeof SERVER_WITH_POLICY> | null> {
  return serverOfGuild.first(db.pool, [serverId, guildId]);
}

const newRunId = sql.statement({
  parameters: [],
  columns: { id: sql.text },
  text: "SELECT new_id('run') AS id",
});

function done(server: GameServer, reply: RconReply, durationMs: number): Outcome<OutputOf<'servers.rcon'>> {
  return {
    state: 'done',
    write: async (tx) => {
      await recordConnection(tx, server, null);
      const { id } = await newRunId.only(tx, []);
      return { run: { id, server_id: server.id, ...kept(reply), duration_ms: durationMs } };
    },
  };
}

/** The beginning of a reply, without a character that the cut would split. */
function kept({ output, truncated }: RconReply) {
  const bytes = Buffer.from(output);
  return {
    output: new StringDecoder('utf8').write(bytes.subarray(0, KEPT_OUTPUT_BYTES)),
    truncated: truncated || bytes.length > KEPT_OUTPUT_BYTES,
    output_bytes: bytes.length,
  };
}

/** The outcome of a command that ended in this error. */
export function failedRun(action: ActionRecord, server: GameServer, error: unknown): NotDone {
  if (error instanceof RconFailure && error.wasSent) return unknownRun(action);
  const why = unusable(error);
  return {
    state: 'failed',
    error: serverFailed(why),
    write: (tx) => recordConnection(tx, server, why.problem),
  };
}

function serverFailed({ message, problem }: ServerUnusable): ActionError {
  return {
    code: 'UPSTREAM_UNAVAILABLE',
    status: 502,
    message: `${message} Nothing was run.`,
    details: { upstream: 'game_server', outcome: 'not_performed', server_problem: problem },
  };
}

/** The outcome of a command that was sent, or may have been. */
export function unknownRun(action: ActionRecord): NotDone {
  return {
    state: 'unknown',
    isFinal: true,
    error: {
      code: 'UPSTREAM_UNAVAILABLE',
      status: 502,
      message:
        'The command may have run: the game server gave no whole answer. This can never be found out, and it is not sent again.',
      details: { upstream: 'game_server', outcome: 'unknown', action_id: action.id },
    },
  };
}
