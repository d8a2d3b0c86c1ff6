// Runs `serve` as a child process of the official client. The instance is a fake on a real socket that sends given
// answers and records the requests.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ClientOptions } from '@bailiff/client';
import { CAPABILITIES, entryOf, pathTemplate, REST_OPERATION_NAMES } from '@bailiff/core';
import {
  type CallToolResult,
  Client,
  type ClientOptions as McpClientOptions,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Session } from '#src/session.ts';
import { Store } from '#src/store.ts';

export const MAIN = resolve(import.meta.dirname, '..', 'src', 'main.ts');
export const SECRET = `svcpat_${'A'.repeat(48)}`;
export const GUILD = '200000000000000001';
export const USER = '300000000000000001';

/** The `paths` in the OpenAPI document of an instance with all operations. */
export function everyPath(): Record<string, Record<string, object>> {
  const paths: Record<string, Record<string, object>> = {};
  for (const name of REST_OPERATION_NAMES) {
    const path = `/api/public/v1${pathTemplate(name)}`;
    paths[path] = { ...paths[path], [entryOf(name).http.method.toLowerCase()]: {} };
  }
  return paths;
}

export interface Received {
  readonly method: string;
  /** Below `/api/public/v1`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever was sent
  readonly body: any;
  /** Milliseconds since the fake instance started. */
  readonly at: number;
}

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Answers a request; `undefined` cuts the connection, and after `never` it stands without an answer. */
type Answering = (request: Received) => Answer | 'never' | undefined;

function bodyOf(type: string | undefined, text: string): unknown {
  if (type?.startsWith('application/x-www-form-urlencoded'))
    return Object.fromEntries(new URLSearchParams(text));
  return text === '' ? undefined : JSON.parse(text);
}

/** A fake instance: `answer` answers everything except `GET /me`. */
export class FarEnd {
  readonly received: Received[] = [];
  answer: Answering = () => ({ body: { data: [], next_cursor: null } });
  me: Answering = () => ({ body: ME });
  readonly #server: Server;

  constructor() {
    const startedAt = performance.now();
    this.#server = createServer(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += chunk;
      const received: Received = {
        method: request.method ?? '',
        path: (request.url ?? '').replace('/api/public/v1', ''),
        headers: request.headers,
        body: bodyOf(request.headers['content-type'], text),
        at: performance.now() - startedAt,
      };
      this.received.push(received);
      const answer = received.path === '/me' ? this.me(received) : this.answer(received);
      if (answer === 'never') return;
      if (answer === undefined) {
        request.socket.destroy();
        return;
      }
      response.writeHead(answer.status ?? 200, { 'Content-Type': 'application/json', ...answer.headers });
      response.end(JSON.stringify(answer.body));
    });
  }

  /** As new. */
  reset(): void {
    this.received.length = 0;
    this.answer = () => ({ body: { data: [], next_cursor: null } });
    this.me = () => ({ body: ME });
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The requests except `GET /me`. */
  get calls(): readonly Received[] {
    return this.received.filter(({ path }) => path !== '/me');
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const BUDGET = { capacity: 120, remaining: 119, refill_per_minute: 60 };
const BUDGETS = { read: BUDGET, reversible_write: BUDGET, destructive_write: BUDGET };

export const ME = {
  token: {
    id: `tok_${'0'.repeat(32)}`,
    name: 'assistant',
    kind: 'mcp',
    created_at: '2026-01-01T00:00:00.000Z',
    rotated_at: null,
    expires_at: null,
  },
  issuer: { user_id: USER, username: 'mira' },
  guild: { id: GUILD, name: 'Harbourlight', tier: 'pro' },
  snapshot: CAPABILITIES,
  effective_capabilities: CAPABILITIES,
  window: { open: false },
  budgets: { token: BUDGETS, user: BUDGETS },
};

/** An error answer of the instance. */
export function refusal(status: number, code: string, retryable: boolean, details?: object) {
  const headers: Record<string, string> = {};
  return {
    status,
    headers,
    body: { error: { code, message: `It is ${code}.`, retryable, request_id: 'req_1', details } },
  };
}

/** A session with the fake instance, in this process. */
export function sessionOf(far: FarEnd, environment: ClientOptions['environment'] = {}): Session {
  return new Session({ BAILIFF_URL: far.url, BAILIFF_TOKEN: SECRET }, new Store('/nowhere'), environment);
}

export const GENERATIONS = ['2026-07-28', 'before'] as const;
export type Generation = (typeof GENERATIONS)[number];

export interface ConnectOptions {
  readonly generation?: Generation;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly capabilities?: McpClientOptions['capabilities'];
  readonly prepare?: (client: Client) => void;
}

/** A client with its own `serve` process. */
export async function connect(far: FarEnd, options: ConnectOptions = {}): Promise<Client> {
  const { generation = '2026-07-28', args = [], env = {}, capabilities = {}, prepare } = options;
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities,
      versionNegotiation: { mode: generation === 'before' ? 'legacy' : { pin: generation } },
    },
  );
  prepare?.(client);
  const home = {
    XDG_CONFIG_HOME: '/nowhere',
    PATH: process.env.PATH ?? '',
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
  };
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, 'serve', ...args],
      env: { ...home, BAILIFF_URL: far.url, BAILIFF_TOKEN: SECRET, ...env },
    }),
  );
  return client;
}

/** The envelope in a tool's result, which must be an error. */
export function envelopeIn(result: CallToolResult) {
  const [first] = result.content;
  if (result.isError !== true || first?.type !== 'text')
    throw new Error(`No error: ${JSON.stringify(result)}`);
  return JSON.parse(first.text) as {
    error: { code: string; message: string; details?: Record<string, unknown> };
  };
}

/** All texts of a result. */
export function textOf(result: CallToolResult): string {
  return result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

export async function temporaryFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'bailiff-mcp-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
