import { randomUUID } from 'node:crypto';
import { BailiffClient, BailiffError, type ClientOptions } from '@bailiff/client';
import { OAUTH_PATHS } from '@bailiff/core';
import { type Owner, send, untilInTime } from '@bailiff/sandbox/visitor';
import type { RunFile } from '@bailiff/supervisor/run-file';

export { untilInTime } from '@bailiff/sandbox/visitor';

/** Only ends what hangs: a busy machine may be slow. */
const MOST_MS = 300_000;
const MOST_TRIES = 5;

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
  const { status, body } = await owner.request('POST', path, { operation, input });
  if (status >= 300) throw new Error(`${operation} was answered with ${status}: ${JSON.stringify(body)}`);
  return body as Answer;
}

/**
 * Ends a token for good, by its secret alone. A guild has 25 tokens at most, and the tests of other files mint too.
 *
 * @throws Error when it was not revoked
 */
export async function revokeToken({ web }: RunFile, secret: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const call = { method: 'POST', form: { token: secret } };
    const { status, text } = await send(`${web}${OAUTH_PATHS.revoke}`, call);
    if (status === 200) return;
    if (status !== 503 || tries === MOST_TRIES) throw new Error(`The token was not revoked: ${text}`);
  }
}

/** The error that a call ends in. @throws Error when it succeeds */
export async function refusalOf(call: Promise<unknown>): Promise<BailiffError> {
  const error = await call.catch((reason: unknown) => reason);
  if (error instanceof BailiffError) return error;
  throw new Error('The call was not refused.', { cause: error });
}
