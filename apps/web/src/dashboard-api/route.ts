import type { DashboardCall } from '@bailiff/engine/calls/dashboard-call';
import type { Session } from '@bailiff/engine/desk/sessions';
import type { Engine } from '@bailiff/engine/engine';
import type { Database } from '@bailiff/prisma';
import type { Logger } from 'pino';
import type { ChangeFeed } from '#src/change-feed.ts';
import type { WebConfig } from '#src/config.ts';

/** What the dashboard's API works with. */
export interface DashboardContext {
  readonly config: WebConfig;
  readonly log: Logger;
  readonly db: Database;
  readonly engine: Engine;
  readonly changeFeed: ChangeFeed;
}

/** A request whose sender is signed in and, where it changes something, comes from a page of ours. */
export interface DashboardRequest {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly session: Session;
  /** For the audit row. */
  readonly call: DashboardCall;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Route {
  readonly method: Method;
  /** With `{name}` for a parameter, which is one segment. */
  readonly path: string;
  /** A token must not open, see or close its own window (spec §5.9): with an `Authorization` header, 403. */
  readonly refusesBearer?: true;
  readonly handle: (context: DashboardContext, request: DashboardRequest) => Promise<Response>;
}

/** A JSON answer. */
export function json(status: number, body: object): Response {
  return Response.json(body, { status });
}
