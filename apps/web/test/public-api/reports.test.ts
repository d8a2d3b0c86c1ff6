import { verifies } from '@bailiff/core/testing';
import { listReports } from '@bailiff/engine/reports/report-list';
import { reportRefusal } from '@bailiff/engine/reports/reports';
import { grantRole, type SeededToken, seedGuild, seedToken, seedWindow } from '@bailiff/engine/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type PublicApiHarness, startPublicApi } from './harness.ts';
import { seedReport } from './read-calls.ts';

let api: PublicApiHarness;
beforeAll(async () => {
  api = await startPublicApi();
});
afterAll(() => api.close());
beforeEach(() => api.database.pool.query('DELETE FROM reports'));

const post = (id: string, what: 'claim' | 'close', more: object = {}) =>
  api.inGuild(`/reports/${id}/${what}`, { method: 'POST', ...more });

/** Closes a report with its sentinel. */
const close = (id: string, token: SeededToken = api.token, answer?: string) =>
  post(id, 'close', {
    token,
    body: {
      ...(answer === undefined ? {} : { answer }),
      _confirmation: `CLOSE REPORT ${id} IN GUILD ${api.guild.id}`,
    },
  });

async function tokenOfModerator() {
  const capabilities = ['reports.read', 'reports.write'] as const;
  await grantRole(api.database, api.guild, api.guild.moderatorRoleId, [...capabilities]);
  const token = await seedToken(api.database, api.guild, {
    issuerId: api.guild.moderatorId,
    capabilities: [...capabilities],
  });
  await seedWindow(api.database, api.guild, token);
  return token;
}

it('nobody’s report is closed over a token that the owner has not allowed to, nor without its sentinel', async () => {
  verifies('reports.rest');
  const id = await seedReport(api.database, api.guild);
  const token = await seedToken(api.database, api.guild);
  const answer = 'See https://example.com';
  expect(await close(id, token, answer)).toMatchObject({
    status: 403,
    body: { error: { code: 'RE_AUTH_REQUIRED', details: { approval_state: 'pending' } } },
  });
  await seedWindow(api.database, api.guild, token);
  for (const _confirmation of [undefined, `CLOSE REPORT rpt_${'0'.repeat(32)} IN GUILD ${api.guild.id}`]) {
    expect(await post(id, 'close', { token, body: { answer, _confirmation } })).toMatchObject({
      status: 422,
      body: { error: { code: 'INVALID_CONFIRMATION' } },
    });
  }
  expect((await api.inGuild(`/reports/${id}`)).body).toMatchObject({ status: 'open', answer: null });
  expect((await close(id, token, answer)).body.report).toMatchObject({ status: 'closed', answer });
});

it('reports are listed, claimed and closed, and then stay as they are', async () => {
  verifies('reports.rest');
  const id = await seedReport(api.database, api.guild);
  const token = await tokenOfModerator();
  const open = await api.inGuild('/reports?status=open');
  expect(open.body.data).toMatchObject([
    {
      id,
      number: 1,
      reported_by: api.guild.memberId,
      message: { text: 'You are all idiots', attachments: [] },
    },
  ]);
  expect((await api.inGuild(`/reports/${id}`)).body).toEqual(open.body.data[0]);

  const claimed = await post(id, 'claim');
  expect(claimed).toMatchObject({
    status: 200,
    body: { report: { status: 'claimed', claimed_by: api.guild.ownerId } },
  });
  expect((await post(id, 'claim')).body).toEqual(claimed.body);
  expect(await post(id, 'claim', { token })).toMatchObject({
    status: 409,
    body: { error: { code: 'ALREADY_CLAIMED' } },
  });
  // A claim keeps nobody from ending it.
  const closed = await close(id, token, 'Thank you');
  expect(closed).toMatchObject({
    status: 200,
    body: { report: { status: 'closed', closed_by: api.guild.moderatorId, answer: 'Thank you' } },
  });
  for (const again of [await post(id, 'claim'), await close(id, token)]) {
    expect(again).toMatchObject({ status: 403, body: { error: { details: { reason: 'REPORT_CLOSED' } } } });
  }
  expect((await api.inGuild('/reports?status=open')).body.data).toEqual([]);
  const { rows } = await api.database.pool.query(
    "SELECT task_identifier AS task FROM graphile_worker.jobs WHERE key LIKE '%' || $1 ORDER BY 1",
    [id],
  );
  expect(rows).toEqual([{ task: 'post_report' }, { task: 'tell_reporter' }]);
});

