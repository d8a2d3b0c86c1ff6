import { ApiError } from '@bailiff/core';
import { guildFor, listGrants, ownedGuild, updateGrants } from '@bailiff/engine';
import { bodyOf, UpdateGrants } from './input.ts';
import { type DashboardContext, type DashboardRequest, json, type Route } from './route.ts';

const HEARTBEAT_MS = 20_000;
/** The browser comes back by itself, and its session is looked at again. */
const LONGEST_STREAM_MS = 5 * 60_000;

export const guildRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/guilds/{guildId}/grants',
    handle: async ({ db }, request) => json(200, await grantsOf(db, request)),
  },
  {
    method: 'PUT',
    path: '/api/guilds/{guildId}/grants',
    handle: async ({ db }, request) => {
      const { grants } = await bodyOf(request, UpdateGrants);
      await updateGrants(
        db,
        request.call,
        request.params.guildId ?? '',
        grants.map(({ role_id, capabilities }) => ({ roleId: role_id, capabilities })),
      );
      return json(200, await grantsOf(db, request));
    },
  },
  { method: 'GET', path: '/api/guilds/{guildId}/events', handle: streamEvents },
];

async function grantsOf(db: DashboardContext['db'], { session, params }: DashboardRequest): Promise<object> {
  const guild = await ownedGuild(db, params.guildId ?? '', session.userId, { fresh: false });
  const roles = await listGrants(db, guild.id);
  return {
    guild_id: guild.id,
    confirmed_at: guild.grantsConfirmedAt?.toISOString() ?? null,
    roles: roles.map((role) => ({
      role_id: role.roleId,
      name: role.name,
      managed: role.managed,
      capabilities: role.capabilities,
      proposed: role.proposed,
    })),
  };
}

/** Server-sent events: the kind of each change in a guild, so that an open page knows when to look again. */
async function streamEvents(
  { db, notices }: DashboardContext,
  { session, params }: DashboardRequest,
): Promise<Response> {
  const guild = await guildFor(db, params.guildId ?? '', session.userId);
  if (guild === null) throw new ApiError('NOT_FOUND', 'There is no such guild among yours.');
  const encoder = new TextEncoder();
  let stop = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const say = (text: string) => controller.enqueue(encoder.encode(text));
      const end = () => {
        stop();
        controller.close();
      };
      const unsubscribe = notices.subscribe(guild.id, (kind) =>
        kind === 'closing' ? end() : say(`event: change\ndata: ${kind}\n\n`),
      );
      const heartbeat = setInterval(() => say(': still here\n\n'), HEARTBEAT_MS).unref();
      const longest = setTimeout(end, LONGEST_STREAM_MS).unref();
      stop = () => {
        unsubscribe();
        clearInterval(heartbeat);
        clearTimeout(longest);
      };
      say('retry: 2000\n\n');
    },
    cancel: () => stop(),
  });
  return new Response(body, {
    headers: { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' },
  });
}
