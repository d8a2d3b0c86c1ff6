import { ApiError } from '@bailiff/core';
import { memberedGuild } from './membered-guild.ts';
import type { DashboardContext, DashboardRequest, Route } from './route.ts';

/** A person can have any number of sessions, so these count together. */
const MOST_STREAMS_OF_PERSON = 50;
/** How many unread bytes are kept for a browser before its stream is ended. */
const MOST_WAITING_BYTES = 256 * 1024;
const RETRY_MS = 2_000;

export const eventRoutes: readonly Route[] = [
  { method: 'GET', path: '/api/guilds/{guildId}/events', handle: streamEvents },
];

/**
 * A stream of server-sent events: first the build that serves it, then the changes in a guild that the viewer may see
 * (change-feed.ts). `?age=` is the largest age of the page when it asked, in milliseconds.
 */
async function streamEvents(
  { db, changeFeed, build }: DashboardContext,
  request: DashboardRequest,
): Promise<Response> {
  const { session, query, receivedAt } = request;
  const guild = await memberedGuild(db, request);
  if (changeFeed.streamsOf(session.userId) >= MOST_STREAMS_OF_PERSON) throw tooMany();
  // A page that connects again asks with 0: it is loaded again in any case.
  const askedAge = Number(query.get('age')) || 0;
  const encoder = new TextEncoder();
  let unsubscribe = () => {};
  let ended = false;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const end = () => {
          if (ended) return;
          ended = true;
          unsubscribe();
          controller.close();
        };
        const send = (text: string) => {
          if (ended) return;
          controller.enqueue(encoder.encode(text));
          if ((controller.desiredSize ?? 0) <= 0) end();
        };
        send(`retry: ${RETRY_MS}\n\nevent: build\ndata: ${build}\n\n`);
        unsubscribe = changeFeed.subscribe(
          { guildId: guild.id, userId: session.userId, sessionKey: session.key, send, end },
          askedAge === 0 ? 0 : askedAge + (performance.now() - receivedAt),
        );
      },
      cancel: () => {
        ended = true;
        unsubscribe();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MOST_WAITING_BYTES }),
  );
  return new Response(body, {
    headers: { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' },
  });
}

function tooMany(): ApiError {
  const message = `At most ${MOST_STREAMS_OF_PERSON} pages of one person are kept up to date. Close some.`;
  return new ApiError('RATE_LIMITED', message, { details: { scope: 'session', retry_after_seconds: 60 } });
}
