import { verifies } from '@bailiff/core/testing';
import { seedToken } from '@bailiff/engine/testing';
import { expect, it } from 'vitest';
import type { PublicApiHarness } from './harness.ts';
import { oneTicketForEachTest } from './one-ticket.ts';

let api: PublicApiHarness;
let id: string;
oneTicketForEachTest('tickets.write', (made) => {
  ({ api, id } = made);
});

const assign = (user_id: string, token = api.token) =>
  api.inGuild(`/tickets/${id}/assign`, { method: 'POST', token, body: { user_id } });

const tokenOfModerator = () =>
  seedToken(api.database, api.guild, {
    issuerId: api.guild.moderatorId,
    capabilities: ['tickets.write'],
  });

const refused = (reason: string) => ({ status: 403, body: { error: { details: { reason } } } });

it('a ticket is given to who may work on it; giving it again changes nothing', async () => {
  verifies('tickets.assign.response', 'tickets.assign.refused');
  const { moderatorId, ownerId, memberId, strangerId, botId } = api.guild;
  for (const userId of [memberId, strangerId, botId]) {
    expect(await assign(userId)).toMatchObject(refused('NOT_ASSIGNABLE'));
  }
  const first = await assign(moderatorId);
  expect(first.body.ticket).toMatchObject({
    status: 'claimed',
    claimed_by: moderatorId,
    assigned_by: ownerId,
  });
  expect((await assign(moderatorId)).body).toEqual(first.body);
  const token = await tokenOfModerator();
  expect((await assign(ownerId, token)).body.ticket).toMatchObject({ assigned_by: moderatorId });
  expect(await assign(moderatorId, token)).toMatchObject(refused('NOT_CLAIMER'));
  await api.database.pool.query("UPDATE tickets SET status = 'closed'");
  expect(await assign(moderatorId)).toMatchObject({
    status: 409,
    body: { error: { code: 'ALREADY_CLAIMED' } },
  });
});

it('the answer about one of two tickets says how that one is', async () => {
  const { rows } = await api.database.pool.query<{ id: string }>(
    `INSERT INTO tickets (guild_id, number, subject, opened_by) VALUES ($1, 2, 'help me too', $2) RETURNING id`,
    [api.guild.id, api.guild.strangerId],
  );
  for (const ticketId of [id, ...rows.map((row) => row.id)]) {
    const body = { user_id: api.guild.moderatorId };
    const answer = await api.inGuild(`/tickets/${ticketId}/assign`, { method: 'POST', body });
    expect(answer.body.ticket).toMatchObject({ id: ticketId, claimed_by: api.guild.moderatorId });
  }
});

it('a bot gets no ticket, though its role may work on tickets', async () => {
  const { botId, id: guildId } = api.guild;
  await api.database.pool.query(
    'UPDATE members SET bot = true, role_ids = role_ids || $3::text WHERE guild_id = $1 AND user_id = $2',
    [guildId, botId, api.guild.moderatorRoleId],
  );
  expect(await assign(botId)).toMatchObject(refused('NOT_ASSIGNABLE'));
});

it('a ticket that one claims while another gives it away has one of the two, and says who', async () => {
  verifies('tickets.assign.race');
  const { moderatorId, ownerId } = api.guild;
  const [claimed, given] = await Promise.all([
    api.inGuild(`/tickets/${id}/claim`, { method: 'POST' }),
    assign(moderatorId, await tokenOfModerator()),
  ]);
  const { body } = await api.inGuild(`/tickets/${id}`);
  const isGiven = body.claimed_by === moderatorId;
  expect([claimed.status, given.status]).toEqual(isGiven ? [409, 200] : [200, 403]);
  expect(body).toMatchObject(
    isGiven ? { assigned_by: moderatorId } : { claimed_by: ownerId, assigned_by: null },
  );
});
