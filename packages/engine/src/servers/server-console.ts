import {
  type ActionState,
  type ActorSource,
  ApiError,
  type CommandVerdict,
  judgeCommand,
} from '@bailiff/core';
import type { Database } from '@bailiff/prisma';
import { notFound } from '#src/calls/action-errors.ts';
import type { ActionError } from '#src/calls/actions.ts';
import { capabilityDenied } from '#src/calls/authorize.ts';
import { type Place, type Sheet, sheetOf } from '#src/desk/paging.ts';
import type { Viewer } from '#src/guilds/guilds.ts';

/** A game server as those who work with it see it. */
export interface DeskServer {
  readonly id: string;
  readonly name: string;
  /** For who may read servers, and for the owner. */
  readonly address: { readonly host: string; readonly port: number } | null;
  readonly reachable: boolean | null;
  readonly checkedAt: Date | null;
  /** Why it was not reached, for the owner. */
  readonly problem: string | null;
  /** Whether some command is refused. */
  readonly hasPolicy: boolean;
}

interface ServerRow {
  id: string;
  name: string;
  host: string;
  port: number;
  reachable: boolean | null;
  checked_at: Date | null;
  problem: string | null;
  has_policy: boolean;
}

const COLUMNS = `id, name, host, port, reachable, checked_at, problem,
  allow_patterns <> '{}' OR deny_patterns <> '{}' AS has_policy`;

/** Whether somebody may see game servers at all. */
export function seesServers({ capabilities }: Pick<Viewer, 'capabilities'>): boolean {
  return capabilities.includes('servers.read') || capabilities.includes('servers.rcon');
}

/** @throws ApiError CAPABILITY_DENIED: so do all functions below. */
function requireServers(viewer: Viewer): void {
  if (!seesServers(viewer)) throw capabilityDenied('servers.read', 'You may not see game servers');
}

/** What was run, and what came of it, holds what players and passwords may be in: it is for who may run commands. */
function requireConsole({ capabilities }: Viewer): void {
  if (!capabilities.includes('servers.rcon')) {
    throw capabilityDenied('servers.rcon', 'You may not run commands on game servers');
  }
}

/** A guild's game servers, by name. */
export async function deskServers(db: Database, viewer: Viewer): Promise<DeskServer[]> {
  requireServers(viewer);
  const { rows } = await db.pool.query<ServerRow>({
    name: 'desk_servers',
    text: `SELECT ${COLUMNS} FROM game_servers WHERE guild_id = $1 ORDER BY lower(name), id`,
    values: [viewer.id],
  });
  return rows.map((row) => seenBy(viewer, row));
}

/** One of them; null where the guild has none of this id. */
export async function deskServer(db: Database, viewer: Viewer, serverId: string): Promise<DeskServer | null> {
  requireServers(viewer);
  const { rows } = await db.pool.query<ServerRow>({
    name: 'desk_server',
    text: `SELECT ${COLUMNS} FROM game_servers WHERE guild_id = $1 AND id = $2`,
    values: [viewer.id, serverId],
  });
  return rows[0] === undefined ? null : seenBy(viewer, rows[0]);
}

function seenBy({ isOwner, capabilities }: Viewer, row: ServerRow): DeskServer {
  const { id, name, host, port, reachable } = row;
  return {
    id,
    name,
    address: capabilities.includes('servers.read') ? { host, port } : null,
    reachable,
    checkedAt: row.checked_at,
    problem: isOwner ? row.problem : null,
    hasPolicy: row.has_policy,
  };
}

/**
 * What the policy of a server says of a command, before it is sent.
 *
 * @throws ApiError NOT_FOUND where the guild has no such server
 */
export async function judgeFor(
  db: Database,
  viewer: Viewer,
  serverId: string,
  command: string,
): Promise<CommandVerdict> {
  requireConsole(viewer);
  const { rows } = await db.pool.query<{ allow: string[]; deny: string[] }>({
    name: 'command_policy',
    text: 'SELECT allow_patterns AS allow, deny_patterns AS deny FROM game_servers WHERE id = $1 AND guild_id = $2',
    values: [serverId, viewer.id],
  });
  const [policy] = rows;
  if (policy === undefined) throw new ApiError('NOT_FOUND', notFound('game server', serverId).message);
  return judgeCommand(policy, command);
}

/** A command that was run, or was to be, and what came of it. */
export interface ConsoleRun {
  readonly actionId: string;
  readonly command: string;
  readonly at: Date;
  readonly state: ActionState;
  readonly source: ActorSource;
  readonly userId: string;
  readonly tokenName: string | null;
  readonly output: string | null;
  readonly truncated: boolean;
  readonly durationMs: number | null;
  readonly error: ActionError | null;
}

interface RunRow {
  id: string;
  command: string;
  created_at: Date;
  state: ActionState;
  actor_source: ActorSource;
  actor_user_id: string;
  token_name: string | null;
  output: string | null;
  cut: boolean | null;
  duration_ms: number | null;
  error: ActionError | null;
}

/** Of an output, what the console shows: a reply may have a mebibyte, and a page has many. */
const SHOWN_CHARACTERS = 8_000;

/** What was run on a server, newest first, from every source. */
export async function listRuns(
  db: Database,
  viewer: Viewer,
  serverId: string,
  { before, after, limit }: Place<string>,
): Promise<Sheet<ConsoleRun, string>> {
  requireConsole(viewer);
  const values: unknown[] = [viewer.id, serverId, limit + 1];
  const from = after ?? before;
  const beyond = from === undefined ? '' : `AND id ${after === undefined ? '<' : '>'} $${values.push(from)}`;
  const { rows } = await db.pool.query<RunRow>(
    `SELECT id, input->>'command' AS command, created_at, state, actor_source, actor_user_id, token_name, error,
       left(result->'run'->>'output', ${SHOWN_CHARACTERS}) AS output,
       length(result->'run'->>'output') > ${SHOWN_CHARACTERS} OR coalesce((result->'run'->>'truncated')::boolean, false) AS cut,
       (result->'run'->>'duration_ms')::int AS duration_ms
     FROM actions WHERE guild_id = $1 AND target_id = $2 AND operation = 'servers.rcon' ${beyond}
     ORDER BY id ${after === undefined ? 'DESC' : 'ASC'} LIMIT $3`,
    values,
  );
  return sheetOf(rows.map(runOf), { before, after, limit }, ({ actionId }) => actionId);
}

function runOf(row: RunRow): ConsoleRun {
  return {
    actionId: row.id,
    command: row.command,
    at: row.created_at,
    state: row.state,
    source: row.actor_source,
    userId: row.actor_user_id,
    tokenName: row.token_name,
    output: row.output,
    truncated: row.cut ?? false,
    durationMs: row.duration_ms,
    error: row.error,
  };
}
