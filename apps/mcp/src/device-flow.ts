import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { DEVICE_GRANT_TYPE, dropUnseen, MCP_CLIENT_ID, OAUTH_PATHS } from '@bailiff/core';
import { z } from 'zod';
import { codeOf } from './errors.ts';

const REQUEST_TIMEOUT_MS = 14_000;
/** How much `slow_down` adds to the interval (RFC 8628 §3.5). */
const SLOW_DOWN_MS = 5_000;
const LONGEST_INTERVAL_MS = 60_000;
const MOST_NAME_CHARACTERS = 64;

const Codes = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  verification_uri_complete: z.string(),
  expires_in: z.number(),
  interval: z.number().min(1).default(5),
});
export type Codes = z.output<typeof Codes>;

/** Polls that ended so may have been answered with the token: it is in one answer only. */
const MAY_HAVE_ISSUED: readonly (string | undefined)[] = [undefined, 'no_answer', 'server_error'];
const LOST =
  'A token was issued, but the answer with it was lost. Revoke it in the dashboard, where it is the newest of its guild.';
/** Where no answer came any more that would tell. */
const PERHAPS_LOST =
  'The code has lapsed. Perhaps a token was issued, and the answer with it was lost: look for it in the dashboard, where it is the newest of its guild, and revoke it.';

const Granted = z.object({ access_token: z.string(), token_id: z.string(), guild_id: z.string() });
export type Granted = z.output<typeof Granted>;

const Refused = z.object({
  error: z.union([
    z.string(),
    z.object({ code: z.string(), message: z.string() }).transform(({ code }) => code),
  ]),
  error_description: z.string().optional(),
});

/** The error of a device flow that gave no token. The message is for the person at the terminal. */
export class DeviceFlowError extends Error {
  /** How many seconds the instance asked to wait; 0 if it asked nothing. */
  readonly waitSeconds: number;

  constructor(message: string, waitSeconds = 0) {
    super(message);
    this.waitSeconds = waitSeconds;
  }
}

/**
 * Starts the device flow and returns its codes (RFC 8628 §3.1).
 * @throws DeviceFlowError
 */
export async function startDeviceFlow(url: string): Promise<Codes> {
  const answer = await ask(`${url}${OAUTH_PATHS.code}`, { client_name: clientName() });
  const codes = Codes.safeParse(answer.body);
  if (codes.success) return codes.data;
  const { error, description } = refusalOf(answer.body);
  const why = description ?? (error === undefined ? 'is this the address of Bailiff?' : `${error}.`);
  throw new DeviceFlowError(`${url} gives no code: ${why}`, answer.retryAfterMs / 1_000);
}

/** What this process calls itself: its owner knows the tokens of several computers apart by their names. */
function clientName(): string {
  return `Bailiff MCP on ${dropUnseen(hostname())}`.slice(0, MOST_NAME_CHARACTERS);
}

/**
 * Polls until the owner has decided, and returns the token (RFC 8628 §3.4, §3.5).
 *
 * @param wait waits some milliseconds between two polls
 * @throws DeviceFlowError if the owner refused or the code expired
 */
export async function pollForToken(
  url: string,
  codes: Codes,
  wait = (ms: number) => delay(ms),
): Promise<Granted> {
  let intervalMs = codes.interval * 1_000;
  let waitMs = intervalMs;
  let mayBeIssued = false;
  for (let leftMs = codes.expires_in * 1_000; leftMs > 0; ) {
    await wait(waitMs);
    leftMs -= waitMs;
    const answer = await ask(`${url}${OAUTH_PATHS.token}`, {
      grant_type: DEVICE_GRANT_TYPE,
      device_code: codes.device_code,
    }).catch((error: unknown) => {
      if (!(error instanceof DeviceFlowError)) throw error;
      return { body: { error: 'no_answer' }, retryAfterMs: 0 };
    });
    const granted = Granted.safeParse(answer.body);
    if (granted.success) return granted.data;
    const { error, description } = refusalOf(answer.body);
    if (error === 'invalid_grant' && mayBeIssued) throw new DeviceFlowError(LOST);
    if (error === 'authorization_pending' || error === 'slow_down') mayBeIssued = false;
    else mayBeIssued ||= MAY_HAVE_ISSUED.includes(error);
    if (error === 'slow_down') intervalMs += SLOW_DOWN_MS;
    const next = nextWaitMs(error, { intervalMs, waitMs }, answer.retryAfterMs);
    if (next === undefined) throw new DeviceFlowError(description ?? `The login ended with ${error}.`);
    waitMs = next;
  }
  throw new DeviceFlowError(mayBeIssued ? PERHAPS_LOST : 'The code has lapsed before anybody entered it.');
}

/** How long to wait before the next poll, or undefined if polling again is useless. */
function nextWaitMs(
  error: string | undefined,
  { intervalMs, waitMs }: { readonly intervalMs: number; readonly waitMs: number },
  retryAfterMs: number,
): number | undefined {
  switch (error) {
    case 'authorization_pending':
    case 'slow_down':
      return intervalMs;
    // Without an answer of Bailiff, polls become less frequent (RFC 8628 §3.5).
    case undefined:
    case 'no_answer':
    case 'temporarily_unavailable':
    case 'server_error':
    case 'RATE_LIMITED':
      return Math.min(Math.max(waitMs * 2, retryAfterMs), Math.max(LONGEST_INTERVAL_MS, retryAfterMs));
    default:
      return undefined;
  }
}

async function ask(
  endpoint: string,
  fields: Record<string, string>,
): Promise<{ body: unknown; retryAfterMs: number }> {
  try {
    const response = await fetch(endpoint, {
      method: 'POST',
      body: new URLSearchParams({ client_id: MCP_CLIENT_ID, ...fields }),
      redirect: 'manual',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const retryAfterMs = (Number(response.headers.get('retry-after')) || 0) * 1_000;
    return { body: await response.json().catch(() => undefined), retryAfterMs };
  } catch (error) {
    throw new DeviceFlowError(`${new URL(endpoint).origin} cannot be reached (${codeOf(error)}).`);
  }
}

function refusalOf(body: unknown): { error?: string; description?: string } {
  const refused = Refused.safeParse(body);
  if (!refused.success) return {};
  const { error, error_description: description } = refused.data;
  return { error, ...(description === undefined ? {} : { description }) };
}
