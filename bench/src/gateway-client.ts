// A client of the feed: our bot, or discord.js with its defaults. Reports its heap when it knows all of its guilds.
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { startBot } from '@bailiff/bot/bot';
import { readConfig } from '@bailiff/bot/config';
import { INTENTS } from '@bailiff/bot/discord';
import { createLog } from '@bailiff/bot/log';
import { Client } from 'discord.js';

const { CLIENT = '', API_URL = '', DATABASE_URL = '' } = process.env;
const DISCORD_TOKEN = 'bench-token';
/** Some objects can be collected only after timers and finalisers have run. */
const SETTLE_MS = 200;
/** Also what V8 keeps until memory is short, such as compiled functions that were not called again. */
const EVERYTHING = { type: 'major', execution: 'sync', flavor: 'last-resort' } as const;

const CLIENTS: Record<string, () => Promise<unknown>> = {
  bailiff: async () => {
    const config = readConfig({
      DATABASE_URL,
      DISCORD_TOKEN,
      DISCORD_API_URL: API_URL,
      SECRETS_KEY: randomBytes(32).toString('base64'),
      WEB: 'off',
    });
    const bot = await startBot({
      config,
      log: createLog('error', []),
      onFatal: (reason) => {
        throw new Error(String(reason));
      },
    });
    await bot.settled;
    return bot;
  },
  default: async () => {
    const client = new Client({ intents: INTENTS, rest: { api: API_URL } });
    const ready = new Promise((resolve) => client.once('clientReady', resolve));
    await client.login(DISCORD_TOKEN);
    await ready;
    return client;
  },
};

const held = await CLIENTS[CLIENT]?.();
for (let turn = 0; turn < 3; turn += 1) {
  globalThis.gc?.(EVERYTHING);
  await delay(SETTLE_MS);
}
process.send?.({ heapUsed: process.memoryUsage().heapUsed, held: held !== undefined });
process.once('SIGTERM', () => process.exit(0));
