import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readForPage } from '#src/calls/read-call.ts';
import { purgeArchive } from '#src/desk/purge-archive.ts';
import { type SeededGuild, seedGuild } from '#src/testing.ts';

let test: TestDatabase;
let guild: SeededGuild;

beforeAll(async () => {
  test = await createTestDatabase();
  guild = await seedGuild(test.database);
});
afterAll(() => test.drop());

const query = async (sql: string, values: unknown[] = []) =>
  (await test.database.pool.query(sql, values)).rows;

it('of purged messages is read with the right to purge, in its own guild, while it is kept', async () => {
  verifies('dashboard.archive');
  const [action] = await query(
    `INSERT INTO actions (guild_id, operation, input, digest, actor_source, actor_user_id, request_id, claim_by)
     VALUES ($1, 'messages.purge', '{"reason": "Off topic"}', 'd', 'chat', $2, 'req_1', now()) RETURNING id`,
    [guild.id, guild.moderatorId],
  );
  const sent_at = new Date().toISOString();
  const messages = ['2', '1'].map((id) => ({ id, text: `message ${id}`, sent_at }));
  const [{ id }] = await query(
    `INSERT INTO message_archives (guild_id, action_id, channel_id, messages, expires_at)
     VALUES ($1, $2, '100000000000000007', $3, now() + interval '30 days') RETURNING id`,
    [guild.id, action.id, JSON.stringify(messages)],
  );
  const read = (guildId = guild.id, capability: 'messages.purge' | 'audit.read' = 'messages.purge') =>
    purgeArchive(test.database, { id: guildId, isOwner: false, capabilities: [capability] }, id);

  const viewer = { id: guild.id, isOwner: false, capabilities: ['messages.purge' as const] };
  const readPage = () =>
    readForPage(test.database, { ...viewer, userId: guild.moderatorId }, 'messages.archive', {
      archiveId: id,
      limit: 10,
    });

  expect((await readPage()).data).toMatchObject([{ id: '2' }, { id: '1' }]);
  expect(await read()).toMatchObject({
    actorUserId: guild.moderatorId,
    channelName: null,
    reason: 'Off topic',
    messages: [{ id: '1' }, { id: '2' }],
  });
  await expect(read(guild.id, 'audit.read')).rejects.toMatchObject({ code: 'CAPABILITY_DENIED' });
  expect(await read((await seedGuild(test.database)).id)).toBeNull();
  const jobs = await query(
    "SELECT payload FROM graphile_worker._private_jobs WHERE key LIKE 'learn_channel:%'",
  );
  expect(jobs).toEqual([{ payload: { guild_id: guild.id, channel_id: '100000000000000007' } }]);
  await query('UPDATE message_archives SET expires_at = now() - make_interval(secs => 1)');
  expect(await read()).toBeNull();
  await expect(readPage()).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
