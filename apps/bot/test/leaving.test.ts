import { verifies } from '@bailiff/core/testing';
import { admit } from '@bailiff/engine/calls/admission';
import { seedToken } from '@bailiff/engine/testing';
import { expect, test } from 'vitest';
import { guildForEachTest } from './each-test.ts';
import { grant, personOf, type Stage } from './harness.ts';
import { issueToken, sql } from './upkeep-support.ts';

let stage: Stage;
guildForEachTest((next) => {
  stage = next;
});

const FRESH = 'SELECT mirror_fresh AS fresh FROM live_guilds WHERE id = $1';
const gateway = (action: 'refuse' | 'accept' | 'drop' | 'invalidate' | 'unavailable' | 'available') =>
  stage.sandbox.control.gateway({ action });
const identifies = () => stage.sandbox.getState().gateway.identifies;
const leave = (user: string) => stage.sandbox.control.members({ action: 'leave', user });
const untilFresh = (isFresh: boolean) =>
  stage.row<{ fresh: boolean }>(FRESH, [stage.guildId], ({ fresh }) => fresh === isFresh);

/** What the token's owner and everybody else must see: it is revoked, why, and one row in the audit log. */
async function untilRevoked(tokenId: string): Promise<void> {
  await stage.row("SELECT FROM tokens WHERE id = $1 AND revoked_reason = 'issuer_left'", [tokenId]);
  const rows = await sql(
    stage,
    "SELECT actor_source FROM audit WHERE token_id = $1 AND operation = 'tokens.revoke'",
    tokenId,
  );
  expect(rows).toEqual([{ actor_source: 'system' }]);
}

/** The connection is lost for more than a minute; what happens from here on reaches the bot when it resumes. */
async function loseConnection(): Promise<void> {
  gateway('refuse');
  gateway('drop');
  await stage.row('SELECT FROM gateway_shards WHERE lost_at IS NOT NULL');
  await sql(stage, "UPDATE gateway_shards SET heartbeat_at = now() - interval '61 seconds'");
  await untilFresh(false);
}

test('an issuer who leaves while the connection is resumed loses their token, of the event alone', async () => {
  verifies('revocation.issuer-leaves', 'revocation.automatic-audit', 'G13', 'H21');
  const { id: token, secret } = await seedToken(
    stage.test.database,
    { id: stage.guildId, ownerId: personOf(stage.sandbox, 'owner') },
    { issuerId: personOf(stage.sandbox, 'moderator') },
  );
  const kept = await issueToken(stage, 'admin');
  expect(await admit(stage.test.database, secret)).toMatchObject({ revoked: false });
  await loseConnection();
  leave('moderator');
  const sessions = identifies();
  // No job that asks Discord could detect it.
  stage.sandbox.control.addFault({ route: '/guilds/**', method: 'GET', status: 503, times: null });
  gateway('accept');
  await untilRevoked(token);
  expect(await admit(stage.test.database, secret), 'the next call').toMatchObject({ revoked: true });
  expect(identifies(), 'the session was resumed').toBe(sessions);
  expect(await sql(stage, 'SELECT FROM tokens WHERE id = $1 AND revoked_at IS NULL', kept)).toHaveLength(1);
});

test('an issuer who leaves while the session is lost is found by comparing', async () => {
  verifies('G13');
  const token = await issueToken(stage, 'moderator');
  const sessions = identifies();
  gateway('invalidate');
  await loseConnection();
  leave('moderator');
  gateway('accept');
  await untilRevoked(token);
  expect(identifies(), 'the session was a new one').toBe(sessions + 1);
});

test('an issuer whose leaving Discord never told of is found by comparing', async () => {
  verifies('G13', 'H21');
  const token = await issueToken(stage, 'moderator');
  // No events come from an unavailable guild, then or later.
  gateway('unavailable');
  await untilFresh(false);
  leave('moderator');
  gateway('available');
  await untilRevoked(token);
});

test.each(['leave', 'kick', 'ban'] as const)(
  'an issuer whom the mirror does not know loses their token by a %s',
  async (how) => {
    verifies('G13', 'H21');
    const token = await issueToken(stage, 'member');
    const user = personOf(stage.sandbox, 'member');
    expect(await sql(stage, 'SELECT FROM members WHERE user_id = $1', user)).toEqual([]);
    if (how === 'ban') stage.sandbox.control.bans({ user: 'member', by: 'owner' });
    else stage.sandbox.control.members({ action: how, user: 'member', by: 'owner' });
    await untilRevoked(token);
  },
);

test('a role lost while the connection is resumed is lost to the first call that is served again', async () => {
  verifies('G13', 'H21');
  const moderator = personOf(stage.sandbox, 'moderator');
  const LIVE = `SELECT g.mirror_fresh AS fresh, granted.capabilities FROM live_guilds g
    CROSS JOIN LATERAL granted_to(g.id, $2) AS granted WHERE g.id = $1`;
  const live = (fits: (row: { fresh: boolean; capabilities: string[] }) => boolean) =>
    stage.row(LIVE, [stage.guildId, moderator], fits);
  await grant(stage, 'Moderator', ['bans.write']);
  await live(({ fresh, capabilities }) => fresh && capabilities.length === 1);
  const sessions = identifies();
  await loseConnection();
  stage.sandbox.control.members({ action: 'remove_role', user: 'moderator', role: 'Moderator' });
  gateway('accept');
  expect((await live(({ fresh }) => fresh)).capabilities).toEqual([]);
  expect(identifies()).toBe(sessions);
});
