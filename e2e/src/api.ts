import { randomUUID } from 'node:crypto';
import { BailiffClient, BailiffError, type ClientOptions } from '@bailiff/client';
import { OAUTH_PATHS } from '@bailiff/core';
import { type Exchange, type Owner, send } from '@bailiff/sandbox/visitor';
import type { RunFile } from '@bailiff/supervisor/run-file';

/** Only ends what hangs: a busy machine may be slow. */
const MOST_MS = 300_000;
const MOST_TRIES = 5;

type Answered = Pick<Exchange, 'status' | 'body'>;

/**
 * Makes a call again for which a slow machine was too late. Nothing was done then; where nobody knows, it is not made.
 *
 * @param upstream what was too slow; default: anything
 */
export async function untilInTime<Answer extends Answered>(
  call: () => Promise<Answer>,
  upstream?: 'database',
): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await call();
    const { error } = Object(answer.body) as { error?: { details?: { upstream: string; outcome: string } } };
    const wasTooLate = answer.status === 503 && error?.details?.outcome === 'not_performed';
    if (tries === MOST_TRIES || !wasTooLate) return answer;
    if (upstream !== undefined && error?.details?.upstream !== upstream) return answer;
  }
}

const fetchInTime: typeof fetch = async (url, init) => {
  let key = new Headers(init?.headers).get('Idempotency-Key');
  const { response } = await untilInTime(async () => {
    const headers = new Headers(init?.headers);
    if (key !== null) headers.set('Idempotency-Key', key);
    // The answer to a call that nobody took up in time stays that of its key.
    if (key !== null) key = randomUUID();
    const response = await fetch(url, { ...init, headers });
    const { status } = response;
    return { response, status, body: status === 503 ? await response.clone().json() : undefined };
  });
  return response;
};

/** A client of an instance's public API that sends each call once, so that a test sees what is answered. */
export function onceApiOf(
  { web, guild_id: guildId }: RunFile,
  token: string,
  environment: ClientOptions['environment'] = {},
): BailiffClient {
  const bounds = { maxAttempts: 1, attemptTimeoutMs: MOST_MS, deadlineMs: MOST_MS };
  return new BailiffClient({ url: web, token, guildId, ...bounds, environment });
}

/** The same for tests that do not ask how soon a call is served. */
export function apiOf(run: RunFile, token: string): BailiffClient {
  return onceApiOf(run, token, { fetch: fetchInTime });
}

/** What the owner does in the dashboard. Returns the answer. */
export async function act<Answer>(
  owner: Owner,
  { guild_id: guildId }: RunFile,
  operation: string,
  input: object,
): Promise<Answer> {
  const path = `/api/guilds/${guildId}/actions`;
  const { status, body } = await untilInTime(() => owner.request('POST', path, { operation, input }));
  if (status >= 300) throw new Error(`${operation} was answered with ${status}: ${JSON.stringify(body)}`);
  return body as Answer;
}

/** Revokes a token, as its client does when it signs out. A guild has 25 at most, and many tests mint one. */
export async function giveBack({ web }: RunFile, token: string): Promise<void> {
  const { status, text } = await send(`${web}${OAUTH_PATHS.revoke}`, { method: 'POST', form: { token } });
  if (status !== 200) throw new Error(`The token was not revoked: ${text}`);
}

/** The error that a call ends in. @throws Error when it succeeds */
export async function refusalOf(call: Promise<unknown>): Promise<BailiffError> {
  const error = await call.catch((reason: unknown) => reason);
  if (error instanceof BailiffError) return error;
  throw new Error('The call was not refused.', { cause: error });
}
