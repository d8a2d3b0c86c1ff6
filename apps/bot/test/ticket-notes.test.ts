import { verifies } from '@bailiff/core/testing';
import { beforeEach, expect, test } from 'vitest';
import { guildForEachTest } from './each-test.ts';
import { grant, type Stage } from './harness.ts';

let stage: Stage;
guildForEachTest((next) => {
  stage = next;
});
beforeEach(async () => {
  await grant(stage, 'Moderator', ['tickets.read', 'tickets.write']);
  await grant(stage, 'Helper', ['tickets.read']);
  await stage.row('SELECT FROM members WHERE user_id = $1', [stage.people.moderator]);
});

const interact = (request: Parameters<Stage['sandbox']['control']['interact']>[0]) =>
  stage.sandbox.control.interact(request);

async function say(user: string, command: string, more: object = {}): Promise<string> {
  const { message } = await interact({ type: 'command', user, command, ...more });
  return message?.content ?? '';
}

/** The channel of the only ticket, once it holds this many messages. */
const channelWith = (count: number) =>
  stage.sandbox.until((state) =>
    state.guilds[0]?.channels.find(({ name, message_count: n }) => name === 'ticket-0001' && n >= count),
  );

async function opened(): Promise<string> {
  await say('member', 'ticket open', { options: { subject: 'Griefed' } });
  return (await channelWith(1)).id;
}

test('a note on a ticket is for the staff: neither its channel, its transcript nor its opener gets it', async () => {
  verifies('tickets.notes', 'tickets.notes.staff');
  await stage.test.database.pool.query(
    'INSERT INTO ticket_settings (guild_id, sends_transcript) SELECT id, true FROM guilds',
  );
  const channel = await opened();
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

  await say('moderator', 'ticket close', { channel });
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
  await opened();
  const told = await say('moderator', 'ticket note', { options: { text: 'Where?' } });
  expect(told).toBe(await say('moderator', 'ticket claim'));
});
