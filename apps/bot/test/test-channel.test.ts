import { ApiError } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { testChannel } from '@bailiff/engine/guilds/test-channel';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { refusalOf, type Stage, setStage } from './harness.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
});
afterAll(async () => {
  const { violations } = stage.sandbox;
  await stage.close();
  expect(violations).toEqual([]);
});

const sql = (text: string, ...values: unknown[]) => stage.test.database.pool.query(text, values);

let asked = 0;
/** The owner, or somebody else, tests a channel of the guild. */
function send(channelId = '', by = 'owner'): Promise<void> {
  asked += 1;
  const call = { userId: stage.people[by] ?? '', requestId: `req_test_${asked}`, address: '192.0.2.1' };
  return testChannel(stage.engine, call, stage.guildId, channelId);
}

function messagesIn(channelId: string | undefined) {
  const channels = stage.sandbox.getState(200).guilds.flatMap((guild) => guild.channels);
  return channels.find(({ id }) => id === channelId)?.messages ?? [];
}

/** A guild with a log channel in which the bot could not write before. */
async function brokenLogChannel(channelId: string): Promise<void> {
  await sql("UPDATE guilds SET log_channel_id = $2, language = 'de' WHERE id = $1", stage.guildId, channelId);
  // The job that greets the new channel clears the problem too.
  await stage.row(
    "SELECT FROM (VALUES (1)) AS one WHERE NOT EXISTS (SELECT FROM graphile_worker.jobs WHERE key LIKE 'open_log_channel:%')",
  );
  await sql("UPDATE guilds SET log_channel_problem = 'missing_permission' WHERE id = $1", stage.guildId);
}

async function problemNow(): Promise<unknown> {
  const { rows } = await sql(
    'SELECT log_channel_problem AS problem FROM guilds WHERE id = $1',
    stage.guildId,
  );
  return rows[0]?.problem;
}

test('only a test that arrives in the log channel clears what was wrong with it', async () => {
  verifies('settings.test-channel');
  const { mod_log = '', general = '' } = stage.sandbox.channels;
  await brokenLogChannel(mod_log);
  await send(general);
  expect(await problemNow()).toBe('missing_permission');
  const route = `/channels/${mod_log}/messages`;
  stage.sandbox.control.addFault({
    route,
    method: 'POST',
    status: 403,
    body: { code: 50013, message: 'No' },
  });
  await refusalOf(send(mod_log));
  expect(await problemNow()).toBe('missing_permission');
  await send(mod_log);
  expect(await problemNow()).toBeNull();
});

test("a test is posted in the guild's language, and is in the audit log", async () => {
  verifies('settings.test-channel');
  const { mod_log = '' } = stage.sandbox.channels;
  await sql("UPDATE guilds SET log_channel_id = $2, language = 'de' WHERE id = $1", stage.guildId, mod_log);
  const { rows: before } = await sql("SELECT id FROM audit WHERE operation = 'settings.test'");
  await send(mod_log);
  const texts = messagesIn(mod_log).map(({ embeds }) => embeds[0]?.description);
  expect(texts).toContain('Das ist ein Test. Bailiff kann hier schreiben.');
  const { rows } = await sql(
    "SELECT actor_user_id, target_id FROM audit WHERE operation = 'settings.test' AND id <> ALL ($1)",
    before.map(({ id }) => id),
  );
  expect(rows).toEqual([{ actor_user_id: stage.people.owner, target_id: mod_log }]);
});

test('where the bot cannot write, the owner learns what to grant it, and nothing is posted', async () => {
  verifies('settings.test-channel');
  const { control, channels } = stage.sandbox;
  const quiet = control.channels({
    action: 'create',
    name: 'quiet',
    overwrite: { of: 'Bailiff', deny: ['SendMessages', 'EmbedLinks'] },
  }) as { channel: { id: string } };
  expect(await refusalOf(send(quiet.channel.id))).toMatchObject({
    details: {
      reason: 'BOT_MISSING_PERMISSION',
      permissions: ['Send Messages', 'Embed Links'],
      channel_name: 'quiet',
    },
  });
  expect(messagesIn(quiet.channel.id)).toEqual([]);
  const elsewhere = await refusalOf(send(channels.other_general ?? '123456789012345678'));
  expect(elsewhere.code).toBe('NOT_FOUND');
});

test('an answer of Discord that gets lost is not called a success', async () => {
  const { general = '' } = stage.sandbox.channels;
  const route = `/channels/${general}/messages`;
  stage.sandbox.control.addFault({ route, method: 'POST', socket: 'reset' });
  expect(await refusalOf(send(general))).toMatchObject({
    code: 'UPSTREAM_UNAVAILABLE',
    details: { upstream: 'discord', outcome: 'unknown' },
  });
});

test('nobody but the owner tests a channel', async () => {
  const error = await send(stage.sandbox.channels.general, 'moderator').catch((refusal: unknown) => refusal);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ code: 'NOT_FOUND' });
});
