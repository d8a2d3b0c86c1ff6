import type { OutputOf } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { seedToken } from '@bailiff/engine/testing';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { type PublicApiHarness, startPublicApi } from './harness.ts';

let api: PublicApiHarness;
beforeEach(async () => {
  await api?.close();
  api = await startPublicApi();
});
afterAll(() => api?.close());

const query = (text: string, values: unknown[] = []) => api.database.pool.query(text, values);

async function firstId(text: string, values: unknown[]): Promise<string> {
  const { rows } = await query(text, values);
  return (rows[0] as { id: string }).id;
}

/** An action of this source, which has been performed. */
const action = (source: string, { by, request = 'req_1' }: { by: string; request?: string }) =>
  firstId(
    `INSERT INTO actions (guild_id, operation, input, digest, actor_source, actor_user_id, request_id, claim_by, state)
     VALUES ($1, 'bans.add', '{}', '', $2, $3, $4, now(), 'done') RETURNING id`,
    [api.guild.id, source, by, request],
  );

interface Opened {
  readonly by: string;
  readonly actionId?: string;
  readonly userId?: string;
  readonly minutes?: number;
}

/** Opens a case; without an action, as if it had been done by hand in Discord. */
const open = (kind: string, { by, actionId, userId = api.guild.memberId, minutes }: Opened) =>
  firstId("SELECT id FROM open_case($1, $2, $3, $4, 'x', $5, $6, $7, $8)", [
    api.guild.id,
    kind,
    kind.slice(0, 3),
    userId,
    by,
    minutes ?? null,
    actionId ?? null,
    kind === 'strike' ? 'minor' : null,
  ]);

/** Ends cases at one moment. */
const end = (...ids: string[]) =>
  query('UPDATE cases SET ended_at = now(), ended_by = issued_by WHERE id = ANY ($1)', [ids]);

/** An entry of the audit log about something that was closed, so many days ago. */
const closed = (
  operation: string,
  source: string,
  by: string,
  target: string,
  { daysAgo = 0, outcome = 'performed' }: { daysAgo?: number; outcome?: 'performed' | 'failed' } = {},
) =>
  query(
    `INSERT INTO audit (guild_id, at, actor_source, actor_user_id, operation, target_type, target_id, outcome)
     VALUES ($1, now() - make_interval(days => $2), $3, $4, $5, 'ticket', $6, $7)`,
    [api.guild.id, daysAgo, source, by, operation, target, outcome],
  );

