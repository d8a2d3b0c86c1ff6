import { verifies } from '@bailiff/core/testing';
import type { FaultRequest, GatewayRequest } from '@bailiff/sandbox';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bot, personOf, type Stage, setStage } from './harness.ts';
import { isLive, issueToken, sql } from './upkeep-support.ts';

let stage: Stage;
let tokens: string[];
beforeEach(async () => {
  stage = await setStage({ validate: false });
  tokens = [await issueToken(stage, 'moderator'), await issueToken(stage, 'owner')];
});
afterEach(() => stage.close());

const FRESH = 'SELECT mirror_fresh AS fresh, left_at FROM live_guilds WHERE id = $1';
const untilFresh = (isFresh: boolean) =>
  stage.row<{ fresh: boolean; left_at: Date | null }>(
    FRESH,
    [stage.guildId],
    ({ fresh }) => fresh === isFresh,
  );

async function expectNothingRevoked(): Promise<void> {
  for (const token of tokens) expect(await isLive(stage, token)).toBe(true);
  expect(await sql(stage, "SELECT FROM audit WHERE operation = 'tokens.revoke'")).toEqual([]);
}

/** Requests of one kind that met a fault so far. */
const struck = (pattern: RegExp) =>
  stage.sandbox.requests.filter(({ fault, path }) => fault !== null && pattern.test(path)).length;

/** The members of the guild as Discord would list them, without some. */
async function listWithout(...names: string[]): Promise<unknown[]> {
  const gone = names.map((name) => personOf(stage.sandbox, name));
  const response = await fetch(`${stage.sandbox.apiUrl}/v10/guilds/${stage.guildId}/members?limit=1000`, {
    headers: { Authorization: `Bot ${stage.sandbox.botToken}` },
  });
  const members = (await response.json()) as { user: { id: string } }[];
  return members.filter(({ user }) => !gone.includes(user.id));
}

/** What Discord does to the list of members, and to the look at one of them. */
const STORMS: Readonly<
  Record<string, (fault: (route: string, more: Partial<FaultRequest>) => void) => void>
> = {
  'answers 500': (fault) => fault('/guilds/**', { status: 500 }),
  'answers 502 to the list only': (fault) => fault('/guilds/*/members', { status: 502 }),
  'cuts every connection': (fault) => fault('/guilds/**', { socket: 'reset' }),
  'limits for seconds': (fault) => fault('/guilds/**', { rate_limit: { retry_after: 2 } }),
  'lists nobody': (fault) => fault('/guilds/*/members', { status: 200, body: [] }),
  'denies access': (fault) =>
    fault('/guilds/*/members', { status: 403, body: { message: 'Forbidden', code: 0 } }),
};

test.each(Object.entries(STORMS))(
  'a Discord that %s while the bot comes back makes nobody a leaver',
  async (_what, begin) => {
    verifies('H22');
    await stage.bot.stop();
    begin((route, more) => stage.sandbox.control.addFault({ route, method: 'GET', times: null, ...more }));
    const again = await bot(stage.config);
    try {
      await stage.sandbox.until(() => struck(/\/members/) >= 3, 180_000, 'three tries to read the members');
      await expectNothingRevoked();
      await untilFresh(false);
      stage.sandbox.control.clearFaults();
      await untilFresh(true);
      await expectNothingRevoked();
    } finally {
      await again.stop();
    }
  },
);

test.each([
  ['finds them', undefined],
  ['says that it knows no such guild', { status: 404, body: { message: 'Unknown Guild', code: 10_004 } }],
  ['says 404 without a code', { status: 404, body: { message: '404: Not Found', code: 0 } }],
  ['answers 503', { status: 503 }],
])('an issuer missing from the list, when a look at them %s, has not left', async (_what, look) => {
  verifies('H22');
  await stage.bot.stop();
  const body = await listWithout('moderator', 'owner');
  const route = `/guilds/${stage.guildId}/members`;
  stage.sandbox.control.addFault({ route, method: 'GET', status: 200, body });
  if (look) stage.sandbox.control.addFault({ route: `${route}/*`, method: 'GET', times: 2, ...look });
  const looked = stage.sandbox.nextRequest('GET', '/guilds/{guild_id}/members/{user_id}', 180_000);
  looked.catch(() => {});
  const again = await bot(stage.config);
  try {
    await looked;
    await again.settled;
    await expectNothingRevoked();
    stage.sandbox.control.clearFaults();
    stage.sandbox.control.guilds({ action: 'update', name: 'Harbourlight again' });
    await stage.row('SELECT FROM members WHERE guild_id = $1 AND user_id = $2', [
      stage.guildId,
      personOf(stage.sandbox, 'moderator'),
    ]);
    await expectNothingRevoked();
  } finally {
    await again.stop();
  }
});

test('an outage of the guild and a gap of the gateway revoke nothing, however often', async () => {
  verifies('G13', 'H22');
  const gateway = (action: GatewayRequest['action']) => stage.sandbox.control.gateway({ action });
  for (let round = 0; round < 3; round += 1) {
    gateway('unavailable');
    expect((await untilFresh(false)).left_at).toBeNull();
    gateway('refuse');
    gateway('drop');
    gateway('accept');
    gateway('available');
    await untilFresh(true);
  }
  await expectNothingRevoked();
});
