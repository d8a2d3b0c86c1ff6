import { ApiError, type CommandPolicy } from '@bailiff/core';
import type { Database } from '@bailiff/prisma';
import { authorizePerson } from '#src/calls/authorize.ts';
import { type DashboardCall, recordChange, tell } from '#src/calls/dashboard-call.ts';
import { only } from '#src/cases/cases.ts';
import { inTransaction, type Transaction } from '#src/database/transaction.ts';
import type { Engine } from '#src/engine.ts';
import { lockOwnedGuild, ownedGuild } from '#src/guilds/guilds.ts';
import { type SealedFor, sealPassword } from './sealing.ts';
import { currentSealingKey } from './sealing-keys.ts';

/** Game servers of a guild (decisions: Game servers). */
export const MOST_SERVERS_PER_GUILD = 25;

/** A game server as its owner sees it. The password is in no view, not even sealed. */
export interface ServerView {
  readonly id: string;
  readonly guildId: string;
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly policy: CommandPolicy;
  readonly createdAt: Date;
  /** When the bot last spoke with it, or tried to; null before the first time. */
  readonly checkedAt: Date | null;
  readonly reachable: boolean | null;
  /** Why it was not reached, for its owner. */
  readonly problem: string | null;
}

interface ServerRow {
  id: string;
  guild_id: string;
  name: string;
  host: string;
  port: number;
  allow_patterns: string[];
  deny_patterns: string[];
  created_at: Date;
  checked_at: Date | null;
  reachable: boolean | null;
  problem: string | null;
}

const SERVER_COLUMNS = `id, guild_id, name, host, port, allow_patterns, deny_patterns, created_at, checked_at, reachable,
  problem`;

function viewOf(row: ServerRow): ServerView {
  return {
    id: row.id,
    guildId: row.guild_id,
    name: row.name,
    host: row.host,
    port: row.port,
    policy: { allow: row.allow_patterns, deny: row.deny_patterns },
    createdAt: row.created_at,
    checkedAt: row.checked_at,
    reachable: row.reachable,
    problem: row.problem,
  };
}

/** A game server as the dashboard's wire has it. */
export function serverWire(server: ServerView) {
  return {
    id: server.id,
    guild_id: server.guildId,
    name: server.name,
    host: server.host,
    port: server.port,
    allow_patterns: server.policy.allow,
    deny_patterns: server.policy.deny,
    created_at: server.createdAt.toISOString(),
    checked_at: server.checkedAt?.toISOString() ?? null,
    reachable: server.reachable,
    problem: server.problem,
  };
}

export type ServerWire = ReturnType<typeof serverWire>;

/**
 * A guild's game servers, by name.
 *
 * @throws ApiError as {@link ownedGuild}; so do all functions for owners below.
 */
export async function listServers(db: Database, userId: string, guildId: string): Promise<ServerView[]> {
  await ownedGuild(db, guildId, userId, { fresh: false });
  const { rows } = await db.pool.query<ServerRow>({
    name: 'list_servers',
    text: `SELECT ${SERVER_COLUMNS} FROM game_servers WHERE guild_id = $1 ORDER BY lower(name), id`,
    values: [guildId],
  });
  return rows.map(viewOf);
}

/**
 * The game servers of a guild by name, for who may run commands on them.
 *
 * @throws ApiError as `authorizePerson` does.
 */
export async function commandableServers(
  engine: Engine,
  { guildId, userId }: { guildId: string; userId: string },
): Promise<{ id: string; name: string }[]> {
  await authorizePerson(engine, { operation: 'servers.rcon', guildId, userId });
  const { rows } = await engine.db.pool.query<{ id: string; name: string }>({
    name: 'commandable_servers',
    text: 'SELECT id, name FROM game_servers WHERE guild_id = $1 ORDER BY lower(name), id',
    values: [guildId],
  });
  return rows;
}

export interface NewServer {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly password: string;
  readonly policy: CommandPolicy;
}

/**
 * Adds a game server to a guild the user owns, and has the bot try it.
 *
 * @throws ApiError FORBIDDEN SERVER_LIMIT; UPSTREAM_UNAVAILABLE while there is no key to seal the password to.
 */
