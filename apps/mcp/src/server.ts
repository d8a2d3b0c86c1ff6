import type { OutputOf } from '@bailiff/core';
import {
  type CallToolResult,
  type InputRequiredResult,
  type ListToolsResult,
  Server,
} from '@modelcontextprotocol/server';
import { ATTEMPT_TIMEOUT_MS } from './api.ts';
import { ApprovalRound, capabilitiesOf, show } from './approval-round.ts';
import { callTool, type Outcome } from './call-tool.ts';
import { INSTRUCTIONS } from './instructions.ts';
import { type Offer, toolsFor } from './offer.ts';
import { RESOURCES, readResource } from './resources.ts';
import { errorResult, resultOf } from './results.ts';
import type { Session } from './session.ts';
import { VERSION } from './version.ts';

/** Codes after which the list of tools may have changed. */
const CHANGING = new Set(['CAPABILITY_DENIED', 'UNAUTHORIZED', 'TOKEN_EXPIRED', 'TOKEN_REVOKED']);

const DECLINED = 'STOP. The operator did not approve. Do not call this tool again unless they ask for it.';

/** The MCP server of one connection. */
export function createServer(session: Session, offer: Offer): Server {
  const round = new ApprovalRound();
  // The capabilities whose tools are listed. Null if those are not all of a usable token: while the bot compares the
  // guild with Discord, nobody may do anything there. Undefined before the first list.
  let listed: readonly string[] | null | undefined;
  const hasChanged = (outcome: Outcome) => {
    if (listed === undefined) return false;
    if (!outcome.ok) return listed !== null && CHANGING.has(outcome.envelope.error.code);
    if (listed === null) return true;
    if (outcome.spec.operation !== 'me') return false;
    return String((outcome.body as OutputOf<'me'>).effective_capabilities) !== String(listed);
  };
  const server = new Server(
    { name: 'bailiff', title: 'Bailiff', version: VERSION },
    {
      capabilities: { tools: { listChanged: true }, resources: {} },
      instructions: INSTRUCTIONS,
      requestState: { verify: round.verify },
    },
  );

  server.setRequestHandler('tools/list', async (_request, { mcpReq }) => {
    const read = await session.me(mcpReq.signal);
    listed = read.ok && read.me.guild.state === 'trusted' ? read.me.effective_capabilities : null;
    const specs = toolsFor(offer, read.ok ? read.me.effective_capabilities : []);
    // If the token's capabilities are unknown, only this tool is listed: its error says why.
    const tools = specs.map(({ tool }) => tool).filter(({ name }) => read.ok || name === 'whoami');
    return { tools: tools as ListToolsResult['tools'] };
  });

  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const { signal } = context.mcpReq;
    const call = { name: params.name, args: params.arguments };
    const answered = round.answered(context, call);
    if (answered.kind === 'declined') return errorResult(answered.envelope, DECLINED);
    const leftMs = session.time();
    const make = async () => {
      const outcome = await callTool(session, offer, call.name, call.args, signal, leftMs);
      if (hasChanged(outcome)) await server.sendToolListChanged();
      return outcome;
    };
    const outcome = await make();
    if (outcome.ok || answered.kind === 'again') return resultOf(outcome);
    const capabilities = capabilitiesOf(server, context);
    if (context.mcpReq.envelope !== undefined) {
      const asked = await round.ask(outcome.envelope, call, capabilities);
      return (asked ?? resultOf(outcome)) satisfies CallToolResult | InputRequiredResult;
    }
    const withinMs = leftMs() - ATTEMPT_TIMEOUT_MS;
    const shown = await show(outcome.envelope, call.name, capabilities, context, withinMs);
    if (shown === 'decline') return errorResult(outcome.envelope, DECLINED);
    return resultOf(shown === 'accept' ? await make() : outcome);
  });

  server.setRequestHandler('resources/list', () => ({ resources: [...RESOURCES] }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  server.setRequestHandler('resources/read', ({ params }, { mcpReq }) =>
    readResource(session, params.uri, mcpReq.signal),
  );
  return server;
}
