import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { alertsForEachTest } from './alerts.ts';
import type { ChatStage } from './chat-harness.ts';
import { personOf } from './harness.ts';

let stage: ChatStage;
const { alerts, log, query, strike } = alertsForEachTest('has written', (made) => {
  stage = made;
});

const write = (user: string) =>
  stage.sandbox.control.messages({ user, channel: 'general', content: 'Hello again, secretly' });

test('who has cases and writes after a silence is shown to the moderators, with a link and their cases', async () => {
  verifies('words.alert');
  const [userId, other] = [personOf(stage.sandbox, 'member'), personOf(stage.sandbox, 'moderator')];
  const replier = personOf(stage.sandbox, 'newcomer');
  await strike(userId);
  await strike(replier);
  await query(`UPDATE cases SET issued_at = now() - interval '30 days' WHERE guild_id = $1`, [stage.guildId]);
  write(userId);
  await query(
    `UPDATE guilds SET alerts_quiet_days = 14, log_channel_id = $2, words_seen_from = now() - interval '100 days',
       words_seen_until = now() - interval '1 minute' WHERE id = $1`,
    [stage.guildId, log()?.id],
  );
  // The bot learns of the setting by itself.
  await stage.row(`SELECT FROM guilds WHERE id = $1 AND words_seen_until > now() - interval '30 seconds'`, [
    stage.guildId,
  ]);
  write(other);
  // They pin a message, which Discord shows as one of theirs.
  stage.sandbox.control.messages({ user: userId, channel: 'general', content: 'Pinned', type: 6 });
  const { messages } = write(userId);
  write(userId);
  await stage.sandbox.until(() => alerts().length > 0);
  const [told] = alerts();
  expect(told).toMatch(/the first that Bailiff has seen of them in at least 29 days, and has 1 case here/);
  expect(told).toMatch(new RegExp(`https://discord.com/channels/${stage.guildId}/\\d+/${messages[0]?.id}`));
  expect(told).toMatch(/`#\d+` .*Spam/);
  write(userId);
  const { rows } = await query('SELECT * FROM last_words');
  expect(rows).toEqual([{ guild_id: stage.guildId, user_id: userId, written_at: expect.any(Date) }]);
  expect(alerts()).toHaveLength(1);
  // Who answers somebody writes too.
  stage.sandbox.control.messages({ user: replier, channel: 'general', content: 'Yes, me too', type: 19 });
  await stage.sandbox.until(() => alerts().some((text) => text.includes(replier)));
});