export async function addServer(
  db: Database,
  call: DashboardCall,
  guildId: string,
  wanted: NewServer,
): Promise<ServerView> {
  await ownedGuild(db, guildId, call.userId, { fresh: true });
  return inTransaction(db, async (tx) => {
    await lockOwnedGuild(tx, guildId, call.userId);
    await refuseOneTooMany(tx, guildId);
    const server = await insertServer(tx, guildId, call.userId, wanted);
    await requestCheck(tx, server.id);
    await record(tx, call, server, 'servers.create', {
      host: server.host,
      port: server.port,
      ...policyWire(server),
    });
    return server;
  });
}

/** What is absent stays. */
export interface ServerChanges {
  readonly name?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly password?: string | undefined;
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
}

/**
 * Changes a game server. A new host or port needs the password again: a password may have been entered by an owner
 * before this one, and whoever could point it elsewhere would be sent it in plain text.
 *
 * @throws ApiError NOT_FOUND for a server that is not this guild's; VALIDATION_FAILED without the password it needs;
 * UPSTREAM_UNAVAILABLE as {@link addServer}.
 */
export async function updateServer(
  db: Database,
  call: DashboardCall,
  guildId: string,
  serverId: string,
  changes: ServerChanges,
): Promise<ServerView> {
  await ownedGuild(db, guildId, call.userId, { fresh: true });
  return inTransaction(db, async (tx) => {
    await lockOwnedGuild(tx, guildId, call.userId);
    const before = await lockServer(tx, guildId, serverId);
    const host = changes.host ?? before.host;
    const port = changes.port ?? before.port;
    const moved = host !== before.host || port !== before.port;
    if (moved && changes.password === undefined) throw passwordNeeded();
    const sealed =
      changes.password === undefined ? null : await seal(tx, { serverId, host, port }, changes.password);
    const { rows } = await tx.query<ServerRow>(
      `UPDATE game_servers SET name = coalesce($2, name), host = $3, port = $4,
         password_sealed = coalesce($5, password_sealed),
         allow_patterns = coalesce($6, allow_patterns), deny_patterns = coalesce($7, deny_patterns)
       WHERE id = $1 RETURNING ${SERVER_COLUMNS}`,
      [serverId, changes.name ?? null, host, port, sealed, changes.allow ?? null, changes.deny ?? null],
    );
    const server = viewOf(only(rows));
    if (sealed !== null) await requestCheck(tx, serverId);
    await record(tx, call, server, 'servers.update', detailsOf(changes, server));
    return server;
  });
}

/** Removes a game server with its password and policy; what was run on it stays in the audit log. */
export async function removeServer(
  db: Database,
  call: DashboardCall,
  guildId: string,
  serverId: string,
): Promise<ServerView> {
  await ownedGuild(db, guildId, call.userId, { fresh: false });
  return inTransaction(db, async (tx) => {
    await lockOwnedGuild(tx, guildId, call.userId);
    const server = await lockServer(tx, guildId, serverId);
    await tx.query('DELETE FROM game_servers WHERE id = $1', [serverId]);
    await record(tx, call, server, 'servers.delete', { host: server.host, port: server.port });
    return server;
  });
}

/** Has the bot log in to a game server and say how that went, by and by. */
export async function checkServer(
  db: Database,
  call: DashboardCall,
  guildId: string,
  serverId: string,
): Promise<void> {
  await ownedGuild(db, guildId, call.userId, { fresh: true });
  await inTransaction(db, async (tx) => {
    await lockServer(tx, guildId, serverId);
    await requestCheck(tx, serverId);
  });
}

/**
 * Registers a game server by the operator's word, or gives the one of that name this address and password. Null when
 * Bailiff does not know the guild.
 */
export async function putServer(
  db: Database,
  guildId: string,
  wanted: NewServer,
): Promise<ServerView | null> {
  return inTransaction(db, async (tx) => {
    const { rows: guilds } = await tx.query<{ owner_id: string }>(
      'SELECT owner_id FROM guilds WHERE id = $1 FOR NO KEY UPDATE',
      [guildId],
    );
    const [guild] = guilds;
    if (guild === undefined) return null;
    const { rows } = await tx.query<{ id: string }>(
      'SELECT id FROM game_servers WHERE guild_id = $1 AND name = $2 ORDER BY id LIMIT 1 FOR UPDATE',
      [guildId, wanted.name],
    );
    const known = rows[0]?.id;
    const server =
      known === undefined
        ? await insertServer(tx, guildId, guild.owner_id, wanted)
        : await moveServer(tx, known, wanted);
    await tx.query(
      `INSERT INTO audit (guild_id, actor_source, operation, target_type, target_id, outcome, details)
       VALUES ($1, 'operator', $2, 'server', $3, 'performed', jsonb_build_object('host', $4::text, 'port', $5::int))`,
      [
        guildId,
        known === undefined ? 'servers.create' : 'servers.update',
        server.id,
        server.host,
        server.port,
      ],
    );
    await requestCheck(tx, server.id);
    return server;
  });
}

