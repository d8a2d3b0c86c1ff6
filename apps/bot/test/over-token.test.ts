import { verifies } from '@bailiff/core/testing';
import { openWindow } from '@bailiff/engine/tokens/windows';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  addGameServer,
  mint,
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

function written() {
  return stage.sandbox.requests.filter(({ method }) => method !== 'GET');
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
