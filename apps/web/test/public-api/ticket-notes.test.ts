import { verifies } from '@bailiff/core/testing';
import { grantRole, seedGuild, seedToken } from '@bailiff/engine/testing';
import { expect, it } from 'vitest';
import type { PublicApiHarness } from './harness.ts';
import { oneTicketForEachTest } from './one-ticket.ts';
import { seedTicketNote } from './read-calls.ts';

let api: PublicApiHarness;
let id: string;
oneTicketForEachTest('tickets.read', (made) => {
  ({ api, id } = made);
});

const notes = () => api.inGuild(`/tickets/${id}/notes`);
const write = (text: string) => api.inGuild(`/tickets/${id}/notes`, { method: 'POST', body: { text } });
const remove = (noteId: string) => api.inGuild(`/tickets/${id}/notes/${noteId}`, { method: 'DELETE' });

async function waitingForLocks(): Promise<number> {
  const { rowCount } = await api.database.pool.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rowCount ?? 0;
}

it('a note is written by the issuer, shown newest first, and removed; each change is in the audit log', async () => {
  verifies('tickets.notes');
  expect((await notes()).body).toEqual({ data: [] });
  const first = await write('Asked the guards');
  expect(first.status).toBe(201);
  expect(first.body.note).toMatchObject({
    ticket_id: id,
    text: 'Asked the guards',
    written_by: api.guild.ownerId,
  });
  const hostile = '<script>alert(1)</script> @everyone \u202e "\';--';
  const second = await write(hostile);
  expect((await notes()).body.data).toEqual([second.body.note, first.body.note]);
  // What the staff says stays out of the ticket itself.
  expect(JSON.stringify((await api.inGuild(`/tickets/${id}`)).body)).not.toContain('guards');
  const { text: _, ...withoutText } = first.body.note;
  expect((await remove(first.body.note.id)).body).toEqual({ note: withoutText });
  expect(await remove(first.body.note.id)).toMatchObject({ status: 404 });
  expect((await notes()).body.data).toEqual([second.body.note]);
  const { rows } = await api.database.pool.query(
    `SELECT operation, outcome FROM audit
     WHERE target_id = $1 AND operation IN ('tickets.note', 'tickets.unnote') AND outcome <> 'requested' ORDER BY id`,
    [id],
  );
  expect(rows).toEqual([
    { operation: 'tickets.note', outcome: 'performed' },
    { operation: 'tickets.note', outcome: 'performed' },
    { operation: 'tickets.unnote', outcome: 'performed' },
    { operation: 'tickets.unnote', outcome: 'failed' },
  ]);
});

it('the text of a removed note is nowhere any more', async () => {
  const body = { text: 'Written by mistake' };
  const headers = { 'Idempotency-Key': 'by-mistake' };
  const writing = () => api.inGuild(`/tickets/${id}/notes`, { method: 'POST', body, headers });
  const { note } = (await writing()).body;
  const kept = await write('Written on purpose');
  await remove(note.id);
  const { rows } = await api.database.pool.query(
    'SELECT id, input, result FROM actions WHERE target_id = $1 ORDER BY id',
    [id],
  );
  expect(JSON.stringify(rows)).not.toContain('mistake');
  expect(rows[0].input).toEqual({ ticketId: id, text: '' });
  expect(rows[1].result).toEqual(kept.body);
  // Who asks how the call ended, or makes it again, gets an answer of the shape that it expects.
  const gone = { note: { ...note, text: '' } };
  expect((await api.inGuild(`/actions/${rows[0].id}`)).body.action.result).toEqual(gone);
  expect(await writing()).toMatchObject({ status: 201, body: gone });
});

