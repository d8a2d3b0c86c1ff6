// Returns RE_AUTH_REQUIRED as the protocol's "input required", so that a client that can open addresses shows the
// approval page to its operator. Only that page can approve: what the client answers is a reason to try again, not a
// consent.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { canonicalJson, type ErrorEnvelope } from '@bailiff/core';
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { approvalIn } from './call-tool.ts';

const KEY_BYTES = 32;
/** The lifetime of an approval request. */
const LIFETIME_SECONDS = 3_600;
const APPROVAL = 'approval';

interface State {
  /** Digest of the tool and its arguments, which binds the answer to this call. */
  readonly call: string;
  readonly envelope: ErrorEnvelope;
}

/** The client's answer to a request for approval. */
export type Answered =
  | { readonly kind: 'first' }
  | { readonly kind: 'again' }
  | { readonly kind: 'declined'; readonly envelope: ErrorEnvelope };

/** Requests approvals through the client and reads its answers. */
export class ApprovalRound {
  readonly #codec = createRequestStateCodec<State>({
    key: randomBytes(KEY_BYTES),
    ttlSeconds: LIFETIME_SECONDS,
  });

  /** Refuses state that this process has not signed. */
  readonly verify = this.#codec.verify;

  /** @returns undefined if the client cannot open addresses, or for another error */
  async ask(
    envelope: ErrorEnvelope,
    call: { name: string; args: unknown },
    capabilities: Capabilities,
  ): Promise<InputRequiredResult | undefined> {
    const page = pageFor(envelope, call.name, capabilities);
    if (page === undefined) return undefined;
    return inputRequired({
      inputRequests: { [APPROVAL]: inputRequired.elicitUrl(page) },
      requestState: await this.#codec.mint({ call: digestOfCall(call), envelope }),
    });
  }

  /** The client's answer in this round of a call. State of another call is ignored. */
  answered({ mcpReq }: ServerContext, call: { name: string; args: unknown }): Answered {
    const state = mcpReq.requestState<State>();
    const response = mcpReq.inputResponses?.[APPROVAL] as { action?: unknown } | undefined;
    if (state?.call !== digestOfCall(call)) return { kind: 'first' };
    return response?.action === 'accept' ? { kind: 'again' } : { kind: 'declined', envelope: state.envelope };
  }
}

type Capabilities = ReturnType<Server['getClientCapabilities']>;

/**
 * Shows the approval page through a client of a protocol before 2026-07-28, while its call waits.
 *
 * @param withinMs how long its operator may take
 * @returns what they did; undefined if the client cannot open addresses, failed or was late, and for another error
 */
export async function show(
  envelope: ErrorEnvelope,
  tool: string,
  capabilities: Capabilities,
  { mcpReq }: ServerContext,
  withinMs: number,
): Promise<'accept' | 'decline' | undefined> {
  const page = pageFor(envelope, tool, capabilities);
  if (page === undefined || withinMs <= 0) return undefined;
  const asked = { mode: 'url' as const, elicitationId: randomUUID(), ...page };
  try {
    const { action } = await mcpReq.elicitInput(asked, { timeout: withinMs, signal: mcpReq.signal });
    return action === 'accept' ? 'accept' : 'decline';
  } catch {
    // The answer of the tool tells the assistant what to do without the page.
    mcpReq.signal.throwIfAborted();
    return undefined;
  }
}

function pageFor(envelope: ErrorEnvelope, tool: string, capabilities: Capabilities) {
  const approval = approvalIn(envelope);
  if (approval === undefined || capabilities?.elicitation?.url === undefined) return undefined;
  const message = `${tool} needs the approval of the guild's owner. Approve it on this page, then continue.`;
  return { message, url: approval.reauth_url };
}

/** The client's capabilities. It sends them with each request, or once at the beginning (before MCP 2026-07-28). */
export function capabilitiesOf(server: Server, { mcpReq }: ServerContext): Capabilities {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const sent = envelope?.[CLIENT_CAPABILITIES_META_KEY] as Capabilities;
  return sent ?? server.getClientCapabilities();
}

function digestOfCall({ name, args }: { name: string; args: unknown }): string {
  return createHash('sha256')
    .update(canonicalJson([name, args]))
    .digest('hex');
}
