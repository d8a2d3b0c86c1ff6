import { ApiError, type CommandPolicy, type Game, type Issue, type ServerTemplates } from '@bailiff/core';
import type { WordedIssue } from '@bailiff/core/issue-words';
import { type Database, sql } from '@bailiff/prisma';
import { authorizePerson } from '#src/calls/authorize.ts';
import { type DashboardCall, recordChange, tell } from '#src/calls/dashboard-call.ts';
import { given } from '#src/database/given.ts';
import { inTransaction, type Transaction } from '#src/database/transaction.ts';
import type { Engine } from '#src/engine.ts';
import { changeAsOwner, ownedGuild } from '#src/guilds/guilds.ts';
import { type SealingKey, sealPassword } from './sealing.ts';
import { currentSealingKey } from './sealing-keys.ts';
import { refuseWrongTemplates, templateColumns, templatesWire } from './server-templates.ts';
import { byName, SERVER, type ServerView, viewOf } from './server-view.ts';

/** Game servers of a guild (decisions: Game servers). */
export const MOST_SERVERS_PER_GUILD = 25;

/**
 * A guild's game servers, by name.
 *
 * @throws ApiError as {@link ownedGuild}; so do all functions for owners below.
 */
export async function listServers(db: Database, userId: string, guildId: string): Promise<ServerView[]> {
  await ownedGuild(db, guildId, userId, { needsMirror: false });
  const servers = await db.prisma.gameServer.findMany({ where: { guildId }, select: SERVER });
  return servers.sort(byName).map(viewOf);
}

/**
 * The game servers of a guild by name, for people who may run commands on them.
 *
 * @throws ApiError as `authorizePerson` does.
 */
export async function commandableServers(
  engine: Engine,
  { guildId, userId }: { guildId: string; userId: string },
): Promise<{ id: string; name: string }[]> {
  await authorizePerson(engine, { operation: 'servers.rcon', guildId, userId });
  const servers = await engine.db.prisma.gameServer.findMany({
    where: { guildId },
    select: { id: true, name: true },
  });
  return servers.sort(byName);
}

export interface NewServer {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly password: string;
  readonly policy: CommandPolicy;
  /** Absent for a server that the operator registers: its owner chooses them. */
  readonly game?: Game | undefined;
  readonly templates?: ServerTemplates | undefined;
}

/**
 * Adds a game server to a guild that the user owns, and requests a connection check by the bot.
 *
 * @throws ApiError FORBIDDEN SERVER_LIMIT; UPSTREAM_UNAVAILABLE while there is no key to seal the password to.
 */
export async function addServer(
  db: Database,
  call: DashboardCall,
  guildId: string,
  wanted: NewServer,
): Promise<ServerView> {
  return changeAsOwner(db, call, guildId, async (tx) => {
    await refuseOneTooMany(tx, guildId);
    const server = await insertServer(tx, await currentSealingKey(tx), guildId, call.userId, wanted);
    await requestCheck(tx, server.id);
    await record(tx, call, server, 'servers.create', {
      host: server.host,
      port: server.port,
      ...policyWire(server),
      ...templatesWire(server),
    });
    return server;
  });
}

/** Absent fields stay unchanged. */
export interface ServerChanges {
  readonly name?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly password?: string | undefined;
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
  readonly game?: Game | undefined;
  readonly templates?: ServerTemplates | undefined;
}

/**
 * Changes a game server. A new host or port needs the password again: a previous owner may have entered it, and anyone
 * who could change the address would receive it in plain text.
 *
 * @throws ApiError NOT_FOUND for a server that is not this guild's; VALIDATION_FAILED without the password it needs, or
 * for a template that is wrong or that the policy refuses, also when only the policy changes;
 * UPSTREAM_UNAVAILABLE as {@link addServer}.
 */