it('who may only read tickets reads no note', async () => {
  verifies('tickets.notes.staff');
  await write('Asked the guards');
  const token = await seedToken(api.database, api.guild, {
    issuerId: api.guild.moderatorId,
    capabilities: ['tickets.read'],
  });
  const denied = { status: 403, body: { error: { details: { missing: ['tickets.write'] } } } };
  expect(await api.inGuild(`/tickets/${id}/notes`, { token })).toMatchObject(denied);
  const body = { text: 'x' };
  expect(await api.inGuild(`/tickets/${id}/notes`, { method: 'POST', token, body })).toMatchObject(denied);
});

it('a ticket has at most 50 notes of 1,000 characters; of two that are written at once one is the last', async () => {
  verifies('tickets.notes.bounded');
  await api.database.pool.query(
    `INSERT INTO ticket_notes (guild_id, ticket_id, text, written_by)
     SELECT $1, $2, 'note ' || n, $3 FROM generate_series(1, 49) AS n`,
    [api.guild.id, id, api.guild.ownerId],
  );
  expect((await write('x'.repeat(1_001))).status).toBe(422);
  expect((await write('')).status).toBe(422);
  // Two people, because the calls of one wait for each other; and both have come as far as they can without the ticket.
  await grantRole(api.database, api.guild, api.guild.moderatorRoleId, ['tickets.write']);
  const token = await seedToken(api.database, api.guild, {
    issuerId: api.guild.moderatorId,
    capabilities: ['tickets.write'],
  });
  const ticket = await api.database.pool.connect();
  await ticket.query('BEGIN');
  await ticket.query('SELECT FROM tickets WHERE id = $1 FOR UPDATE', [id]);
  const writing = Promise.all([
    write('y'.repeat(1_000)),
    api.inGuild(`/tickets/${id}/notes`, { method: 'POST', token, body: { text: 'z' } }),
  ]);
  await expect.poll(waitingForLocks, { timeout: 120_000 }).toBe(2);
  await ticket.query('COMMIT');
  ticket.release();
  const both = await writing;
  expect(both.map(({ status }) => status).toSorted()).toEqual([201, 403]);
  expect(both.find(({ status }) => status === 403)?.body.error.details.reason).toBe('TICKET_NOTE_LIMIT');
  expect((await notes()).body.data).toHaveLength(50);
});

it('there is no note of a ticket that the guild does not have', async () => {
  verifies('tickets.notes.staff');
  const other = await seedGuild(api.database);
  const { rows } = await api.database.pool.query(
    `INSERT INTO tickets (guild_id, number, subject, opened_by) VALUES ($1, 1, 'theirs', $2) RETURNING id`,
    [other.id, other.memberId],
  );
  const {
    rows: [note],
  } = await api.database.pool.query(
    `INSERT INTO ticket_notes (guild_id, ticket_id, text, written_by) VALUES ($1, $2, 'theirs', $3) RETURNING id`,
    [other.id, rows[0].id, other.ownerId],
  );
  const path = `/tickets/${rows[0].id}/notes`;
  expect((await api.inGuild(path)).status).toBe(404);
  expect((await api.inGuild(path, { method: 'POST', body: { text: 'x' } })).status).toBe(404);
  expect((await api.inGuild(`${path}/${note.id}`, { method: 'DELETE' })).status).toBe(404);
  expect((await remove(note.id)).status).toBe(404);
});

it('a note on a ticket of another guild is not found, and stays', async () => {
  verifies('tickets.notes.staff');
  const other = await seedGuild(api.database);
  const { rows } = await api.database.pool.query<{ id: string }>(
    `INSERT INTO tickets (guild_id, number, subject, opened_by) VALUES ($1, 1, 'help', $2) RETURNING id`,
    [other.id, other.memberId],
  );
  const ticketId = rows[0]?.id ?? '';
  const noteId = await seedTicketNote(api.database, other, ticketId);
  const path = `/tickets/${ticketId}/notes/${noteId}`;
  expect(await api.inGuild(path, { method: 'DELETE' })).toMatchObject({ status: 404 });
  const { rowCount } = await api.database.pool.query('SELECT FROM ticket_notes WHERE id = $1', [noteId]);
  expect(rowCount).toBe(1);
});
