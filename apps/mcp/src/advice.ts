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
    if (details.approval_state === 'refused' || details.approval_state === 'muted') {
      return `STOP. The guild's owner is not asked: ${details.approval_state === 'refused' ? 'they refused this call' : 'they let this token ask for nothing'}. Tell the operator. Do not call this tool again and do not try another way.`;
    }
    return `STOP. Show this address to the operator: ${details.reauth_url}\nget_approval with ${details.approval_id} waits for the decision: while it is pending, call that again, at most ten times, then ask the operator. When it is approved, call this tool again once, with the same arguments. Until then, do not call this tool and do not try another way. Only the guild's owner can approve, in the dashboard.`;
  }
  return undefined;
}
