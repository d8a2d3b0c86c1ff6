// RE_AUTH_REQUIRED as the protocol's own "input required": a client that can open addresses shows the approval page to the
// operator by itself. The page stays the only authority; what the client says is a reason to ask once more, not a consent.
import { createHash, randomBytes } from 'node:crypto';
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
/** As long as an approval request lasts. */
const LIFETIME_SECONDS = 3_600;
const APPROVAL = 'approval';

interface State {
  /** Digest of the tool and its arguments: the answer is about this call. */
  readonly call: string;
  readonly envelope: ErrorEnvelope;
}

/** What the operator's client answered to a request for approval. */
export type Answered =
  | { readonly kind: 'first' }
  | { readonly kind: 'again' }
  | { readonly kind: 'declined'; readonly envelope: ErrorEnvelope };

/** Asks for approvals through the client, and reads what comes back. */
export class ApprovalRound {
  readonly #codec = createRequestStateCodec<State>({
    key: randomBytes(KEY_BYTES),
    ttlSeconds: LIFETIME_SECONDS,
  });

  /** Refuses state that this process has not signed. */
  readonly verify = this.#codec.verify;

  /** @returns undefined where the client cannot open addresses, or the error is another one */
  async ask(
    envelope: ErrorEnvelope,
    call: { name: string; args: unknown },
    capabilities: Capabilities,
  ): Promise<InputRequiredResult | undefined> {
    const approval = approvalIn(envelope);
    if (approval === undefined || capabilities?.elicitation?.url === undefined) return undefined;
    const message = `${call.name} needs the approval of the guild's owner. Approve it on this page, then continue.`;
    return inputRequired({
      inputRequests: { [APPROVAL]: inputRequired.elicitUrl({ message, url: approval.reauth_url }) },
      requestState: await this.#codec.mint({ call: digestOfCall(call), envelope }),
    });
  }

  /** What this round of a call brings with it. State of another call counts as none. */
  answered({ mcpReq }: ServerContext, call: { name: string; args: unknown }): Answered {
    const state = mcpReq.requestState<State>();
    const response = mcpReq.inputResponses?.[APPROVAL] as { action?: unknown } | undefined;
    if (state?.call !== digestOfCall(call)) return { kind: 'first' };
    return response?.action === 'accept' ? { kind: 'again' } : { kind: 'declined', envelope: state.envelope };
  }
}

type Capabilities = ReturnType<Server['getClientCapabilities']>;

/** What the client of a request can do: told with each request, or once at the beginning (before MCP 2026-07-28). */
export function capabilitiesOf(server: Server, { mcpReq }: ServerContext): Capabilities {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const told = envelope?.[CLIENT_CAPABILITIES_META_KEY] as Capabilities;
  return told ?? server.getClientCapabilities();
}

function digestOfCall({ name, args }: { name: string; args: unknown }): string {
  return createHash('sha256')
    .update(canonicalJson([name, args]))
    .digest('hex');
}
