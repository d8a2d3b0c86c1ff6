import { verifies } from '@bailiff/core/testing';
import { openWindow } from '@bailiff/engine/tokens/windows';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  addGameServer,
  grant,
  mint,
  newMember,
  overToken,
  ownerOf,
  personOf,
  refusalOf,
  type Stage,
  setStage,
  TOKEN_ADDRESS,
  type TokenCall,
} from './harness.ts';

let stage: Stage;
let owner: { userId: string; requestId: string; address: string };
let troll: string;
let serverId: string;

beforeAll(async () => {
  stage = await setStage();
  owner = ownerOf(stage.sandbox);
  troll = personOf(stage.sandbox, 'troll');
  serverId = await addGameServer(stage);
  // Nothing that the start writes to Discord is under way any more.
  await stage.sandbox.until(({ commands }) => commands.length > 0);
});

afterAll(async () => {
  const { violations } = stage.sandbox;
  await stage.close();
  expect(violations).toEqual([]);
});

beforeEach(() => stage.test.database.pool.query('TRUNCATE budgets'));

const send = (secret: string, call: TokenCall) => overToken(stage, secret, call);

/** Ordered so that each can be done after those before it. */
function destructiveCalls(): TokenCall[] {
  const channel_id = stage.sandbox.channels.general ?? '';
  return [
    { operation: 'mutes.add', body: { user_id: troll, duration_minutes: 1441, reason: 'Noise' } },
    { operation: 'mutes.lift', params: { userId: troll } },
    { operation: 'bans.add', body: { user_id: troll, reason: 'Spam' } },
    { operation: 'bans.lift', params: { userId: troll } },
    { operation: 'messages.purge', body: { channel_id, count: 2 } },
    { operation: 'servers.rcon', params: { serverId }, body: { command: 'say hello' } },
  ];
}

