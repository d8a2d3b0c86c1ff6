import { OAUTH_PATHS } from '@bailiff/core';
import { z } from 'zod';
import { codeOf } from './errors.ts';
import type { Login } from './store.ts';

const REQUEST_TIMEOUT_MS = 14_000;

/** The body of an answer that is from Bailiff, which has no error. A page of a proxy is none. */
const Done = z.strictObject({});

/**
 * Revokes a token at the instance that issued it (RFC 7009). Returns null if it is revoked, otherwise a sentence that
 * says why it may not be.
 */
export async function revokeToken({ url, secret }: Pick<Login, 'url' | 'secret'>): Promise<string | null> {
  try {
    const response = await fetch(`${url}${OAUTH_PATHS.revoke}`, {
      method: 'POST',
      body: new URLSearchParams({ token: secret, token_type_hint: 'access_token' }),
      redirect: 'manual',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const isDone = Done.safeParse(await response.json().catch(() => undefined)).success;
    return response.status === 200 && isDone ? null : `${url} did not revoke it (${response.status}).`;
  } catch (error) {
    return `${url} cannot be reached (${codeOf(error)}).`;
  }
}
