import { ConfigurationError } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { takeIdentifyTurn } from '@bailiff/engine/guilds/gateway-turns';
import { createTestDatabase } from '@bailiff/prisma/testing';
import { startSandbox } from '@bailiff/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Bot } from '#src/bot.ts';
import type { Config } from '#src/config.ts';
import { bot, configFor, grant, newMember, type Stage, setStage } from './harness.ts';

/** With two shards, the sample guild is on the second, and the other guild on the first. */
const OF_SAMPLE = { BOT_SHARDS: '1/2' };
const OF_OTHER = { BOT_SHARDS: '0/2' };

let stage: Stage;
let ofOther: Bot;
beforeAll(async () => {
  stage = await setStage({ gateway: { shards: 2, maxConcurrency: 4 } }, OF_SAMPLE);
  ofOther = await bot(configOf(OF_OTHER));
  await ofOther.settled;
  await stage.sandbox.until(({ commands }) => commands.length > 0);
});
afterAll(async () => {
  await ofOther.stop();
  const { violations } = stage.sandbox;
  await stage.close();
  expect(violations).toEqual([]);
});

function configOf(env: NodeJS.ProcessEnv): Config {
  return configFor(stage.sandbox, stage.test.url, env);
}

async function freshness(): Promise<{ sample: boolean; other: boolean }> {
  const { rows } = await stage.test.database.pool.query<{ id: string; fresh: boolean }>(
    'SELECT id, mirror_fresh AS fresh FROM live_guilds',
  );
  const of = (guildId: string) => rows.find(({ id }) => id === guildId)?.fresh ?? false;
  return { sample: of(stage.guildId), other: of(stage.sandbox.otherGuildId) };
}

const shards = () =>
  stage.sandbox
    .getState()
    .gateway.sessions.filter(({ connected }) => connected)
    .map(({ shard }) => shard.join('/'))
    .sort();

const jobs = (task: string) =>
  stage.row<{ count: string }>(
    'SELECT count(*) FROM graphile_worker.jobs WHERE task_identifier = $1',
    [task],
    ({ count }) => count === '0',
  );

describe('two processes of one bot', () => {
  test('share the guilds between them', async () => {
    expect(shards()).toEqual(['0/2', '1/2']);
    expect(await freshness()).toEqual({ sample: true, other: true });
  });

  test('answer the commands of their guilds, and carry out what is asked for in any', async () => {
    const { otherGuildId, control } = stage.sandbox;
    const guilds = [
      { user: 'owner', guild_id: stage.guildId, channel: 'general' },
      { user: 'other_owner', guild_id: otherGuildId, channel: 'other_general' },
    ];
    for (const where of guilds) {
      const options = { user: stage.people.newcomer ?? '', reason: 'Two of us' };
      const answer = await control.interact({ type: 'command', command: 'ban', options, ...where });
      expect(answer.state).toBe('answered');
    }
    const state = stage.sandbox.getState();
    expect(state.guilds.map(({ bans }) => bans.length)).toEqual([1, 1]);
  });

  test('know the holders of a role that was granted something, whichever takes the job', async () => {
    const holders = 'SELECT count(*) FROM members WHERE guild_id = $1 AND user_id = $2';
    const expectHeld = (count: string) =>
      stage.row<{ count: string }>(
        holders,
        [stage.guildId, stage.people.member2],
        (row) => row.count === count,
      );
    for (let round = 0; round < 6; round += 1) {
      await grant(stage, 'Artist', ['bans.read']);
      await expectHeld('1');
      await stage.test.database.pool.query('DELETE FROM role_grants');
      await grant(stage, 'Regular', ['bans.read']);
      await expectHeld('0');
    }
    await jobs('mirror_guild');
  });

  test('when one ends, only its guilds become untrusted, until it is back', async () => {
    await ofOther.stop();
    expect(await freshness()).toEqual({ sample: true, other: false });
    const compareOther = async () => {
      await stage.test.database.pool.query(
        "SELECT graphile_worker.add_job('mirror_guild', json_build_object('guild_id', $1::text))",
        [stage.sandbox.otherGuildId],
      );
      await jobs('mirror_guild');
    };
    // Nobody can compare it now; whoever comes back will.
    await compareOther();
    // One that died leaves its last heartbeat behind.
    await stage.test.database.pool.query(
      `INSERT INTO gateway_shards (shard_id, shard_count, bot_user_id, heartbeat_at)
       SELECT 1 - shard_id, shard_count, bot_user_id, now() - interval '61 seconds' FROM gateway_shards`,
    );
    await compareOther();
    // Five seconds have passed since the last identify.
    await stage.test.database.pool.query('DELETE FROM gateway_turns');
    ofOther = await bot(configOf(OF_OTHER));
    await ofOther.settled;
    expect(await freshness()).toEqual({ sample: true, other: true });
    await stage.bot.stop();
    expect(await freshness()).toEqual({ sample: false, other: true });
  });
});

test('of two processes with the same shard, the second one waits and takes it over when the first one ends', async () => {
  verifies('bot.shards.taken-over');
  const { control } = stage.sandbox;
  const twins: Bot[] = [];
  for (const twin of [0, 1]) {
    await stage.test.database.pool.query('DELETE FROM gateway_turns');
    const begun = await bot(configOf(OF_SAMPLE));
    twins.push(begun);
    // The second one says that it is ready after twenty seconds, and is connected to nothing.
    await (twin === 0 ? begun.settled : begun.ready);
  }
  const [first, second] = twins as [Bot, Bot];
  expect(shards()).toEqual(['0/2', '1/2']);
  const ban = async () => {
    const options = { user: newMember(stage.sandbox), reason: 'Once' };
    return (await control.interact({ type: 'command', command: 'ban', user: 'owner', options })).state;
  };
  expect(await ban()).toBe('answered');
  await first.stop();
  await second.settled;
  expect(shards()).toEqual(['0/2', '1/2']);
  expect(await ban()).toBe('answered');
  await second.stop();
});