it('a moderator who is reported does not read by whom, also not in the answers of others', async () => {
  verifies('reports.author-hidden');
  const token = await tokenOfModerator();
  const id = await seedReport(api.database, api.guild, api.guild.moderatorId);
  const seen = [
    await api.inGuild('/reports', { token }),
    await api.inGuild(`/reports/${id}`, { token }),
    await post(id, 'claim'),
  ];
  for (const { status, body } of seen) {
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toContain(api.guild.memberId);
  }
  expect((await api.inGuild(`/reports/${id}`)).body.reported_by).toBe(api.guild.memberId);
  // As the dashboard lists them.
  const reportersSeenBy = async (userId: string) => {
    const viewer = { id: api.guild.id, isOwner: false, capabilities: ['reports.read'] as const, userId };
    const { rows } = await listReports(api.database, viewer, undefined, { limit: 10 });
    return rows.map(({ reported_by }) => reported_by);
  };
  expect(await reportersSeenBy(api.guild.moderatorId)).toEqual([null]);
  expect(await reportersSeenBy(api.guild.ownerId)).toEqual([api.guild.memberId]);
  const lacking = { id: api.guild.id, isOwner: false, capabilities: [], userId: api.guild.ownerId };
  await expect(listReports(api.database, lacking, undefined, { limit: 10 })).rejects.toMatchObject({
    code: 'CAPABILITY_DENIED',
    details: { missing: ['reports.read'] },
  });
  for (const own of [await post(id, 'claim', { token }), await close(id, token)]) {
    expect(own).toMatchObject({ status: 403, body: { error: { details: { reason: 'TARGET_IS_SELF' } } } });
  }
});

it('twenty open reports about a person and five hundred in a guild are enough, and the bot is not reported', async () => {
  verifies('reports.limits');
  const { id: guildId, memberId: reportedBy, strangerId, moderatorId, botId } = api.guild;
  const { pool } = api.database;
  await pool.query("UPDATE guilds SET reports_channel_id = '834989431927603200' WHERE id = $1", [guildId]);
  const refusal = (userId: string, messageId?: string) =>
    reportRefusal(pool, { guildId, reportedBy, userId, messageId });
  let number = 0;
  const reported = async (
    userId: string,
    count: number,
    by = 'somebody',
    messageId: string | null = null,
  ) => {
    await pool.query('ALTER TABLE reports DISABLE TRIGGER USER'); // nobody posts them
    await pool.query(
      `INSERT INTO reports (guild_id, number, user_id, reported_by, reason, message_id)
       SELECT $1, $2 + n, $3, $4, 'Spam', $5 FROM generate_series(1, $6::int) AS n`,
      [guildId, number, userId, by, messageId, count],
    );
    await pool.query('ALTER TABLE reports ENABLE TRIGGER USER');
    number += count;
  };
  expect(await refusal(botId)).toBe('TARGET_IS_BOT');
  await reported(strangerId, 1, reportedBy, '1');
  expect(await refusal(strangerId, '1')).toBe('REPORT_REPEATED');
  const ofAnother = { guildId, reportedBy: moderatorId, userId: strangerId, messageId: '1' };
  expect(await reportRefusal(pool, ofAnother), 'somebody else may report it, too').toBeNull();
  await pool.query("UPDATE reports SET status = 'claimed'");
  expect(await refusal(strangerId, '1'), 'somebody works on it').toBe('REPORT_REPEATED');
  expect(await refusal(strangerId, '2')).toBeNull();
  await reported(strangerId, 18);
  expect(await refusal(strangerId, '2')).toBeNull();
  await reported(strangerId, 1);
  expect(await refusal(strangerId, '2')).toBe('REPORTED_OFTEN');
  await pool.query("UPDATE reports SET status = 'closed' WHERE reported_by <> $1", [reportedBy]);
  expect(await refusal(strangerId, '2'), 'closed ones do not count').toBeNull();
  await pool.query("UPDATE reports SET status = 'claimed' WHERE reported_by <> $1", [reportedBy]);
  expect(await refusal(strangerId, '2')).toBe('REPORTED_OFTEN');
  await reported('another', 479);
  expect(await refusal(moderatorId)).toBeNull();
  await reported('another', 1);
  expect(await refusal(moderatorId)).toBe('GUILD_REPORT_LIMIT');
  await pool.query('DELETE FROM reports WHERE reported_by <> $1', [reportedBy]);
  expect(await refusal(moderatorId)).toBeNull();
});

it('how much somebody reports, is reported, and is open in one guild counts in no other', async () => {
  verifies('reports.limits');
  const elsewhere = await seedGuild(api.database);
  const { id: guildId, memberId: reportedBy, strangerId: userId } = api.guild;
  const { pool } = api.database;
  await pool.query("UPDATE guilds SET reports_channel_id = '834989431927603200' WHERE id = $1", [guildId]);
  await pool.query('ALTER TABLE reports DISABLE TRIGGER USER'); // nobody posts them
  await pool.query(
    `INSERT INTO reports (guild_id, number, user_id, reported_by, reason, message_id)
     SELECT $1, n, $2, $3, 'Spam', '1' FROM generate_series(1, 500) AS n`,
    [elsewhere.id, userId, reportedBy],
  );
  await pool.query('ALTER TABLE reports ENABLE TRIGGER USER');
  expect(await reportRefusal(pool, { guildId, reportedBy, userId, messageId: '1' })).toBeNull();
});
