// The bot's worker with a fake Discord that answers immediately, so that only Bailiff's own time is measured, or after
// the milliseconds of DISCORD_MS.
import { setTimeout as delay } from 'node:timers/promises';
import { type DiscordApi, DiscordFailure } from '@bailiff/bot/discord-api';
import { createLog } from '@bailiff/bot/log';
import { createPaces } from '@bailiff/bot/pacing';
import { createPerformers } from '@bailiff/bot/performers';
import { startWorker } from '@bailiff/bot/worker';
import { createWaiters } from '@bailiff/engine/database/waiters';
import { keyringOf } from '@bailiff/engine/servers/sealing';
import { openDatabase } from '@bailiff/prisma';

const UNKNOWN_MEMBER = 10007;
/** Whom a search for a name finds: as many as the bot asks for. */
const MEMBERS = Array.from({ length: 20 }, (_, n) => ({
  user: { id: `${8 * 10 ** 17 + n * 1000}`, username: `found${n}`, global_name: `Found ${n}`, avatar: null },
  nick: null,
  roles: [],
  joined_at: '2026-01-01T00:00:00.000Z',
}));
const DISCORD_MS = Number(process.env.DISCORD_MS ?? 0);
const log = createLog('silent', []);
const db = openDatabase(process.env.DATABASE_URL ?? '', { applicationName: 'bench bot' });
const api: DiscordApi = {
  get: async <T>(route: string) => {
    if (DISCORD_MS > 0) await delay(DISCORD_MS);
    if (route.endsWith('/members/search')) return MEMBERS as T;
    if (route.startsWith('/users/')) return { username: 'somebody', global_name: null } as T;
    throw new DiscordFailure('refused', 'Unknown Member', { status: 404, code: UNKNOWN_MEMBER });
  },
  send: async () => {
    if (DISCORD_MS > 0) await delay(DISCORD_MS);
    return {};
  },
  checkLimits: () => {},
};
const deps = {
  db,
  api,
  paces: createPaces(),
  botUserId: '100000000000000000',
  log,
  keyring: keyringOf(Buffer.alloc(32)),
  rconAllowedNetworks: [],
  dashboardUrl: 'http://bench.test',
};
const worker = await startWorker({
  engine: { db, waiters: createWaiters(), dashboardUrl: deps.dashboardUrl },
  performers: createPerformers(deps),
  deps,
  log,
  auditReadRetentionDays: 30,
  tiers: { applicationId: deps.botUserId, proSkuId: null, defaultTier: 'pro' },
  mirrorGuild: async () => {},
  lookAt: () => {},
  fileOrigins: [],
  signal: new AbortController().signal,
});
process.once('SIGTERM', () => void worker.stop().then(() => process.exit(0)));
process.send?.('ready');
