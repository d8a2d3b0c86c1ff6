import { type DashboardCall, signInTooOld } from '@bailiff/engine/calls/dashboard-call';
import type { Session } from '@bailiff/engine/desk/sessions';
import type { Engine } from '@bailiff/engine/engine';
import type { Tracer } from '@bailiff/engine/tracing/spans';
import type { Database } from '@bailiff/prisma';
import type { Logger } from 'pino';
import type { ChangeFeed } from '#src/change-feed.ts';
import type { WebConfig } from '#src/config.ts';
import type { DatabasePace } from '#src/database-pace.ts';
import type { RequestMeter } from '#src/request-meter.ts';

/** The dependencies of the dashboard's API. */
export interface DashboardContext {
  readonly config: WebConfig;
  readonly log: Logger;
  readonly db: Database;
  readonly engine: Engine;
  readonly changeFeed: ChangeFeed;
  readonly pace: DatabasePace;
  /** Names the build whose pages this process serves. */
  readonly build: string;
  /** Absent if no metrics are kept. */
  readonly meter?: RequestMeter | undefined;
  /** Absent if no traces are made. */
  readonly tracer?: Tracer | undefined;
}

/** A request from a person who is signed in. If it changes something, it comes from one of our pages. */
export interface DashboardRequest {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly session: Session;
  /** When the request came, on the clock of `performance.now()`. */
  readonly receivedAt: number;
  /** The call for the audit row. */
  readonly call: DashboardCall;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Route {
  readonly method: Method;
  /** The path, with `{name}` for a parameter of one segment. */
  readonly path: string;
  /**
   * Whether a request with an `Authorization` header gets 403: a token must not open, see or close its own window (spec
   * §5.9).
   */
  readonly refusesBearer?: true;
  readonly handle: (context: DashboardContext, request: DashboardRequest) => Promise<Response>;
}

/**
 * Refuses what gives power to others, or shows or removes a lot at once, when the person signed in more than an hour
 * ago: whoever has a cookie of theirs cannot do it (decisions: Sessions in the browser).
 *
 * @throws ApiError UNAUTHORIZED SIGN_IN_AGAIN
 */
export function requireFreshSignIn({ session }: DashboardRequest): void {
  if (session.isFresh) return;
  throw signInTooOld();
}

/** A JSON answer. */
export function json(status: number, body: object): Response {
  return Response.json(body, { status });
}
