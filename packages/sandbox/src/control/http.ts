import type { IncomingMessage, ServerResponse } from 'node:http';
import { ControlError, DiscordError } from '#src/errors.ts';
import { readBody, sendJson } from '#src/http.ts';
import type { Control } from './control.ts';

const LONGEST_WAIT_MS = 60_000;

/** `never`: the methods of Control check their requests themselves, so anything may be handed to them. */
type Handler = (control: Control, body: never, query: URLSearchParams) => unknown;

/** Every control endpoint: `METHOD /sandbox/name`. */
const ENDPOINTS: Readonly<Record<string, Handler>> = {
  'GET /sandbox/state': (control, _body, query) =>
    control.stateAfter(waitOf(query), numberOf(query, 'messages', 50)),
  'GET /sandbox/changes': async (control, _body, query) => ({
    change: await control.changeAfter(waitOf(query)),
  }),
  'GET /sandbox/requests': (control, _body, query) => control.requests(numberOf(query, 'after', 0)),
  'GET /sandbox/faults': (control) => ({ faults: control.listFaults() }),
  'POST /sandbox/faults': (control, body) => ({ fault: control.addFault(body) }),
  'DELETE /sandbox/faults': (control) => ({ cleared: control.clearFaults() }),
  'POST /sandbox/interactions': (control, body) => control.interact(body),
  'POST /sandbox/messages': (control, body) => control.messages(body),
  'POST /sandbox/members': (control, body) => control.members(body),
  'POST /sandbox/bans': (control, body) => control.bans(body),
  'POST /sandbox/roles': (control, body) => control.roles(body),
  'POST /sandbox/channels': (control, body) => control.channels(body),
  'POST /sandbox/guilds': (control, body) => control.guilds(body),
  'POST /sandbox/gateway': (control, body) => control.gateway(body),
  'POST /sandbox/application': (control, body) => control.application(body),
  'POST /sandbox/entitlements': (control, body) => control.entitlements(body),
  'POST /sandbox/limits': (control, body) => control.limits(body),
  'POST /sandbox/rcon-faults': (control, body) => ({ fault: control.addRconFault(body) }),
  'POST /sandbox/rcon-listing': (control, body) => ({ listing: control.setRconListing(body) }),
  'DELETE /sandbox/rcon-faults': (control) => ({ cleared: control.clearRconFaults() }),
};

function numberOf(query: URLSearchParams, name: string, fallback: number): number {
  const text = query.get(name);
  if (text === null) return fallback;
  if (!/^\d{1,9}$/.test(text)) throw new ControlError(400, `${name}: ${text} is not a number.`);
  return Number(text);
}

/** `?after_change=N&wait_ms=M` waits until there is a change later than N. */
function waitOf(query: URLSearchParams): { afterChange: number; waitMs: number } {
  return {
    afterChange: query.has('after_change') ? numberOf(query, 'after_change', 0) : -1,
    waitMs: Math.min(numberOf(query, 'wait_ms', 0), LONGEST_WAIT_MS),
  };
}

/** Serves a control endpoint. Every answer is JSON; wrong input is a 400 whose `error` says what to change. */
export async function serveControl(
  control: Control,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  try {
    const one = /^\/sandbox\/interactions\/(\d+)$/.exec(url.pathname)?.[1];
    if (one !== undefined && request.method === 'GET') {
      sendJson(response, 200, control.interaction(one));
      return;
    }
    const handler = ENDPOINTS[`${request.method} ${url.pathname}`];
    if (!handler) {
      const known = Object.keys(ENDPOINTS).filter((name) => name.endsWith(` ${url.pathname}`));
      const hint =
        known.length > 0
          ? `There is ${known.join(' and ')}.`
          : `There are: ${Object.keys(ENDPOINTS).join(', ')}.`;
      throw new ControlError(known.length > 0 ? 405 : 404, `No ${request.method} ${url.pathname}. ${hint}`);
    }
    const body = request.method === 'POST' ? (await readBody(request)).value : undefined;
    sendJson(response, 200, await handler(control, body as never, url.searchParams));
  } catch (error) {
    if (!(error instanceof ControlError || error instanceof DiscordError)) throw error;
    sendJson(response, error.status, { error: error.message });
  }
}