export async function updateServer(
  db: Database,
  call: DashboardCall,
  guildId: string,
  serverId: string,
  changes: ServerChanges,
): Promise<ServerView> {
  return changeAsOwner(db, call, guildId, async (tx) => {
    const { password } = changes;
    const key = password === undefined ? null : await currentSealingKey(tx);
    const before = await lockServer(tx, guildId, serverId);
    const host = changes.host ?? before.host;
    const port = changes.port ?? before.port;
    const moved = host !== before.host || port !== before.port;
    if (moved && password === undefined) throw passwordNeeded();
    const passwordSealed =
      key === null || password === undefined
        ? undefined
        : sealPassword(key, { serverId, host, port }, password);
    const server = viewOf(
      await tx.prisma.gameServer.update({
        where: { id: serverId },
        data: given({
          name: changes.name,
          host,
          port,
          passwordSealed,
          allowPatterns: changes.allow && [...changes.allow],
          denyPatterns: changes.deny && [...changes.deny],
          game: changes.game,
          ...templateColumns(changes.templates),
        }),
        select: SERVER,
      }),
    );
    refuseWrongTemplates(server);
    if (passwordSealed !== undefined) await requestCheck(tx, serverId);
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
  const remove = async (tx: Transaction) => {
    const server = await lockServer(tx, guildId, serverId);
    await tx.prisma.gameServer.delete({ where: { id: serverId }, select: { id: true } });
    await record(tx, call, server, 'servers.delete', { host: server.host, port: server.port });
    return server;
  };
  return changeAsOwner(db, call, guildId, remove, { needsMirror: false });
}

/** Requests that the bot logs in to a game server and records the result. Does not wait for it. */
export async function checkServer(
  db: Database,
  call: DashboardCall,
  guildId: string,
  serverId: string,
): Promise<void> {
  await ownedGuild(db, guildId, call.userId, { needsMirror: true });
  await inTransaction(db, async (tx) => {
    await lockServer(tx, guildId, serverId);
    await requestCheck(tx, serverId);
  });
}

const lockGuild = sql.statement({
  parameters: [sql.text],
  columns: { owner_id: sql.text },
  text: 'SELECT owner_id FROM guilds WHERE id = $1 FOR NO KEY UPDATE',
});

const lockServerNamed = sql.statement({
  parameters: [sql.text, sql.text],
  columns: { id: sql.text },
  text: 'SELECT id FROM game_servers WHERE guild_id = $1 AND name = $2 ORDER BY id LIMIT 1 FOR UPDATE',
});

const auditByOperator = sql.command({
  parameters: [sql.text, sql.text, sql.text, sql.jsonb<object>()],
  text: `INSERT INTO audit (guild_id, actor_source, operation, target_type, target_id, outcome, details)
    VALUES ($1, 'operator', $2, 'server', $3, 'performed', $4)`,
});

/**
 * Registers a game server for the operator, or updates address and password of the server with that name. Null if
 * Bailiff does not know the guild.
 */
export async function putServer(
  db: Database,
  guildId: string,
  wanted: NewServer,
): Promise<ServerView | null> {
  return inTransaction(db, async (tx) => {
    const guild = await lockGuild.first(tx, [guildId]);
    if (guild === null) return null;
    const key = await currentSealingKey(tx);
    const known = await lockServerNamed.first(tx, [guildId, wanted.name]);
    const server =
      known === null
        ? await insertServer(tx, key, guildId, guild.owner_id, wanted)
        : await moveServer(tx, key, known.id, wanted);
    const operation = known === null ? 'servers.create' : 'servers.update';
    const { host, port } = server;
    await auditByOperator.run(tx, [guildId, operation, server.id, { host, port }]);
    await requestCheck(tx, server.id);
    return server;
  });
}

const newServerId = sql.statement({
  parameters: [],
  columns: { id: sql.text },
  text: "SELECT new_id('srv') AS id",
});

async function insertServer(
  tx: Transaction,
  key: SealingKey,
  guildId: string,
  createdBy: string,
  { name, host, port, password, policy, game, templates }: NewServer,
): Promise<ServerView> {
  // The sealed password is bound to the id.
  const { id } = await newServerId.only(tx, []);
  const passwordSealed = sealPassword(key, { serverId: id, host, port }, password);
  const allowPatterns = [...policy.allow];
  const denyPatterns = [...policy.deny];
  const own = given({ game, ...templateColumns(templates) });
  const server = viewOf(
    await tx.prisma.gameServer.create({
      data: { id, guildId, name, host, port, passwordSealed, allowPatterns, denyPatterns, createdBy, ...own },
      select: SERVER,
    }),
  );
  refuseWrongTemplates(server);
  return server;
}

async function moveServer(
  tx: Transaction,
  key: SealingKey,
  serverId: string,
  { host, port, password }: NewServer,
): Promise<ServerView> {
  const passwordSealed = sealPassword(key, { serverId, host, port }, password);
  return viewOf(
    await tx.prisma.gameServer.update({
      where: { id: serverId },
      data: { host, port, passwordSealed },
      select: SERVER,
    }),
  );
}

async function refuseOneTooMany(tx: Transaction, guildId: string): Promise<void> {
  if ((await tx.prisma.gameServer.count({ where: { guildId } })) < MOST_SERVERS_PER_GUILD) return;
  const message = `A guild has at most ${MOST_SERVERS_PER_GUILD} game servers. Remove one that nobody needs.`;
  throw new ApiError('FORBIDDEN', message, { details: { reason: 'SERVER_LIMIT' } });
}

const lockServerOfGuild = sql.command({
  parameters: [sql.text, sql.text],
  text: 'SELECT FROM game_servers WHERE id = $1 AND guild_id = $2 FOR UPDATE',
});

/** Servers that do not exist and other guilds' servers give the same answer. */
async function lockServer(tx: Transaction, guildId: string, serverId: string): Promise<ServerView> {
  if ((await lockServerOfGuild.run(tx, [serverId, guildId])) !== 1) {
    throw new ApiError('NOT_FOUND', `This guild has no game server ${serverId}.`);
  }
  return viewOf(await tx.prisma.gameServer.findFirstOrThrow({ where: { id: serverId }, select: SERVER }));
}

function passwordNeeded(): ApiError {
  const message = 'must be entered again when the host or port changes: it would be sent to the new address';
  const issue = { path: 'password', message, say: { key: 'passwordAgain' } } satisfies WordedIssue & Issue;
  return new ApiError('VALIDATION_FAILED', `password: ${message}.`, {
    status: 422,
    details: { issues: [issue] },
  });
}

const checkSoon = sql.command({
  parameters: [sql.text],
  text: "SELECT ask_bot('check_server', $1)",
});

async function requestCheck(tx: Transaction, serverId: string): Promise<void> {
  await checkSoon.run(tx, [serverId]);
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

/** The details of a change for its audit row. For the password it says only that it was changed. */
function detailsOf(changes: ServerChanges, server: ServerView): object {
  return {
    ...(changes.host === undefined ? {} : { host: server.host }),
    ...(changes.port === undefined ? {} : { port: server.port }),
    ...(changes.password === undefined ? {} : { password: 'changed' }),
    ...(changes.allow === undefined && changes.deny === undefined ? {} : policyWire(server)),
    ...(changes.game === undefined && changes.templates === undefined ? {} : templatesWire(server)),
  };
}
