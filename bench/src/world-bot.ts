// The bot of a measured world. Reports its heap when all guilds are compared, and the most that it was on the way.
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { startBot } from '@bailiff/bot/bot';
import { readConfig } from '@bailiff/bot/config';
import { createLog } from '@bailiff/bot/log';

/** What the bot reports, in megabytes. */
export interface HeapOfBot {
  readonly peakMb: number;
  readonly idleMb: number;
}

const SAMPLED_EVERY_MS = 500;

async function heapMb(): Promise<number> {
  globalThis.gc?.();
  // Some objects can be collected only after timers and finalisers have run.
  await delay(50);
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}

const bot = await startBot({
  config: readConfig({
    DATABASE_URL: process.env.DATABASE_URL,
    DISCORD_TOKEN: process.env.DISCORD_TOKEN,
    DISCORD_API_URL: process.env.API_URL,
    SECRETS_KEY: randomBytes(32).toString('base64'),
    RCON_ALLOWED_NETWORKS: '127.0.0.0/8',
    WEB: 'off',
  }),
  log: createLog('fatal', []),
  onFatal: (reason) => {
    throw new Error(String(reason));
  },
});
let isSettled = false;
const settled = bot.settled.then(() => {
  isSettled = true;
});
let peakMb = 0;
while (!isSettled) {
  peakMb = Math.max(peakMb, await heapMb());
  await Promise.race([settled, delay(SAMPLED_EVERY_MS)]);
}
const report: HeapOfBot = { peakMb, idleMb: await heapMb() };
process.send?.(report);
process.once('SIGTERM', () => process.exit(0));
