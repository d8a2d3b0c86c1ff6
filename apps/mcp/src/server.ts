import {
  type CallToolResult,
  type InputRequiredResult,
  type ListToolsResult,
  Server,
} from '@modelcontextprotocol/server';
import { ApprovalRound, capabilitiesOf } from './approval-round.ts';
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
  // Whether the listed tools are all of a usable token: while the bot compares the guild with Discord, nobody may do
  // anything there. Undefined before the first list.
  let isWhole: boolean | undefined;
  const hasChanged = (outcome: Outcome) =>
    outcome.ok ? isWhole === false : isWhole === true && CHANGING.has(outcome.envelope.error.code);
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
    isWhole = read.ok && read.me.guild.state === 'trusted';
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
    const outcome = await callTool(session, offer, call.name, call.args, signal);
    if (hasChanged(outcome)) await server.sendToolListChanged();
    const asks =
      outcome.ok || answered.kind === 'again'
        ? undefined
        : round.ask(outcome.envelope, call, capabilitiesOf(server, context));
    return ((await asks) ?? resultOf(outcome)) satisfies CallToolResult | InputRequiredResult;
  });

  server.setRequestHandler('resources/list', () => ({ resources: [...RESOURCES] }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  server.setRequestHandler('resources/read', ({ params }, { mcpReq }) =>
    readResource(session, params.uri, mcpReq.signal),
  );
  return server;
}
