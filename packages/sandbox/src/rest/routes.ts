import { applicationRoutes } from './application.ts';
import { banRoutes } from './bans.ts';
import { channelRoutes } from './channels.ts';
import { commandRoutes } from './commands.ts';
import { guildRoutes } from './guilds.ts';
import { interactionRoutes } from './interactions.ts';
import { memberRoutes } from './members.ts';
import { messageRoutes } from './messages.ts';
import { roleRoutes } from './roles.ts';
import type { Method, Route } from './route.ts';
import { userRoutes } from './users.ts';

/** Every route of the API the sandbox serves, the OAuth2 pages apart. */
export const ROUTES: readonly Route[] = [
  ...userRoutes,
  ...guildRoutes,
  ...memberRoutes,
  ...roleRoutes,
  ...banRoutes,
  ...channelRoutes,
  ...messageRoutes,
  ...commandRoutes,
  ...interactionRoutes,
  ...applicationRoutes,
];

interface Compiled {
  readonly route: Route;
  readonly segments: readonly string[];
}

const isParam = (segment: string) => segment.startsWith('{');

/** One digit per segment, 0 where it is fixed: sorts `/users/@me` before `/users/{user_id}`. */
function generality({ segments }: Compiled): string {
  return segments.map((segment) => (isParam(segment) ? '1' : '0')).join('');
}

const COMPILED: readonly Compiled[] = ROUTES.map((route) => ({
  route,
  segments: route.path.split('/').slice(1),
})).toSorted((a, b) => generality(a).localeCompare(generality(b)));

export type Match =
  | { readonly kind: 'found'; readonly route: Route; readonly params: Record<string, string> }
  | { readonly kind: 'wrong_method' }
  | { readonly kind: 'unknown' };

/** Finds the route of a path below `/api/v10`, already percent-decoded segment by segment. */
export function matchRoute(method: string, segments: readonly string[]): Match {
  let known = false;
  for (const { route, segments: wanted } of COMPILED) {
    if (wanted.length !== segments.length) continue;
    const params: Record<string, string> = {};
    const fits = wanted.every((segment, index) => {
      const given = segments[index] ?? '';
      if (!isParam(segment)) return segment === given;
      params[segment.slice(1, -1)] = given;
      return given !== '';
    });
    if (!fits) continue;
    if (route.method === (method as Method)) return { kind: 'found', route, params };
    known = true;
  }
  return { kind: known ? 'wrong_method' : 'unknown' };
}
