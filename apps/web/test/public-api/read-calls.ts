import type { RestOperation } from '@bailiff/core';
import { type CaseKind, openCase } from '@bailiff/engine/cases/cases';
import { inTransaction } from '@bailiff/engine/database/transaction';
import { type SeededGuild, type SeededToken, snowflake } from '@bailiff/engine/testing';
import type { PublicApiHarness } from './harness.ts';
import { putEachInForce } from './put-in-force.ts';

/** Each read of the public API with an address below /api/public/v1 where it finds something. */
export async function readCalls({
  database,
  guild,
  token,
}: Pick<PublicApiHarness, 'database' | 'guild' | 'token'>): Promise<[RestOperation, string][]> {
  const { pool } = database;
  const caseOf = (kind: CaseKind) =>
    inTransaction(database, (tx) =>
      openCase(tx, {
        guildId: guild.id,
        kind,
        userId: guild.memberId,
        reason: 'spam',
        issuedBy: guild.ownerId,
        actionId: null,
        ...(kind === 'strike' ? { severity: 'minor' } : {}),
      }),
    );
  const strike = await caseOf('strike');
  await caseOf('ban');
  const { rows: tickets } = await pool.query<{ id: string }>(
    `INSERT INTO tickets (guild_id, number, subject, opened_by)
     SELECT $1, 1 + count(*), 'help', $2 FROM tickets WHERE guild_id = $1 RETURNING id`,
    [guild.id, guild.memberId],
  );
  const report = await seedReport(database, guild);
  const { rows: actions } = await pool.query<{ id: string }>(
    `INSERT INTO actions (guild_id, operation, input, digest, actor_source, actor_user_id, request_id, claim_by, state)
     VALUES ($1, 'strikes.add', '{}', '', 'token', $2, 'req_1', now(), 'failed') RETURNING id`,
    [guild.id, guild.ownerId],
  );
  const { rows: archives } = await pool.query<{ id: string }>(
    `INSERT INTO message_archives (guild_id, action_id, channel_id, messages, expires_at)
     VALUES ($1, $2, $3, $4, now() + interval '30 days') RETURNING id`,
    [guild.id, actions[0]?.id, snowflake(), JSON.stringify([purgedMessage('deleted')])],
  );
  await pool.query("INSERT INTO person_lists (action_id, guild_id, kind, people) VALUES ($1, $2, 'ban', 0)", [
    actions[0]?.id,
    guild.id,
  ]);
  await putEachInForce(database, guild);
  const base = `/guilds/${guild.id}`;
  return [
    ['me', '/me'],
    ['strikes.list', `${base}/strikes`],
    ['strikes.get', `${base}/strikes/${strike.id}`],
    ['cases.search', `${base}/cases`],
    ['cases.get', `${base}/cases/${strike.id}`],
    ['bans.list', `${base}/bans`],
    ['bans.get', `${base}/bans/${guild.memberId}`],
    ['mutes.list', `${base}/mutes`],
    ['tickets.list', `${base}/tickets`],
    ['tickets.get', `${base}/tickets/${tickets[0]?.id}`],
    ['tickets.notes', `${base}/tickets/${tickets[0]?.id}/notes`],
    ['tickets.stats', `${base}/ticket-statistics`],
    ['appeals.list', `${base}/appeals`],
    ['appeals.get', `${base}/appeals/${await seedAppeal(database, guild, strike.id)}`],
    ['reports.list', `${base}/reports`],
    ['reports.get', `${base}/reports/${report}`],
    ['channels.locks', `${base}/locks`],
    ['channels.slowmodes', `${base}/slowmodes`],
    ['roles.list', `${base}/roles`],
    ['identities.list', `${base}/identities`],
    ['servers.list', `${base}/servers`],
    ['members.get', `${base}/members/${guild.memberId}`],
    ['members.events', `${base}/members/${guild.memberId}/events`],
    ['messages.archive', `${base}/archives/${archives[0]?.id}`],
    ['rules.get', `${base}/rules`],
    ['actions.people', `${base}/actions/${actions[0]?.id}/people`],
    ['audit.list', `${base}/audit`],
    ['audit.moderators', `${base}/moderators`],
    ['actions.get', `${base}/actions/${actions[0]?.id}`],
    ['approvals.get', `${base}/approvals/${await seedApproval(database, guild, token)}`],
  ];
}

/** An appeal against a case. */
export async function seedAppeal(
  { pool }: Pick<PublicApiHarness['database'], 'pool'>,
  guild: SeededGuild,
  caseId: string,
): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO appeals (guild_id, case_id, user_id, answers, language)
     VALUES ($1, $2, $3, '[{"question": "Why?", "answer": "It was a joke."}]', 'en') RETURNING id`,
    [guild.id, caseId, guild.memberId],
  );
  return rows[0]?.id ?? '';
}

/** A report by a member about a message of somebody else. */
export async function seedReport(
  { pool }: Pick<PublicApiHarness['database'], 'pool'>,
  guild: SeededGuild,
  about: string = guild.strangerId,
): Promise<string> {
  const message = { text: 'You are all idiots', files: [], sent_at: '2026-01-31T12:00:00.000Z' };
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO reports (guild_id, number, user_id, reported_by, reason, channel_id, message_id, message)
     SELECT $1, 1 + count(*), $2, $3, 'Insults', $4, $5, $6 FROM reports WHERE guild_id = $1 RETURNING id`,
    [guild.id, about, guild.memberId, snowflake(), snowflake(), JSON.stringify(message)],
  );
  return rows[0]?.id ?? '';
}

/** Who a member is in Minecraft. */
export async function seedIdentity(
  { pool }: PublicApiHarness['database'],
  guild: SeededGuild,
): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO identities (guild_id, user_id, platform, in_game_id, key, set_by)
     VALUES ($1, $2, 'minecraft', 'Steve', 'steve', $3) RETURNING id`,
    [guild.id, guild.memberId, guild.ownerId],
  );
  return rows[0]?.id ?? '';
}

/** An internal note on a ticket. */
export async function seedTicketNote(
  { pool }: PublicApiHarness['database'],
  guild: SeededGuild,
  ticketId: string,
): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO ticket_notes (guild_id, ticket_id, text, written_by) VALUES ($1, $2, 'Ask the guards', $3) RETURNING id`,
    [guild.id, ticketId, guild.ownerId],
  );
  return rows[0]?.id ?? '';
}

/** A call of a token that waits for approval. */
export async function seedApproval(
  { pool }: PublicApiHarness['database'],
  guild: SeededGuild,
  token: SeededToken,
): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO approval_requests (token_id, guild_id, operation, input, digest, request_id, address, expires_at)
     VALUES ($1, $2, 'bans.add', '{}', 'none', 'req_1', '192.0.2.1', now() + interval '1 hour') RETURNING id`,
    [token.id, guild.id],
  );
  return rows[0]?.id ?? '';
}

/** A message as the bot archives it. */
export function purgedMessage(text: string) {
  return {
    id: snowflake(),
    author_id: snowflake(),
    author_name: 'spammer',
    author_is_bot: false,
    sent_at: '2026-01-31T12:00:00.000000+00:00',
    text,
    attachments: [],
    reply_to: null,
  };
}
