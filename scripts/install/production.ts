// The processes of an image, as compose.yaml runs them: as a plain user who can write nowhere, with secrets in files, on
// a PostgreSQL of their own and with the sandbox for Discord.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@bailiff/core/testing';
import { startEmbeddedPostgres } from '@bailiff/prisma/embedded';
import { startSandbox } from '@bailiff/sandbox';
import type { Image } from './dockerfile.ts';

const READY_TIMEOUT_MS = 120_000;
const LOOK_MS = 20;
/** The user `node` of the base image. */
const NODE_UID = 1000;
const isRoot = process.getuid?.() === 0;

export interface Started {
  readonly name: string;
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  readonly output: () => string;
}

export interface Production {
  /** Where the web process listens. */
  readonly origin: string;
  readonly metricsPorts: Readonly<Record<'bot' | 'web', number>>;
  /** Brings the database up to date. */
  migrate(): Started;
  startBot(): Started;
  startWeb(): Started;
  /** Starts an operator's command. */
  operate(command: readonly string[]): Started;
  /** Resolves to the seconds until `/readyz` answers 200. @throws Error with their output if one of them ends */
  untilReady(needed: readonly Started[]): Promise<number>;
  /** Ends all that still runs. */
  close(): Promise<void>;
}

/** @param directory where everything is put that is not in the image; other users must be able to enter it */
export async function setProduction(image: Image, directory: string): Promise<Production> {
  const undo: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const postgres = await startEmbeddedPostgres({ directory: join(directory, 'postgres') });
    undo.push(() => postgres.stop());
    const sandbox = await startSandbox();
    undo.push(() => sandbox.close());
    const secrets = await mkdtemp(join(directory, 'secrets-'));
    const file = async (name: string, content: string) => {
      await writeFile(join(secrets, name), `${content}\n`, { mode: 0o444 });
      return join(secrets, name);
    };
    const files = {
      owner: await file('owner', postgres.url),
      bot: await file('bot', postgres.processUrls.bot),
      web: await file('web', postgres.processUrls.web),
      token: await file('token', sandbox.botToken),
      key: await file('key', Buffer.alloc(32, 7).toString('base64')),
      client: await file('client', sandbox.clientSecret),
      sessions: await file('sessions', 'a secret that is long enough for a test'),
    };
    const home = await mkdtemp(join(directory, 'home-'));
    const temporary = join(home, 'tmp');
    await mkdir(temporary);
    await chmod(secrets, 0o755);
    for (const folder of [home, temporary]) await chmod(folder, 0o777);
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const metricsPorts = { bot: await freePort(), web: await freePort() };
    const start = (name: string, command: readonly string[], own: Record<string, string>) => {
      const started = startIn(image, name, command, {
        DISCORD_API_URL: sandbox.apiUrl,
        PUBLIC_URL: origin,
        HOST: '127.0.0.1',
        HOME: home,
        TMPDIR: temporary,
        ...own,
      });
      undo.push(async () => started.child.kill('SIGKILL'));
      return started;
    };
    return {
      origin,
      metricsPorts,
      migrate: () =>
        start('migrations', ['node', 'scripts/migrate.ts'], {
          DATABASE_URL_FILE: files.owner,
          DATABASE_BOT_URL_FILE: files.bot,
          DATABASE_WEB_URL_FILE: files.web,
        }),
      startBot: () =>
        start('bot', image.command, {
          METRICS_PORT: String(metricsPorts.bot),
          DATABASE_URL_FILE: files.bot,
          DISCORD_TOKEN_FILE: files.token,
          SECRETS_KEY_FILE: files.key,
        }),
      startWeb: () =>
        start('web', ['node', 'apps/web/src/server.ts'], {
          DATABASE_URL_FILE: files.web,
          DISCORD_CLIENT_ID: sandbox.clientId,
          DISCORD_CLIENT_SECRET_FILE: files.client,
          NEXTAUTH_SECRET_FILE: files.sessions,
          PORT: String(port),
          METRICS_PORT: String(metricsPorts.web),
        }),
      operate: (command) => start('operator', command, { DATABASE_URL_FILE: files.owner }),
      untilReady: (needed) => untilReady(`${origin}/readyz`, needed),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Runs a command in the image's folder as its user, with nothing of this environment. */
function startIn(
  image: Image,
  name: string,
  [program = '', ...args]: readonly string[],
  env: Record<string, string>,
): Started {
  const child = spawn(program === 'node' ? process.execPath : program, args, {
    cwd: join(image.root, image.workdir),
    env: { PATH: dirname(process.execPath), ...image.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(isRoot ? { uid: NODE_UID, gid: NODE_UID } : {}),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  return { name, child, exited, output: () => output };
}

async function untilReady(url: string, needed: readonly Started[]): Promise<number> {
  const startedAt = performance.now();
  const ended = Promise.race(needed.map(({ exited, name }) => exited.then(() => name)));
  for (;;) {
    const look = fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    const found = await Promise.race([look, ended]);
    const seconds = (performance.now() - startedAt) / 1000;
    if (found === true) return seconds;
    if (seconds * 1000 > READY_TIMEOUT_MS || typeof found === 'string') {
      throw new Error(
        `${url} was not ready: ${needed.map(({ name, output }) => `${name}:\n${output()}`).join('\n')}`,
      );
    }
    await delay(LOOK_MS);
  }
}