async function insertServer(
  tx: Transaction,
  guildId: string,
  createdBy: string,
  wanted: NewServer,
): Promise<ServerView> {
  const { rows: ids } = await tx.query<{ id: string }>("SELECT new_id('srv') AS id");
  const { id } = only(ids);
  const sealed = await seal(tx, { serverId: id, host: wanted.host, port: wanted.port }, wanted.password);
  const { rows } = await tx.query<ServerRow>(
    `INSERT INTO game_servers (id, guild_id, name, host, port, password_sealed, allow_patterns, deny_patterns, created_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING ${SERVER_COLUMNS}`,
    [
      id,
      guildId,
      wanted.name,
      wanted.host,
      wanted.port,
      sealed,
      wanted.policy.allow,
      wanted.policy.deny,
      createdBy,
    ],
  );
  return viewOf(only(rows));
}

async function moveServer(
  tx: Transaction,
  serverId: string,
  { host, port, password }: NewServer,
): Promise<ServerView> {
  const sealed = await seal(tx, { serverId, host, port }, password);
  const { rows } = await tx.query<ServerRow>(
    `UPDATE game_servers SET host = $2, port = $3, password_sealed = $4 WHERE id = $1 RETURNING ${SERVER_COLUMNS}`,
    [serverId, host, port, sealed],
  );
  return viewOf(only(rows));
}

async function seal(tx: Transaction, server: SealedFor, password: string): Promise<Buffer> {
  return sealPassword(await currentSealingKey(tx), server, password);
}

async function refuseOneTooMany(tx: Transaction, guildId: string): Promise<void> {
  const { rows } = await tx.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM game_servers WHERE guild_id = $1',
    [guildId],
  );
  if (only(rows).count < MOST_SERVERS_PER_GUILD) return;
  const message = `A guild has at most ${MOST_SERVERS_PER_GUILD} game servers. Remove one that nobody needs.`;
  throw new ApiError('FORBIDDEN', message, { details: { reason: 'SERVER_LIMIT' } });
}

/** One answer for absent and foreign servers. */
async function lockServer(tx: Transaction, guildId: string, serverId: string): Promise<ServerView> {
  const { rows } = await tx.query<ServerRow>(
    `SELECT ${SERVER_COLUMNS} FROM game_servers WHERE id = $1 AND guild_id = $2 FOR UPDATE`,
    [serverId, guildId],
  );
  const [row] = rows;
  if (row === undefined) throw new ApiError('NOT_FOUND', `This guild has no game server ${serverId}.`);
  return viewOf(row);
}

function passwordNeeded(): ApiError {
  const message = 'must be entered again when the host or port changes: it would be sent to the new address';
  return new ApiError('VALIDATION_FAILED', `password: ${message}.`, {
    status: 422,
    details: { issues: [{ path: 'password', message }] },
  });
}

/** In the queue of the server's commands (`oneAtATime` of servers.rcon): one connection to it at a time. */
async function requestCheck(tx: Transaction, serverId: string): Promise<void> {
  await tx.query(
    `SELECT graphile_worker.add_job('check_server', json_build_object('server_id', $1::text),
       queue_name => $1, job_key => 'check_server:' || $1, max_attempts => 1)`,
    [serverId],
  );
}

async function record(
  tx: Transaction,
  call: DashboardCall,
  server: ServerView,
  operation: `servers.${'create' | 'update' | 'delete'}`,
  details: object,
): Promise<void> {
  await recordChange(tx, call, {
    guildId: server.guildId,
    operation,
    target: { type: 'server', id: server.id },
    details: { name: server.name, ...details },
  });
  await tell(tx, 'server', server.guildId);
}

function policyWire({ policy }: ServerView) {
  return { allow_patterns: policy.allow, deny_patterns: policy.deny };
}

/** What an audit row says of a change; of the password only that it is another one. */
function detailsOf(changes: ServerChanges, server: ServerView): object {
  return {
    ...(changes.host === undefined ? {} : { host: server.host }),
    ...(changes.port === undefined ? {} : { port: server.port }),
    ...(changes.password === undefined ? {} : { password: 'changed' }),
    ...(changes.allow === undefined && changes.deny === undefined ? {} : policyWire(server)),
  };
}
