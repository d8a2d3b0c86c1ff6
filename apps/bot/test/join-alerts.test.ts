import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { type ChatStage, chatGuildForEachTest } from './chat-harness.ts';

let stage: ChatStage;
chatGuildForEachTest({ Moderator: ['strikes.read'] }, (made) => {
  stage = made;
});

const query = (text: string, values: unknown[] = []) => stage.test.database.pool.query(text, values);
const log = () =>
  stage.sandbox
    .getState(200)
    .guilds.find(({ id }) => id === stage.guildId)
    ?.channels.find(({ name }) => name === 'mod-log');
const alerts = () =>
  (log()?.messages ?? [])
    .flatMap(({ embeds }) => embeds[0]?.description ?? [])
    .filter((text) => text.includes('has joined'));

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

const wantAlerts = () =>
  query('UPDATE guilds SET alerts_joins = true, log_channel_id = $2 WHERE id = $1', [
    stage.guildId,
    log()?.id,
  ]);

const strike = (userId: string) =>
  query("SELECT open_case($1, 'strike', 'str', $2, 'Spam', $3, NULL, NULL, 'minor')", [
    stage.guildId,
    userId,
    stage.people.moderator,
  ]);

test('who has cases and joins is shown to the moderators with the latest of them, once', async () => {
  verifies('joins.alert');
  await wantAlerts();
  const [known, next] = [join('Known'), join('Next')];
  for (const userId of [known, known, next]) await strike(userId);
  for (const userId of [known, known, next]) rejoin(userId);
  // Who joined before is dealt with.
  await stage.sandbox.until(() => alerts().some((text) => text.includes(next)));
  const told = alerts().filter((text) => text.includes(known));
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(/has joined and has 2 cases here/);
  expect(told[0]).toContain(`/guilds/${stage.guildId}/members/${known}`);
  expect(told[0]).toMatch(/`#\d+` .*Spam/);
});
