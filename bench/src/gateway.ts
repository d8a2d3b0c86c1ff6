import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@bailiff/prisma/embedded';
import { makeDirectory } from './directory.ts';
import { startFeed } from './gateway-feed.ts';
import { endAll } from './web.ts';

/**
 * Kilobytes of heap after a collection, of the whole process, for each guild of 200 members, 30 roles and 40 channels.
 *
 * @param client our bot, or discord.js with the same intents and otherwise its defaults
 */
export async function measureHeap(client: 'bailiff' | 'default', guilds: number): Promise<number> {
  const directory = await makeDirectory();
  const server = await startEmbeddedPostgres({ directory: join(directory, 'postgres') });
  const feed = await startFeed(guilds);
  try {
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
  } finally {
    await feed.close();
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
}
