// The client in a context that has what workers, Deno and Bun have, and nothing of Node; and in Deno and Bun themselves,
// where they are installed.
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { verifies } from '@bailiff/core/testing';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type HostileServer, json, startHostileServer } from './hostile-server.ts';

const STANDARD = {
  AbortController,
  AbortSignal,
  Headers,
  Request,
  Response,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
  clearTimeout,
  crypto,
  fetch,
  performance,
  setTimeout,
};

const page = (next_cursor: string | null, id: string) => json(200, { data: [{ id }], next_cursor });

/** The client as one script, and a program after it that reads two pages, the first of them at the second attempt. */
async function program(url: string): Promise<string> {
  const bundled = await build({
    entryPoints: [`${import.meta.dirname}/../src/index.ts`],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'bailiff',
    platform: 'neutral',
  });
  return `${bundled.outputFiles[0]?.text}
    (async () => {
      const environment = { sleep: async () => {} };
      const options = { url: '${url}', token: 'svcpat_x', guildId: '200000000000000001', environment };
      const client = new bailiff.BailiffClient(options);
      const ids = [];
      for await (const { id } of client.list('bans.list')) ids.push(id);
      return ids.join();
    })()`;
}

let server: HostileServer;
beforeEach(async () => {
  server = await startHostileServer(json(500, {}), page('c', 'ban_1'), page(null, 'ban_2'));
});
afterEach(() => server.close());

test('the client needs nothing of Node', async () => {
  verifies('client.runtimes');
  const context = createContext({ ...STANDARD });
  expect(await runInContext(await program(server.url), context)).toBe('ban_1,ban_2');
});

const run = promisify(execFile);
const DENO = ['run', '--no-prompt', '--no-config', '--allow-net=127.0.0.1'];

describe.each([
  ['deno', DENO],
  ['bun', ['run']],
])('in %s', (command, args) => {
  const isInstalled = spawnSync(command, ['--version']).status === 0;

  test.runIf(isInstalled)('the client works, and needs no permission but to reach its instance', async () => {
    verifies('client.runtimes');
    const folder = await mkdtemp(join(tmpdir(), 'bailiff-runtime-'));
    const file = join(folder, 'program.js');
    await writeFile(file, `${await program(server.url)}.then((ids) => console.log(ids));`);
    const { stdout } = await run(command, [...args, file], { cwd: folder });
    expect(stdout).toBe('ban_1,ban_2\n');
    await rm(folder, { recursive: true });
  });
});
