import type { IncomingMessage } from 'node:http';
import { ApiError } from '@bailiff/core';
import { perOwner } from '@bailiff/engine/database/coalesce';
import type { WebConfig } from './config.ts';
import { refusal } from './http/kernel.ts';
import { hostOf, pathOf } from './http/web-request.ts';

type Origins = Pick<WebConfig, 'publicUrl' | 'dashboardUrl'>;

const urlsOf = perOwner(({ publicUrl, dashboardUrl }: Origins) => ({
  api: new URL(publicUrl),
  dashboard: new URL(dashboardUrl),
}));

/**
 * Whether a request was sent to the address of the API, and the dashboard has another one. A proxy may send a name that
 * is neither; such a request can be for both (decisions: Names).
 */
export function isSentToApi(message: IncomingMessage, origins: Origins): boolean {
  const { api, dashboard } = urlsOf(origins);
  const hasOneName = nameOf(api) === nameOf(dashboard);
  if (hasOneName && api.port === dashboard.port) return false;
  // The parser removes the port if it is the usual one of https or http.
  const asked = URL.parse(`${api.protocol}//${hostOf(message)}`);
  if (asked === null || nameOf(asked) !== nameOf(api)) return false;
  // Two names are enough: proxies leave the port out, or name their own.
  return !hasOneName || asked.port === api.port;
}

/** The name of a host, without the dot with which it may end (RFC 3986 §3.2.2). */
function nameOf({ hostname }: URL): string {
  return hostname.replace(/\.$/, '');
}

/** The answer of the API's address for what only the dashboard has: the way there, or for programs a 404 that names it. */
export function atDashboard(
  message: IncomingMessage,
  { dashboardUrl }: Origins,
  isForPeople: boolean,
): Response {
  if (isForPeople) return Response.redirect(`${dashboardUrl}${pathOf(message)}`, 307);
  return refusal(
    new ApiError('NOT_FOUND', `This is the address of the API. The dashboard is at ${dashboardUrl}.`),
  );
}
