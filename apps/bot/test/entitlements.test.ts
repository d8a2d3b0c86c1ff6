import { verifies } from '@bailiff/core/testing';
import { setTier } from '@bailiff/engine/guilds/tiers';
import { afterEach, expect, test } from 'vitest';
import type { Bot } from '#src/bot.ts';
import { guildForEachTest } from './each-test.ts';
import { bot, configFor, type Stage, setStage } from './harness.ts';
import { isLive, issueToken, runJob, sql } from './upkeep-support.ts';

const SKU = '900000000000000001';

let stage: Stage;
let seller: Bot;

/** The bot of an operator who sells: what is not bought is free. */
const SELLING = { DISCORD_PRO_SKU_ID: SKU, DEFAULT_TIER: 'free' };

guildForEachTest(
  (next) => {
    stage = next;
    seller = next.bot;
  },
  () => setStage({}, SELLING),
);
afterEach(async () => {
  if (seller !== stage.bot) await seller.stop();
});

async function startSeller(more: NodeJS.ProcessEnv = {}): Promise<Bot> {
  const running = await bot(configFor(stage.sandbox, stage.test.processUrls.bot, { ...SELLING, ...more }));
  await running.settled;
  return running;
}

const buy = (sku_id = SKU) => stage.sandbox.control.entitlements({ action: 'buy', sku_id }).entitlement.id;
const end = (entitlement_id: string, action: 'end' | 'refund' = 'end') =>
  stage.sandbox.control.entitlements({ action, entitlement_id });
const untilTier = (wanted: string) =>
  stage.row<{ tier: string; tier_source: string }>(
    'SELECT tier, tier_source FROM guilds WHERE id = $1',
    [stage.guildId],
    ({ tier }) => tier === wanted,
  );
const sweep = () => runJob(stage, 'tiers');

test.each(['end', 'refund'] as const)(
  'a guild that subscribes is pro, and by the %s of it is so no longer and loses its tokens',
  async (how) => {
    verifies('tier.entitlement');
    const entitlement = buy();
    expect(await untilTier('pro')).toEqual({ tier: 'pro', tier_source: 'entitlement' });
    const token = await issueToken(stage, 'owner');
    end(entitlement, how);
    expect(await untilTier('free')).toEqual({ tier: 'free', tier_source: 'default' });
    expect(await isLive(stage, token)).toBe(false);
    expect(
      await sql(
        stage,
        "SELECT actor_source, details FROM audit WHERE operation = 'tokens.revoke' AND token_id = $1",
        token,
      ),
    ).toEqual([{ actor_source: 'system', details: { reason: 'tier_lost' } }]);
  },
);

test('what another product gives is nothing, and a second subscription keeps what the first gave', async () => {
  buy('900000000000000002');
  const first = buy();
  await untilTier('pro');
  const token = await issueToken(stage, 'owner');
  const second = buy();
  end(first);
  await stage.row('SELECT FROM guilds WHERE entitlement_id = $1', [second]);
  expect(await isLive(stage, token)).toBe(true);
});

test('subscriptions that began or ended while the bot was away are found when it is back', async () => {
  verifies('tier.entitlement');
  await seller.stop();
  const entitlement = buy();
  seller = await startSeller();
  await untilTier('pro');
  const token = await issueToken(stage, 'owner');
  await seller.stop();
  end(entitlement);
  seller = await startSeller();
  await untilTier('free');
  expect(await isLive(stage, token)).toBe(false);
});

test('a subscription is found among more than Discord lists at once', async () => {
  await seller.stop();
  const guild_id = stage.sandbox.otherGuildId;
  for (let sold = 0; sold < 100; sold += 1) {
    stage.sandbox.control.entitlements({ action: 'buy', sku_id: SKU, guild_id });
  }
  buy();
  seller = await startSeller();
  await untilTier('pro');
});

test("the operator's word stands against what is bought and what ends", async () => {
  const entitlement = buy();
  await untilTier('pro');
  await setTier(stage.test.database, stage.guildId, 'operator');
  const token = await issueToken(stage, 'owner');
  end(entitlement);
  await runJob(stage, 'guild_tier', { guild_id: stage.guildId });
  await sweep();
  expect(await untilTier('operator')).toMatchObject({ tier_source: 'operator' });
  expect(await isLive(stage, token)).toBe(true);
});

