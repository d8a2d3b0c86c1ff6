import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import type { Stage } from './harness.ts';
import { ticketsForEachTest } from './ticket-desk.ts';
import { undoThatWaits } from './undoing.ts';

let stage: Stage;
const { channelWith, close, interact, open, say } = ticketsForEachTest((next) => {
  stage = next;
});

const channels = () =>
  stage.sandbox.getState().guilds[0]?.channels.filter(({ name }) => name === 'ticket-0001') ?? [];

/** Opens a ticket in which the member writes, and closes it. Its id. */
async function closed(): Promise<string> {
  const { id: channel } = await open();
  await say('moderator', 'ticket claim', { channel });
  stage.sandbox.control.messages({ user: 'member', channel, content: 'It was xx_grief_xx' });
  await close(channel);
  return (await stage.row<{ id: string }>('SELECT id FROM tickets WHERE number = 1')).id;
}

/** The closed tickets that a person is suggested while they type. */
const suggested = async (ticket: string, user = 'moderator') =>
  (
    await interact({
      ...{ type: 'autocomplete', user, command: 'ticket reopen', focused: 'ticket', channel: 'general' },
      options: { ticket },
    })
  ).choices;

const reopen = (ticket: string, user = 'moderator') => say(user, 'ticket reopen', { options: { ticket } });

test('a closed ticket is suggested and opened again in a new channel, and its transcript goes on', async () => {
  verifies('tickets.reopen');
  const id = await closed();
  expect(JSON.stringify(await suggested('grief'))).toContain('#1 Griefed');
  const answered = await reopen(id);
  const { id: channel, messages } = await channelWith(1);
  expect(answered).toBe(`Done. Ticket #1 is open again: <#${channel}>`);
  expect(messages[0]?.content).toContain(`<@${stage.people.moderator}> opened it again.`);
  // Its claimer still has it, and its opener sees the channel.
  await stage.row("SELECT FROM tickets WHERE status = 'claimed' AND claimed_by = $1 AND reopened_by = $1", [
    stage.people.moderator,
  ]);
  stage.sandbox.control.messages({ user: 'member', channel, content: 'And again' });
  await close(channel);
  const { transcript } = await stage.row<{ transcript: { text: string }[] }>(
    'SELECT transcript FROM tickets',
  );
  const texts = transcript.map(({ text }) => text).filter((text) => /grief_xx|again$/.test(text));
  expect(texts).toEqual(['It was xx_grief_xx', 'And again']);
  await stage.row("SELECT FROM audit WHERE operation = 'tickets.reopen' AND outcome = 'performed'");
});