async function counted(path = ''): Promise<OutputOf<'audit.moderators'>> {
  const { status, body } = await api.inGuild(`/moderators${path}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

const NONE = { strike: 0, ban: 0, mute: 0, warning: 0, kick: 0, softban: 0 };
const NOTHING = { cases: NONE, lifted: 0, appealed: 0, reports: 0, tickets: 0 };

it('each moderator is counted with what they did in the period, the busiest first', async () => {
  verifies('moderators.counted');
  const { moderatorId, ownerId } = api.guild;
  expect(await counted()).toEqual({ days: 30, data: [], more: 0, by_tokens: 0, automatic: 0 });

  for (const kind of ['strike', 'strike', 'kick']) await open(kind, { by: moderatorId });
  await open('warning', { by: ownerId, actionId: await action('dashboard', { by: ownerId }) });
  const old = await open('ban', { by: ownerId });
  await query("UPDATE cases SET issued_at = now() - interval '8 days' WHERE id = $1", [old]);
  await closed('reports.close', 'chat', moderatorId, 'rpt_1');
  await closed('tickets.close', 'dashboard', moderatorId, 'tkt_1');
  await closed('tickets.close', 'dashboard', moderatorId, 'tkt_1');
  await closed('tickets.close', 'chat', ownerId, 'tkt_2', { daysAgo: 8 });
  await closed('tickets.close', 'chat', moderatorId, 'tkt_3', { outcome: 'failed' });

  const ofModerator = {
    ...NOTHING,
    user_id: moderatorId,
    cases: { ...NONE, strike: 2, kick: 1 },
    reports: 1,
    tickets: 1,
  };
  const ofOwner = { ...NOTHING, user_id: ownerId, cases: { ...NONE, warning: 1 } };
  expect((await counted('?days=7')).data).toEqual([ofModerator, ofOwner]);
  expect((await counted()).data).toEqual([
    ofModerator,
    { ...ofOwner, cases: { ...NONE, warning: 1, ban: 1 }, tickets: 1 },
  ]);
  expect((await counted(`?days=7&user_id=${ownerId}`)).data).toEqual([ofOwner]);
});

it('of the cases of a moderator, those are counted that were lifted early, and on appeal', async () => {
  verifies('moderators.lifted');
  const { moderatorId: by, strangerId, memberId } = api.guild;
  const appealed = await open('ban', { by });
  await query(
    `INSERT INTO appeals (guild_id, case_id, user_id, answers, language) VALUES ($1, $2, $3, '[]', 'en')`,
    [api.guild.id, appealed, memberId],
  );
  await end(appealed);
  // Who is banned again some time after that was free in between.
  const again = await open('ban', { by });
  await query("UPDATE cases SET issued_at = issued_at + interval '1 minute' WHERE id = $1", [again]);
  await end(await open('strike', { by }));
  // Neither what a later one replaced nor what was over with its time was lifted.
  const replaced = await open('ban', { by, userId: strangerId });
  const replacing = await open('ban', { by, userId: strangerId });
  await end(replaced, replacing);
  const over = await open('mute', { by, userId: strangerId, minutes: 5 });
  await query(
    "UPDATE cases SET expires_at = issued_at, ended_at = issued_at + interval '1 ms' WHERE id = $1",
    [over],
  );
  expect((await counted()).data).toEqual([
    { ...NOTHING, user_id: by, cases: { ...NONE, ban: 4, strike: 1, mute: 1 }, lifted: 3, appealed: 1 },
  ]);
});

it('a case that was lifted although its appeal was refused does not count as lifted on appeal', async () => {
  verifies('moderators.lifted');
  const { moderatorId: by, ownerId, memberId } = api.guild;
  const refused = await open('ban', { by });
  await query(
    `INSERT INTO appeals (guild_id, case_id, user_id, answers, language, state, decided_at, decided_by)
     VALUES ($1, $2, $3, '[]', 'en', 'refused', now(), $4)`,
    [api.guild.id, refused, memberId, ownerId],
  );
  await end(refused);
  expect((await counted()).data).toEqual([
    { ...NOTHING, user_id: by, cases: { ...NONE, ban: 1 }, lifted: 1, appealed: 0 },
  ]);
});

it('what tokens and Bailiff itself did counts for nobody, and imported cases are left out', async () => {
  verifies('moderators.apart');
  const { moderatorId, ownerId, memberId } = api.guild;
  const { rows: shards } = await query('SELECT bot_user_id FROM gateway_shards');
  const botId = String(shards[0]?.bot_user_id);
  await open('strike', { by: ownerId, actionId: await action('token', { by: ownerId }) });
  await open('mute', { by: botId, minutes: 5, actionId: await action('system', { by: botId }) });
  // Discord did not say who banned them.
  await end(await open('ban', { by: botId }));
  // The actions of a mass ban are the system's; it is the work of who asked for it.
  for (const [source, by] of [
    ['token', ownerId],
    ['chat', moderatorId],
  ] as const) {
    const mass = await action(source, { by });
    await open('ban', { by, actionId: await action('system', { by, request: mass }) });
  }
  const imported = await open('kick', { by: moderatorId });
  const importId = await firstId(
    `INSERT INTO imports (guild_id, source, file_name, file_size, begun_by) VALUES ($1, 'csv', 'x', 1, $2) RETURNING id`,
    [api.guild.id, ownerId],
  );
  await query('UPDATE cases SET import_id = $2 WHERE id = $1', [imported, importId]);
  await closed('tickets.close', 'token', ownerId, 'tkt_1');
  // Closed by itself after its opener was asked: the work of who has claimed it.
  const ticket = await firstId(
    `INSERT INTO tickets (guild_id, number, subject, opened_by, claimed_by, status)
     VALUES ($1, 1, 'x', $2, $3, 'closed') RETURNING id`,
    [api.guild.id, memberId, moderatorId],
  );
  await closed('tickets.close', 'system', botId, ticket);
  await closed('tickets.close', 'system', botId, 'tkt_nobodys');

  expect(await counted()).toMatchObject({
    data: [{ ...NOTHING, user_id: moderatorId, cases: { ...NONE, ban: 1 }, tickets: 1 }],
    by_tokens: 2,
    automatic: 2,
  });
  expect(await counted(`?user_id=${moderatorId}`), 'of the guild, whoever is asked for').toMatchObject({
    by_tokens: 2,
    automatic: 2,
  });
});

it('a guild counts its own only, and nobody counts who may not read the audit log, or too far back', async () => {
  verifies('moderators.counted');
  await query(
    "INSERT INTO guilds (id, name, owner_id, tier) VALUES ('299999999999999999', 'Other', '1', 'pro')",
  );
  await query("SELECT open_case('299999999999999999', 'kick', 'kck', '1', 'x', $1, NULL, NULL)", [
    api.guild.moderatorId,
  ]);
  expect((await counted()).data).toEqual([]);
  for (const path of ['?days=0', '?days=91', '?days=1.5', '?days=x', '?user_id=me'])
    expect(await api.inGuild(`/moderators${path}`), path).toMatchObject({
      status: 400,
      body: { error: { code: 'VALIDATION_FAILED' } },
    });
  const token = await seedToken(api.database, api.guild, { capabilities: ['strikes.read', 'members.read'] });
  expect(await api.inGuild('/moderators', { token })).toMatchObject({
    status: 403,
    body: { error: { code: 'CAPABILITY_DENIED' } },
  });
});

it('the busiest hundred are shown, and how many more there are', async () => {
  verifies('moderators.counted');
  await query(
    `SELECT open_case($1, 'kick', 'kck', '1', 'x', (400000000000000000 + n)::text, NULL, NULL)
     FROM generate_series(1, 103) AS n`,
    [api.guild.id],
  );
  await open('kick', { by: '400000000000000103' });
  const { data, more } = await counted();
  expect([data.length, more]).toEqual([100, 3]);
  expect(data[0]?.user_id).toBe('400000000000000103');
});
