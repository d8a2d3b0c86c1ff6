import { ApiError } from '@bailiff/core';
import { endSessions } from '@bailiff/engine/desk/sessions';
import { isSecure, sessionCookieName } from '#src/session.ts';
import { type DashboardContext, type DashboardRequest, json, type Route } from './route.ts';

/** The routes with which people end their own sessions (decisions: Sessions in the browser). */
export const sessionRoutes: readonly Route[] = [
  {
    method: 'DELETE',
    path: '/api/sessions',
    handle: async (context, request) =>
      signedOut(context, await end(context, request, { userId: request.session.userId })),
  },
  {
    method: 'DELETE',
    path: '/api/sessions/current',
    handle: async (context, request) =>
      signedOut(
        context,
        await end(context, request, { userId: request.session.userId, id: request.session.id }),
      ),
  },
  {
    method: 'DELETE',
    path: '/api/sessions/{sessionId}',
    handle: async (context, request) => {
      const id = request.params.sessionId ?? '';
      const ended = await end(context, request, { userId: request.session.userId, id });
      if (ended > 0) return json(200, { ended });
      throw new ApiError('NOT_FOUND', 'There is no such session among yours. It may have ended already.');
    },
  },
];

async function end(
  { db, log }: DashboardContext,
  { call }: DashboardRequest,
  which: { userId: string; id?: string },
): Promise<number> {
  const ended = await endSessions(db, which);
  // A session belongs to no guild, so no audit log has it.
  log.info({ request_id: call.requestId, user_id: which.userId, ended }, 'sessions ended');
  return ended;
}

/** The browser forgets the cookie too, though it is worth nothing any more. */
function signedOut({ config }: DashboardContext, ended: number): Response {
  const answer = json(200, { ended });
  const secure = isSecure(config.dashboardUrl) ? '; Secure' : '';
  const name = sessionCookieName(config.dashboardUrl);
  answer.headers.set('Set-Cookie', `${name}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax${secure}`);
  return answer;
}
