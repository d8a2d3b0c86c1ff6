// The published file in a context that has what workers, Deno and Bun have, and nothing of Node.
import { createContext, runInContext } from 'node:vm';
import { verifies } from '@bailiff/core/testing';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { json, startHostileServer } from './hostile-server.ts';

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

test('the client needs nothing of Node', async () => {
  verifies('client.runtimes');
  const bundled = await build({
    entryPoints: [`${import.meta.dirname}/../src/index.ts`],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'bailiff',
    platform: 'neutral',
  });
  const page = (next_cursor: string | null, id: string) => json(200, { data: [{ id }], next_cursor });
  const server = await startHostileServer(json(500, {}), page('c', 'ban_1'), page(null, 'ban_2'));
  try {
    const context = createContext({ ...STANDARD, url: server.url });
    const program = `${bundled.outputFiles[0]?.text}
      (async () => {
        const environment = { sleep: async () => {} };
        const client = new bailiff.BailiffClient({ url, token: 'svcpat_x', guildId: '200000000000000001', environment });
        const ids = [];
        for await (const { id } of client.list('bans.list')) ids.push(id);
        return ids.join();
      })()`;
    expect(await runInContext(program, context)).toBe('ban_1,ban_2');
  } finally {
    await server.close();
  }
});