test('a bot with another number of shards takes over all guilds: as many as are asked for, or as Discord recommends', async () => {
  await Promise.all([ofOther.stop(), stage.bot.stop()]);
  for (const [asked, expected] of [
    ['1', ['0/1']],
    ['', ['0/2', '1/2']],
    ['0-2/3', ['0/3', '1/3', '2/3']],
  ] as const) {
    const all = await bot(configOf({ BOT_SHARDS: asked }));
    await all.settled;
    expect(shards()).toEqual(expected);
    expect(await freshness()).toEqual({ sample: true, other: true });
    await all.stop();
  }
});

test('two processes that begin at once, with a database that knows nothing yet, get ready and register the commands once', async () => {
  const { sandbox } = stage;
  const { url, drop } = await createTestDatabase();
  try {
    await fetch(`${sandbox.apiUrl}/v10/applications/${sandbox.clientId}/commands`, {
      method: 'PUT',
      headers: { authorization: `Bot ${sandbox.botToken}`, 'content-type': 'application/json' },
      body: '[]',
    });
    const registrations = () =>
      sandbox.requests.filter(({ method, route }) => method === 'PUT' && route?.endsWith('/commands')).length;
    const before = registrations();
    const both = await Promise.all([OF_SAMPLE, OF_OTHER].map((env) => bot(configFor(sandbox, url, env))));
    for (const begun of both) await begun.settled;
    await sandbox.until(({ commands }) => commands.length > 0);
    for (const begun of both) await begun.stop();
    expect(registrations() - before).toBe(1);
  } finally {
    await drop();
  }
});

test('a command is answered while other shards of the process still wait for their turn to connect', async () => {
  const sandbox = await startSandbox({ validate: true, firstAnswerMs: 60_000 });
  const { url, drop } = await createTestDatabase();
  const begun = await bot(configFor(sandbox, url, { BOT_SHARDS: '2' }));
  // The bot asks before each shard connects, and hears nothing before the second.
  sandbox.control.addFault({ method: 'GET', route: '/gateway/bot', held: true, times: null });
  try {
    await sandbox.until(({ commands }) => commands.length > 0);
    const answer = await sandbox.control.interact({
      type: 'command',
      command: 'whoami',
      user: 'other_owner',
      guild_id: sandbox.otherGuildId,
      channel: 'other_general',
    });
    expect(sandbox.getState().gateway.sessions.map(({ shard }) => shard)).toEqual([[0, 2]]);
    expect(answer.state).toBe('answered');
  } finally {
    sandbox.control.clearFaults();
    await begun.stop();
    await sandbox.close();
    await drop();
  }
});

describe('BOT_SHARDS', () => {
  test.each([
    ['4', [0, 1, 2, 3], 4],
    ['0-1/4', [0, 1], 4],
    ['3/4', [3], 4],
    [' 1 ', [0], 1],
  ])('%s is understood', (text, ids, count) => {
    expect(configOf({ BOT_SHARDS: text }).shards).toEqual({ ids, count });
  });

  test.each([
    ['four', 'BOT_SHARDS must be a number of shards such as 4'],
    ['0', 'BOT_SHARDS must have from 1 to 10000 shards, not 0'],
    ['4/4', 'BOT_SHARDS names shard 4, but the last of 4 is 3'],
    ['2-1/4', 'BOT_SHARDS must begin with the lower shard: 1-2/4'],
    ['-1/4', 'BOT_SHARDS must be a number'],
    ['0-1', 'BOT_SHARDS must be a number'],
  ])('%s is refused, and the message says what to write', (text, message) => {
    expect(() => configOf({ BOT_SHARDS: text })).toThrow(ConfigurationError);
    expect(() => configOf({ BOT_SHARDS: text })).toThrow(message);
  });

  test.each([
    [{ BOT_SHARDS: '0-1/4' }, true],
    [{ BOT_SHARDS: '2-3/4' }, false],
    [{ BOT_SHARDS: '2-3/4', WEB: 'on' }, true],
    [{ BOT_SHARDS: '0-1/4', WEB: 'off' }, false],
    [{}, true],
  ])('with %o, whether the process starts the web process: %s', (env, startsWeb) => {
    expect(configOf({ WEB: '', ...env }).startsWeb).toBe(startsWeb);
  });
});

test('identifies of one bucket are more than five seconds apart over all processes, and another bucket does not wait', async () => {
  const { database } = stage.test;
  // A turn is counted from some moment of its question, which a busy machine may answer late.
  let before = { earliest: Number.NEGATIVE_INFINITY, latest: Number.NEGATIVE_INFINITY };
  for (let turn = 0; turn < 4; turn += 1) {
    const askedAt = performance.now();
    const wait = await takeIdentifyTurn(database, 7);
    const toldAt = performance.now();
    const at = { earliest: askedAt + wait, latest: toldAt + wait };
    expect(at.latest - before.earliest).toBeGreaterThan(5_000);
    // A clock that stepped back meanwhile makes it longer.
    expect(at.earliest).toBeLessThanOrEqual(Math.max(toldAt, before.latest + 5_250) + 1_000);
    before = at;
  }
  expect(await takeIdentifyTurn(database, 8)).toBeLessThanOrEqual(1);
});

test('a clock of the database that was set back does not keep the bot from connecting', async () => {
  const { database } = stage.test;
  await database.pool.query("INSERT INTO gateway_turns VALUES (9, now() + interval '3 hours')");
  expect(await takeIdentifyTurn(database, 9)).toBeLessThan(310_000);
});
