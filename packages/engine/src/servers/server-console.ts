import {
  ApiError,
  type CommandVerdict,
  type Game,
  type GameSanction,
  judgeCommand,
  type OutputOf,
  type ServerTemplates,
} from '@bailiff/core';
import {
  ActionState,
  ActorSource,
  Bindings,
  type Database,
  type GameServer,
  type RowOf,
  sql,
} from '@bailiff/prisma';
import { notFound } from '#src/calls/action-errors.ts';
import type { ActionError } from '#src/calls/actions.ts';
import { capabilityDenied } from '#src/calls/authorize.ts';
import { readForPage } from '#src/calls/read-call.ts';
import { type Page, type PageStart, pageOf } from '#src/desk/paging.ts';
import type { Asking } from '#src/guilds/ask-member.ts';
import type { Viewer } from '#src/guilds/guilds.ts';
import { askPlayers } from './online-players.ts';
import { byName } from './server-view.ts';

/** A game server as moderators see it. */
export interface DeskServer {
  readonly id: string;
  readonly name: string;
  /** Only for those who may read servers, and the owner. */
  readonly address: { readonly host: string; readonly port: number } | null;
  readonly reachable: boolean | null;
  readonly checkedAt: Date | null;
  /** Why it was not reached. Only for the owner. */
  readonly problem: string | null;
  /** Whether the policy refuses any command. */
  readonly hasPolicy: boolean;
  readonly game: Game;
  /** Only for those who may run commands. */
  readonly templates: ServerTemplates | null;
}

const SERVER = {
  id: true,
  name: true,
  host: true,
  port: true,
  reachable: true,
  checkedAt: true,
  problem: true,
  allowPatterns: true,
  denyPatterns: true,
  game: true,
  kickTemplate: true,
  banTemplate: true,
  unbanTemplate: true,
  announceTemplate: true,
} as const;

/** Whether a person may see game servers at all. */
export function seesServers({ capabilities }: Pick<Viewer, 'capabilities'>): boolean {
  return capabilities.includes('servers.read') || capabilities.includes('servers.rcon');
}

/** @throws ApiError CAPABILITY_DENIED: so do all functions below. */
function requireServers(viewer: Viewer): void {
  if (!seesServers(viewer)) throw capabilityDenied('servers.read', 'You may not see game servers');
}

/**
 * Commands and their output may contain players' data and passwords, so only those who may run commands can read them.
 */
function requireConsole({ capabilities }: Viewer): void {
  if (!capabilities.includes('servers.rcon')) {
    throw capabilityDenied('servers.rcon', 'You may not run commands on game servers');
  }
}

/** A guild's game servers, by name. */
export async function deskServers(db: Database, viewer: Viewer): Promise<DeskServer[]> {
  requireServers(viewer);
  const servers = await db.prisma.gameServer.findMany({ where: { guildId: viewer.id }, select: SERVER });
  return servers.sort(byName).map((server) => seenBy(viewer, server));
}

/** The game server with this id. Null if the guild has no such server. */
export async function deskServer(db: Database, viewer: Viewer, serverId: string): Promise<DeskServer | null> {
  requireServers(viewer);
  const server = await db.prisma.gameServer.findUnique({
    where: { id: serverId, guildId: viewer.id },
    select: SERVER,
  });
  return server === null ? null : seenBy(viewer, server);
}

function seenBy(
  { isOwner, capabilities }: Viewer,
  server: Pick<GameServer, keyof typeof SERVER>,
): DeskServer {
  const { id, name, host, port, reachable, checkedAt, problem, allowPatterns, denyPatterns, game } = server;
  const { kickTemplate: kick, banTemplate: ban, unbanTemplate: unban, announceTemplate: announce } = server;
  return {
    id,
    name,
    address: capabilities.includes('servers.read') ? { host, port } : null,
    reachable,
    checkedAt,
    problem: isOwner ? problem : null,
    hasPolicy: allowPatterns.length + denyPatterns.length > 0,
    game,
    templates: capabilities.includes('servers.rcon') ? { kick, ban, unban, announce } : null,
  };
}

/**
 * What a server's policy says of a command, before the command is sent.
 *
 * @throws ApiError NOT_FOUND if the guild has no such server
 */
export async function judgeFor(
  db: Database,
  viewer: Viewer,
  serverId: string,
  command: string,
): Promise<CommandVerdict> {
  requireConsole(viewer);
  const server = await db.prisma.gameServer.findUnique({
    where: { id: serverId, guildId: viewer.id },
    select: { allowPatterns: true, denyPatterns: true },
  });
  if (server === null) throw new ApiError('NOT_FOUND', notFound('server', serverId).message);
  return judgeCommand({ allow: server.allowPatterns, deny: server.denyPatterns }, command);
}

/**
 * Who is online on a game server, for its page. The server is asked for it, unless it was within the last 5 seconds.
 *
 * @throws ApiError CAPABILITY_DENIED; NOT_FOUND if the guild has no such server
 */
export async function playersForPage(
  engine: Asking,
  viewer: Viewer & { readonly userId: string },
  serverId: string,
): Promise<OutputOf<'servers.players'>> {
  requireConsole(viewer);
  await askPlayers(engine, viewer.id, serverId);
  return readForPage(engine.db, viewer, 'servers.players', { server_id: serverId });
}

