// PostgreSQL, Discord, a bot and a web process, with something that can fail on each connection between them.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { SeededToken } from '@bailiff/engine/testing';
import { type Sandbox, startSandbox } from '@bailiff/sandbox';
import { type OwnDatabase, startDatabase } from '#test/faults/database.ts';
import { startWebProcess, type WebProcess } from '#test/faults/web-process.ts';
import { seedHolders, until } from '../cluster/stage.ts';
import { type FalseClocks, falseClocks } from './false-clock.ts';
import { FaultyLink } from './faulty-link.ts';
import { SmallDisk } from './small-disk.ts';

const BOT = resolve(import.meta.dirname, '../../../apps/bot/src/main.ts');
const SECRETS_KEY = randomBytes(32).toString('base64');
const START_MS = 60_000;
const HOLDERS = 12;

export const LINKS = [
  'client - web',
  'web - PostgreSQL',
  'bot - PostgreSQL',
  'bot - Discord',
  'bot - gateway',
] as const;
export type Link = (typeof LINKS)[number];

export interface Stage {
  readonly own: OwnDatabase;
  readonly sandbox: Sandbox;
  readonly holders: readonly SeededToken[];
  readonly links: Readonly<Record<Link, FaultyLink>>;
  readonly api: string;
  /** Undefined where the machine has no libfaketime. */
  readonly clocks: FalseClocks | undefined;
  readonly disk: SmallDisk;
  newMember(): string;
  /** Kills a process as a crash does, and starts it again. */
  killWeb(): Promise<void>;
  killBot(): Promise<void>;
  isRunning(): boolean;
  close(): Promise<void>;
}

export async function setStage(): Promise<Stage> {
  const sandbox = await startSandbox({ rateLimit: { limit: 1_000, windowSeconds: 1 } });
  const clocks = await falseClocks();
  const disk = new SmallDisk();
  const own = await startDatabase({
    durable: true,
    environment: clocks?.of('PostgreSQL') ?? {},
    prepare: (directory) => disk.mount(directory),
  });
  const databasePort = Number(new URL(own.url).port);
  const toDatabase = async () => {
    const proxy = await FaultyLink.to(databasePort);
    const url = new URL(own.url);
    url.port = String(proxy.port);
    return { proxy, url: url.href };
  };
  const ofWeb = await toDatabase();
  const ofBot = await toDatabase();
  const discord = await FaultyLink.to(Number(new URL(sandbox.apiUrl).port));
  const apiUrl = new URL(sandbox.apiUrl);
  apiUrl.port = String(discord.port);
  const gatewayUrl = new URL(sandbox.gatewayUrl);
  const gateway = await FaultyLink.to(Number(gatewayUrl.port));
  gatewayUrl.port = String(gateway.port);
  sandbox.announceGateway(gatewayUrl.href);
  const environment = {
    PATH: process.env.PATH,
    DATABASE_URL: ofBot.url,
    DISCORD_TOKEN: sandbox.botToken,
    DISCORD_API_URL: apiUrl.href,
    SECRETS_KEY,
    WEB: 'off',
    LOG_LEVEL: 'silent',
    ...clocks?.of('bot and web'),
  };
  let bot = await startBot(environment);
  const startWeb = (samePort?: number) =>
    startWebProcess(ofWeb.url, 'silent', samePort, clocks?.of('bot and web'));
  let web = await startWeb();
  const port = Number(new URL(web.url).port);
  const client = await FaultyLink.to(port);
  const members = async (path: string, body: object) => {
    if (path === 'members') return sandbox.control.members(body as never);
    throw new Error(`Nothing is asked of ${path}.`);
  };
  let joined = 0;
  const newMember = () => {
    joined += 1;
    const member = sandbox.control.members({ action: 'join', name: `Person ${joined}` });
    return (member as { member: { user: { id: string } } }).member.user.id;
  };
  const run = { guild_id: sandbox.guildId, people: sandbox.people };
  await until('the guild is trusted', async () => {
    const { rowCount } = await own.db.pool.query('SELECT FROM live_guilds WHERE id = $1 AND mirror_fresh', [
      sandbox.guildId,
    ]);
    return rowCount === 1;
  });
  const holders = await seedHolders(
    { db: own.db, run, join: async () => newMember(), sandbox: members },
    HOLDERS,
  );
  return {
    own,
    sandbox,
    holders,
    clocks,
    disk,
    links: {
      'client - web': client,
      'web - PostgreSQL': ofWeb.proxy,
      'bot - PostgreSQL': ofBot.proxy,
      'bot - Discord': discord,
      'bot - gateway': gateway,
    },
    api: `http://127.0.0.1:${client.port}/api/public/v1`,
    newMember,
    killWeb: async () => {
      await web.kill('SIGKILL');
      web = await startWeb(port);
    },
    killBot: async () => {
      await killed(bot);
      bot = await startBot(environment);
    },
    isRunning: () => isAlive(bot) && isAlive(web.child),
    close: async () => {
      await web.kill('SIGKILL');
      await killed(bot);
      for (const proxy of [client, ofWeb.proxy, ofBot.proxy, discord, gateway]) proxy.close();
      await disk.unmount(() => own.drop());
      await clocks?.close();
      await sandbox.close();
    },
  };
}

export function isAlive({ exitCode, signalCode }: ChildProcess | WebProcess['child']): boolean {
  return exitCode === null && signalCode === null;
}

export async function startBot(env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const bot = spawn(process.execPath, [BOT], { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  await once(bot, 'message', { signal: AbortSignal.timeout(START_MS) });
  return bot;
}

export async function killed(bot: ChildProcess): Promise<void> {
  if (!isAlive(bot)) return;
  bot.kill('SIGKILL');
  await once(bot, 'exit');
}
