import { judgeCommand } from '@bailiff/core';
import { perOwner } from '@bailiff/engine/database/coalesce';
import { memberNames, ownedGuild } from '@bailiff/engine/guilds/guilds';
import { judgeFor, playersForPage } from '@bailiff/engine/servers/server-console';
import { serverWire } from '@bailiff/engine/servers/server-view';
import {
  addServer,
  checkServer,
  listServers,
  removeServer,
  updateServer,
} from '@bailiff/engine/servers/servers';
import type { Database } from '@bailiff/prisma';
import { createRequestWindow } from '#src/request-window.ts';
import { bodyOf } from './input.ts';
import { memberedGuild } from './membered-guild.ts';
import { type DashboardRequest, json, type Route, requireFreshSignIn } from './route.ts';
import { CreateServer, JudgeCommand, JudgeStored, UpdateServer } from './server-input.ts';

const SERVERS = '/api/guilds/{guildId}/servers';
const SERVER = `${SERVERS}/{serverId}`;

/**
 * How often the bot tries to connect to an address that an owner entered. Whoever could try as many as they like would
 * learn from Bailiff who listens where. A guild that enters all its servers at once stays below.
 */
const testsOfGuild = testWindow('guild', 30);
const testsOfOwner = testWindow('owner', 60);

function testWindow(whose: string, requests: number) {
  const limit = { requests, windowSeconds: 600 };
  return perOwner((pool: Database['pool']) => createRequestWindow(pool, `server-test:${whose}`, limit));
}

/** @throws ApiError RATE_LIMITED; as {@link ownedGuild} for others than the owner, for whom nothing is counted */
async function countTest(db: Database, request: DashboardRequest): Promise<void> {
  const { userId } = request.session;
  const { guildId } = idsOf(request);
  await ownedGuild(db, guildId, userId, { needsMirror: false });
  await testsOfGuild(db.pool).count(guildId, 'session', 'connection tests of this guild');
  await testsOfOwner(db.pool).count(userId, 'session', 'connection tests of yours');
}

/** The routes for game servers (decisions: Game servers). */
export const serverRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: SERVERS,
    handle: async ({ db }, request) => {
      const servers = await listServers(db, request.session.userId, idsOf(request).guildId);
      return json(200, { data: servers.map(serverWire) });
    },
  },
  {
    method: 'POST',
    path: SERVERS,
    handle: async ({ db }, request) => {
      const { allow_patterns, deny_patterns, ...wanted } = await bodyOf(request, CreateServer);
      await countTest(db, request);
      const server = await addServer(db, request.call, idsOf(request).guildId, {
        ...wanted,
        policy: { allow: allow_patterns, deny: deny_patterns },
      });
      return json(201, { server: serverWire(server) });
    },
  },
  {
    // Judges a policy while the owner types it, before it is saved.
    method: 'POST',
    path: `${SERVERS}/judge-command`,
    handle: async ({ db }, request) => {
      await memberedGuild(db, request);
      const { command, allow_patterns, deny_patterns } = await bodyOf(request, JudgeCommand);
      return json(200, judgeCommand({ allow: allow_patterns, deny: deny_patterns }, command));
    },
  },
  {
    // Judges a command while it is typed in the console, before it is sent.
    method: 'POST',
    path: `${SERVER}/judge-command`,
    handle: async ({ db }, request) => {
      const guild = await memberedGuild(db, request);
      const { command } = await bodyOf(request, JudgeStored);
      return json(200, await judgeFor(db, guild, idsOf(request).serverId, command));
    },
  },
  {
    // Has the server asked, so it is no GET: another site's link must not make anybody do it.
    method: 'POST',
    path: `${SERVER}/players`,
    handle: async ({ db, engine }, request) => {
      const guild = await memberedGuild(db, request);
      const viewer = { ...guild, userId: request.session.userId };
      const { online } = await playersForPage(engine, viewer, idsOf(request).serverId);
      const members = online.players.map(({ user_id }) => user_id).filter((userId) => userId !== null);
      return json(200, { online, names: await memberNames(db, guild.id, members) });
    },
  },
  {
    method: 'PATCH',
    path: SERVER,
    handle: async ({ db }, request) => {
      const { guildId, serverId } = idsOf(request);
      const { allow_patterns: allow, deny_patterns: deny, ...rest } = await bodyOf(request, UpdateServer);
      // A wider policy, and a command that is run with each ban, give power to all who may act on the server.
      if (allow !== undefined || deny !== undefined || rest.templates !== undefined)
        requireFreshSignIn(request);
      if (rest.password !== undefined) await countTest(db, request);
      const server = await updateServer(db, request.call, guildId, serverId, { ...rest, allow, deny });
      return json(200, { server: serverWire(server) });
    },
  },
  {
    method: 'DELETE',
    path: SERVER,
    handle: async ({ db }, request) => {
      requireFreshSignIn(request);
      const { guildId, serverId } = idsOf(request);
      return json(200, { server: serverWire(await removeServer(db, request.call, guildId, serverId)) });
    },
  },
  {
    method: 'POST',
    path: `${SERVER}/check`,
    handle: async ({ db }, request) => {
      const { guildId, serverId } = idsOf(request);
      await countTest(db, request);
      await checkServer(db, request.call, guildId, serverId);
      return json(202, { server_id: serverId });
    },
  },
];

function idsOf({ params }: { params: Readonly<Record<string, string>> }) {
  return { guildId: params.guildId ?? '', serverId: params.serverId ?? '' };
}
