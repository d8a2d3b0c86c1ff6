import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { BailiffClient } from '@bailiff/client';
import { Owner } from '@bailiff/sandbox/visitor';
import { databaseUrl } from '@bailiff/supervisor/database-url';
import type { RunFile } from '@bailiff/supervisor/run-file';
import pg from 'pg';
import { medians } from './figure.ts';

const PROGRAM = resolve(import.meta.dirname, '..', '..', 'apps', 'mcp', 'dist', 'bailiff-mcp.mjs');
const STARTS = 15;
const CALLS = 150;
const WARM_UP = 20;

/** Milliseconds, p50 of each round. */
export interface McpCosts {
  /** From the start of the process until its first list of tools. */
  readonly starts: number[];
  readonly tools: number[];
  /** The REST call that the tool makes, sent directly. */
  readonly rests: number[];
}

/** The time that the MCP process adds to the calls it makes. Each tool call is followed by the same call over REST. */
export async function measureMcp(run: RunFile, directory: string): Promise<McpCosts> {
  const owner = await Owner.signIn(run.web, run.people.owner ?? '');
  const token = await owner.mintWithWindow(run.guild_id, 'bench');
  const env = { ...process.env, BAILIFF_URL: run.web, BAILIFF_TOKEN: token.secret };
  const pool = new pg.Pool({ connectionString: await databaseUrl(directory), max: 1 });
  // The budgets are reset outside the measured time.
  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    await pool.query('DELETE FROM budgets');
    const startedAt = performance.now();
    await work();
    return performance.now() - startedAt;
  };
  const api = new BailiffClient({ url: run.web, token: token.secret, guildId: run.guild_id, maxAttempts: 1 });
  const starts: number[] = [];
  const tools: number[] = [];
  const rests: number[] = [];
  try {
    for (let start = 0; start < STARTS; start += 1) {
      let peer: Peer | undefined;
      starts.push(
        await timed(async () => {
          peer = new Peer(env);
          await peer.initialize();
          await peer.request('tools/list', {});
        }),
      );
      await peer?.end();
    }
    const peer = new Peer(env);
    await peer.initialize();
    for (let call = 0; call < WARM_UP + CALLS; call += 1) {
      tools.push(await timed(() => peer.request('tools/call', { name: 'whoami', arguments: {} })));
      rests.push(await timed(() => api.call('me')));
    }
    await peer.end();
  } finally {
    await pool.end();
    await owner.revoke(token.id);
  }
  return {
    starts: medians(starts),
    tools: medians(tools.slice(WARM_UP)),
    rests: medians(rests.slice(WARM_UP)),
  };
}

/** A minimal client of the process: lines of JSON-RPC, one request at a time. */
class Peer {
  readonly #child: ChildProcess;
  readonly #lines: Interface;
  #id = 0;

  constructor(env: NodeJS.ProcessEnv) {
    this.#child = spawn(process.execPath, [PROGRAM], { env, stdio: ['pipe', 'pipe', 'ignore'] });
    if (this.#child.stdout === null) throw new Error('The process has no output.');
    this.#lines = createInterface({ input: this.#child.stdout });
  }

  async initialize(): Promise<void> {
    const clientInfo = { name: 'bench', version: '1' };
    await this.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    this.#write({ method: 'notifications/initialized' });
  }

  /** @throws Error if the answer is an error of the protocol or of the tool */
  async request(method: string, params: object): Promise<void> {
    this.#id += 1;
    const answered = once(this.#lines, 'line');
    this.#write({ id: this.#id, method, params });
    const [line] = (await answered) as [string];
    const { id, result } = JSON.parse(line) as { id?: number; result?: { isError?: boolean } };
    if (id !== this.#id || result === undefined || result.isError) throw new Error(`${method}: ${line}`);
  }

  async end(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.stdin?.end();
    await ended;
  }

  #write(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}
