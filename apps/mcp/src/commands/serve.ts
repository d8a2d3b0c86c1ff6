import { Console } from 'node:console';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { type Offer, unknownTools } from '#src/offer.ts';
import { createServer } from '#src/server.ts';
import { Session } from '#src/session.ts';
import type { CommandContext } from './context.ts';

/** Serves MCP on stdin and stdout until stdin ends. @returns the exit code, immediately */
export function serve({ env, store, terminal }: CommandContext, offer: Offer): number {
  const unknown = unknownTools(offer.tools ?? []);
  if (unknown.length > 0) {
    terminal.say(`There is no tool ${unknown.join(', ')}.`);
    return 2;
  }
  if (terminal.isInteractive) {
    terminal.say(
      'Speaking MCP on stdin and stdout: this is for a client to start. Ctrl-C ends it; see --help.',
    );
  }
  // Output of a library must not get between the protocol's messages.
  globalThis.console = new Console(process.stderr);
  const session = new Session(env, store);
  serveStdio(() => createServer(session, offer), {
    onerror: (error) => terminal.say(`bailiff-mcp: ${error.message}`),
  });
  return 0;
}
