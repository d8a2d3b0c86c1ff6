import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Call, WriteOperation } from '@bailiff/core';
import { newRequestId } from '@bailiff/engine/calls/request-id';
import { type Answer, performForPerson } from '@bailiff/engine/calls/write-call';
import { createWaiters } from '@bailiff/engine/database/waiters';
import { listen, openDatabase } from '@bailiff/prisma';
import type { ReadyMessage } from '@bailiff/sandbox';
import { send } from '@bailiff/sandbox/visitor';
import { makeDirectory } from './directory.ts';
import { startServer } from './server.ts';
import { endAll, forgiveEnds } from './web.ts';
import type { HeapOfBot } from './world-bot.ts';

const LONGEST_WAIT_MS = 300_000;

export interface World {
  readonly sandbox: ReadyMessage;
  readonly db: ReturnType<typeof openDatabase>;
  /** Resolves once the bot has compared all guilds. */
  readonly settled: Promise<HeapOfBot>;
  /** Does something as a person in the dashboard. Throws ApiError if it is refused. */
  act(
    call: Call<WriteOperation>,
    where: { readonly guildId: string; readonly userId: string },
  ): Promise<Answer>;
  /** Tells the sandbox what happens: the body of a `POST /sandbox/…`. */
  tell(endpoint: string, body: object): Promise<unknown>;
}

/** Runs `measure` beside a sandbox with a large world, and a bot in a process of its own. */
export async function inWorld<T>(
  guilds: number,
  members: number,
  measure: (world: World) => Promise<T>,
): Promise<T> {
  const directory = await makeDirectory();
  const server = await startServer(directory);
  const sandboxProcess = fork(
    resolve(import.meta.dirname, '../../packages/sandbox/src/main.ts'),
    ['--guilds', String(guilds), '--members', String(members)],
    { env: { ...process.env, SANDBOX_PORT: '0' } },
  );
  const [sandbox] = (await once(sandboxProcess, 'message')) as [ReadyMessage];
  const bot = fork(join(import.meta.dirname, 'world-bot.ts'), {
    execArgv: ['--expose-gc'],
    env: {
      ...process.env,
      DATABASE_URL: server.url,
      API_URL: sandbox.apiUrl,
      DISCORD_TOKEN: sandbox.botToken,
    },
  });
  const ended = once(bot, 'exit').then(([code]) => {
    throw new Error(`The bot ended with ${code}.`);
  });
  ended.catch(() => {});
  const settled = Promise.race([once(bot, 'message').then(([heap]) => heap as HeapOfBot), ended]);
  settled.catch(() => {});
  const db = openDatabase(server.url, { applicationName: 'bailiff bench', max: 20 });
  forgiveEnds(db.pool);
  const waiters = createWaiters();
  const listener = await listen(server.url, ['bailiff'], (_channel, payload) => {
    const notice = JSON.parse(payload);
    if ('request_id' in notice) waiters.notify(notice);
  });
  const engine = { db, waiters, dashboardUrl: 'http://bench.test' };
  try {
    return await measure({
      sandbox,
      db,
      settled,
      act: (call, { guildId, userId }) =>
        performForPerson(engine, {
          ...call,
          guildId,
          actor: { source: 'dashboard', userId },
          requestId: newRequestId(),
          address: null,
        }),
      tell: async (endpoint, body) => {
        const answer = await send(`${sandbox.url}/sandbox/${endpoint}`, { method: 'POST', json: body });
        if (answer.status !== 200) throw new Error(`${endpoint} answered ${answer.status}: ${answer.text}`);
        return answer.body;
      },
    });
  } finally {
    await endAll([bot, sandboxProcess]);
    await listener.close();
    await db.close();
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Seconds until a query gives true. */
export async function secondsUntil({ db }: World, query: string, values: unknown[] = []): Promise<number> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < LONGEST_WAIT_MS) {
    const { rows } = await db.pool.query<{ is: boolean }>(query, values);
    if (rows[0]?.is === true) return (performance.now() - startedAt) / 1000;
    await delay(100);
  }
  throw new Error(`Waited ${LONGEST_WAIT_MS} ms for ${query}.`);
}
