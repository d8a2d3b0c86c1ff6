import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { alertsForEachTest } from './alerts.ts';
import type { ChatStage } from './chat-harness.ts';
import { personOf } from './harness.ts';

let stage: ChatStage;
const { alerts, log, query, strike, spoil } = alertsForEachTest('has written', (made) => {
  stage = made;
});

const write = (user: string) =>
  stage.sandbox.control.messages({ user, channel: 'general', content: 'Hello again, secretly' });

/** Wants to be told of those who write after two weeks. Whose messages to note, the bot learns by itself. */
async function tellOfSilences(): Promise<void> {
  await query(
    `UPDATE guilds SET alerts_quiet_days = 14, log_channel_id = $2, words_seen_from = now() - interval '100 days',
       words_seen_until = now() - interval '1 minute' WHERE id = $1`,
    [stage.guildId, log()?.id],
  );
  await stage.row(`SELECT FROM guilds WHERE id = $1 AND words_seen_until > now() - interval '30 seconds'`, [
    stage.guildId,
  ]);
}

test('who has cases and writes after a silence is shown to the moderators, with a link and their cases', async () => {
  verifies('words.alert');
  const [userId, other] = [personOf(stage.sandbox, 'member'), personOf(stage.sandbox, 'moderator')];
  const replier = personOf(stage.sandbox, 'newcomer');
  await strike(userId);
  await strike(replier);
  await query(`UPDATE cases SET issued_at = now() - interval '30 days' WHERE guild_id = $1`, [stage.guildId]);
  write(userId);
  await tellOfSilences();
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

test('whose message the database did not take is shown with the next one', async () => {
  verifies('words.alert');
  const userId = personOf(stage.sandbox, 'member');
  await strike(userId);
  await query(`UPDATE cases SET issued_at = now() - interval '30 days' WHERE guild_id = $1`, [stage.guildId]);
  await tellOfSilences();
  spoil();
  await query('CREATE SEQUENCE tried');
  await query('ALTER FUNCTION note_words RENAME TO real_note_words');
  await query(`CREATE FUNCTION note_words(text[], text[], text[], text[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    AS $$ BEGIN PERFORM nextval('tried'); RAISE 'no space left'; END $$`);
  const { messages } = write(userId);
  await stage.row('SELECT FROM tried WHERE is_called');
  await query('DROP FUNCTION note_words');
  await query('ALTER FUNCTION real_note_words RENAME TO note_words');
  await expect
    .poll(() => {
      write(userId);
      return alerts();
    })
    .toHaveLength(1);
  expect(alerts()[0]).not.toContain(messages[0]?.id);
});
