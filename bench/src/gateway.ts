import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@bailiff/prisma/embedded';
import { startFeed } from './gateway-feed.ts';
import { endAll } from './web.ts';

/** Kilobytes of heap after a collection, of the whole process, for each guild. */
export interface GatewayCosts {
  readonly bailiffKb: number;
  /** discord.js with the same intents and otherwise its defaults. */
  readonly defaultKb: number;
}

/**
 * The memory for guilds of 200 members, 30 roles and 40 channels, in two processes that receive the same data.
 */
export async function measureGateway(guilds: number): Promise<GatewayCosts> {
  const directory = await mkdtemp(join(tmpdir(), 'bailiff-bench-'));
  const server = await startEmbeddedPostgres({ directory: join(directory, 'postgres') });
  const feed = await startFeed(guilds);
  const kilobytesOf = async (client: string): Promise<number> => {
    const child = fork(join(import.meta.dirname, 'gateway-client.ts'), {
      execArgv: ['--expose-gc', '--max-old-space-size=2048'],
      env: { ...process.env, CLIENT: client, API_URL: feed.apiUrl, DATABASE_URL: server.url },
    });
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`The client ${client} ended with ${code}.`);
    });
    const [{ heapUsed }] = await Promise.race([once(child, 'message'), ended]);
    ended.catch(() => {});
    await endAll([child]);
    return heapUsed / 1024 / guilds;
  };
  try {
    return { bailiffKb: await kilobytesOf('bailiff'), defaultKb: await kilobytesOf('default') };
  } finally {
    await feed.close();
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
}