test('a ticket with the longest subject is suggested by as much of it as Discord takes', async () => {
  verifies('tickets.reopen');
  await closed();
  await stage.test.database.pool.query("UPDATE tickets SET subject = repeat('x', 100)");
  const choices = (await suggested('xxx')) as { name: string }[];
  expect(choices.map(({ name }) => name)).toEqual([expect.stringMatching(/^#1 x+…$/)]);
  expect(choices[0]?.name).toHaveLength(100);
});

test('a ticket whose channel was deleted by hand and that is opened again says that messages are missing', async () => {
  verifies('tickets.reopen', 'ticket.transcript.complete');
  const { id: first } = await open();
  stage.sandbox.control.messages({ user: 'member', channel: first, content: 'It was xx_grief_xx' });
  stage.sandbox.control.channels({ action: 'delete', channel: first });
  const { id } = await stage.row<{ id: string }>("SELECT id FROM tickets WHERE status = 'closed'");
  await reopen(id);
  const { id: second } = await channelWith(1);
  stage.sandbox.control.messages({ user: 'moderator', channel: second, content: 'Who was it?' });
  await close(second);
  // Who answered first is not known either.
  await stage.row('SELECT FROM tickets WHERE transcript IS NOT NULL AND is_cut AND answered_at IS NULL');
});

test('who may not, a ticket that is open, too old, or whose opener has left or has too many: not opened', async () => {
  verifies('tickets.reopen.refused');
  const id = await closed();
  const { pool } = stage.test.database;
  // What others' tickets are about is no more theirs to read.
  expect(await suggested('', 'member')).toEqual([]);
  expect(await reopen(id, 'member')).toMatch(/^Not done\. .*tickets\.write/);
  await pool.query("UPDATE tickets SET closed_at = closed_at - interval '14 days 1 minute'");
  expect(await reopen(id)).toMatch(/^Not done\. The ticket was closed more than 14 days ago/);
  await pool.query('UPDATE tickets SET closed_at = now()');
  await pool.query(
    'INSERT INTO ticket_settings (guild_id, most_open_of_person, cooldown_minutes) VALUES ($1, 1, 60)',
    [stage.guildId],
  );
  await pool.query("INSERT INTO tickets (guild_id, number, subject, opened_by) VALUES ($1, 9, 'x', $2)", [
    stage.guildId,
    stage.people.member,
  ]);
  expect(await reopen(id)).toMatch(/^Not done\. Who opened the ticket has 1 open one/);
  await pool.query('DELETE FROM tickets WHERE number = 9');
  stage.sandbox.control.members({ action: 'leave', user: 'member' });
  expect(await reopen(id)).toMatch(/^Not done\. Who opened the ticket is not a member any more/);
  await pool.query('UPDATE tickets SET opened_by = $1', [stage.people.member2]);
  // The pause between two tickets is for who opens one.
  expect(await reopen(id)).toMatch(/^Done\./);
  expect(await reopen(id)).toMatch(/^Not done\. This ticket is open/);
  expect(channels()).toHaveLength(1);
});

test('two who open it again at once make one channel at most', async () => {
  verifies('tickets.reopen.once');
  const id = await closed();
  const answers = await Promise.all([reopen(id), reopen(id, 'owner')]);
  expect(answers.filter((each) => each.startsWith('Done.')).length).toBeLessThanOrEqual(1);
  expect(channels()).toHaveLength(answers.filter((each) => each.startsWith('Done.')).length);
});

test('a ticket that an undo of its import is removing at this moment gets no channel', async () => {
  verifies('tickets.reopen', 'imports.undo');
  const ticket = await closed();
  const undo = await undoThatWaits(stage, ticket);
  const answer = reopen(ticket);
  await undo.isInTheWay();
  expect(await undo.finish()).toEqual({ removed: 1, kept: 0 });
  expect(await answer).toMatch(/^Not done\. This guild has no such ticket/);
  expect(channels()).toEqual([]);
});

test('a lost answer of Discord makes no second channel', async () => {
  const id = await closed();
  stage.sandbox.control.addFault({ route: '/guilds/*/channels', method: 'POST', when: 'after', status: 502 });
  expect(await reopen(id)).toMatch(/^Done\./);
  expect(channels()).toHaveLength(1);
});

test('a ticket can be opened again although nobody will find out how an earlier try ended', async () => {
  verifies('tickets.reopen');
  const id = await closed();
  stage.sandbox.control.addFault({ route: '/guilds/*/channels', method: 'POST', status: 502 });
  stage.sandbox.control.addFault({ route: '/guilds/*/channels', method: 'GET', times: null, status: 502 });
  expect(await reopen(id)).toMatch(/^Not certain\./);
  stage.sandbox.control.clearFaults();
  expect(await reopen(id)).toMatch(/^Not done\./);
  await stage.test.database.pool.query("UPDATE actions SET looked_at = 'infinity' WHERE state = 'unknown'");
  expect(await reopen(id)).toMatch(/^Done\./);
  expect(channels()).toHaveLength(1);
});

test('who claimed it and may not work on tickets any more does not get it back', async () => {
  verifies('tickets.reopen');
  const id = await closed();
  const { owner, member2 } = stage.people;
  await stage.test.database.pool.query('UPDATE tickets SET claimed_by = $1, assigned_by = $2', [
    member2,
    owner,
  ]);
  expect(await reopen(id)).toMatch(/^Done\./);
  const { rows } = await stage.test.database.pool.query(
    'SELECT status, claimed_by, claimed_at, assigned_by FROM tickets',
  );
  expect(rows).toEqual([{ status: 'open', claimed_by: null, claimed_at: null, assigned_by: null }]);
});

test('a ticket that was closed too long ago to be opened again is not suggested', async () => {
  verifies('tickets.reopen.refused');
  await closed();
  await stage.test.database.pool.query(
    "UPDATE tickets SET closed_at = closed_at - interval '14 days 1 minute'",
  );
  expect(await suggested('')).toEqual([]);
});
