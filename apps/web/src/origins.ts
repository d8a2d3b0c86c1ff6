import type { IncomingMessage } from 'node:http';
import { ApiError } from '@bailiff/core';
import { perOwner } from '@bailiff/engine/database/coalesce';
import type { WebConfig } from './config.ts';
import { refusal } from './http/kernel.ts';
import { pathOf } from './http/web-request.ts';

type Origins = Pick<WebConfig, 'publicUrl' | 'dashboardUrl'>;

const urlsOf = perOwner(({ publicUrl, dashboardUrl }: Origins) => ({
  api: new URL(publicUrl),
  dashboard: new URL(dashboardUrl),
}));

/**
 * Whether a request was sent to the address of the API, and the dashboard has another one. A proxy may send a name that
 * is neither; such a request can be for both (decisions: Names).
 */
export function isSentToApi({ headers }: IncomingMessage, origins: Origins): boolean {
  const { api, dashboard } = urlsOf(origins);
  if (api.host === dashboard.host) return false;
  // The parser removes the port if it is the usual one of https or http.
  const asked = URL.parse(`${api.protocol}//${headers.host}`)?.host;
  return asked === api.host;
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
