import { inTime } from '@bailiff/core/testing';
import { putServer } from '@bailiff/engine/servers/servers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Bot } from '#src/bot.ts';
import { freeServerQueues } from '#src/rcon/queues.ts';
import { CountingServer } from './counting-server.ts';
import { bot, configFor, keepDeadlines, refusalOf, type Stage, setStage } from './harness.ts';

let stage: Stage;
let second: Bot;
let game: CountingServer;
let serverId: string;

beforeAll(async () => {
  // Two with a shard each: one without a shard of its own would wait until the other is gone.
  stage = await setStage({ gateway: { shards: 2, maxConcurrency: 4 } }, { BOT_SHARDS: '1/2' });
  second = await bot(configFor(stage.sandbox, stage.test.url, { BOT_SHARDS: '0/2' }));
  await second.settled;
});
afterAll(async () => {
  await second.stop();
  await stage.close();
});

beforeEach(async () => {
  game = new CountingServer();
  await game.listen();
  const policy = { allow: [], deny: [] };
  const at = { name: 'Counting', host: '127.0.0.1', port: game.port, password: 'right', policy };
  serverId = (await putServer(stage.test.database, stage.guildId, at))?.id ?? '';
  await stage.row('SELECT FROM game_servers WHERE id = $1 AND reachable', [serverId]);
  // The bot has only logged in, to test the server.
  await game.left();
  return () => game.close();
});

const run = (command: string) => stage.act('servers.rcon', 'owner', { serverId, command });

test('two bots never have two connections to one game server, and every command runs', async () => {
  const commands = Array.from({ length: 6 }, (_, n) => `say ${n}`);
  const answers = await Promise.all(commands.map(run));
  expect(answers.map(({ body }) => body)).toMatchObject(
    commands.map((command) => ({ run: { output: `did ${command}` } })),
  );
  expect([...game.commands].sort()).toEqual([...commands].sort());
  expect(game.overlaps).toEqual([]);
});

test('what a game server answers at its former address says nothing of the new one', async () => {
  const CHECKED = 'SELECT checked_at FROM game_servers WHERE id = $1';
  game.hold();
  const first = run('first');
  await expect.poll(() => game.commands, { timeout: 60_000 }).toEqual(['first']);
  const { checked_at: before } = await stage.row<{ checked_at: Date }>(CHECKED, [serverId]);
  // As with another address, and without a test of it.
  await stage.test.database.pool.query(
    "UPDATE game_servers SET password_sealed = password_sealed || '\\x00' WHERE id = $1",
    [serverId],
  );
  game.answer();
  await first;
  expect(await stage.row(CHECKED, [serverId])).toEqual({ checked_at: before });
});

test('a command that waits too long behind another is cancelled, and never sent', async () => {
  game.hold();
  const first = run('first');
  await stage.row("SELECT FROM actions WHERE input->>'command' = 'first' AND state = 'running'");
  keepDeadlines('claimMs');
  expect(await refusalOf(run('second'))).toMatchObject({
    status: 503,
    details: { upstream: 'bot', outcome: 'not_performed' },
  });
  keepDeadlines();
  game.answer();
  expect((await first).body).toMatchObject({ run: { output: 'did first' } });
  expect((await run('third')).body).toMatchObject({ run: { output: 'did third' } });
  expect(game.commands).toEqual(['first', 'third']);
});

test('a bot that died with a connection open keeps nobody else from the server for long', async () => {
  const { pool } = stage.test.database;
  const lock = (age: string) =>
    pool.query(
      `UPDATE graphile_worker._private_job_queues
       SET locked_by = 'a dead worker', locked_at = clock_timestamp() - $2::interval WHERE queue_name = $1`,
      [serverId, age],
    );
  // On a busy machine it may have been held for long enough before anybody looks.
  await inTime(4, async () => {
    await lock('5 seconds');
    await freeServerQueues(pool);
    // If it was freed, it stays so. Otherwise it is held for as long as it takes a busy machine to refuse a command.
    await pool.query(
      `UPDATE graphile_worker._private_job_queues SET locked_at = clock_timestamp() + interval '10 minutes'
       WHERE queue_name = $1 AND locked_by = 'a dead worker'`,
      [serverId],
    );
  });
  keepDeadlines('claimMs');
  expect((await refusalOf(run('list'))).status).toBe(503);
  keepDeadlines();
  await lock('11 seconds');
  await freeServerQueues(pool);
  expect((await run('list')).body).toMatchObject({ run: { output: 'did list' } });
  expect(game.commands).toEqual(['list']);
});

test('a slow server keeps no command from another server', async () => {
  const other = new CountingServer();
  await other.listen();
  const policy = { allow: [], deny: [] };
  const at = { name: 'Other', host: '127.0.0.1', port: other.port, password: 'right', policy };
  const otherId = (await putServer(stage.test.database, stage.guildId, at))?.id ?? '';
  game.hold();
  const slow = run('slow');
  await stage.row("SELECT FROM actions WHERE input->>'command' = 'slow' AND state = 'running'");
  const { body } = await stage.act('servers.rcon', 'owner', { serverId: otherId, command: 'quick' });
  expect(body).toMatchObject({ run: { output: 'did quick' } });
  game.answer();
  await slow;
  await other.close();
});
