import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { alertsForEachTest } from './alerts.ts';
import type { ChatStage } from './chat-harness.ts';
import { personOf } from './harness.ts';

let stage: ChatStage;
const { alerts, log, query, strike } = alertsForEachTest('has joined', (made) => {
  stage = made;
});

function join(name: string): string {
  const { member } = stage.sandbox.control.members({ action: 'join', name }) as {
    member: { user: { id: string } };
  };
  return member.user.id;
}

const rejoin = (user: string) => {
  stage.sandbox.control.members({ action: 'leave', user });
  stage.sandbox.control.members({ action: 'join', user });
};

/** The texts of the second guild's only channel. */
const elsewhere = () =>
  (
    stage.sandbox
      .getState(200)
      .guilds.find(({ id }) => id === stage.sandbox.otherGuildId)
      ?.channels.find(({ id }) => id === stage.sandbox.channels.other_general)?.messages ?? []
  ).map(({ embeds }) => embeds[0]?.description ?? '');

const wantAlerts = () =>
  query('UPDATE guilds SET alerts_joins = true, log_channel_id = $2 WHERE id = $1', [
    stage.guildId,
    log()?.id,
  ]);

test('who has cases and joins is shown to the moderators with the latest of them, once', async () => {
  verifies('joins.alert');
  const [known, next] = [join('Known'), join('Next')];
  for (const userId of [...Array(6).fill(known), next]) await strike(userId);
  // The bot may hear of the first joins only now, and is to tell of all six.
  await wantAlerts();
  for (const userId of [known, known, next]) rejoin(userId);
  await stage.sandbox.until(() => [known, next].every((id) => alerts().some((text) => text.includes(id))));
  await stage.row("SELECT FROM graphile_worker.jobs WHERE task_identifier = 'post_join' HAVING count(*) = 0");
  const told = alerts().filter((text) => text.includes(known));
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(/has joined and has 6 cases here/);
  expect(told[0]).toContain(`/guilds/${stage.guildId}/members/${known}`);
  expect(told[0]).toMatch(/`#\d+` .*Spam/);
});

test('who has cases in two guilds and joins both at once is shown to the moderators of both', async () => {
  verifies('joins.alert');
  const { otherGuildId, channels, control } = stage.sandbox;
  const userId = join('Known');
  for (const guildId of [stage.guildId, otherGuildId]) await strike(userId, guildId);
  await wantAlerts();
  await query('UPDATE guilds SET alerts_joins = true, log_channel_id = $2 WHERE id = $1', [
    otherGuildId,
    channels.other_general,
  ]);
  rejoin(userId);
  await stage.sandbox.until(() => alerts().some((text) => text.includes(userId)));
  control.members({ action: 'join', user: userId, guild_id: otherGuildId });
  await stage.sandbox.until(() => elsewhere().some((text) => text.includes(userId)));
});

test('the cases of who joined stand in the order of their time, also those that an import brought later', async () => {
  verifies('joins.alert', 'imports.rows');
  const userId = join('Known');
  for (const _ of Array(7)) await strike(userId);
  await query(
    `UPDATE cases SET issued_at = now() - make_interval(days => case_number), import_id = 'imp_1'
     WHERE guild_id = $1 AND case_number > 1`,
    [stage.guildId],
  );
  await wantAlerts();
  rejoin(userId);
  await stage.sandbox.until(() => alerts().some((text) => text.includes(userId)));
  const [told = ''] = alerts().filter((text) => text.includes(userId));
  expect([...told.matchAll(/^`#(\d+)`/gm)].map(([, number]) => Number(number))).toEqual([1, 2, 3, 4, 5]);
});

test('of who joined it is said which of their cases were replaced and which were imported', async () => {
  verifies('joins.alert', 'history.standing');
  const userId = join('Known');
  await query(
    // The last one was given in Discord itself, at the moment at which the imported one had ended.
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, issued_by, issued_at, ended_at, expires_at, action_id,
       end_action_id, import_id)
     SELECT new_id('mut'), $1, number, 'mute', $2, $3, now() + issued::interval, now() + ended::interval,
       now() + interval '1 hour', action, end_action, import
     FROM (VALUES (1, '-3 minutes', '-2 minutes', 'act_1', 'act_2', NULL), (2, '-2 minutes', NULL, 'act_2', NULL, NULL),
       (3, '-2 minutes', '-1 minute', NULL, NULL, 'imp_1'), (4, '-1 minute', '0', NULL, NULL, NULL))
       AS given (number, issued, ended, action, end_action, import)`,
    [stage.guildId, userId, personOf(stage.sandbox, 'moderator')],
  );
  await wantAlerts();
  rejoin(userId);
  await stage.sandbox.until(() => alerts().some((text) => text.includes(userId)));
  const [told] = alerts().filter((text) => text.includes(userId));
  expect(told).toMatch(/^`#1` mute .* · Replaced$/m);
  expect(told).toMatch(/^`#2` mute .* · In force, ends/m);
  expect(told).toMatch(/^`#3` mute · imported · .* · Lifted$/m);
});

test('alerts are posted in the channel that the guild has chosen for them', async () => {
  verifies('log.topics');
  const userId = join('Known');
  await strike(userId);
  const channel = () =>
    stage.sandbox
      .getState(200)
      .guilds.find(({ id }) => id === stage.guildId)
      ?.channels.find(({ name }) => name === 'off-topic');
  // Before alerts are wanted: the bot may hear only now that they have joined.
  await query("INSERT INTO log_topics (guild_id, topic, channel_id) VALUES ($1, 'alerts', $2)", [
    stage.guildId,
    channel()?.id,
  ]);
  await wantAlerts();
  rejoin(userId);
  await stage.sandbox.until(
    () => channel()?.messages.some((message) => JSON.stringify(message).includes('has joined')) ?? false,
  );
  expect(alerts().filter((text) => text.includes(userId))).toEqual([]);
});

test('an alert that cannot be posted in its own channel is posted in the log channel', async () => {
  verifies('log.topics.fallback');
  const userId = join('Known');
  await strike(userId);
  const guild = stage.sandbox.getState().guilds.find(({ id }) => id === stage.guildId);
  const channelId = guild?.channels.find(({ name }) => name === 'off-topic')?.id;
  stage.sandbox.control.addFault({
    method: 'POST',
    route: `/channels/${channelId}/messages`,
    times: null,
    status: 403,
    body: { message: 'Missing Permissions', code: 50013 },
  });
  await query("INSERT INTO log_topics (guild_id, topic, channel_id) VALUES ($1, 'alerts', $2)", [
    stage.guildId,
    channelId,
  ]);
  await wantAlerts();
  rejoin(userId);
  await stage.sandbox.until(() => alerts().some((text) => text.includes(userId)));
});