test.each([
  ['says 503', { status: 503 }],
  ['lists nothing', { status: 200, body: [] }],
  ['cuts the connection', { socket: 'reset' as const }],
])('while Discord %s, no guild falls off the tier', async (_what, fault) => {
  verifies('H22');
  buy();
  await untilTier('pro');
  const token = await issueToken(stage, 'owner');
  stage.sandbox.control.addFault({ route: '/applications/*/entitlements', times: null, ...fault });
  await sweep();
  expect(await runJob(stage, 'guild_tier', { guild_id: stage.guildId })).not.toBeNull();
  stage.sandbox.control.clearFaults();
  await sweep();
  expect(await untilTier('pro')).toMatchObject({ tier_source: 'entitlement' });
  expect(await isLive(stage, token)).toBe(true);
});

test('DEFAULT_TIER is the tier of every guild without another source, those that were there before too', async () => {
  verifies('tier.default-tier');
  await untilTier('free');
  await seller.stop();
  seller = await startSeller({ DEFAULT_TIER: 'operator' });
  expect(await untilTier('operator')).toMatchObject({ tier_source: 'default' });
  await seller.stop();
  seller = await startSeller({ DEFAULT_TIER: '', DISCORD_PRO_SKU_ID: '' });
  expect(await untilTier('pro')).toMatchObject({ tier_source: 'default' });
});

test('an operator who changes DEFAULT_TIER to free and begins to sell takes nothing from who has paid', async () => {
  await seller.stop();
  await sql(stage, "UPDATE guilds SET tier = 'pro'");
  const token = await issueToken(stage, 'owner');
  buy();
  seller = await startSeller();
  await stage.row("SELECT FROM guilds WHERE tier_source = 'entitlement'");
  expect(await isLive(stage, token)).toBe(true);
});

test('where the operator sells nothing any more, a check that waited takes nothing from who has paid', async () => {
  const entitlement = buy();
  await untilTier('pro');
  await seller.stop();
  end(entitlement);
  seller = await startSeller({ DISCORD_PRO_SKU_ID: '' });
  expect(await runJob(stage, 'guild_tier', { guild_id: stage.guildId })).toBeNull();
  expect(await untilTier('pro')).toMatchObject({ tier_source: 'entitlement' });
});

test('a subscription that begins later gives nothing before', async () => {
  verifies('tier.entitlement');
  const listed = (beginsInMs: number) => {
    const times = { starts_at: new Date(Date.now() + beginsInMs).toISOString(), ends_at: null };
    const of = { sku_id: SKU, application_id: stage.sandbox.clientId, guild_id: stage.guildId };
    const body = [{ id: '900000000000000077', ...of, ...times, type: 8, deleted: false, consumed: false }];
    stage.sandbox.control.clearFaults();
    stage.sandbox.control.addFault({ route: '/applications/*/entitlements', times: null, status: 200, body });
    return runJob(stage, 'guild_tier', { guild_id: stage.guildId });
  };
  await listed(3_600_000);
  expect(await untilTier('free')).toEqual({ tier: 'free', tier_source: 'default' });
  await listed(-3_600_000);
  expect(await untilTier('pro')).toEqual({ tier: 'pro', tier_source: 'entitlement' });
  stage.sandbox.control.clearFaults();
});

test('of a page in any order, the next one begins behind its highest id', async () => {
  const page = Array.from({ length: 100 }, (_, at) => ({
    id: String(900_000_000_000_000_199n - BigInt(at)),
    sku_id: SKU,
    guild_id: stage.sandbox.otherGuildId,
    deleted: false,
    ends_at: null,
  }));
  const route = '/applications/*/entitlements';
  stage.sandbox.control.addFault({ route, times: 1, status: 200, body: page });
  await sweep();
  const asked = stage.sandbox.requests.filter(({ path }) => path.endsWith('/entitlements'));
  expect(asked.at(-1)?.query).toContain('after=900000000000000199');
});
