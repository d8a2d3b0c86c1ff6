import type { z } from 'zod';
import { ID_PREFIXES, type IdKind } from './ids.ts';
import {
  canBeDestructive,
  entryOf,
  type InputOf,
  type OPERATIONS,
  type RestOperation,
} from './operations/index.ts';
import { pathParams, pathTemplate } from './operations/route.ts';
import { expectedSentinel } from './sentinel.ts';

/** Ids as examples use them; nobody has them. */
export const EXAMPLE_IDS = {
  guild: '345678901234567890',
  user: '123456789012345678',
  issuer: '234567890123456789',
  channel: '456789012345678901',
  role: '567890123456789012',
} as const;

/** One of our own ids, as examples use it. */
export function exampleId(kind: IdKind): string {
  return `${ID_PREFIXES[kind]}_0190b7c44a3c7d3a9c3f2f6f0e8a1b2c`;
}

const USER = EXAMPLE_IDS.user;

/** What each example asks for: the long mute, so that it shows the sentinel; no target that exists. */
const INPUTS: { readonly [N in RestOperation]: z.input<(typeof OPERATIONS)[N]['input']> } = {
  me: {},
  'rules.get': {},
  'strikes.list': { user_id: USER, active: true, limit: 10 },
  'strikes.get': { strikeId: exampleId('strike') },
  'strikes.add': {
    user_id: USER,
    player_name: 'Blockbreaker',
    reason: 'Griefing in the market square',
    category: 'griefing',
    severity: 'minor',
  },
  'strikes.remove': { strikeId: exampleId('strike'), reason: 'Appeal accepted' },
  'bans.list': { active: true, limit: 10 },
  'bans.get': { userId: USER },
  'bans.add': {
    user_id: USER,
    reason: 'Spam after two strikes',
    duration_minutes: 10_080,
    delete_message_seconds: 3600,
  },
  'bans.lift': { userId: USER, reason: 'Appeal accepted' },
  'mutes.list': { active: true, limit: 10 },
  'mutes.add': { user_id: USER, duration_minutes: 2880, reason: 'Insults in general' },
  'mutes.lift': { userId: USER, reason: 'Apologised' },
  'tickets.list': { status: 'open', limit: 10 },
  'tickets.get': { ticketId: exampleId('ticket') },
  'tickets.claim': { ticketId: exampleId('ticket') },
  'tickets.unclaim': { ticketId: exampleId('ticket') },
  'messages.purge': {
    channel_id: EXAMPLE_IDS.channel,
    count: 50,
    user_id: USER,
    contains: 'free nitro',
    reason: 'Scam links',
  },
  'servers.list': { limit: 10 },
  'servers.rcon': { serverId: exampleId('server'), command: 'say The server restarts in five minutes' },
  'members.get': { userId: USER },
  'audit.list': { action: 'bans.add', since: '2026-01-31T00:00:00Z', limit: 10 },
  'actions.get': { actionId: exampleId('action') },
};

/** A request as an HTTP client sends it. */
export interface ExampleCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON; absent where the operation takes no fields beside the path's. */
  readonly body?: Readonly<Record<string, unknown>>;
}

/**
 * A right call of an operation, its sentinel filled in, that `curlOf` prints and a test can send. `origin` is the
 * API's own, without a path; `token` a secret, or `$TOKEN` for a shell to fill in.
 */
export function exampleCall(
  name: RestOperation,
  { origin, guildId, token }: { readonly origin: string; readonly guildId: string; readonly token: string },
): ExampleCall {
  const { method } = entryOf(name).http;
  const input: Readonly<Record<string, unknown>> = INPUTS[name];
  const inPath = pathParams(name);
  const path = pathTemplate(name).replace(/\{(\w+)\}/g, (_, param: string) =>
    encodeURIComponent(param === 'guildId' ? guildId : String(input[param])),
  );
  const fields = Object.entries(input).filter(([field]) => !inPath.includes(field));
  const query = new URLSearchParams();
  if (method === 'GET') for (const [field, value] of fields) query.set(field, String(value));
  const body =
    method === 'GET' ? {} : { ...Object.fromEntries(fields), ...confirmationOf(name, guildId, input) };
  const hasBody = Object.keys(body).length > 0;
  return {
    method,
    url: `${origin}/api/public/v1${path}${query.size === 0 ? '' : `?${query}`}`,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(hasBody ? { 'Content-Type': 'application/json' } : {}),
    },
    ...(hasBody ? { body } : {}),
  };
}

/** The call as a line for a POSIX shell, which fills in `$VARIABLES` of the header's values and nothing else. */
export function curlOf({ method, url, headers, body }: ExampleCall): string {
  return [
    `curl -sS${method === 'GET' ? '' : ` -X ${method}`} ${inSingleQuotes(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${inDoubleQuotes(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${inSingleQuotes(JSON.stringify(body, null, 2))}`]),
  ].join(' \\\n  ');
}

function confirmationOf(name: RestOperation, guildId: string, input: object): object {
  if (!canBeDestructive(name)) return {};
  return { _confirmation: expectedSentinel(name, guildId, input as InputOf<RestOperation>).concrete };
}

function inSingleQuotes(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function inDoubleQuotes(text: string): string {
  return `"${text.replace(/["\\`]/g, '\\$&')}"`;
}
