import type { ErrorEnvelope } from '@bailiff/core';
import { cleaned } from './untrusted.ts';

/** What to do about an error, if its message does not say enough. */
export function adviceOn({ error }: ErrorEnvelope): string | undefined {
  const details = cleaned(error.details as Record<string, unknown>);
  if (details.outcome === 'unknown') {
    const look =
      typeof details.action_id === 'string' ? `get_action with ${details.action_id}` : 'the matching list';
    return `It may have happened. Do not call this tool again: look first, with ${look}.`;
  }
  if (error.code === 'RE_AUTH_REQUIRED') {
    return `STOP. Show this address to the operator, and wait until they say that it is approved: ${details.reauth_url}\nUntil then, do not call this tool again and do not try another way. Only the guild's owner can approve, in the dashboard.`;
  }
  return undefined;
}