/** What was sent to a server or submitted, and its result: a command, or a sanction that a case has there too. */
export interface ConsoleRun {
  readonly actionId: string;
  /** Null for a sanction: its command is made when it is sent, and not kept. */
  readonly command: string | null;
  /** Null for a command of the console. */
  readonly sanction: RunSanction | null;
  readonly at: Date;
  readonly state: ActionState;
  readonly source: ActorSource;
  readonly userId: string;
  readonly tokenName: string | null;
  readonly output: string | null;
  readonly truncated: boolean;
  /** How long the output was; null if there is none. */
  readonly outputBytes: number | null;
  readonly durationMs: number | null;
  readonly error: ActionError | null;
}

/** A kick, a ban or the lifting of one on a game server. */
export interface RunSanction {
  readonly does: GameSanction;
  readonly userId: string;
  /** Null if nothing shows any more who they were there. */
  readonly inGameId: string | null;
  readonly caseNumber: string;
}

const RUN = {
  id: sql.text,
  command: sql.text.orNull,
  does: sql.text.orNull,
  person_id: sql.text.orNull,
  in_game_id: sql.text.orNull,
  case_number: sql.text.orNull,
  created_at: sql.timestamptz,
  state: sql.oneOf({ ActionState }),
  actor_source: sql.oneOf({ ActorSource }),
  actor_user_id: sql.text,
  token_name: sql.text.orNull,
  error: sql.jsonb<ActionError>().orNull,
  output: sql.text.orNull,
  cut: sql.bool.orNull,
  output_bytes: sql.int.orNull,
  duration_ms: sql.int.orNull,
};

const runLists = sql.family('lists of commands on a server', 3);

/** How much of an output the console shows: 64 KiB of a reply are kept, and a page has many replies. */
const SHOWN_CHARACTERS = 8_000;

/** What was sent to a server from every source, newest first: commands, and sanctions of cases. */
export async function listRuns(
  db: Database,
  viewer: Viewer,
  serverId: string,
  { before, after, limit }: PageStart<string>,
): Promise<Page<ConsoleRun, string>> {
  requireConsole(viewer);
  const bindings = new Bindings();
  const guild = bindings.bind(sql.text, viewer.id);
  const server = bindings.bind(sql.text, serverId);
  const from = after ?? before;
  const beyond =
    from === undefined ? '' : `AND id ${after === undefined ? '<' : '>'} ${bindings.bind(sql.text, from)}`;
  const order = `ORDER BY id ${after === undefined ? 'DESC' : 'ASC'} LIMIT ${bindings.bind(sql.bigint, limit + 1)}`;
  const part = (
    which: string,
  ) => `(SELECT id, guild_id, target_id, operation, input, result, created_at, state,
      actor_source, actor_user_id, token_name, error
    FROM actions WHERE guild_id = ${guild} AND ${which} ${beyond} ${order})`;
  // Each part from an index of its own.
  const text = `SELECT a.id, a.input->>'command' AS command, a.created_at, a.state, a.actor_source, a.actor_user_id,
      a.token_name, a.error, a.input->>'does' AS does, a.input->>'case_number' AS case_number,
      CASE WHEN a.operation = 'servers.sanction' THEN a.target_id END AS person_id,
      coalesce(a.result->'sanctioned'->>'in_game_id', i.in_game_id) AS in_game_id,
      left(coalesce(a.result->'run'->>'output', a.result->'sanctioned'->>'said'), ${SHOWN_CHARACTERS}) AS output,
      length(a.result->'run'->>'output') > ${SHOWN_CHARACTERS}
        OR coalesce((a.result->'run'->>'truncated')::boolean, false) AS cut,
      coalesce((a.result->'run'->>'output_bytes')::int, octet_length(a.result->'run'->>'output')) AS output_bytes,
      (a.result->'run'->>'duration_ms')::int AS duration_ms
    FROM (${part(`target_id = ${server} AND operation = 'servers.rcon'`)}
      UNION ALL ${part(`input->>'server_id' = ${server} AND operation = 'servers.sanction'`)} ${order}) AS a
    LEFT JOIN identities i ON i.guild_id = a.guild_id AND i.id = a.input->>'identity_id'
    ORDER BY a.id ${after === undefined ? 'DESC' : 'ASC'}`;
  const { parameters, values } = bindings;
  const rows = await runLists.statement({ parameters, columns: RUN, text }).all(db.pool, values);
  return pageOf(rows.map(runOf), { before, after, limit }, ({ actionId }) => actionId);
}

function runOf(row: RowOf<typeof RUN>): ConsoleRun {
  return {
    actionId: row.id,
    command: row.command,
    sanction: sanctionOf(row),
    at: row.created_at,
    state: row.state,
    source: row.actor_source,
    userId: row.actor_user_id,
    tokenName: row.token_name,
    output: row.output,
    truncated: row.cut ?? false,
    outputBytes: row.output_bytes,
    durationMs: row.duration_ms,
    error: row.error,
  };
}

function sanctionOf({ does, person_id, in_game_id, case_number }: RowOf<typeof RUN>): RunSanction | null {
  if (does === null || person_id === null || case_number === null) return null;
  return { does: does as GameSanction, userId: person_id, inGameId: in_game_id, caseNumber: case_number };
}
