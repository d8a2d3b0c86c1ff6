import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import type { Stage } from './harness.ts';
import { ticketsForEachTest } from './ticket-desk.ts';

let stage: Stage;
const { channelWith, close, open, say } = ticketsForEachTest((next) => {
  stage = next;
});

test('a note on a ticket is for the staff: neither its channel, its transcript nor its opener gets it', async () => {
  verifies('tickets.notes', 'tickets.notes.staff');
  await stage.test.database.pool.query(
    'INSERT INTO ticket_settings (guild_id, sends_transcript) SELECT id, true FROM guilds',
  );
  const { id: channel } = await open();
  const note = (user: string, text: string) => say(user, 'ticket note', { channel, options: { text } });
  expect(await say('moderator', 'ticket notes', { channel })).toBe('There is no note on this ticket.');
  expect(await note('moderator', 'Banned *twice* @everyone')).toBe(
    'Noted on this ticket. Its opener never sees it.',
  );
  await note('owner', 'Wait for the logs');
  const told = await say('owner', 'ticket notes', { channel });
  const [heading, newest, oldest] = told.split('\n');
  expect(heading).toBe('**2 notes** on this ticket, newest first');
  expect(newest).toContain(`<@${stage.people.owner}>: "Wait for the logs"`);
  expect(oldest).toContain(`<@${stage.people.moderator}>: "Banned \\*twice\\* @everyone"`);
  for (const user of ['helper', 'member']) {
    expect(await say(user, 'ticket notes', { channel })).toMatch(/^Not done\. .*tickets\.write/);
    expect(await note(user, 'Mine')).toMatch(/^Not done\. .*tickets\.write/);
  }
  expect((await channelWith(1)).message_count).toBe(1);
  await stage.row(
    "SELECT FROM audit WHERE operation = 'tickets.note' AND outcome = 'performed' HAVING count(*) = 2",
  );

  await close(channel);
  await stage.row("SELECT FROM tickets WHERE transcript_notice = 'told'");
  const written = JSON.stringify([
    stage.sandbox.getState().dms,
    (await stage.test.database.pool.query('SELECT transcript FROM tickets')).rows,
    await say('member', 'my record'),
  ]);
  expect(written).not.toContain('twice');
  expect(written).not.toContain('Wait for');
});

test('outside of a ticket there is nothing to note', async () => {
  await open();
  const told = await say('moderator', 'ticket note', { options: { text: 'Where?' } });
  expect(told).toBe(await say('moderator', 'ticket claim'));
});
