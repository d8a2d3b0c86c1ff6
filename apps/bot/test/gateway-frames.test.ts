// Frames and closed connections of a gateway that does not keep to its own protocol.
import { verifies } from '@bailiff/core/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createLog } from '#src/log.ts';
import { newMember, type Stage, setStage } from './harness.ts';

const lines: { readonly level: number; readonly err?: { readonly message: string } }[] = [];
let stage: Stage;
beforeAll(async () => {
  const log = createLog('warn', [], (line) => lines.push(JSON.parse(line)));
  stage = await setStage({}, {}, { log });
});
afterAll(() => stage.close());

/** Resolves once the bot has heard of an event that comes later. */
async function untilFollowed(): Promise<void> {
  const name = `After ${crypto.randomUUID()}`;
  stage.sandbox.control.guilds({ action: 'update', name });
  await stage.row('SELECT FROM guilds WHERE id = $1 AND name = $2', [stage.guildId, name]);
  await stage.row('SELECT FROM live_guilds WHERE id = $1 AND mirror_fresh', [stage.guildId]);
}

test.each([
  'no JSON',
  '""',
  'null',
  '[]',
  '{}',
  '{"op":99}',
  '{"op":"0"}',
  '{"op":11}',
  '{"op":1}',
  '{"op":0,"t":null,"s":null,"d":null}',
  '{"op":0,"t":"NEVER_HEARD_OF","s":"x","d":{}}',
  '{"op":0,"t":"RESUMED","s":1,"d":null}',
  '{"op":10,"d":{"heartbeat_interval":41250}}',
  `{"op":0,"t":"NEVER_HEARD_OF","s":1,"d":"${'x'.repeat(1_000_000)}"}`,
])('a frame %.40s changes nothing', async (frame) => {
  verifies('bot.bad-frames');
  const { identifies } = stage.sandbox.getState().gateway;
  stage.sandbox.control.gateway({ action: 'frame', frame });
  await untilFollowed();
  expect(stage.sandbox.getState().gateway.identifies).toBe(identifies);
});

test.each(['{"op":10}', '{"op":0,"t":"READY","s":1}', '{"op":0,"t":"READY","s":1,"d":{}}'])(
  'a frame %s, which lacks what is used, is a line in the log, and the bot goes on',
  async (frame) => {
    verifies('bot.bad-frames');
    lines.length = 0;
    // A comparison that was under way also follows, before the bot is connected again.
    await stage.sandbox.until(({ gateway }) => gateway.sessions.some(({ connected }) => connected));
    // Again, because a connection that is about to close hears nothing more.
    await vi.waitFor(
      () => {
        stage.sandbox.control.gateway({ action: 'frame', frame });
        expect(lines.map(({ err }) => err?.message)).toContainEqual(
          expect.stringMatching(/^(A frame of the gateway|The gateway's event READY) could not be used/),
        );
      },
      { timeout: 180_000, interval: 1_000 },
    );
    await untilFollowed();
    // The library may have lost its session by such a frame, and then begins another one.
    stage.sandbox.control.gateway({ action: 'drop' });
    await untilFollowed();
  },
);

test.each([1000, 1001, 1011, 1012, 4000, 4001, 4002, 4003, 4005, 4007, 4008, 4009])(
  'a connection that is closed with %i is made again, and calls are served',
  async (code) => {
    verifies('bot.bad-frames');
    stage.sandbox.control.gateway({ action: 'drop', code });
    await untilFollowed();
    const ban = { user_id: newMember(stage.sandbox), reason: 'x' };
    expect(await stage.act('bans.add', 'owner', ban)).toMatchObject({ status: 201 });
  },
);
