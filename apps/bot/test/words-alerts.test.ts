import { verifies } from '@bailiff/core/testing';
import { expect, test, vi } from 'vitest';
import { createClient } from '#src/discord.ts';
import { createLog } from '#src/log.ts';
import { followWords } from '#src/words-alerts.ts';
import { alertsForEachTest } from './alerts.ts';
import type { ChatStage } from './chat-harness.ts';
import { bot, paceIn, personOf } from './harness.ts';

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

test('who joins and then writes after a silence is told of twice, at once', async () => {
  verifies('words.alert', 'joins.alert');
  const userId = personOf(stage.sandbox, 'member');
  await strike(userId);
  await query(`UPDATE cases SET issued_at = now() - interval '30 days' WHERE guild_id = $1`, [stage.guildId]);
  await tellOfSilences();
  await query('UPDATE guilds SET alerts_joins = true WHERE id = $1', [stage.guildId]);
  for (const action of ['leave', 'join'] as const) stage.sandbox.control.members({ action, user: userId });
  const posts = () => (log()?.messages ?? []).flatMap(({ embeds }) => embeds[0]?.description ?? []);
  await stage.sandbox.until(() => posts().some((text) => text.includes('has joined')));
  const { messages } = write(userId);
  await stage.sandbox.until(() => alerts().length > 0);
  expect(alerts()[0]).toContain(`/${messages[0]?.id}`);
  expect(posts().filter((text) => text.includes(userId))).toHaveLength(2);
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

/** A member whose latest case is a month old and came after the bot has read whom to watch: it does not know them. */
async function struckSince(): Promise<string> {
  const userId = personOf(stage.sandbox, 'member');
  await tellOfSilences();
  await strike(userId);
  await query(`UPDATE cases SET issued_at = now() - interval '30 days' WHERE guild_id = $1`, [stage.guildId]);
  return userId;
}

/** Writes as somebody until the moderators are told of it: what they wrote before they were watched is not noted. */
const writeUntilTold = (userId: string) =>
  expect
    .poll(() => {
      write(userId);
      return alerts().length;
    })
    .toBe(1);

test('a bot that starts learns whose messages to note, though no settings change', async () => {
  verifies('words.alert');
  const userId = await struckSince();
  await stage.bot.stop();
  // A comparison with Discord changes a guild too, and that it has is told as settings are.
  await query('ALTER TABLE guilds DISABLE TRIGGER guild_told');
  const again = await bot(stage.config);
  try {
    await writeUntilTold(userId);
  } finally {
    await again.stop();
  }
});

test('after a lost connection that goes on, the bot knows whose messages to note', async () => {
  verifies('words.alert');
  const userId = await struckSince();
  stage.sandbox.control.gateway({ action: 'drop' });
  await writeUntilTold(userId);
});

/** Follows what members write beside the bot, and reads whom to watch as after ten minutes. Returns what ends it. */
async function followBeside(more: { mostWatched?: number } = {}): Promise<() => Promise<void>> {
  const log = createLog('silent', []);
  const client = createClient({
    apiUrl: stage.sandbox.apiUrl,
    shards: null,
    pace: paceIn(stage.sandbox),
    log,
    signal: new AbortController().signal,
  });
  const ready = new Promise((resolve) => client.once('clientReady', resolve));
  await client.login(stage.sandbox.botToken);
  await ready;
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const words = followWords({ client, db: stage.test.database, log, shardCount: () => 1, ...more });
  vi.advanceTimersByTime(600_000);
  vi.useRealTimers();
  return async () => {
    await words.close();
    await client.destroy();
  };
}

test('whose messages to note is read anew every ten minutes, so whoever has a new case is noted', async () => {
  verifies('words.alert');
  const userId = await struckSince();
  const end = await followBeside();
  try {
    await writeUntilTold(userId);
  } finally {
    await end();
  }
});

test('a guild with more people than there is room for takes the places of no other guild', async () => {
  verifies('words.alert');
  const userId = await struckSince();
  // It is read first: guilds are read in the order of their ids.
  const crowded = '100000000000000001';
  await query(
    `INSERT INTO guilds (id, name, owner_id, tier, alerts_quiet_days, log_channel_id)
     VALUES ($1, 'Crowded', '1', 'free', 14, '2')`,
    [crowded],
  );
  for (const person of ['1', '2', '3']) await strike(person, crowded);
  // The bot itself has room for all of them.
  await stage.bot.stop();
  const end = await followBeside({ mostWatched: 2 });
  const noted = async () => (await query('SELECT FROM last_words WHERE user_id = $1', [userId])).rowCount;
  try {
    await expect
      .poll(() => {
        write(userId);
        return noted();
      })
      .toBe(1);
  } finally {
    await end();
  }
});