/** Puts a mute of ten hours on record, and no timeout at Discord. */
async function recordMute(userId: string, importId: string | null) {
  await stage.test.database.pool.query(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, issued_by, duration_minutes, expires_at, import_id)
     SELECT new_id('mut'), $1, 900 + count(*), 'mute', $2, $3, 600, now() + interval '600 minutes', $4
     FROM cases WHERE guild_id = $1`,
    [stage.guildId, userId, owner.userId, importId],
  );
}

/** What was changed in guilds: the bot makes its commands known at some other time. */
function written() {
  return stage.sandbox.requests.filter(
    ({ method, path }) => method !== 'GET' && /^\/(guilds|channels)\//.test(path),
  );
}

describe('over a token', () => {
  test('without a window nothing reaches Discord, whatever the call', async () => {
    verifies(
      'window.required.bans.add',
      'window.required.bans.lift',
      'window.required.mutes.add-long',
      'window.required.mutes.lift',
      'window.required.messages.purge',
      'window.required.servers.rcon',
    );
    const { secret } = await mint(stage, 'no window');
    const before = written().length;
    for (const call of destructiveCalls()) {
      expect(await refusalOf(send(secret, call)), call.operation).toMatchObject({ code: 'RE_AUTH_REQUIRED' });
    }
    expect(written()).toHaveLength(before);
    const { rows } = await stage.test.database.pool.query('SELECT FROM actions');
    expect(rows).toEqual([]);
  });

  test('a short mute needs none, and is a timeout at Discord', async () => {
    verifies('window.not-required.short-mute', 'mutes.add.response');
    const { secret } = await mint(stage, 'short mute');
    const { status, body } = await send(secret, {
      operation: 'mutes.add',
      body: { user_id: troll, duration_minutes: 1440, reason: 'Noise' },
    });
    expect([status, body]).toMatchObject([201, { mute: { user_id: troll, issued_by: owner.userId } }]);
    expect(written().at(-1)?.route).toBe('/guilds/{guild_id}/members/{user_id}');
  });

  test('who issued a token does nothing over it while they are timed out', async () => {
    const { id, secret } = await mint(stage, 'of a moderator');
    const { control } = stage.sandbox;
    const { moderator } = stage.people;
    await grant(stage, 'Moderator', ['mutes.write']);
    const isOut = (expected: boolean) =>
      stage.row<{ is_out: boolean }>(
        `SELECT coalesce(timed_out_until > now(), false) AS is_out FROM members WHERE guild_id = $1 AND user_id = $2`,
        [stage.guildId, moderator],
        ({ is_out }) => is_out === expected,
      );
    await isOut(false);
    await stage.test.database.pool.query('UPDATE tokens SET issuer_id = $2 WHERE id = $1', [id, moderator]);
    const mute = () =>
      send(secret, {
        operation: 'mutes.add',
        body: { user_id: newMember(stage.sandbox), duration_minutes: 5, reason: 'Noise' },
      });
    expect(await mute()).toMatchObject({ status: 201 });
    control.members({ action: 'timeout', by: 'owner', user: 'moderator', minutes: 60 });
    await isOut(true);
    expect(await refusalOf(mute())).toMatchObject({
      code: 'CAPABILITY_DENIED',
      details: { missing: ['mutes.write'] },
    });
    control.members({ action: 'lift_timeout', by: 'owner', user: 'moderator' });
    await isOut(false);
    expect(await mute()).toMatchObject({ status: 201 });
  });

  /** Ways to be muted until later than in a minute. */
  const MUTED = {
    here: (user_id: string) =>
      stage.act('mutes.add', 'owner', { user_id, duration_minutes: 86_400, reason: 'Threats' }),
    'by hand': (user: string) =>
      stage.sandbox.control.members({ action: 'timeout', by: 'moderator', user, minutes: 60 }),
    'here, with a timeout that is still to be put back': (userId: string) => recordMute(userId, null),
  };

  test.each(Object.entries(MUTED))(
    'who is muted %s is not muted for a shorter time without a window',
    async (_how, muted) => {
      const { id, secret } = await mint(stage, 'shortening');
      const user = newMember(stage.sandbox);
      await muted(user);
      const mute = (duration_minutes: number) =>
        send(secret, { operation: 'mutes.add', body: { user_id: user, duration_minutes, reason: 'Noise' } });
      const timeouts = () => written().filter(({ path }) => path.endsWith(`/members/${user}`));
      const before = timeouts().length;
      expect(await refusalOf(mute(1))).toMatchObject({
        code: 'FORBIDDEN',
        status: 403,
        details: { reason: 'MUTED_LONGER' },
      });
      expect(timeouts()).toHaveLength(before);
      await openWindow(stage.engine.db, owner, id, 15);
      expect((await mute(1441)).status).toBe(201);
      // The window admits what has a sentinel, and a short mute has none.
      expect(await refusalOf(mute(1))).toMatchObject({ details: { reason: 'MUTED_LONGER' } });
    },
  );

  test('a short mute that ends no earlier than the one before, or than one that is only imported, needs no window', async () => {
    verifies('window.not-required.short-mute');
    const { secret } = await mint(stage, 'prolonging');
    const [again, imported] = [newMember(stage.sandbox), newMember(stage.sandbox)];
    await recordMute(imported, 'imp_1');
    for (const user_id of [again, again, imported]) {
      const body = { user_id, duration_minutes: 60, reason: 'Noise' };
      expect((await send(secret, { operation: 'mutes.add', body })).status).toBe(201);
    }
  });

  test('in a window each is done for the issuer, and recorded with the token’s name', async () => {
    verifies(
      'mutes.add.response',
      'mutes.lift',
      'bans.add.response',
      'bans.lift',
      'purge.response',
      'rcon.response',
      'audit.token-call',
    );
    const { id, secret } = await mint(stage, 'night watch');
    await openWindow(stage.engine.db, owner, id, 15);
    const bodies = [];
    for (const call of destructiveCalls()) {
      const { body, requestId } = await send(secret, call);
      bodies.push(body);
      const { rows } = await stage.test.database.pool.query(
        'SELECT * FROM audit WHERE request_id = $1 ORDER BY id',
        [requestId],
      );
      expect(rows, call.operation).toMatchObject([{ outcome: 'requested' }, { outcome: 'performed' }]);
      for (const row of rows) {
        expect(row).toMatchObject({
          actor_source: 'token',
          actor_user_id: owner.userId,
          token_id: id,
          token_name: 'night watch',
          operation: call.operation,
          address: TOKEN_ADDRESS,
          digest: expect.stringMatching(/^[0-9a-f]{64}$/),
          target_id: expect.stringMatching(/./),
        });
      }
    }
    const issued = { user_id: troll, issued_by: owner.userId, active: true };
    const lifted = { user_id: troll, lifted_by: owner.userId, active: false };
    expect(bodies).toMatchObject([
      { mute: { ...issued, duration_minutes: 1441 } },
      { mute: lifted },
      { ban: { ...issued, permanent: true } },
      { ban: lifted },
      { purge: { requested: 2, deleted: 2 } },
      { run: { server_id: serverId, output: '[Server] hello' } },
    ]);
  });
});
