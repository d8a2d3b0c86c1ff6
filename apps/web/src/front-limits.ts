import { hash } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import { ApiError, countedAddress } from '@bailiff/core';
import { perOwner } from '@bailiff/engine/database/coalesce';
import { countRequest } from './address-limit.ts';
import { SIGN_IN_SECONDS } from './auth.ts';
import { readBody } from './http/body.ts';
import { pathOf, toWebRequest } from './http/web-request.ts';
import { createRequestWindow } from './request-window.ts';
import type { Runtime } from './runtime.ts';
import { sessionOf } from './session.ts';

type Pool = Runtime['db']['pool'];

/** Pages, the reference and readiness, per address: far more than a person opens, less than keeps a process busy. */
const PAGES = { requests: 1_200, windowSeconds: 60 };
const asPages = ['ip', 'pages from your address'] as const;
const windowOfPages = perOwner((pool: Pool) => createRequestWindow(pool, 'pages', PAGES));
/** Callbacks of a sign-in, per address. Each one makes a request to Discord. */
const CALLBACKS = { requests: 20, windowSeconds: 600 };
/** A sign-in's state is used once, for as long as its cookie is valid. */
const STATE = { requests: 1, windowSeconds: SIGN_IN_SECONDS };

export const CALLBACK_PATH = '/api/auth/callback/discord';

/** What is counted and bounded before Next sees a request. */
export interface FrontLimits {
  /**
   * Counts a page.
   *
   * @throws ApiError RATE_LIMITED
   */
  countPage(address: string): Promise<void>;
  /**
   * The request to next-auth with its body read, or null if it is a callback that was sent before.
   *
   * @throws ApiError RATE_LIMITED; VALIDATION_FAILED, 413, for a body over 64 KiB
   */
  admitSignIn(message: IncomingMessage, address: string): Promise<IncomingMessage | null>;
}

/** The error with which the next page would be refused to an address, without counting; null if it would not. */
export async function refusalOfPage(pool: Pool, address: string): Promise<ApiError | null> {
  return windowOfPages(pool).wouldRefuse(countedAddress(address), ...asPages);
}

export function createFrontLimits(runtime: Pick<Runtime, 'config' | 'db' | 'log'>): FrontLimits {
  const { pool } = runtime.db;
  const pages = windowOfPages(pool);
  const callbacks = createRequestWindow(pool, 'auth-callback', CALLBACKS);
  const states = createRequestWindow(pool, 'auth-state', STATE);

  const isFirstUse = async (state: string): Promise<boolean> => {
    try {
      await states.count(hash('sha256', state, 'base64url'), 'ip', 'callbacks of this sign-in');
      return true;
    } catch (error) {
      if (error instanceof ApiError) return false;
      throw error;
    }
  };

  return {
    async countPage(address) {
      try {
        await pages.count(countedAddress(address), ...asPages);
      } catch (error) {
        if (error instanceof ApiError) throw error;
        // Without the database there is no page to protect, and readiness has to say so.
        runtime.log.warn({ err: error }, 'a page was not counted');
      }
    },
    async admitSignIn(message, address) {
      const request = toWebRequest(message, runtime.config.dashboardUrl);
      const url = new URL(request.url);
      const session = await sessionOf(runtime, request.headers);
      await countRequest(pool, { session: session?.key, address });
      if (url.pathname === CALLBACK_PATH) {
        await callbacks.count(countedAddress(address), 'ip', 'sign-ins from your address');
        const state = url.searchParams.getAll('state').at(-1); // the one that next-auth reads
        if (state !== undefined && !(await isFirstUse(state))) return null;
      }
      return withBody(message, await readBody(request));
    },
  };
}

/** The request with a body that has been read. */
function withBody(message: IncomingMessage, body: Uint8Array): IncomingMessage {
  const { method, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor } = message;
  const copy = Object.assign(new IncomingMessage(message.socket), {
    method,
    url: pathOf(message),
    headers,
    rawHeaders,
    httpVersion,
    httpVersionMajor,
    httpVersionMinor,
    complete: true,
  });
  if (body.length > 0) copy.push(body);
  copy.push(null);
  return copy;
}
