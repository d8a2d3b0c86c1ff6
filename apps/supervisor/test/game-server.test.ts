import { randomBytes } from 'node:crypto';
import { TEMPLATE_PRESETS } from '@bailiff/core/server-templates';
import { keyringOf } from '@bailiff/engine/servers/sealing';
import { publishSealingKey } from '@bailiff/engine/servers/sealing-keys';
import { listServers } from '@bailiff/engine/servers/servers';
import { seedGuild, snowflake } from '@bailiff/engine/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import type { ReadyMessage } from '@bailiff/sandbox';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { registerGameServers } from '#src/game-server.ts';

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
  await publishSealingKey(database.database, keyringOf(randomBytes(32)));
});
afterEach(() => database.drop());

/** What a sandbox with these game servers says of itself. */
const sandboxWith = (guildId: string, port: number, ids: readonly string[]) =>
  ({
    guildId,
    servers: ids.map((id, at) => ({ id, host: '127.0.0.1', port: port + at, password: 'secret' })),
  }) as unknown as ReadyMessage;

const register = (
  guildId: string,
  port: number,
  { signal = new AbortController().signal, ids = ['survival'] } = {},
) => registerGameServers(database.url, sandboxWith(guildId, port, ids), signal);

test('the sandbox’s game server keeps its id when it comes back at another port, and can be played on at once', async () => {
  const { id: guildId, ownerId } = await seedGuild(database.database);
  const [first] = await register(guildId, 25_575);
  expect(first).toMatchObject({ host: '127.0.0.1', port: 25_575 });
  expect(await register(guildId, 25_576)).toEqual([{ ...first, port: 25_576 }]);
  const servers = await listServers(database.database, ownerId, guildId);
  expect(servers).toMatchObject([
    {
      id: first?.id,
      name: 'Survival',
      port: 25_576,
      game: 'minecraft',
      templates: TEMPLATE_PRESETS.minecraft,
    },
  ]);
});

test('each of several game servers is registered, at its own port', async () => {
  const { id: guildId, ownerId } = await seedGuild(database.database);
  const registered = await register(guildId, 25_575, { ids: ['survival', 'creative'] });
  expect(registered.map(({ port }) => port)).toEqual([25_575, 25_576]);
  const servers = await listServers(database.database, ownerId, guildId);
  expect(
    servers.map(({ id, name, port }) => ({ id, name, port })).toSorted((a, b) => a.port - b.port),
  ).toEqual([
    { id: registered[0]?.id, name: 'Survival', port: 25_575 },
    { id: registered[1]?.id, name: 'creative', port: 25_576 },
  ]);
});

test('a guild that the bot does not know yet is waited for', async () => {
  const { pool } = database.database;
  const guildId = snowflake();
  const registering = register(guildId, 25_575);
  const hasLooked = async () => {
    const { rows } = await pool.query(
      `SELECT FROM pg_stat_activity WHERE application_name = 'bailiff-start' AND datname = current_database()
         AND state = 'idle' AND query ~ '^(COMMIT|ROLLBACK)'`,
    );
    return rows.length;
  };
  await expect.poll(hasLooked).toBe(1);
  await pool.query("INSERT INTO guilds (id, name, owner_id, tier) VALUES ($1, 'Late', $2, 'pro')", [
    guildId,
    snowflake(),
  ]);
  expect(await registering).toMatchObject([{ port: 25_575 }]);
});

test('a start that is stopped meanwhile waits for no guild', async () => {
  const stopping = new AbortController();
  const registering = register(snowflake(), 25_575, { signal: stopping.signal });
  stopping.abort();
  await expect(registering).rejects.toThrow('aborted');
});
